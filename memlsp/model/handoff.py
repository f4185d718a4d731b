"""A handoff: the state of the work that one agent leaves for the next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen


@frozen
class HandoffNotes:
    """The content of a handoff besides its title."""

    done: Sequence[str] = ()
    questions: Sequence[str] = ()
    next_steps: Sequence[str] = ()
    places: Sequence[str] = ()
    stuck: str = ""


@frozen
class Handoff:
    """What was done, what is open, what comes next and where.

    `made_by` is `agent` or `person` for a written one, `episode` for one derived from events; then `created_at` is the
    last event of its session, and `ended` says whether the session ended by itself. Reading a handoff does not claim
    it. The next handoff of the same session replaces it (`successor`, an id).
    """

    id: str
    title: str
    created_at: datetime
    expires_at: datetime
    source: str  # whose: claude-code, cursor...
    made_by: str
    asked: str = ""  # the last request, in the words of who asked
    done: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    places: tuple[str, ...] = ()  # PATH or PATH#Name
    stuck: str = ""  # where it got stuck: the last failing command, the error
    session: str = ""
    episode: str = ""
    branch: str = ""
    commit: str = ""
    claimed_by: str = ""
    claimed_at: datetime | None = None
    ended: bool = True
    successor: str = ""

    @property
    def is_claimed(self) -> bool:
        """True when somebody claimed it."""
        return self.claimed_at is not None

    @property
    def task(self) -> str:
        """The request where the title is no more than its beginning, else the title."""
        beginning = self.title.rstrip("….").rstrip().lower()
        return self.asked if self.asked.lower().startswith(beginning) else self.title

    @property
    def asked_besides(self) -> str:
        """The last request, where `task` does not say it already."""
        return "" if self.asked == self.task else self.asked

    @property
    def is_open(self) -> bool:
        """True when something is left to do."""
        return bool(self.questions or self.next_steps or self.stuck)

    def is_overtaken_by(self, other: Handoff) -> bool:
        """True when a later session did the same work and committed it or has next steps of its own."""
        if other.created_at <= self.created_at or (other.source, other.session) == (self.source, self.session):
            return False
        same = bool(self.episode) and self.episode == other.episode
        same = same or (bool(self.paths) and set(self.paths) <= set(other.paths))
        return same and (bool(other.next_steps) or any(line.startswith("committed ") for line in other.done))

    @property
    def paths(self) -> tuple[str, ...]:
        """The distinct files of its places."""
        return tuple(dict.fromkeys(place.partition("#")[0] for place in self.places))
