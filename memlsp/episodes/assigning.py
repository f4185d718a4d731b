"""Which task a stretch of work belongs to: decided when it is seen, and again while it grows, by what was seen so far.

Nothing that comes later is known when a decision is made. What a decision rests on is kept with the drafts, so that it
is the same in whatever process the next event is met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attrs import frozen

from memlsp.episodes.boundaries import leaning
from memlsp.episodes.drafts import Draft, Stretch, episode_id, strand
from memlsp.episodes.observation import Signs

STAY = 0.5
"""Log-odds by which another draft must be better before a stretch moves there."""

Weigh = Callable[[Signs, Sequence[Signs]], float]
"""The log-odds, by content alone, that something belongs to a task."""


@frozen
class Placement:
    """Where a stretch went. `former` is the id of the draft that it was in before, "" when it is new or stayed;
    `emptied` is True when nothing is left of that draft."""

    draft: Draft
    former: str = ""
    emptied: bool = False


class Assigner:
    """The open episodes, and the way in. `drafts` may be changed between calls."""

    def __init__(self, drafts: Iterable[Draft], weigh: Weigh, taken: Callable[[str], bool] = lambda _: False) -> None:
        """`taken` tells whether an id is that of an episode which is closed."""
        self.drafts = list(drafts)
        self._weigh = weigh
        self._taken = taken

    def of(self, key: str) -> Draft | None:
        """The draft that holds a stretch."""
        return next((draft for draft in self.drafts if any(each.key == key for each in draft.stretches)), None)

    def latest(self, source: str, session: str) -> tuple[Draft, Stretch] | None:
        """What a strand of work did last, and where that belongs."""
        found = [
            (stretch.last, stretch.began, stretch.key, draft, stretch)
            for draft in self.drafts
            for stretch in draft.stretches
            if stretch.source == source and stretch.session == session
        ]
        return max(found, key=lambda each: each[:3])[3:] if found else None

    def place(self, stretch: Stretch) -> Placement:
        """Put a new stretch, or one that has grown, where it fits best; a task of its own when nothing fits."""
        home = self.of(stretch.key)
        before = self._before(stretch)
        best: Draft | None = None
        most = 0.0
        for draft in self.drafts:
            others = [each.signs for each in draft.stretches if each.key != stretch.key]
            if not others:
                continue
            odds = leaning(stretch, draft, before) + self._weigh(stretch.signs, others)
            if draft is home:
                odds += STAY
            if odds > most:
                best, most = draft, odds
        if best is None:
            alone = home is not None and len(home.stretches) == 1
            best = home if home is not None and alone else Draft(self._free_id(stretch.key), ())
        return self._moved(stretch, home, best)

    def put(self, stretch: Stretch, draft: Draft) -> Placement:
        """Put a stretch into a draft, whatever speaks against it."""
        return self._moved(stretch, self.of(stretch.key), draft)

    def _moved(self, stretch: Stretch, home: Draft | None, draft: Draft) -> Placement:
        emptied = False
        if home is not None and home is not draft:
            home.without(stretch.key)
            emptied = not home.stretches
            if emptied:
                self.drafts.remove(home)
        if draft not in self.drafts:
            self.drafts.append(draft)
        draft.replaced(stretch)
        draft.left_at = None if stretch.branch == draft.branch else draft.left_at
        draft.shorten()
        former = home.id if home is not None and home is not draft else ""
        return Placement(draft, former, emptied)

    def _before(self, stretch: Stretch) -> str:
        """The draft that the strand of a stretch worked at before it."""
        here = strand(stretch.source, stretch.session)
        earlier = [
            (each.last, each.began, each.key, draft.id)
            for draft in self.drafts
            for each in draft.stretches
            if each.key != stretch.key and strand(each.source, each.session) == here and each.began <= stretch.began
        ]
        return max(earlier)[3] if earlier else ""

    def _free_id(self, key: str) -> str:
        taken = {draft.id for draft in self.drafts}
        number = 0
        while (id := episode_id(key if not number else f"{key} {number}")) in taken or self._taken(id):
            number += 1
        return id
