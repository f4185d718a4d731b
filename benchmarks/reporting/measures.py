"""Figures, their percentiles, and the design's targets."""

from __future__ import annotations

from math import ceil

from attrs import field, frozen


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
