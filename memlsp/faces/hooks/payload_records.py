"""What an agent tells a hook, as records of what happened: pure, light, and not yet redacted or cut.

The record is the one that `memlsp.store.tables.journal` keeps; paths and folder stand in it as the agent wrote them.
What an edit wrote and what a file read held is left out: the files themselves say it.
"""

from __future__ import annotations

import time
from _blake2 import blake2b

from memlsp.faces.hooks import fields, tools
from memlsp.faces.hooks.dialects import (
    AFTER,
    AGENTS,
    BEFORE,
    COMPACT,
    DONE,
    END,
    FAILED,
    FILES,
    PLANNED,
    PROMPT,
    REPEAT,
    START,
    STOP,
    SUBAGENT,
    UNUSED,
)
from memlsp.faces.hooks.observation import Seen
from memlsp.faces.hooks.results import outcome

__all__ = ["AGENTS", "COUNTED", "PLAN_PART", "Records", "read"]

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from typing import Any

    from memlsp.faces.hooks.fields import Payload

    Record = dict[str, Any]

OWN_TOOL, BEFORE_IT, EMPTY, UNKNOWN = "own-tool", "before", "empty", "unknown-event"
"""Why a payload gives no record: it is of our own tools; it will be told when it has happened; it says nothing; nobody
knows what it is. An event that is of no use, or that another event tells better, is `unused` and `repeat`."""

COUNTED = frozenset({OWN_TOOL, UNKNOWN})
"""The reasons that mean that something was left out, and which are therefore counted."""

_NEAR = 4_000
"""Milliseconds within which the same words, without anything that tells them apart, are one event that came twice."""

PLAN_PART = "item"
"""Text of a plan that names only the items that changed; that of a whole list is empty."""

_PLACES = ("workdir", "cwd", "directory", "dir_path", "working_directory")
_WRONG = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError)


class Records(list["Record"]):
    """Records, and the reason why there are none; "" when there are some."""

    __slots__ = ("reason",)

    def __init__(self, records: list[Record] | None = None, reason: str = "") -> None:
        super().__init__(records or [])
        self.reason = reason


def read(agent: str, payload: Any, now: int | None = None) -> Records:
    """The records that a payload of `agent` gives: one at most today, or none with the reason why.

    `now` is the time in milliseconds since 1970 for payloads that have none of their own. Never raises, whatever the
    payload holds: what cannot be read is an `unknown-event`.
    """
    try:
        return _read(agent, fields.mapping(payload), int(time.time() * 1000) if now is None else now)
    except _WRONG:
        # a reader that is wrong about a payload must not cost the agent anything
        return Records(reason=UNKNOWN)


def _read(agent: str, payload: Payload, now: int) -> Records:
    seen = Seen(agent, payload)
    if seen.is_ours:  # counted once, when it has happened
        return Records(reason=BEFORE_IT if seen.moment == BEFORE else OWN_TOOL)
    told = _told(seen)
    if isinstance(told, str):
        return Records(reason=told)
    at = fields.moment_of(seen.payload)
    key, near = _keys(seen, told, now if at is None else at, exact=at is not None)
    record: Record = {
        "key": key,
        "near": near,
        "at": now if at is None else at,
        "source": seen.source,
        "session": seen.session,
        "folder": fields.folder(seen.payload),
        **told,
    }
    extra = _extra(seen)
    if extra:
        record["extra"] = extra
    return Records([{name: found for name, found in record.items() if found not in ("", None, [], {})}])


def _told(seen: Seen) -> Record | str:
    """What is particular to the moment; the reason when there is nothing to tell."""
    payload, moment = seen.payload, seen.moment
    if moment in {AFTER, FAILED}:
        return _call(seen)
    if moment == BEFORE:
        return BEFORE_IT
    if moment == PROMPT:
        said = fields.text(payload, fields.PROMPT)
        return {"kind": "prompt", "text": said} if said.strip() else EMPTY
    if moment == STOP:
        said = fields.text(payload, fields.SAID)
        return {"kind": "say", "text": said} if said.strip() else EMPTY
    if moment == START:
        return {"kind": "session-start", "text": fields.text(payload, fields.SOURCE)}
    if moment == END:
        return {"kind": "session-end", "text": fields.text(payload, fields.SOURCE)}
    if moment == COMPACT:
        return {"kind": "compact", "text": fields.text(payload, fields.SOURCE)}
    if moment == SUBAGENT:
        return _subagent(payload)
    if moment in {PLANNED, DONE}:
        item = fields.text(payload, ("task_subject", "taskSubject", "subject", "title"))
        state = "pending" if moment == PLANNED else "completed"
        return {"kind": "plan", "text": PLAN_PART, "plan": [[item, state]]} if item.strip() else EMPTY
    if moment == FILES:
        return {"kind": "files", "paths": seen.paths} if seen.paths else EMPTY
    return moment if moment in {UNUSED, REPEAT} else UNKNOWN


