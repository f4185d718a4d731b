"""The records of a hook's payload: pure, light, and not yet redacted or cut. The record is the one that
`memlsp.store.tables.journal` keeps; paths and folder stand in it as the agent wrote them. The content of edited or read
files is left out: the files themselves have it."""

from __future__ import annotations

import time
from _blake2 import blake2b

from memlsp.faces.hooks import fields, tools
from memlsp.faces.hooks.dialects import dialect as phases
from memlsp.faces.hooks.fields import Json, Payload
from memlsp.faces.hooks.hook_event import WRONG, HookEvent, read_event
from memlsp.faces.hooks.results import answered, outcome

OWN_TOOL, BEFORE_IT, EMPTY, UNKNOWN = "own-tool", "before", "empty", "unknown-event"
"""Reasons for no record: the payload is of our own tools; the event after the call has more; it is empty; it is of an
unknown event. `unused` is an event of no use, `repeat` one that another event covers better."""

COUNTED = frozenset({OWN_TOOL, UNKNOWN})
"""The reasons that mean that something was left out, and which are therefore counted."""

_NEAR = 4_000
"""Milliseconds within which the same words, without an identifier, are one event that came twice."""

PLAN_PART = "item"
"""Text of a plan that names only the items that changed; that of a whole list is empty."""

_PLACES = fields.names("workdir cwd directory dir_path working_directory")


class Records(list[Payload]):
    """The records of a payload, and the reason why there are none; "" when there are some."""

    __slots__ = ("reason",)

    def __init__(self, records: list[Payload] | None = None, reason: str = "") -> None:
        super().__init__(records or [])
        self.reason = reason


def read(agent: str, payload: Json, now: int | None = None) -> Records:
    """The records of a payload of `agent`: one at most today, or none with the reason why. `now` is the time in
    milliseconds since 1970 for payloads that have none of their own. Never raises: an unreadable payload is an
    `unknown-event`."""
    return records_of(read_event(agent, payload), now)


def records_of(event: HookEvent | None, now: int | None = None) -> Records:
    """The same as `read` for a payload that was read already; None is an unreadable one."""
    try:
        return _records(event, int(time.time() * 1000) if now is None else now) if event else Records(reason=UNKNOWN)
    except WRONG:
        return Records(reason=UNKNOWN)


def _records(event: HookEvent, now: int) -> Records:
    if event.is_ours:  # counted once, after the call
        return Records(reason=BEFORE_IT if event.phase == phases.BEFORE else OWN_TOOL)
    content = _content(event)
    if isinstance(content, str):
        return Records(reason=content)
    at = fields.time_of(event.payload)
    key, near = _keys(event, content, now if at is None else at, exact=at is not None)
    record: Payload = {
        "key": key,
        "near": near,
        "at": now if at is None else at,
        "source": event.source,
        "session": event.session,
        "folder": fields.folder(event.payload),
        **content,
    }
    usual = fields.ORDINARY | event.dialect.known
    if extra := {name: found for name, found in event.raw.items() if name not in usual}:
        record["extra"] = extra
    return Records([{name: found for name, found in record.items() if found not in ("", None, [], {})}])


_SESSION_KINDS = {phases.START: "session-start", phases.END: "session-end", phases.COMPACT: "compact"}


def _content(event: HookEvent) -> Payload | str:
    """The fields of a record that depend on the phase; the reason when there is no record."""
    payload, phase = event.payload, event.phase
    if phase in {phases.AFTER, phases.FAILED}:
        return _call(event)
    if phase == phases.BEFORE:
        return BEFORE_IT
    if phase in {phases.PROMPT, phases.STOP}:
        kind, keys = ("prompt", fields.PROMPT) if phase == phases.PROMPT else ("say", fields.SAID)
        text = fields.text(payload, keys)
        return {"kind": kind, "text": text} if text.strip() else EMPTY
    if phase in _SESSION_KINDS:
        return {"kind": _SESSION_KINDS[phase], "text": fields.text(payload, fields.SOURCE)}
    if phase == phases.SUBAGENT:
        return _subagent(payload)
    if phase in {phases.PLANNED, phases.DONE}:
        item = fields.text(payload, ("task_subject", "taskSubject", "subject", "title"))
        state = "pending" if phase == phases.PLANNED else "completed"
        return {"kind": "plan", "text": PLAN_PART, "plan": [[item, state]]} if item.strip() else EMPTY
    if phase == phases.FILES:
        return {"kind": "files", "paths": event.paths} if event.paths else EMPTY
    if phase == phases.SUBAGENT_START:
        return phases.UNUSED
    return phase if phase in {phases.UNUSED, phases.REPEAT} else UNKNOWN


