"""Figures, their percentiles, and the design's targets."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import ceil, isnan
from typing import TypeVar

from attrs import field, frozen

T = TypeVar("T")


@frozen
class Target:
    """A target of the design in the measure's unit; None for no target."""

    p50: float | None = None
    p95: float | None = None


TARGETS: dict[str, Target] = {
    "hover": Target(2, 5),
    "code lens": Target(2, 5),
    "edit to diagnostics, push": Target(None, 30),
    "edit to diagnostics, pull": Target(None, 30),
    "loop busy after an edit": Target(None, 20),
    "loop late while typing": Target(None, 20),
    "recall": Target(None, 15),
    "lsp start": Target(None, 450),
    "mcp start to first answer": Target(None, 700),
    "lsp memory": Target(None, 90),
    "hook, whole process": Target(None, 40),
    "hook memory": Target(None, 45),
}
"""The targets that the design sets, by measure; other measures are printed without one."""


@frozen
class Measure:
    """Figures of one kind: `unit` is ms or MB."""

    name: str
    figures: tuple[float, ...] = field(converter=tuple)
    unit: str = "ms"

    def at(self, share: float) -> float | None:
        """The nearest-rank percentile, `share` from 0 to 1; None without figures."""
        if not self.figures:
            return None
        ordered = sorted(self.figures)
        return ordered[max(0, ceil(share * len(ordered)) - 1)]

    @property
    def missed(self) -> bool:
        """Return True when a percentile is above its target."""
        target = TARGETS.get(self.name, Target())
        pairs = ((target.p50, self.at(0.5)), (target.p95, self.at(0.95)))
        return any(asked is not None and got is not None and got > asked for asked, got in pairs)


def drawn_interval(
    groups: Sequence[Sequence[T]], measure: Callable[[Sequence[T]], float], *, draws: int = 1_000
) -> tuple[float, float]:
    """The middle 95 % of a measure when whole groups (repositories, say) are drawn again with replacement. Seeded, so
    that the same cases give the same bounds; draws without a figure are left out, and both are not a number without
    any."""
    chance = random.Random(14)  # noqa: S311 - figures must come out the same again
    values = [
        measure([case for group in chance.choices(groups, k=len(groups)) for case in group])
        for _ in range(draws if groups else 0)
    ]
    found = sorted(value for value in values if not isnan(value))
    if not found:
        return float("nan"), float("nan")
    return found[int(len(found) * 0.025)], found[min(len(found) - 1, int(len(found) * 0.975))]
