"""Which task a stretch of work belongs to: decided when it is seen, and again as long as its episode is open.

Nothing that comes later is known when a decision is made. What a decision rests on is kept with the drafts, so that it
is the same in whatever process the next event is met.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

from attrs import frozen

from memlsp.episodes.affinity import AffinityWeights, Task, features
from memlsp.episodes.base_rates import Background
from memlsp.episodes.boundaries import context_odds
from memlsp.episodes.drafts import Draft, Stretch, episode_id, strand

RECONSIDERED = 24
"""Stretches whose place is looked at again when a new one has come: the latest."""
MOST_WEIGHED = 16
"""Open episodes that a stretch is weighed against: those worked at last."""
_ROUNDS = 2


@frozen
class Move:
    """A stretch that has another place now; `former` is the id of the draft that it was in, "" when it is new."""

    stretch: Stretch
    draft: Draft
    former: str = ""


class Assigner:
    """The open episodes, and the way in. `drafts` may be changed between calls."""

    def __init__(
        self,
        drafts: Iterable[Draft],
        weights: AffinityWeights,
        background: Background,
        taken: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`taken` tells whether an id is that of an episode which is closed."""
        self.drafts = list(drafts)
        self._weights = weights
        self._background = background
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

    def place(self, stretch: Stretch) -> Move:
        """Put a new stretch, or one that has grown, where it fits best; a task of its own when nothing fits."""
        home = self.of(stretch.key)
        return self._settled(stretch, _Tasks(self._latest(home), self._background), again=home is not None)

    def reconsider(self) -> list[Move]:
        """Look again at the latest stretches, now that more is known.

        One that fits another task better moves there, one that fits none is a task of its own, and tasks that turn out
        to be one are joined.
        """
        moves: list[Move] = []
        tasks = _Tasks(self._latest(None), self._background)
        for _ in range(_ROUNDS):
            free = (each for each in tasks.stretches if not each.bound)
            latest = sorted(free, key=_order)[-RECONSIDERED:]
            moved = [move for stretch in latest if (move := self._settled(stretch, tasks, again=True)).former]
            moves += moved
            if not moved:
                break
        moves += self._joined(tasks)
        return moves

    def put(self, stretch: Stretch, draft: Draft) -> Move:
        """Put a stretch into a draft, whatever speaks against it."""
        return self._moved(stretch, self.of(stretch.key), draft)

    # -- inside -----------------------------------------------------------------------------------------------------

    def _latest(self, home: Draft | None) -> list[Draft]:
        """The drafts that were worked at last, and the one that is asked about."""
        latest = sorted(self.drafts, key=lambda draft: (draft.last, draft.id))[-MOST_WEIGHED:]
        return latest if home is None or home in latest else [*latest, home]

    def _settled(self, stretch: Stretch, tasks: _Tasks, *, again: bool) -> Move:
        home = self.of(stretch.key)
        tasks.leave(stretch, home)
        before = self._before(stretch)
        best: Draft | None = None
        most = 0.0
        for draft in self.drafts:
            if not tasks.holds(draft):
                continue
            odds = self._odds(stretch, draft, tasks, before, again=again)
            odds -= self._weights.keep if again else self._weights.join
            if draft is home:
                odds += self._weights.stay
            if odds > most:
                best, most = draft, odds
        if best is None:
            alone = home is not None and len(home.stretches) == 1
            best = home if home is not None and alone else Draft(self._free_id(stretch.key), ())
        move = self._moved(stretch, home, best)
        tasks.enter(stretch, best)
        return move

    def _odds(self, stretch: Stretch, draft: Draft, tasks: _Tasks, before: str, *, again: bool) -> float:
        earlier, later = tasks.beside(stretch)
        values = features(stretch, tasks.of(draft), self._background, earlier, later)
        weights = self._weights.settled if again else self._weights.arriving
        return context_odds(stretch, draft, before) + weights.odds(values)

    def _joined(self, tasks: _Tasks) -> list[Move]:
        """Join the two tasks that belong together most, as long as there are such."""
        moves: list[Move] = []
        while True:
            found: tuple[float, str, Draft, Draft] | None = None
            near = [draft for draft in self.drafts if tasks.holds(draft)]
            for draft in near:
                for other in near:
                    if other is draft or len(other.stretches) < len(draft.stretches):
                        continue
                    if len(draft.stretches) > RECONSIDERED or any(each.bound for each in draft.stretches):
                        continue
                    odds = [self._odds(each, other, tasks, self._before(each), again=True) for each in draft.stretches]
                    mean = sum(odds) / len(odds) - self._weights.merge
                    if mean > 0 and (found is None or (mean, draft.id) > found[:2]):
                        found = (mean, draft.id, draft, other)
            if found is None:
                return moves
            _, _, draft, other = found
            for stretch in draft.stretches:
                tasks.leave(stretch, draft)
                moves.append(self._moved(stretch, draft, other))
                tasks.enter(stretch, other)

    def _moved(self, stretch: Stretch, home: Draft | None, draft: Draft) -> Move:
        if home is not None and home is not draft:
            home.without(stretch.key)
            if not home.stretches:
                self.drafts.remove(home)
        if draft not in self.drafts:
            self.drafts.append(draft)
        draft.replaced(stretch)
        if stretch.branch == draft.branch:
            draft.left_at = None
        return Move(stretch, draft, home.id if home is not None and home is not draft else "")

    def _before(self, stretch: Stretch) -> str:
        """The draft that the session of a stretch worked at before it."""
        if not stretch.session:
            return ""
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


class _Tasks:
    """What the drafts hold, counted once for several questions."""

    def __init__(self, drafts: Iterable[Draft], background: Background) -> None:
        self._background = background
        self._tasks: dict[str, Task] = {}
        self.stretches: list[Stretch] = []
        self._commits: list[Stretch] = []
        for draft in drafts:
            self._tasks[draft.id] = Task(draft.stretches)
            for stretch in draft.stretches:
                self._line_up(stretch)

    def of(self, draft: Draft) -> Task:
        return self._tasks[draft.id]

    def holds(self, draft: Draft) -> bool:
        """True when there is something to weigh against."""
        found = self._tasks.get(draft.id)
        return found is not None and bool(found.stretches)

    def leave(self, stretch: Stretch, home: Draft | None) -> None:
        """Count a stretch out, as it was when it was counted in."""
        if home is None:
            return
        task = self._tasks[home.id]
        former = next((each for each in task.stretches if each.key == stretch.key), None)
        if former is None:
            return
        task.remove(former)
        self.stretches.remove(former)
        if former.subject:
            self._commits.remove(former)

    def enter(self, stretch: Stretch, draft: Draft) -> None:
        self._tasks.setdefault(draft.id, Task()).add(stretch)
        self._line_up(stretch)

    def beside(self, stretch: Stretch) -> tuple[Stretch | None, Stretch | None]:
        """The commits just before and after a commit. Between prompts and edits minutes say nothing."""
        if not stretch.subject:
            return None, None
        line = [each for each in self._commits if each.key != stretch.key]
        at = bisect_left(line, (stretch.began, stretch.key), key=_order)
        return line[at - 1] if at else None, line[at] if at < len(line) else None

    def _line_up(self, stretch: Stretch) -> None:
        self.stretches.append(stretch)
        if stretch.subject:
            self._commits.insert(bisect_left(self._commits, _order(stretch), key=_order), stretch)


def _order(stretch: Stretch) -> tuple[int, str]:
    return stretch.began, stretch.key
