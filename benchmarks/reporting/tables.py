"""Tables in plain text: columns as wide as their cells, numbers to the right, fit for a terminal and for a log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """A table; the first `left` columns go to the left, the others to the right. An empty row is a rule."""
    body = [tuple(row) for row in rows]
    widths = [len(cell) for cell in head]
    for row in body:
        for column, cell in enumerate(row):
            widths[column] = max(widths[column], len(cell))

    def line(cells: Sequence[str]) -> str:
        parts = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(parts).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(head), rule, *(line(row) if row else rule for row in body)])


def fraction(right: int, total: int) -> str:
    """`5/6`, or a dot where nothing was asked."""
    return f"{right}/{total}" if total else "·"


def percent(right: int, total: int) -> str:
    """`83 %`, or a dot where nothing was asked."""
    return f"{100 * right / total:.0f} %" if total else "·"


def milliseconds(value: float | None) -> str:
    """Milliseconds with the digits that mean something."""
    if value is None:
        return "·"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def share(value: float) -> str:
    """A share from 0 to 1 as `.75`, `1.00`, or a dot where nothing was asked."""
    return "·" if isnan(value) else f"{value:.2f}".removeprefix("0") if value < 1 else "1.00"
