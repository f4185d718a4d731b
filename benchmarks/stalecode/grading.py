"""One graded answer, the measures over many, and the intervals of the measures."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan
from statistics import fmean
from typing import Any, TypeVar

T = TypeVar("T")

OPEN, SEALED = "open", "sealed"
DRAWS, SEED = 1_000, 14


@dataclass(frozen=True)
class Graded:
    """What came of one case.

    `alarm` is gold: True when the statement is no longer so, the pair conflicts, the word was forgotten, the line is
    false. `said` is what the memory said of that, None when it said nothing. `value` is a share from 0 to 1 for what is
    no yes or no. `base` is drawn as a whole for intervals. `id` is "" for what is sealed.
    """

    part: str
    half: str
    base: str
    group: str
    alarm: bool = False
    said: bool | None = None
    value: float = 0.0
    exact: bool | None = None  # the right one of several words, where the memory has them
    tokens: int = 0
    id: str = ""
    why: str = ""  # a fault, or the memory's own reason; "" for what is sealed

    @property
    def right(self) -> bool:
        """True when what was said is gold."""
        return self.said is self.alarm


def sealed_tally(graded: Iterable[Graded]) -> Iterator[tuple[Graded, int]]:
    """Graded cases without id and reason, and how often each occurs."""
    yield from Counter(replace(each, id="", why="") for each in graded).items()


def as_record(each: Graded, count: int = 1) -> dict[str, Any]:
    """A JSON object without what is empty."""
    kept = {key: value for key, value in asdict(each).items() if value not in ("", None, 0) or value is False}
    return kept | ({"count": count} if count != 1 else {})


def of_record(record: Mapping[str, Any]) -> Iterator[Graded]:
    """What `as_record` was given, as often as it counts."""
    fields = {key: value for key, value in record.items() if key != "count"}
    for _ in range(int(record.get("count", 1))):
        yield Graded(**fields)


# --- measures: shares from 0 to 1, not a number where nothing was asked

Measure = Callable[[Sequence[Graded]], float]


def missed(cases: Sequence[Graded]) -> float:
    """Of what is no longer so, the share of which the memory did not say so."""
    return _share(not each.said for each in cases if each.alarm)


def false_alarms(cases: Sequence[Graded]) -> float:
    """Of what still holds, the share that the memory did not trust; silence is no trust."""
    return _share(each.said is not False for each in cases if not each.alarm)


def balanced(cases: Sequence[Graded]) -> float:
    """One minus the mean of the two: .5 for whoever always says the same."""
    return 1 - (missed(cases) + false_alarms(cases)) / 2


def right(cases: Sequence[Graded]) -> float:
    """The share answered as gold has it."""
    return _share(each.right for each in cases)


def exact(cases: Sequence[Graded]) -> float:
    """The share with the right word of several; not a number for a memory that has no such words."""
    return _share(bool(each.exact) for each in cases) if any(each.exact is not None for each in cases) else nan


def precision(cases: Sequence[Graded]) -> float:
    """Of what was called no longer so, the share that is."""
    return _share(each.alarm for each in cases if each.said)


def recall(cases: Sequence[Graded]) -> float:
    """Of what is no longer so, the share that was said."""
    return _share(bool(each.said) for each in cases if each.alarm)


def mean_value(cases: Sequence[Graded]) -> float:
    """The mean of the values."""
    return fmean(each.value for each in cases) if cases else nan


def mean_tokens(cases: Sequence[Graded]) -> float:
    """Tokens of an answer, at four bytes each."""
    return fmean(each.tokens for each in cases) if cases else nan


def _share(truths: Iterable[bool]) -> float:
    found = list(truths)
    return sum(found) / len(found) if found else nan


def drawn_interval(
    groups: Sequence[Sequence[T]], measure: Callable[[Sequence[T]], float], *, draws: int = DRAWS
) -> tuple[float, float]:
    """The middle 95 % of a measure when whole groups (repositories, say) are drawn again with replacement. Seeded, so
    that the same cases give the same bounds; draws without a figure are left out, and both are not a number without
    any."""
    chance = random.Random(SEED)  # noqa: S311 - figures must come out the same again
    values = [
        measure([case for group in chance.choices(groups, k=len(groups)) for case in group])
        for _ in range(draws if groups else 0)
    ]
    found = sorted(value for value in values if not isnan(value))
    if not found:
        return nan, nan
    return found[int(len(found) * 0.025)], found[min(len(found) - 1, int(len(found) * 0.975))]


def by_base(cases: Sequence[Graded]) -> list[list[Graded]]:
    """The cases of each base."""
    groups: dict[str, list[Graded]] = {}
    for each in cases:
        groups.setdefault(each.base, []).append(each)
    return list(groups.values())


def kappa(pairs: Sequence[tuple[str, str]]) -> float:
    """Cohen's kappa of two labellings of the same cases: agreement beyond that of chance."""
    agreed = _share(one == other for one, other in pairs)
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    chance = sum(first[label] * second[label] for label in first) / len(pairs) ** 2
    return (agreed - chance) / (1 - chance) if chance < 1 else 1.0
