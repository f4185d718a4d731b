"""Beliefs that rest on others: when one falls, those that were said because of it are asked about.

A base has fallen when it was retired, superseded or forgotten, when its date has passed, or when the code contradicts
it. Whoever confirms a belief after that has answered. What rests on a belief that is asked about is asked about too, as
far as `_DEEPEST` steps; circles end where they began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import evolve

from memlsp.beliefs.reasons import ReasonCode, reason
from memlsp.model.belief import Belief, BeliefStatus
from memlsp.model.errors import BadValue
from memlsp.model.standing import Judgement, Reason, Standing
from memlsp.store import Store

_DEEPEST = 12
_MOST = 64
"""Bases that are looked at for one belief."""

_FALLEN = {Standing.CONTRADICTED: "which the code contradicts", Standing.EXPIRED: "whose date has passed"}


class Dependents:
    """Looks at what beliefs rest on. `judge` holds one against the code, without what it rests on itself."""

    def __init__(self, stores: Sequence[Store], judge: Callable[[Belief], Judgement]) -> None:
        self._stores = tuple(stores)
        self._judge = judge

    def weigh(self, judgement: Judgement) -> Judgement:
        """The judgement, changed where something has fallen that the belief rests on."""
        belief = judgement.belief
        if not belief.because_of or belief.status is not BeliefStatus.ACTIVE:
            return judgement
        told = tuple(self._fallen(belief, {belief.id}, 0))
        if not told:
            return judgement
        others = tuple(each for each in judgement.reasons if each.code != ReasonCode.NOTHING_TO_CHECK.value)
        if judgement.standing.severity > Standing.CHANGED.severity:
            return evolve(judgement, reasons=(*others, *told))
        return evolve(judgement, standing=Standing.CHANGED, reasons=(*told, *others))

    def bases(self, ids: Sequence[str]) -> tuple[str, ...]:
        """The ids of beliefs that something new can rest on, each once. Raises BadValue for one of the past."""
        for id in ids:
            belief = self._look_up(id)
            if belief is not None and belief.status in {BeliefStatus.RETIRED, BeliefStatus.SUPERSEDED}:
                hint = f"rest on {belief.superseded_by}" if belief.superseded_by else "name one that still stands"
                raise BadValue(f"{id} is {belief.status.value}, so nothing new can rest on it", hint)
        return tuple(dict.fromkeys(ids))

    def there(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Those of the ids that some belief still has."""
        return tuple(id for id in ids if self._look_up(id) is not None)

    def _fallen(self, belief: Belief, seen: set[str], depth: int) -> Iterator[Reason]:
        answered = max(belief.created_at, belief.confirmed_at or belief.created_at)
        for id in belief.because_of:
            if id in seen or len(seen) > _MOST:
                continue
            seen.add(id)
            base = self._look_up(id)
            if base is None:
                yield _reason(f"It rests on {id}, which was forgotten")
            elif base.status is BeliefStatus.RETIRED:
                if base.updated_at > answered:
                    yield _reason(f"It rests on {id}, which was retired")
            elif base.status is BeliefStatus.SUPERSEDED:
                if base.updated_at > answered:
                    by = f" by {base.superseded_by}" if base.superseded_by else ""
                    yield _reason(f"It rests on {id}, which was superseded{by}")
            else:
                yield from self._doubtful(base, seen, depth)

    def _doubtful(self, base: Belief, seen: set[str], depth: int) -> Iterator[Reason]:
        """Why an active base does not hold itself: by the code, or for what it rests on."""
        if base.status is not BeliefStatus.ACTIVE:
            return
        judged = self._judge(base)
        if judged.standing in _FALLEN:
            why = f": {judged.reasons[0].message}" if judged.reasons else ""
            yield _reason(f"It rests on {base.id}, {_FALLEN[judged.standing]}{why}")
        elif depth < _DEEPEST:
            for below in self._fallen(base, seen, depth + 1):
                further = below.message.removeprefix("It ")
                yield _reason(f"It rests on {base.id}, which {further}")

    def _look_up(self, id: str) -> Belief | None:
        for store in self._stores:
            belief = store.belief(id)
            if belief is not None:
                return belief
        return None


def _reason(message: str) -> Reason:
    return reason(ReasonCode.BASE_FALLEN, message)
