"""Weigh a belief by the beliefs that it rests on: when one of those falls, the dependent belief is asked about.

A base has fallen when it was retired, superseded or forgotten, when its date has passed, or when the code contradicts
it. Confirming the dependent belief afterwards answers the question. The check follows bases for `_DEEPEST` steps and
stops at circles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import evolve

from memlsp.beliefs.reasons import ReasonCode, reason
from memlsp.model.belief import Belief, BeliefStatus
from memlsp.model.errors import BadValue
from memlsp.model.standing import Judgement, Reason, Standing
from memlsp.store.store import Store

_DEEPEST = 12
_MOST = 64  # the most bases that are checked for one belief
_ENDED = frozenset({BeliefStatus.RETIRED, BeliefStatus.SUPERSEDED})
_FALLEN = {Standing.CONTRADICTED: "which the code contradicts", Standing.EXPIRED: "whose date has passed"}


class Dependents:
    """Checks the bases of beliefs. `judge` judges one belief by the code, without its own bases."""

    def __init__(self, stores: Sequence[Store], judge: Callable[[Belief], Judgement]) -> None:
        self._stores = tuple(stores)
        self._judge = judge

    def weigh(self, judgement: Judgement) -> Judgement:
        """Change a judgement to `changed` where a base of the belief has fallen, with the reasons."""
        belief = judgement.belief
        if not belief.because_of or belief.status is not BeliefStatus.ACTIVE:
            return judgement
        fallen = tuple(self._fallen(belief, {belief.id}, 0))
        if not fallen:
            return judgement
        others = tuple(each for each in judgement.reasons if each.code != ReasonCode.NOTHING_TO_CHECK.value)
        if judgement.standing.severity > Standing.CHANGED.severity:
            return evolve(judgement, reasons=(*others, *fallen))
        return evolve(judgement, standing=Standing.CHANGED, reasons=(*fallen, *others))

    def bases(self, ids: Sequence[str]) -> tuple[str, ...]:
        """The ids that a new belief can rest on, each once. Raises BadValue for a retired or superseded base."""
        for id in ids:
            belief = self._look_up(id)
            if belief is not None and belief.status in _ENDED:
                hint = f"rest on {belief.superseded_by}" if belief.superseded_by else "name one that still stands"
                raise BadValue(f"{id} is {belief.status.value}, so nothing new can rest on it", hint)
        return tuple(dict.fromkeys(ids))

    def there(self, ids: Sequence[str]) -> tuple[str, ...]:
        """The ids that still belong to a belief."""
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
            elif base.status in _ENDED:
                if base.updated_at > answered:
                    by = f" by {base.superseded_by}" if base.superseded_by else ""
                    yield _reason(f"It rests on {id}, which was {base.status.value}{by}")
            elif base.status is BeliefStatus.ACTIVE:
                yield from self._doubtful(base, seen, depth)

    def _doubtful(self, base: Belief, seen: set[str], depth: int) -> Iterator[Reason]:
        """The reasons why an active base does not hold: by the code, or by its own bases."""
        judged = self._judge(base)
        if judged.standing in _FALLEN:
            why = f": {judged.reasons[0].message}" if judged.reasons else ""
            yield _reason(f"It rests on {base.id}, {_FALLEN[judged.standing]}{why}")
        elif depth < _DEEPEST:
            for below in self._fallen(base, seen, depth + 1):
                further = below.message.removeprefix("It ")
                yield _reason(f"It rests on {base.id}, which {further}")

    def _look_up(self, id: str) -> Belief | None:
        found = (store.belief(id) for store in self._stores)
        return next((belief for belief in found if belief is not None), None)


def _reason(message: str) -> Reason:
    return reason(ReasonCode.BASE_FALLEN, message)
