"""The suite `stalecode`: memlsp among other memories, by the package of that name, which knows nothing of memlsp.

memlsp's adapter and the simple ones run here; others run when they are named, and the answers that were kept of them
stand in the table with the date of their run.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from pathlib import Path

from benchmarks.reporting.report import Report
from benchmarks.stalecode.__main__ import named_command
from benchmarks.stalecode.answers import Answers, latest, read_answers
from benchmarks.stalecode.asking import Options
from benchmarks.stalecode.chart import chart
from benchmarks.stalecode.data import data_folder, kept_answers
from benchmarks.stalecode.errors import BadData
from benchmarks.stalecode.grading import OPEN
from benchmarks.stalecode.parts import PARTS
from benchmarks.stalecode.process import python
from benchmarks.stalecode.run import OURS, SIMPLE, report, run
from benchmarks.stalecode.tables import columns_of, figure, halves_of


def run_stalecode(
    data: Path | None, *, quick: bool = False, only: str = "", peers: Sequence[str] = (), chart_path: Path | None = None
) -> Report:
    """Ask everybody, print the tables, and draw the chart where `chart_path` says. `only` is the name of a part,
    `peers` are NAME=COMMAND. Passes when memlsp answered every part to its end. Raises BadData, StaleCodeError."""
    if only and only not in PARTS:
        raise BadData(f"no part {only!r}; there are: {', '.join(PARTS)}")
    parts = [only] if only else list(PARTS)
    adapters = {OURS: python("memlsp_adapter"), **SIMPLE, **dict(map(named_command, peers))}
    kept = [] if quick else [each for each in read_answers(kept_answers()) if each.part in parts]
    answers = latest([*kept, *run(adapters, parts, Options(data_folder(), data, quick=quick))])
    print(report(answers))
    if chart_path is not None:
        chart_path.write_text(chart(answers, OURS), encoding="utf-8")
    ours = [each for each in answers if each.name == OURS]
    scores = {name: _score([each for each in answers if each.name == name]) for name in {each.name for each in answers}}
    return Report(
        "stalecode",
        scores.pop(OURS, {}),
        scores,
        [
            {"part": case.part, "id": case.id, "said": case.said, "why": case.why}
            for each in ours
            for case in each.cases
            if case.half == OPEN and not case.right
        ],
        passed=bool(ours) and not any(each.gave_up for each in ours),
    )


def _score(answers: Sequence[Answers]) -> dict[str, float]:
    return {
        f"{each.part} {half} {head}": round(value, 4)
        for each in answers
        for half in halves_of([each])
        for head, (measure, _) in columns_of(each.part).items()
        if not isnan(value := figure(each, half, measure)[0])
    }
