"""A handoff: what one agent leaves for the next."""

from __future__ import annotations

from datetime import datetime

from attrs import frozen


@frozen
class Handoff:
    """What was done, what is open, what comes next and where. `made_by` is `agent` when it was written, `episode` when
    it was made from what was observed. Reading one changes nothing; claiming it is an act of its own."""

    id: str
    title: str
    created_at: datetime
    expires_at: datetime
    source: str  # whose: claude-code, cursor...
    made_by: str
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

    @property
    def is_claimed(self) -> bool:
        """True when somebody took it."""
        return self.claimed_at is not None
