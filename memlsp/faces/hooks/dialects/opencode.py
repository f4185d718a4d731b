"""opencode: no shell hooks, but a plugin of ours that pipes its own hooks and the events of its bus to us.

A payload has `hook_event_name`, `directory` and `worktree`, and then `input` and `output` for `chat.message`,
`tool.execute.before` and `tool.execute.after`, or `event` for one of the bus (`session.created`, `session.compacted`,
`session.deleted`, `message.part.updated` of a tool that failed, and `session.idle` with `last_assistant_message`). The
answer is `{"context": "..."}`: the plugin adds it to the system prompt of the session, or to the output of the tool.
The whole form stands in fixtures/hooks/opencode/README.md.
"""

from __future__ import annotations

from memlsp.faces.hooks import fields
from memlsp.faces.hooks.dialects import AFTER, BEFORE, COMPACT, END, FAILED, PROMPT, START, STOP, UNUSED, Dialect
from memlsp.faces.hooks.dialects.context_json import bare

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from typing import Any

    from memlsp.faces.hooks.fields import Payload


def _opened(payload: Payload) -> Payload:
    if event := _part(payload, "event"):
        return _of_bus(payload, event)
    given, made = _part(payload, "input"), _part(payload, "output")
    name = fields.text(payload, fields.EVENT)
    opened: Payload = {**_frame(payload), "hook_event_name": name, "session_id": given.get("sessionID")}
    if name == "chat.message":
        message = _part(made, "message")
        opened["prompt_id"] = message.get("id")
        opened["prompt"] = _prompt(made.get("parts"))
        opened["timestamp"] = _part(message, "time").get("created")
        return opened
    opened["tool_name"] = given.get("tool")
    opened["tool_use_id"] = given.get("callID")
    opened["tool_input"] = given.get("args", made.get("args"))
    if name == "tool.execute.after":
        opened["tool_response"] = made
    return opened


def _of_bus(payload: Payload, event: Payload) -> Payload:
    about = _part(event, "properties")
    info, part = _part(about, "info"), _part(about, "part")
    session = about.get("sessionID") or info.get("id")
    opened: Payload = {**_frame(payload), "hook_event_name": event.get("type"), "session_id": session}
    opened["last_assistant_message"] = payload.get("last_assistant_message")
    opened["prompt_id"] = event.get("id")
    if info.get("parentID"):
        opened["hook_event_name"] = "subagent.started"
    elif event.get("type") == "session.created":
        opened["source"] = "startup"
    if part.get("type") == "tool":
        state = _part(part, "state")
        opened["hook_event_name"] = "tool.failed" if state.get("status") == "error" else "tool.going"
        opened["tool_name"] = part.get("tool")
        opened["tool_use_id"] = part.get("callID")
        opened["tool_input"] = state.get("input")
        opened["error"] = state.get("error")
    return opened


def _frame(payload: Payload) -> Payload:
    """What is not of opencode's own making, so that a new key beside it is kept."""
    return {name: found for name, found in payload.items() if name not in {"input", "output", "event"}}


def _part(payload: Payload, name: str) -> Payload:
    return fields.mapping(payload.get(name))


def _prompt(parts: Any) -> str:
    """The words of a message; opencode's command line puts them into quotation marks."""
    said = [
        text
        for part in map(fields.mapping, fields.items(parts))
        if part.get("type") == "text" and not part.get("synthetic") and isinstance(text := part.get("text"), str)
    ]
    words = "\n".join(said)
    return words[1:-1] if len(words) > 2 and words[0] == words[-1] == '"' and '"' not in words[1:-1] else words


OPENCODE = Dialect(
    "opencode",
    worded=bare,
    hears=frozenset({START, COMPACT, BEFORE, AFTER}),
    opened=_opened,
    quiet=True,
    moments={
        "chatmessage": PROMPT,
        "toolexecutebefore": BEFORE,
        "toolexecuteafter": AFTER,
        "toolfailed": FAILED,
        "toolgoing": UNUSED,
        "sessioncreated": START,
        "sessiondeleted": END,
        "sessioncompacted": COMPACT,
        "sessionidle": STOP,
        "subagentstarted": UNUSED,
        "messagepartupdated": UNUSED,
    },
    known=frozenset({"worktree", "event", "input", "output"}),
)
