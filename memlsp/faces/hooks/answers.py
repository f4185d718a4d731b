"""The hook's answers: whether an event has room for a context, and the context in the agent's form. Nothing here
decides whether a tool may run: a context is all that an agent is ever given."""

from __future__ import annotations

from memlsp.faces.hooks import fields, tools
from memlsp.faces.hooks.dialects.dialect import AFTER, BEFORE, COMPACT, FAILED, START
from memlsp.faces.hooks.hook_event import WRONG
from memlsp.faces.hooks.results import outcome

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from typing import Any

    from memlsp.faces.hooks.hook_event import HookEvent

MOST = 9_500
"""Characters of a context, escaped: some agents put longer ones into a file that nobody opens."""

_LEFT_OUT = "\n[...]"

BRIEF, NOTE, REMEDY = "brief", "note", "remedy"


class ContextRequest:
    """The context that an event has room for.

    `kind` is `brief` (a session starts, or lost its context), `note` (these `paths` are about to be read or edited, or
    were just read where the agent takes a context only then) or `remedy` (this `command` failed, or may have: `ok` is
    None where the agent does not say). `fresh` is set when the session lost its context; `folder` is where the agent
    works, "" when it does not say.
    """

    __slots__ = ("command", "folder", "fresh", "kind", "ok", "output", "paths", "session", "source")

    def __init__(self, kind: str, event: HookEvent) -> None:
        self.kind = kind
        self.session = event.session
        self.source = event.source
        self.paths: list[str] = []
        self.command = ""
        self.output = ""
        self.ok: bool | None = None
        self.folder = fields.folder(event.payload)
        self.fresh = event.phase == COMPACT or fields.text(event.payload, ("source",)) in {"compact", "clear"}


def context_request(event: HookEvent | None, records: list[dict[str, Any]]) -> ContextRequest | None:
    """The context that an event with these records has room for; None for none. Never raises."""
    try:
        return _request(event, records) if event is not None else None
    except WRONG:
        return None


def answer(event: HookEvent | None, context: str) -> str:
    """The text for standard output that gives the agent `context` at this event. "" for an empty context, and where the
    agent takes none. The context is cut to MOST characters, and opens no tag."""
    if event is None or not context.strip() or not event.event:
        return ""
    if not event.dialect.takes_context(event.event, event.phase):
        return ""
    return event.dialect.answer(event.event, escaped(context))


def escaped(context: str) -> str:
    """The context as it may stand before a model: `<` and `>` escaped, and of at most MOST characters."""
    safe = context.replace("<", "&lt;").replace(">", "&gt;").strip()
    if len(safe) <= MOST:
        return safe
    cut = safe[: MOST - len(_LEFT_OUT)]
    line = cut.rfind("\n")
    cut = cut[:line] if line > MOST // 2 else cut
    entity = cut.rfind("&")
    return (cut[:entity] if entity > len(cut) - 4 else cut) + _LEFT_OUT


def _request(event: HookEvent, records: list[dict[str, Any]]) -> ContextRequest | None:
    if not event.event or not event.dialect.takes_context(event.event, event.phase):
        return None
    if event.phase in {START, COMPACT}:
        return ContextRequest(BRIEF, event)
    if not event.tool or event.is_ours:
        return None
    if event.kind == tools.COMMAND and event.phase in {AFTER, FAILED}:
        if not records or records[0].get("ok") is True:
            return None
        request = ContextRequest(REMEDY, event)
        request.command = event.command
        request.output, request.ok = records[0].get("output") or "", records[0].get("ok")
        return request if request.command else None
    at = BEFORE if BEFORE in event.dialect.context_at else AFTER
    if event.kind in {tools.READ, tools.EDIT} and event.phase == at:
        if at == AFTER and (event.kind == tools.EDIT or outcome(event.result, event.error)[1] is False):
            return None  # too late for a note about an edit
        request = ContextRequest(NOTE, event)
        request.paths = event.paths
        return request if request.paths else None
    return None