def _call(seen: Seen) -> Record | str:
    if not seen.tool:
        return UNKNOWN
    result, error = seen.result, seen.error
    if seen.moment == FAILED and error is None:
        error = "failed"
    text, ok, number = outcome(result, error)
    if ok is None and seen.moment == AFTER and (seen.dialect.quiet or seen.kind != tools.COMMAND):
        ok = True
        number = 0 if seen.kind == tools.COMMAND else None
    told: Record = {
        "kind": seen.kind,
        "tool": seen.tool,
        "ok": ok,
        "exit": number if seen.kind == tools.COMMAND else None,
        "ms": fields.number(seen.payload, fields.TOOK),
    }
    if seen.kind == tools.COMMAND:
        told["text"], told["output"] = seen.command, _bare(text)
        told["folder"] = _place(fields.folder(seen.payload), fields.text(seen.arguments, _PLACES))
        return told if told["text"] else _unread(seen, told)
    if seen.kind == tools.PLAN:
        told["plan"] = tools.plan(seen.call) if ok is not False else []
        return told if told["plan"] else _unread(seen, {**told, "kind": tools.TOOL})
    if seen.kind in {tools.EDIT, tools.READ}:
        told["paths"] = seen.paths
        if ok is False:
            told["output"] = text
        return told if told["paths"] else _unread(seen, {**told, "kind": tools.TOOL})
    if seen.tool in {"TaskCreate", "TaskUpdate"} and seen.source == "claude-code":
        return REPEAT  # TaskCreated and TaskCompleted tell the same with the item's words
    told["text"], told["output"], told["paths"] = tools.words(seen.call), text, seen.paths
    return told


def _place(folder: str, place: str) -> str:
    """The folder of a command: where the call says, as seen from the session's."""
    if not place or place.startswith("/") or place[1:2] == ":":
        return place or folder
    return f"{folder.rstrip('/')}/{place}" if folder else ""


def _unread(seen: Seen, told: Record) -> Record:
    """A call whose arguments have other names than we know: it is kept, with all of them."""
    told["kind"] = tools.TOOL
    told["text"] = tools.words(seen.call)
    return told


def _subagent(payload: Payload) -> Record:
    name = fields.text(payload, ("agent_type", "subagent_type", "agentName", "agentType", "agent_name"))
    said = fields.text(payload, fields.SAID)
    return {"kind": "tool", "tool": "subagent", "text": name, "output": said, "ok": True}


def _bare(text: str) -> str:
    """A command's output without what the agent wraps around it."""
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


def _extra(seen: Seen) -> dict[str, Any]:
    """Keys of the payload that no reader knows."""
    known = seen.dialect.known
    return {name: found for name, found in seen.raw.items() if name not in fields.ORDINARY and name not in known}


def _keys(seen: Seen, told: Record, at: int, *, exact: bool) -> tuple[str, list[Any]]:
    """The same key for one event, by whatever settings and in whatever case it comes; another for each that happened.
    And, where only the time tells, the milliseconds that count as one, with the keys of the spans before and after.

    The call's identifier tells it, else the turn's; else the time that the agent gives to the millisecond. Without any
    of these the same words within four seconds are one event. The agent is not part of it: VS Code also runs the hooks
    in Claude Code's settings.
    """
    payload, kind = seen.payload, told["kind"]
    unique = fields.text(payload, fields.CALL) if seen.tool else ""
    if not unique and kind in {"prompt", "say"}:
        unique = fields.text(payload, fields.TURN)
    content = "\x1e".join([told.get("text") or "", *_strings(told.get("paths")), *_strings(told.get("plan"))])
    if unique and seen.tool:
        content = ""
    elif not unique:
        content += "\x1e" + (told.get("output") or "")
        if not (exact and seen.tool):
            span = at // _NEAR
            named, before, after = (_digest(seen, kind, f"near {each}", content) for each in (span, span - 1, span + 1))
            return named, [_NEAR, before, after]
        unique = f"at {at}"
    return _digest(seen, kind, unique, content), []


def _digest(seen: Seen, kind: str, unique: str, content: str) -> str:
    parts = (seen.session, kind if content or not seen.tool else "call", unique, content)
    return blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _strings(found: Any) -> list[str]:
    return [each if isinstance(each, str) else "\x1d".join(fields.items(each)) for each in fields.items(found)]
