"""Writes `lines.json` of an edit grid: the first and last line of each place that a case names, from memlsp's outline.

python -m benchmarks.judgement.grid_lines fixtures/edits fixtures/edits-unseen
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.stalecode.grid import LINES, Grid, load_grids
from memlsp.code.syntax.outline import outline


def lines_of(grid: Grid) -> dict[str, list[int]]:
    """The lines of every symbol that a case names, from 1, in the order of the places. A place whose symbol is not
    found is left out."""
    found: dict[str, list[int]] = {}
    for case in sorted(grid.cases, key=lambda case: case.at):
        symbol = outline(case.path, grid.base[case.path].encode()).find(case.symbol) if case.symbol else None
        if symbol is not None:
            found[case.at] = [symbol.span.start_line + 1, symbol.span.end_line + 1]
    return found


def main(folders: list[str]) -> int:
    """Write one file for each language."""
    for folder in map(Path, folders):
        for grid in load_grids(folder):
            lines = [f"  {json.dumps(place)}: {kept}" for place, kept in lines_of(grid).items()]
            (folder / grid.language / LINES).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
