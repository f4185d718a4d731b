"""A history played to a system from its beginning, with a question wherever a task begins; and what its answers are
worth beside the gold."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

from attrs import frozen

from benchmarks.codememory.records import Note, Task
from benchmarks.codememory.systems import System
from benchmarks.reporting.measures import Measure
from memlsp.recall.budget import tokens_of

ASKED_FOR = 10
BUDGET = 1_200
"""Tokens within which an answer is held to a budget."""

_SEED, _DRAWS = 7, 1_000


@frozen
class Asked:
    """One task put to one system. `found` says for each place of its answer whether it is gold, `tokens` what it takes
    up to and with that place."""

    repository: str
    task: str
    gold: int
    found: tuple[bool, ...]
    tokens: tuple[int, ...]
    seconds: float

    @property
    def recall(self) -> float:
        """The share of the gold among the first ten."""
        return sum(self.found) / self.gold

    @property
    def whole(self) -> bool:
        """True when all of the gold is among them."""
        return sum(self.found) == self.gold

    @property
    def reciprocal(self) -> float:
        """One through the place of the first that is gold; 0 when none is."""
        return 1 / (self.found.index(True) + 1) if True in self.found else 0.0

    @property
    def within(self) -> float:
        """The share of the gold among those that a budget of 1,200 tokens has room for."""
        return sum(hit for hit, used in zip(self.found, self.tokens, strict=True) if used <= BUDGET) / self.gold

    @property
    def served(self) -> int:
        """Tokens of the whole answer."""
        return self.tokens[-1] if self.tokens else 0


def as_case(system: str, each: Asked) -> Mapping[str, object]:
    """One answer as the report has it."""
    return {
        "system": system,
        "repository": each.repository,
        "task": each.task,
        "gold": each.gold,
        "found": [place + 1 for place, hit in enumerate(each.found) if hit],
        "tokens": list(each.tokens),
        "ms": round(1_000 * each.seconds, 3),
    }


def earlier_cases(path: Path | None) -> dict[tuple[str, str], dict[str, Asked]]:
    """The answers of an earlier report at `path`, by system and repository, then by task; none where it has none."""
    found: dict[tuple[str, str], dict[str, Asked]] = {}
    try:
        cases: list[dict[str, Any]] = json.loads(path.read_bytes())["cases"] if path else []
        for case in cases:
            hits, tokens = set(case["found"]), tuple(map(int, case["tokens"]))
            places = tuple(place in hits for place in range(1, len(tokens) + 1))
            name, task = str(case["repository"]), str(case["task"])
            asked = Asked(name, task, int(case["gold"]), places, tokens, float(case["ms"]) / 1_000)
            found.setdefault((str(case["system"]), name), {})[task] = asked
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return found


@frozen
class Score:
    """Means over tasks, times in milliseconds."""

    tasks: int
    recall: float
    whole: float
    some: float
    mrr: float
    within: float
    tokens: float
    p50: float
    p95: float

    @classmethod
    def of(cls, asked: Sequence[Asked]) -> Score:
        """The score of some tasks; all zero of none."""
        if not asked:
            return cls(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        times = Measure("recall", [1_000 * each.seconds for each in asked])
        return cls(
            len(asked),
            fmean(each.recall for each in asked),
            fmean(each.whole for each in asked),
            fmean(any(each.found) for each in asked),
            fmean(each.reciprocal for each in asked),
            fmean(each.within for each in asked),
            fmean(each.served for each in asked),
            times.at(0.5) or 0.0,
            times.at(0.95) or 0.0,
        )


def replay(
    repository: str,
    records: Iterable[Note | Task],
    gold_of: Callable[[], Mapping[str, frozenset[str]]],
    make: Callable[[], System],
    *,
    most: int | None = None,
) -> list[Asked]:
    """Play lines to a fresh system; with `most` only so many of the tasks are asked.

    The gold is asked for when the last question is answered. Raises what reading the lines or the system raises.
    """
    system = make()
    answers: list[tuple[str, tuple[str, ...], tuple[int, ...], float]] = []
    sizes: dict[str, int] = {}
    waiting: list[Note] = []
    try:
        for record in records:
            if isinstance(record, Note):
                waiting.append(record)
                sizes[record.id] = tokens_of(record.text)
                continue
            if most is not None and len(answers) == most:
                break
            if waiting:
                system.learn(waiting)
                waiting = []
            began = perf_counter()
            answer = system.recall(record.text, ASKED_FOR)
            seconds = perf_counter() - began
            ids = tuple(dict.fromkeys(answer.ids))[:ASKED_FOR]
            taken = answer.tokens or tuple(sizes.get(id, 0) for id in ids)
            answers.append((record.id, ids, _summed(taken[: len(ids)]), seconds))
    finally:
        system.close()
    gold = gold_of()
    return [
        Asked(repository, task, len(gold[task]), tuple(id in gold[task] for id in ids), tokens, seconds)
        for task, ids, tokens, seconds in answers
        if gold.get(task)
    ]


def _summed(tokens: Sequence[int]) -> tuple[int, ...]:
    total, sums = 0, list[int]()
    for each in tokens:
        total += each
        sums.append(total)
    return tuple(sums)


@frozen
class Paired:
    """Tasks on which one system found more of the gold than another, and on which it found less; what its recall is
    higher by, with the bounds between which 95 of 100 draws of as many tasks lie."""

    won: int
    lost: int
    same: int
    more: float = 0.0
    least: float = 0.0
    most: float = 0.0

    @classmethod
    def of(cls, ours: Sequence[Asked], theirs: Sequence[Asked]) -> Paired:
        """Both must have been asked the same tasks."""
        other: Mapping[tuple[str, str], float] = {(each.repository, each.task): each.recall for each in theirs}
        pairs = [(each.recall, other[each.repository, each.task]) for each in ours]
        gains = [a - b for a, b in pairs]
        draw = random.Random(_SEED)  # noqa: S311 - a seeded draw is what makes a run the same as the next
        means = sorted(fmean(draw.choices(gains, k=len(gains))) for _ in range(_DRAWS)) if gains else [0.0]
        return cls(
            sum(gain > 0 for gain in gains),
            sum(gain < 0 for gain in gains),
            sum(gain == 0 for gain in gains),
            fmean(gains) if gains else 0.0,
            means[int(0.025 * len(means))],
            means[min(int(0.975 * len(means)), len(means) - 1)],
        )
