"""A payload of an agent, read once: what happened, with which tool, to which files."""

from __future__ import annotations

from memlsp.faces.hooks import fields, tools
from memlsp.faces.hooks.dialects import dialect_of, true_agent
from memlsp.faces.hooks.dialects.dialect import AFTER, BEFORE, FAILED, PROMPT, START, STOP
from memlsp.faces.hooks.fields import Json, Payload

WRONG = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError)
"""Errors that a payload of an unexpected form may raise. It must not cost the agent anything."""


class HookEvent:
    """A payload, read. `raw` is as it came, `payload` with the common keys. `event` is the event's name as it came,
    `phase` its meaning (a constant of `dialects.dialect`, "" for an unknown event), `call` the tool's arguments."""

    __slots__ = ("call", "dialect", "event", "is_ours", "kind", "payload", "phase", "raw", "session", "source", "tool")

    def __init__(self, agent: str, raw: Payload) -> None:
        self.source = true_agent(agent, raw)
        self.dialect = dialect_of(self.source)
        self.raw = raw
        self.payload: Payload = self.dialect.normalised(raw)
        self.event = fields.text(self.payload, fields.EVENT)
        self.session = fields.text(self.payload, fields.SESSION)
        self.tool = fields.text(self.payload, fields.TOOL)
        self.call: Json = fields.structure(fields.value(self.payload, fields.INPUT)) if self.tool else None
        self.phase = self.dialect.phase(self.event) or self._phase_by_keys()
        self.kind = tools.kind(self.tool, self.call) if self.tool else ""
        self.is_ours = bool(self.tool) and tools.is_ours(self.tool, self.payload, self.call)

    @property
    def arguments(self) -> Payload:
        """The tool's arguments by name; {} when they come in another form."""
        return fields.mapping(self.call)

    @property
    def paths(self) -> list[str]:
        """The files that the call names, as the agent writes them."""
        found = tools.paths(self.call)
        if not found and self.kind == tools.EDIT and self.arguments:
            found = tools.paths(tools.command(self.arguments))
        return found or tools.paths({name: self.payload[name] for name in fields.PATH if name in self.payload})

    @property
    def command(self) -> str:
        """The command line of the call; "" for another tool."""
        if self.kind != tools.COMMAND:
            return ""
        return self.call if isinstance(self.call, str) else tools.command(self.arguments)

    @property
    def result(self) -> Json:
        """The call's result, in the agent's own form."""
        return fields.value(self.payload, fields.OUTPUT)

    @property
    def error(self) -> Json:
        """The call's error, in the agent's own form; None without one."""
        return fields.value(self.payload, fields.ERROR)

    def _phase_by_keys(self) -> str:
        keys = self.payload.keys()
        if self.tool:
            if any(name in keys for name in fields.ERROR):
                return FAILED
            return AFTER if any(name in keys for name in fields.OUTPUT) else BEFORE
        if any(name in keys for name in ("last_assistant_message", "lastAssistantMessage", "prompt_response")):
            return STOP
        if fields.text(self.payload, ("prompt", "user_prompt", "userPrompt")):
            return PROMPT
        if fields.text(self.payload, ("source",)) in {"startup", "resume", "clear", "compact", "new", "fork"}:
            return START
        return ""


def read_event(agent: str, payload: Json) -> HookEvent | None:
    """Read a payload of `agent`; None for one of a form that nobody expects. Never raises."""
    try:
        return HookEvent(agent, fields.mapping(payload))
    except WRONG:
        return None
