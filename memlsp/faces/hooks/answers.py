"""What is said to an agent, in the form that it takes, and when there is something to say at all.

Nothing here ever decides whether a tool may run: a context is the only thing that is given.
"""

from __future__ import annotations

from memlsp.faces.hooks import fields, tools
from memlsp.faces.hooks.dialects import AFTER, BEFORE, COMPACT, FAILED, START
from memlsp.faces.hooks.observation import Seen
from memlsp.faces.hooks.payload_records import read
from memlsp.faces.hooks.results import outcome

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from typing import Any

MOST = 9_500
"""Characters of a context, escaped: some agents put longer ones into a file that nobody opens."""

_LEFT_OUT = "\n[...]"

_WRONG = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError)

BRIEF, NOTE, REMEDY = "brief", "note", "remedy"


class Moment:
    """A time to speak: `kind` is `brief` (a session starts, or lost its context), `note` (these `paths` are about to be
    read or edited, or were just read where the agent listens only then) or `remedy` (this `command` failed, or may
    have: `ok` is None where the agent does not tell). `fresh` is set when the session lost its context; `folder` is
    where the agent works, "" when it does not say."""

    __slots__ = ("command", "folder", "fresh", "kind", "ok", "output", "paths", "session", "source")

    def __init__(self, kind: str, seen: Seen) -> None:
        self.kind = kind
        self.session = seen.session
        self.source = seen.source
        self.paths: list[str] = []
        self.command = ""
        self.output = ""
        self.ok: bool | None = None
        self.folder = fields.folder(seen.payload)
        self.fresh = seen.moment == COMPACT or fields.text(seen.payload, ("source",)) in {"compact", "clear"}


def moment(agent: str, payload: Any) -> Moment | None:
    """What there is time to say at this payload, None for nothing. Never raises, whatever the payload holds."""
    try:
        return _moment(Seen(agent, fields.mapping(payload)))
    except _WRONG:
        return None


def answer(agent: str, payload: Any, context: str) -> str:
    """The text for standard output with which `agent` is given `context` at this payload; "" for nothing.

    "" too where the agent takes no context at this event. The context is cut to MOST characters, and opens no tag.
    """
    if not context.strip():
        return ""
    try:
        seen = Seen(agent, fields.mapping(payload))
    except _WRONG:
        return ""
    if not seen.event or not seen.dialect.listens(seen.event, seen.moment):
        return ""
    return seen.dialect.worded(seen.event, seen.moment, shown(context))


def shown(context: str) -> str:
    """The context as it may stand before a model: `<` and `>` escaped, and of at most MOST characters."""
    safe = context.replace("<", "&lt;").replace(">", "&gt;").strip()
    if len(safe) <= MOST:
        return safe
    cut = safe[: MOST - len(_LEFT_OUT)]
    line = cut.rfind("\n")
    cut = cut[:line] if line > MOST // 2 else cut
    entity = cut.rfind("&")
    return (cut[:entity] if entity > len(cut) - 4 else cut) + _LEFT_OUT


def _moment(seen: Seen) -> Moment | None:
    if not seen.event or not seen.dialect.listens(seen.event, seen.moment):
        return None
    if seen.moment in {START, COMPACT}:
        return Moment(BRIEF, seen)
    if not seen.tool or seen.is_ours:
        return None
    if seen.kind == tools.COMMAND and seen.moment in {AFTER, FAILED}:
        records = read(seen.source, seen.raw, 0)
        if not records or records[0].get("ok") is True:
            return None
        found = Moment(REMEDY, seen)
        found.command, found.output, found.ok = seen.command, records[0].get("output") or "", records[0].get("ok")
        return found if found.command else None
    if seen.kind in {tools.READ, tools.EDIT} and seen.moment == (BEFORE if BEFORE in seen.dialect.hears else AFTER):
        if seen.moment == AFTER and (seen.kind == tools.EDIT or outcome(seen.result, seen.error)[1] is False):
            return None  # too late to be told before an edit
        found = Moment(NOTE, seen)
        found.paths = seen.paths
        return found if found.paths else None
    return None
