"""Fitting and judging a likelihood without a library: logistic regression, the area under the ROC curve, average
precision, and intervals by drawing whole groups again."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from math import exp, isnan, sqrt

from attrs import frozen

_STEPS = 7  # of Newton's method; it stands still after five
_DRAWS = 300


@frozen
class Fit:
    """A weighted sum: `bias + sum(weight * number)` is the logarithm of the odds."""

    bias: float
    weights: tuple[float, ...]

    def likelihood(self, numbers: Sequence[float]) -> float:
        """From 0 to 1."""
        return _squashed(self.bias + sum(w * x for w, x in zip(self.weights, numbers, strict=True)))


def fit(
    rows: Sequence[Sequence[float]], gold: Sequence[bool], *, penalty: float, importance: Sequence[float] | None = None
) -> Fit:
    """Logistic regression by Newton's method, every number scaled to one spread, weights held small by `penalty` (a
    ridge). `importance` is how much each row counts (default: 1). Deterministic."""
    counts = importance or [1.0] * len(rows)
    count, width = len(rows), len(rows[0])
    means = [sum(row[k] for row in rows) / count for k in range(width)]
    spreads = [sqrt(sum((row[k] - means[k]) ** 2 for row in rows) / count) or 1.0 for k in range(width)]
    scaled = [[*((row[k] - means[k]) / spreads[k] for k in range(width)), 1.0] for row in rows]
    found = [0.0] * (width + 1)
    for _ in range(_STEPS):
        slope = [-penalty * w for w in found[:-1]] + [0.0]
        curve = [[penalty if i == k and i < width else 0.0 for k in range(width + 1)] for i in range(width + 1)]
        for row, good, counted in zip(scaled, gold, counts, strict=True):
            p = _squashed(sum(w * x for w, x in zip(found, row, strict=True)))
            missed, spread = counted * (good - p), counted * p * (1 - p)
            for i, x in enumerate(row):
                slope[i] += missed * x
                part, line = spread * x, curve[i]
                for k in range(i, width + 1):
                    line[k] += part * row[k]
        for i in range(width + 1):
            for k in range(i):
                curve[i][k] = curve[k][i]
        found = [w + step for w, step in zip(found, _solved(curve, slope), strict=True)]
    plain = [w / spread for w, spread in zip(found[:-1], spreads, strict=True)]
    return Fit(found[-1] - sum(w * mean for w, mean in zip(plain, means, strict=True)), tuple(plain))


def _squashed(total: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def _solved(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """Gauss elimination with pivots."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for i in range(size):
        best = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for k in range(i + 1, size):
            share = rows[k][i] / rows[i][i]
            if share:
                rows[k] = [a - share * b for a, b in zip(rows[k], rows[i], strict=True)]
    found = [0.0] * size
    for i in reversed(range(size)):
        found[i] = (rows[i][size] - sum(rows[i][k] * found[k] for k in range(i + 1, size))) / rows[i][i]
    return found


def area(scores: Sequence[float], gold: Sequence[bool]) -> float:
    """The area under the ROC curve: how often a positive has the larger score than a negative; ties count half."""
    return Ranking(scores, gold).area([1] * len(gold))


def average_precision(scores: Sequence[float], gold: Sequence[bool]) -> float:
    """Precision averaged over the positives, from the largest score down; those with one score come together."""
    return Ranking(scores, gold).average_precision([1] * len(gold))


class Ranking:
    """Scores in order, so that both measures can be taken again when each counts several times or not at all."""

    def __init__(self, scores: Sequence[float], gold: Sequence[bool]) -> None:
        order = sorted(range(len(scores)), key=lambda index: -scores[index])
        self._ties: list[tuple[list[int], list[int]]] = []  # positives and negatives of one score, the largest first
        last: float | None = None
        for index in order:
            if scores[index] != last:
                self._ties.append(([], []))
                last = scores[index]
            self._ties[-1][0 if gold[index] else 1].append(index)

    def area(self, times: Sequence[int]) -> float:
        """`times` says how often each counts. Not a number without positives or without negatives."""
        total = above = negatives = 0.0
        for good, bad in self._ties:
            positives, wrong = sum(times[i] for i in good), sum(times[i] for i in bad)
            total += wrong * (above + positives / 2)
            above += positives
            negatives += wrong
        return total / (above * negatives) if above and negatives else float("nan")

    def average_precision(self, times: Sequence[int]) -> float:
        """The same. Not a number without positives."""
        total = right = seen = 0.0
        for good, bad in self._ties:
            gained = sum(times[i] for i in good)
            right += gained
            seen += gained + sum(times[i] for i in bad)
            total += gained * right / seen if seen else 0.0
        return total / right if right else float("nan")


def precision_and_recall(scores: Sequence[float], gold: Sequence[bool], threshold: float) -> tuple[float, float, int]:
    """Both at a threshold, and how many reach it. Precision is 1 when none does."""
    reached = [good for score, good in zip(scores, gold, strict=True) if score >= threshold]
    positives = sum(gold)
    return (
        sum(reached) / len(reached) if reached else 1.0,
        sum(reached) / positives if positives else float("nan"),
        len(reached),
    )


def interval(
    measure: Callable[[Ranking, Sequence[int]], float],
    scores: Sequence[float],
    gold: Sequence[bool],
    groups: Sequence[Hashable],
    *,
    draws: int = _DRAWS,
) -> tuple[float, float]:
    """The middle 95 % of a measure when whole groups (commits, say) are drawn again with replacement; seeded."""
    number = {group: index for index, group in enumerate(dict.fromkeys(groups))}
    own = [number[group] for group in groups]
    ranking, chance = Ranking(scores, gold), random.Random(20)  # noqa: S311 - figures must come out the same again
    found: list[float] = []
    for _ in range(draws):
        times = [0] * len(number)
        for drawn in chance.choices(range(len(number)), k=len(number)):
            times[drawn] += 1
        value = measure(ranking, [times[group] for group in own])
        if not isnan(value):  # as it is where a draw has no positives
            found.append(value)
    found.sort()
    if not found:
        return float("nan"), float("nan")
    return found[int(len(found) * 0.025)], found[min(len(found) - 1, int(len(found) * 0.975))]
