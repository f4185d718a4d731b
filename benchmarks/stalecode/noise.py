"""How noisy the labels are: 60 cases of a part are drawn, labelled again without their gold, and compared.

python -m benchmarks.stalecode.noise edits            prints the cases by number, without names and labels
python -m benchmarks.stalecode.noise edits LABELS     prints the agreement with a file of JSON lines {case, label}
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from .baselines import text_at
from .data import data_folder
from .errors import BadData
from .grading import SEED, drawn_interval, kappa
from .grid import STANDINGS, Case, Grid, edited, load_grids
from .pairs import OPEN, SEALED, pairs_in
from .tables import short

_NUMBER = 30  # of each half


@dataclass(frozen=True)
class Drawn:
    """One case: its gold, and what a labeller sees. Its name is not told, for it often hints at the gold."""

    gold: str
    shown: str


def drawn(part: str, fixtures: Path) -> list[Drawn]:
    """The cases of `edits` or `contradictions` that are labelled twice, the same in every run. Raises BadData for
    another part."""
    if part == "edits":
        halves = [
            [_edit(grid, case) for grid in load_grids(fixtures / folder) for case in grid.cases]
            for folder in ("edits", "edits-unseen")
        ]
    elif part == "contradictions":
        halves = [
            [
                Drawn(
                    "conflict" if pair.conflict else "together",
                    "\n".join(
                        f"{side.text}  {dict(side.when) or ''} {side.at}".rstrip() for side in (pair.first, pair.second)
                    ),
                )
                for file in files
                for pair in pairs_in(fixtures / "contradictions" / file)
            ]
            for files in (OPEN, SEALED)
        ]
    else:
        raise BadData(f"no second labelling of {part!r}: edits or contradictions")
    chance = random.Random(SEED)  # noqa: S311 - the same cases again
    found = [case for half in halves for case in chance.sample(half, _NUMBER)]
    chance.shuffle(found)
    return found


def _edit(grid: Grid, case: Case) -> Drawn:
    after = edited(grid.base, case.steps)
    pieces = [f"{case.belief}\n({case.at})\n", text_at(grid.base[case.path], grid.lines[case.at])]
    for path in sorted(grid.base.keys() | after.keys()):
        before, now = grid.base.get(path, ""), after.get(path, "")
        if path not in after:
            pieces.append(f"--- {path} is deleted\n")
        elif before != now:
            lines = unified_diff(before.splitlines(keepends=True), now.splitlines(keepends=True), path, path)
            pieces.append("".join(lines))
    return Drawn(case.expect, "\n".join(pieces))


def agreement(cases: Sequence[Drawn], labels: Mapping[int, str]) -> str:
    """The share of equal labels and Cohen's kappa, with intervals over cases; for edits also of trust alone. Raises
    BadData when a case has no label."""
    missing = [str(number) for number in range(1, len(cases) + 1) if number not in labels]
    if missing:
        raise BadData(f"no label for {', '.join(missing)}")
    pairs = [(case.gold, labels[number]) for number, case in enumerate(cases, 1)]
    found = [_line("the label", pairs)]
    if {gold for gold, _ in pairs} <= set(STANDINGS):
        found.append(_line("trust", [(_trust(one), _trust(other)) for one, other in pairs]))
    different = Counter(pair for pair in pairs if pair[0] != pair[1])
    found += [f"gold {gold}, again {again}: {count}" for (gold, again), count in different.most_common()]
    return "\n".join(found)


def _trust(standing: str) -> str:
    return "holds" if standing in STANDINGS[:2] else "broken"


def _line(name: str, pairs: Sequence[tuple[str, str]]) -> str:
    same = sum(one == other for one, other in pairs)
    low, high = drawn_interval([[pair] for pair in pairs], kappa)
    return f"{name}: {same} of {len(pairs)} equal, kappa {short(kappa(pairs))} ({short(low)}-{short(high)})"


def main(words: Sequence[str]) -> int:
    """Print the cases, or the agreement with the labels of a file."""
    cases = drawn(words[0], data_folder())
    if len(words) > 1:
        rows = map(json.loads, Path(words[1]).read_text(encoding="utf-8").splitlines())
        print(agreement(cases, {row["case"]: row["label"] for row in rows}))
    else:
        print("\n\n".join(f"=== {number}\n{case.shown}" for number, case in enumerate(cases, 1)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
