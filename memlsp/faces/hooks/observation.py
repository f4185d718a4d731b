"""One payload as it is understood: what happened, with which tool, to which files."""

from __future__ import annotations

from memlsp.faces.hooks import fields, tools
from memlsp.faces.hooks.dialects import AFTER, BEFORE, FAILED, PROMPT, START, STOP, Dialect, dialect, speaker

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from typing import Any

    from memlsp.faces.hooks.fields import Payload


class Seen:
    """A payload, read. `event` is the event's name as it came, `moment` what it means (one of the constants of
    `dialects`, "" when nobody knows), `call` the tool's arguments, `payload` what the dialect made of it."""

    __slots__ = ("call", "dialect", "event", "kind", "moment", "payload", "raw", "session", "source", "tool")

    def __init__(self, agent: str, raw: Payload) -> None:
        self.source = speaker(agent, raw)
        self.dialect: Dialect = dialect(self.source)
        self.raw = raw
        self.payload: Payload = self.dialect.opened(raw) if self.dialect.opened else raw
        self.event = fields.text(self.payload, fields.EVENT)
        self.session = fields.text(self.payload, fields.SESSION)
        self.tool = fields.text(self.payload, fields.TOOL)
        self.call: Any = fields.structure(fields.value(self.payload, fields.INPUT)) if self.tool else None
        self.moment = self.dialect.moment(self.event) or self._by_shape()
        self.kind = tools.kind(self.tool, self.call) if self.tool else ""

    @property
    def arguments(self) -> Payload:
        """The tool's arguments by name; {} when they come in another form."""
        return fields.mapping(self.call)

    @property
    def is_ours(self) -> bool:
        """True when it is one of our own tools or commands that was called."""
        return bool(self.tool) and tools.is_ours(self.tool, self.payload, self.call)

    @property
    def paths(self) -> list[str]:
        """The files that the call is about, as the agent writes them."""
        found = tools.paths(self.call)
        if not found and self.kind == tools.EDIT and self.arguments:
            found = tools.paths(tools.command(self.arguments))
        return found or tools.paths({name: self.payload[name] for name in fields.PATH if name in self.payload})

    @property
    def command(self) -> str:
        """The command line of the call; "" when it is none."""
        if self.kind != tools.COMMAND:
            return ""
        return self.call if isinstance(self.call, str) else tools.command(self.arguments)

    @property
    def result(self) -> Any:
        """What the agent answers came of the call, in its own form."""
        return fields.value(self.payload, fields.OUTPUT)

    @property
    def error(self) -> Any:
        """What the agent says went wrong; None when nothing did."""
        return fields.value(self.payload, fields.ERROR)

    def _by_shape(self) -> str:
        """What an event that nobody has named yet must be, going by its keys."""
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