def _call(event: HookEvent) -> Payload | str:
    if not event.tool:
        return UNKNOWN
    result, error = event.result, event.error
    if event.phase == phases.FAILED and error is None:
        error = "failed"
    text, ok, number = outcome(result, error)
    is_command = event.kind == tools.COMMAND
    if ok is None and event.phase == phases.AFTER and (event.dialect.silent_success or not is_command):
        ok = True
        number = 0 if is_command else None
    content: Payload = {
        "kind": event.kind,
        "tool": event.tool,
        "ok": ok,
        "exit": number if is_command else None,
        "ms": fields.number(event.payload, fields.TOOK),
    }
    if is_command:
        content["text"], content["output"] = event.command, _unwrapped(text)
        content["folder"] = _place(fields.folder(event.payload), fields.text(event.arguments, _PLACES))
        return content if content["text"] else _unknown_call(event, content)
    if event.kind in {tools.PLAN, tools.EDIT, tools.READ}:
        return _of_items(event, content, text)
    if event.tool in {"TaskCreate", "TaskUpdate"} and event.source == "claude-code":
        return phases.REPEAT  # TaskCreated and TaskCompleted have the same with the item's words
    content["text"], content["output"], content["paths"] = (
        tools.words(event.call),
        answered(result) or text,
        event.paths,
    )
    return content


def _of_items(event: HookEvent, content: Payload, output: str) -> Payload | str:
    """The record of a call about a plan or about files; a call that names none is one of any tool."""
    failed = content["ok"] is False
    if event.kind == tools.PLAN:
        key, content["plan"] = "plan", [] if failed else tools.plan(event.call)
    else:
        key, content["paths"] = "paths", event.paths
        if failed:
            content["output"] = output
    return content if content[key] else _unknown_call(event, {**content, "kind": tools.TOOL})


def _place(folder: str, place: str) -> str:
    """The folder of a command: the call's own, relative to the session's."""
    if not place or place.startswith("/") or place[1:2] == ":":
        return place or folder
    return f"{folder.rstrip('/')}/{place}" if folder else ""


def _unknown_call(event: HookEvent, content: Payload) -> Payload:
    """A call whose arguments have unknown names: it is kept, with all of them."""
    content["kind"] = tools.TOOL
    content["text"] = tools.words(event.call)
    return content


def _subagent(payload: Payload) -> Payload:
    name = fields.text(payload, ("agent_type", "subagent_type", "agentName", "agentType", "agent_name"))
    said = fields.text(payload, fields.SAID)
    return {"kind": "tool", "tool": "subagent", "text": name, "output": said, "ok": True}


def _unwrapped(text: str) -> str:
    """A command's output without the lines that the agent puts around it."""
    text = text.strip("\n")
    if text.startswith("<untrusted_context>"):  # Gemini CLI
        text = text.removeprefix("<untrusted_context>").removesuffix("</untrusted_context>").strip("\n")
        text = text.removeprefix("Output: ")
        text = "\n".join(
            line for line in text.splitlines() if not line.startswith(("Exit Code: ", "Process Group PGID: "))
        )
    first, _, rest = text.partition("\n")
    if first.startswith("Exit code "):  # Claude Code
        return rest
    head, _, last = text.rpartition("\n")
    if last.startswith("<shellId: "):  # Copilot CLI
        return head
    return text


def _keys(event: HookEvent, record: Payload, at: int, *, exact: bool) -> tuple[str, list[Json]]:
    """A key that is the same for one event however often it comes, and different for each event that happened.

    It is made of the call's identifier, else the turn's, else the agent's time to the millisecond. Without any of these
    the same words within four seconds are one event: then the second value is that span in milliseconds, with the keys
    of the spans before and after. The agent is not part of it: VS Code also runs the hooks in Claude Code's settings.
    """
    payload, kind = event.payload, record["kind"]
    unique = fields.text(payload, fields.CALL) if event.tool else ""
    if not unique and kind in {"prompt", "say"}:
        unique = fields.text(payload, fields.TURN)
    content = "\x1e".join([record.get("text") or "", *_strings(record.get("paths")), *_strings(record.get("plan"))])
    if unique and event.tool:
        content = ""
    elif not unique:
        content += "\x1e" + (record.get("output") or "")
        if not (exact and event.tool):
            span = at // _NEAR
            named, before, after = (
                _digest(event, kind, f"near {each}", content) for each in (span, span - 1, span + 1)
            )
            return named, [_NEAR, before, after]
        unique = f"at {at}"
    return _digest(event, kind, unique, content), []


def _digest(event: HookEvent, kind: str, unique: str, content: str) -> str:
    parts = (event.session, kind if content or not event.tool else "call", unique, content)
    return blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _strings(found: Json) -> list[str]:
    return [each if isinstance(each, str) else "\x1d".join(fields.items(each)) for each in fields.items(found)]
