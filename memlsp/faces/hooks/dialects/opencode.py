"""opencode: a plugin of ours, in place of shell hooks, pipes its hooks and the events of its bus to us.

A payload has `hook_event_name`, `directory` and `worktree`, and then `input` and `output` for `chat.message`,
`tool.execute.before` and `tool.execute.after`, or `event` for one of the bus (`session.created`, `session.compacted`,
`session.deleted`, `message.part.updated` of a tool that failed, and `session.idle` with `last_assistant_message`). The
answer is `{"context": "...", "message": "..."}`: the plugin adds the context to the system prompt of the session, or to
the output of the tool, and shows the message; `{"deny": "..."}` has it refuse the call.
The whole form stands in fixtures/hooks/opencode/README.md.
"""

from __future__ import annotations

from memlsp.faces.hooks import fields
from memlsp.faces.hooks.dialects import dialect as phases
from memlsp.faces.hooks.dialects.dialect import Dialect, by_event, quoted
from memlsp.faces.hooks.fields import Json, Payload


def _bus_event(payload: Payload, event: Payload) -> Payload:
    about = _part(event, "properties")
    info, part = _part(about, "info"), _part(about, "part")
    session = about.get("sessionID") or info.get("id")
    common: Payload = {**_frame(payload), "hook_event_name": event.get("type"), "session_id": session}
    common["last_assistant_message"] = payload.get("last_assistant_message")
    common["prompt_id"] = event.get("id")
    if info.get("parentID"):
        common["hook_event_name"] = "subagent.started"
    elif event.get("type") == "session.created":
        common["source"] = "startup"
    if part.get("type") == "tool":
        state = _part(part, "state")
        common["hook_event_name"] = "tool.failed" if state.get("status") == "error" else "tool.going"
        common["tool_name"] = part.get("tool")
        common["tool_use_id"] = part.get("callID")
        common["tool_input"] = state.get("input")
        common["error"] = state.get("error")
    return common


def _frame(payload: Payload) -> Payload:
    """The keys beside opencode's own, so that a new one is kept."""
    return {name: found for name, found in payload.items() if name not in {"input", "output", "event"}}


def _part(payload: Payload, name: str) -> Payload:
    return fields.mapping(payload.get(name))


def _prompt(parts: Json) -> str:
    """The words of a message, without the quotation marks that opencode's command line puts around them."""
    said = [
        text
        for part in map(fields.mapping, fields.items(parts))
        if part.get("type") == "text" and not part.get("synthetic") and isinstance(text := part.get("text"), str)
    ]
    words = "\n".join(said)
    return words[1:-1] if len(words) > 2 and words[0] == words[-1] == '"' and '"' not in words[1:-1] else words


class OpencodeDialect(Dialect):
    """Our opencode plugin's messages."""

    source = "opencode"
    context_key = "context"
    context_at = frozenset({phases.START, phases.COMPACT, phases.PROMPT, phases.BEFORE, phases.AFTER})
    message_key = "message"
    silent_success = True
    phases = by_event(
        {
            phases.PROMPT: "chatmessage",
            phases.BEFORE: "toolexecutebefore",
            phases.AFTER: "toolexecuteafter",
            phases.FAILED: "toolfailed",
            phases.START: "sessioncreated",
            phases.END: "sessiondeleted",
            phases.COMPACT: "sessioncompacted",
            phases.STOP: "sessionidle",
            phases.UNUSED: "toolgoing subagentstarted messagepartupdated",
        }
    )
    known = frozenset({"worktree", "event", "input", "output"})

    def normalised(self, payload: Payload) -> Payload:
        """The payload with the common keys, from the plugin's `input`, `output` and `event`."""
        if event := _part(payload, "event"):
            return _bus_event(payload, event)
        given, made = _part(payload, "input"), _part(payload, "output")
        name = fields.text(payload, fields.EVENT)
        common: Payload = {**_frame(payload), "hook_event_name": name, "session_id": given.get("sessionID")}
        if name == "chat.message":
            message = _part(made, "message")
            common["prompt_id"] = message.get("id")
            common["prompt"] = _prompt(made.get("parts"))
            common["timestamp"] = _part(message, "time").get("created")
            return common
        common["tool_name"] = given.get("tool")
        common["tool_use_id"] = given.get("callID")
        common["tool_input"] = given.get("args", made.get("args"))
        if name == "tool.execute.after":
            common["tool_response"] = made
        return common

    def refusal(self, event: str, decision: str, reason: str) -> str:  # noqa: ARG002
        """The plugin throws the reason, which opencode gives to the agent in place of the tool's output."""
        return f'{{"deny":{quoted(reason)}}}'


DIALECT = OpencodeDialect()
