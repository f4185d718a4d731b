"""Assigns stretches of work to tasks: when they are first seen, and again while their episode is open.

A decision uses nothing that comes later. Its evidence is kept with the drafts, so that any process decides alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

from attrs import define, frozen

from memlsp.episodes.affinity import AffinityWeights, Task, features
from memlsp.episodes.base_rates import Background
from memlsp.episodes.boundaries import context_odds
from memlsp.episodes.drafts import EpisodeDraft, Stretch, derived_id, strand

RECONSIDERED = 24
"""The latest stretches, which are reconsidered when a new one comes."""
MOST_WEIGHED = 16
"""The open episodes with the latest work, which a stretch is compared with."""
_ROUNDS = 2


@frozen
class Move:
    """A stretch in a new draft; `former` is the id of the draft that it was in, "" for a new stretch."""

    stretch: Stretch
    draft: EpisodeDraft
    former: str = ""


@define(eq=False)
class Assigner:
    """Assigns work to the open episodes. `drafts` may be changed between calls; `taken` is true for the ids of closed
    episodes."""

    drafts: list[EpisodeDraft]
    weights: AffinityWeights
    background: Background
    taken: Callable[[str], bool] = lambda _: False

    def of(self, key: str) -> EpisodeDraft | None:
        """The draft that holds a stretch."""
        return next((draft for draft in self.drafts if any(each.key == key for each in draft.stretches)), None)

    def latest(self, source: str, session: str) -> tuple[EpisodeDraft, Stretch] | None:
        """The latest stretch of a strand of work, with its draft."""
        found = [
            (stretch.last, stretch.began, stretch.key, draft, stretch)
            for draft in self.drafts
            for stretch in draft.stretches
            if stretch.source == source and stretch.session == session
        ]
        return max(found, key=lambda each: each[:3])[3:] if found else None

    def place(self, stretch: Stretch) -> Move:
        """Assign a new or grown stretch to the best task, or to a new one when none fits."""
        home = self.of(stretch.key)
        return self._settled(stretch, _Tasks(self._latest(home)), again=home is not None)

    def reconsider(self) -> list[Move]:
        """Reassign the latest stretches with what is known now: to a better task, or to one of their own; then merge
        tasks that turn out to be one."""
        moves: list[Move] = []
        tasks = _Tasks(self._latest(None))
        for _ in range(_ROUNDS):
            free = (each for each in tasks.stretches if not each.bound)
            latest = sorted(free, key=_order)[-RECONSIDERED:]
            moved = [move for stretch in latest if (move := self._settled(stretch, tasks, again=True)).former]
            moves += moved
            if not moved:
                break
        moves += self._joined(tasks)
        return moves

    def put(self, stretch: Stretch, draft: EpisodeDraft) -> Move:
        """Assign a stretch to a draft unconditionally."""
        return self._moved(stretch, self.of(stretch.key), draft)

    # -- inside -----------------------------------------------------------------------------------------------------

    def _latest(self, home: EpisodeDraft | None) -> list[EpisodeDraft]:
        """The drafts with the latest work, and `home`."""
        latest = sorted(self.drafts, key=lambda draft: (draft.last, draft.id))[-MOST_WEIGHED:]
        return latest if home is None or home in latest else [*latest, home]

    def _settled(self, stretch: Stretch, tasks: _Tasks, *, again: bool) -> Move:
        home = self.of(stretch.key)
        tasks.leave(stretch, home)
        before = self._before(stretch)
        best: EpisodeDraft | None = None
        most = 0.0
        for draft in self.drafts:
            if not tasks.holds(draft):
                continue
            odds = self._odds(stretch, draft, tasks, before, again=again)
            odds -= self.weights.keep if again else self.weights.join
            if draft is home:
                odds += self.weights.stay
            if odds > most:
                best, most = draft, odds
        if best is None:
            alone = home is not None and len(home.stretches) == 1
            best = home if home is not None and alone else EpisodeDraft(self._free_id(stretch.key), ())
        move = self._moved(stretch, home, best)
        tasks.enter(stretch, best)
        return move

    def _odds(self, stretch: Stretch, draft: EpisodeDraft, tasks: _Tasks, before: str, *, again: bool) -> float:
        earlier, later = tasks.beside(stretch)
        values = features(stretch, tasks.of(draft), self.background, earlier, later)
        weights = self.weights.settled if again else self.weights.arriving
        return context_odds(stretch, draft, before) + weights.odds(values)

    def _joined(self, tasks: _Tasks) -> list[Move]:
        """Merge the two tasks that fit best, until no two do."""
        moves: list[Move] = []
        while True:
            found: tuple[float, str, EpisodeDraft, EpisodeDraft] | None = None
            near = [draft for draft in self.drafts if tasks.holds(draft)]
            for draft in near:
                for other in near:
                    if other is draft or len(other.stretches) < len(draft.stretches):
                        continue
                    if len(draft.stretches) > RECONSIDERED or any(each.bound for each in draft.stretches):
                        continue
                    odds = [self._odds(each, other, tasks, self._before(each), again=True) for each in draft.stretches]
                    mean = sum(odds) / len(odds) - self.weights.merge
                    if mean > 0 and (found is None or (mean, draft.id) > found[:2]):
                        found = (mean, draft.id, draft, other)
            if found is None:
                return moves
            _, _, draft, other = found
            for stretch in draft.stretches:
                tasks.leave(stretch, draft)
                moves.append(self._moved(stretch, draft, other))
                tasks.enter(stretch, other)

    def _moved(self, stretch: Stretch, home: EpisodeDraft | None, draft: EpisodeDraft) -> Move:
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
        """The id of the draft that the session of a stretch worked on before it."""
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
        while (id := derived_id("e", key if not number else f"{key} {number}")) in taken or self.taken(id):
            number += 1
        return id


class _Tasks:
    def __init__(self, drafts: Iterable[EpisodeDraft]) -> None:
        self._tasks: dict[str, Task] = {}
        self.stretches: list[Stretch] = []
        self._commits: list[Stretch] = []
        for draft in drafts:
            self._tasks[draft.id] = Task(draft.stretches)
            for stretch in draft.stretches:
                self._line_up(stretch)

    def of(self, draft: EpisodeDraft) -> Task:
        return self._tasks[draft.id]

    def holds(self, draft: EpisodeDraft) -> bool:
        """True when there is something to weigh against."""
        found = self._tasks.get(draft.id)
        return found is not None and bool(found.stretches)

    def leave(self, stretch: Stretch, home: EpisodeDraft | None) -> None:
        """Count a stretch out, in the form that was counted in."""
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

    def enter(self, stretch: Stretch, draft: EpisodeDraft) -> None:
        self._tasks.setdefault(draft.id, Task()).add(stretch)
        self._line_up(stretch)

    def beside(self, stretch: Stretch) -> tuple[Stretch | None, Stretch | None]:
        """The neighbouring commits of a commit; (None, None) for other work, where minutes say nothing."""
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
