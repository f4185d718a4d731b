"""Events, sessions, episodes and handoffs for the tests of what is handed over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import Episode, KeptChange, Outcome
from memlsp.model.event import Event, EventKind, Session
from memlsp.model.handoff import Handoff
from memlsp.model.symbol import SymbolKind
from memlsp.model.thread import Thread, ThreadKind

if TYPE_CHECKING:
    from memlsp.store.tables.hook_notes import Part

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Told:
    """A session told event by event, a minute apart."""

    def __init__(self, source: str = "claude-code", session: str = "s1") -> None:
        self.source, self.session = source, session
        self.events: list[Event] = []

    def add(self, kind: EventKind, **more: Any) -> Told:
        number = len(self.events) + 1
        at = NOON + timedelta(minutes=number)
        self.events.append(Event(number, f"k{number}", at, kind, self.source, self.session, **more))
        return self

    def prompt(self, text: str) -> Told:
        return self.add(EventKind.PROMPT, text=text)

    def say(self, text: str) -> Told:
        return self.add(EventKind.SAY, text=text)

    def edit(self, path: str, *changes: KeptChange) -> Told:
        return self.add(EventKind.EDIT, paths=(path,), changes=changes)

    def ran(self, command: str, output: str = "") -> Told:
        return self.add(EventKind.COMMAND, text=command, ok=True, exit_code=0, output=output)

    def failed(self, command: str, output: str = "", exit_code: int = 1) -> Told:
        return self.add(EventKind.COMMAND, text=command, ok=False, exit_code=exit_code, output=output)

    def plan(self, **items: str) -> Told:
        plan = tuple((text.replace("_", " "), status) for text, status in items.items())
        return self.add(EventKind.PLAN, plan=plan)

    def committed(self, subject: str, commit: str = "c0ffee" * 6) -> Told:
        return self.add(EventKind.COMMIT, text=subject, commit=commit)

    def as_session(self, *, ended: bool = True) -> Session:
        last = self.events[-1].at if self.events else NOON
        return Session(self.source, self.session, NOON, last, last if ended else None, len(self.events))


def change(path: str, name: str, sentence: str, kind: ChangeKind = ChangeKind.BEHAVIOUR) -> KeptChange:
    """A change of one function."""
    ref = SymbolRef(path, name, SymbolKind.FUNCTION)
    return KeptChange(frozenset({kind}), ref, ref, sentence)


def episode_of(title: str, **more: Any) -> Episode:
    """An episode that goes on."""
    given: dict[str, Any] = {"id": "e1", "intent": title, "outcome": Outcome.OPEN, "began_at": NOON, "last_at": NOON}
    return Episode(title=title, **{**given, **more})


def thread_of(text: str, kind: ThreadKind = ThreadKind.TODO, path: str = "src/net.py", **more: Any) -> Thread:
    """An open thread."""
    return Thread(f"t-{text[:8]}", kind, text, NOON, text, path=path, **more)


def handoff(
    id: str = "h1", title: str = "Retry with backoff", *, age: timedelta = timedelta(0), **more: Any
) -> Handoff:
    """A handoff with one step left, unless told otherwise."""
    given: dict[str, Any] = {
        "source": "claude-code",
        "made_by": "episode",
        "next_steps": ("write the changelog",),
        "places": ("src/net.py#fetch",),
        "session": id,
        "branch": "main",
    }
    at = NOON - age
    return Handoff(id=id, title=title, created_at=at, expires_at=at + timedelta(days=7), **{**given, **more})


def text_of(parts: Sequence[Part]) -> str:
    """What an agent would read at noon."""
    from memlsp.store.tables.hook_notes import assembled, composed

    return assembled(composed(parts), "", int(NOON.timestamp() * 1000))
