"""What happened while somebody was away."""

from __future__ import annotations

from datetime import datetime, timedelta

from attrs import frozen

from memlsp.model.belief import RevisionAction
from memlsp.model.episode import Episode
from memlsp.model.handoff import Handoff
from memlsp.model.standing import Judgement
from memlsp.model.thread import Thread

_LINE = timedelta(hours=4)
_DIGEST = timedelta(days=14)


@frozen
class Commit:
    """A commit that was made meanwhile."""

    commit: str  # full hash
    subject: str
    at: datetime


@frozen
class Decided:
    """A belief that was learned or revised, with the last thing that was done to it."""

    action: RevisionAction
    judgement: Judgement
    at: datetime


@frozen
class CatchUp:
    """What was done, decided, what no longer holds and what is open, each most useful first.

    `size` says how much of it one wants to be told: a `line` after some hours, a `digest` after some days, the `story`
    after longer.
    """

    since: datetime
    until: datetime
    episodes: tuple[Episode, ...] = ()  # latest first
    commits: tuple[Commit, ...] = ()  # latest first
    decided: tuple[Decided, ...] = ()  # latest first
    fallen: tuple[Judgement, ...] = ()  # worst first
    threads: tuple[Thread, ...] = ()  # opened meanwhile and open still, newest first
    handoffs: tuple[Handoff, ...] = ()  # nobody took them; in the order of use

    @property
    def size(self) -> str:
        """`line`, `digest` or `story`, by the time that has passed."""
        passed = self.until - self.since
        return "line" if passed < _LINE else "digest" if passed < _DIGEST else "story"

    @property
    def is_empty(self) -> bool:
        """True when nothing happened and nothing waits."""
        return not (self.episodes or self.commits or self.decided or self.fallen or self.threads or self.handoffs)
