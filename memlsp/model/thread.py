"""A thread: work that was left open."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import frozen


class ThreadKind(StrEnum):
    """The sign of unfinished work."""

    TODO = "todo"  # a TODO, FIXME or XXX that was added
    STUB = "stub"  # a body that only says "not implemented"
    TEST = "test"  # a test whose last run failed
    PLAN = "plan"  # an unfinished item of an agent's plan
    NEXT = "next"  # a next step that somebody named


@frozen
class Thread:
    """A piece of work left open. Only a resolution closes it, never time.

    `text` is one line; `path`, `symbol` (dotted, "" for the file) and `line` (from 1, as last seen) are its place,
    empty and None where it has none. `mark` tells it from others of its kind there. `closed_by` names the resolution.
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
    note: str = ""  # a sign that it is done, where that is not certain

    @property
    def is_open(self) -> bool:
        """True while nothing resolved it."""
        return self.closed_at is None
