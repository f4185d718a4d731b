"""A thread: work that was left open."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import frozen


class ThreadKind(StrEnum):
    """What shows that something is not done."""

    TODO = "todo"  # a TODO, FIXME or XXX that was added
    STUB = "stub"  # a body that only says that it is missing
    TEST = "test"  # a test that failed when last run
    PLAN = "plan"  # an item of an agent's plan that was not finished
    NEXT = "next"  # something that was said to come next


@frozen
class Thread:
    """One piece of work left open. Closed by what resolves it, never by time.

    `text` is one line; `path`, `symbol` (dotted, "" for the file) and `line` (from 1, as last seen) say where, empty
    and None for what has no place. `mark` tells it from others of its kind at that place. `closed_by` says what
    resolved it.
    """

    id: str
    kind: ThreadKind
    text: str
    opened_at: datetime
    mark: str
    path: str = ""
    symbol: str = ""
    line: int | None = None
    source: str = ""
    session: str = ""
    episode: str = ""
    closed_at: datetime | None = None
    closed_by: str = ""
    note: str = ""  # what speaks for its being done, where that is not certain

    @property
    def is_open(self) -> bool:
        """True until something resolved it."""
        return self.closed_at is None
