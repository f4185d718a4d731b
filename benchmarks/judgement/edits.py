"""The suite `edits`: does the standing of a belief change when, and only when, an edit changes the truth of it.

Each case runs in a repository of its own with one commit, through `Memory` alone: remember at the base, edit the files,
ask. The answer of the memory that saw the edit and that of one opened afterwards must be the same and right.

A grid in sets is scored set by set. The cases of the sealed set are counted and never told, neither printed nor in the
JSON: who improves the rules must not work on them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path

from attrs import frozen

from benchmarks.judgement.replay import judged_after
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import fraction, percent, table
from benchmarks.stalecode.baselines import BASELINES, Verdict, verdict_of
from benchmarks.stalecode.grid import GROUPS, Case, Grid, edited, load_grids
from memlsp.model.place import Place

_MOST_WORKERS = 4
_WIDEST_REASON = 160
_SEALED = "b"


@frozen
class Outcome:
    """One case and what came of it. `got` is a standing, or `error` when the memory refused."""

    case: Case
    got: str
    reason: str
    verdicts: tuple[tuple[str, Verdict], ...]
    fresh: str = ""  # what a memory opened afterwards said, where it differs

    @property
    def right(self) -> bool:
        """Exactly the standing that gold has."""
        return self.got == self.case.expect and not self.fresh

    @property
    def trusted(self) -> bool:
        """True when the answer to "should I trust it" is that of gold."""
        return (self.got in {"current", "carried"}) == self.case.holds and self.got != "error"


def run_edits(folder: Path, *, quick: bool = False, only: str = "", workers: int | None = None) -> Report:
    """Run the grid in `folder`, print the matrix, and return the report.

    `quick` takes one case of each cell and language; `only` those whose `language/group/cell/id` holds this text.
    Raises BadData for a grid that cannot be read.
    """
    grids = load_grids(folder)
    jobs = [(grid, case) for grid in grids for case in _chosen(grid, quick=quick, only=only)]
    count = workers if workers is not None else min(cpu_count() or 1, _MOST_WORKERS)
    outcomes = _run(jobs, count)
    languages = [grid.language for grid in grids]
    told = [outcome for outcome in outcomes if outcome.case.part != _SEALED]
    print(_matrix(told, languages))
    parts = sorted({outcome.case.part for outcome in outcomes})
    for part in parts:
        of_part = [outcome for outcome in outcomes if outcome.case.part == part]
        print(f"\nSet {part}:\n\n{_groups(of_part, languages)}\n" if part else "")
        print(_comparison(of_part, languages))
    _print_failures(told)
    _print_not_applicable(grids)
    return Report(
        suite="edits",
        score=_score_by_set(outcomes, parts),
        baselines={name: _baseline_score_by_set(outcomes, name, parts) for name in BASELINES},
        cases=[_as_json(outcome) for outcome in told],
        passed=all(outcome.right for outcome in outcomes),
    )


def run_case(grid: Grid, case: Case) -> Outcome:
    """One case in a temporary workspace."""
    after = edited(grid.base, case.steps)
    lines = grid.lines[case.at]
    verdicts = tuple((name, judge(case.path, lines, grid.base, after)) for name, judge in BASELINES.items())
    try:
        seen = judged_after(grid.base, after, Place.parse(case.at), case.belief)
    except Exception as error:  # noqa: BLE001 - what breaks on one case is wrong there, and must not hide the others
        return Outcome(case, "error", f"{type(error).__name__}: {error}", verdicts)
    reason = "; ".join(f"{reason.code}: {reason.message}" for reason in seen.judgement.reasons)
    got = seen.judgement.standing.value
    return Outcome(case, got, reason, verdicts, fresh="" if seen.fresh.value == got else seen.fresh.value)


# -- running -------------------------------------------------------------------------------------------------


def _chosen(grid: Grid, *, quick: bool, only: str) -> list[Case]:
    cases = [case for case in grid.cases if only in f"{case.language}/{case.group}/{case.cell}/{case.id}"]
    if not quick:
        return cases
    first: dict[tuple[str, str], Case] = {}
    for case in cases:
        first.setdefault((case.group, case.cell), case)
    return list(first.values())


def _run(jobs: Sequence[tuple[Grid, Case]], workers: int) -> list[Outcome]:
    if workers <= 1 or len(jobs) < 2 * workers:
        return [run_case(*job) for job in jobs]
    grids, cases = [grid for grid, _ in jobs], [case for _, case in jobs]
    # spawned, for a forked child would inherit locks and open stores
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(run_case, grids, cases, chunksize=8))


# -- scoring -------------------------------------------------------------------------------------------------


def _score(outcomes: Sequence[Outcome]) -> dict[str, float]:
    total = len(outcomes)
    return {
        "cases": total,
        "right": sum(outcome.right for outcome in outcomes),
        "strict": sum(outcome.right for outcome in outcomes) / total if total else 0.0,
        "trust": sum(outcome.trusted for outcome in outcomes) / total if total else 0.0,
    }


def _baseline_score(outcomes: Sequence[Outcome], name: str) -> dict[str, float]:
    total = len(outcomes) or 1
    return {
        "strict": sum(_baseline_right(outcome, name) for outcome in outcomes) / total,
        "trust": sum(_baseline_trusted(outcome, name) for outcome in outcomes) / total,
    }


def _score_by_set(outcomes: Sequence[Outcome], parts: Sequence[str]) -> dict[str, float]:
    """The score of all, and that of each set with the set's name in front."""
    score = _score(outcomes)
    for part in filter(None, parts):
        of_part = [outcome for outcome in outcomes if outcome.case.part == part]
        score |= {f"{part} {name}": value for name, value in _score(of_part).items()}
    return score


def _baseline_score_by_set(outcomes: Sequence[Outcome], name: str, parts: Sequence[str]) -> dict[str, float]:
    score = _baseline_score(outcomes, name)
    for part in filter(None, parts):
        of_part = [outcome for outcome in outcomes if outcome.case.part == part]
        score |= {f"{part} {kind}": value for kind, value in _baseline_score(of_part, name).items()}
    return score


def _baseline_right(outcome: Outcome, name: str) -> bool:
    return dict(outcome.verdicts)[name] is verdict_of(outcome.case.expect)


def _baseline_trusted(outcome: Outcome, name: str) -> bool:
    return dict(outcome.verdicts)[name].trusted == outcome.case.holds


# -- printing ------------------------------------------------------------------------------------------------


def _matrix(outcomes: Sequence[Outcome], languages: Sequence[str]) -> str:
    right: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for outcome in outcomes:
        right[outcome.case.group, outcome.case.cell, outcome.case.language].append(outcome.right)
    rows: list[list[str]] = []
    for group, cells in GROUPS.items():
        if rows:
            rows.append([])
        for cell in cells:
            counts = [right.get((group, cell, language), []) for language in languages]
            every = [good for count in counts for good in count]
            if every:
                shown = [fraction(sum(count), len(count)) for count in (*counts, every)]
                rows.append([group, cell, *shown, "" if all(every) else "<"])
    totals = [[o.right for o in outcomes if o.case.language == language] for language in languages]
    every = [o.right for o in outcomes]
    rows += [[], ["all", "", *(fraction(sum(count), len(count)) for count in (*totals, every)), ""]]
    return table(["group", "cell", *languages, "all", ""], rows, left=2)


def _groups(outcomes: Sequence[Outcome], languages: Sequence[str]) -> str:
    rows: list[list[str]] = []
    for group in GROUPS:
        of_group = [outcome for outcome in outcomes if outcome.case.group == group]
        parts = [[o for o in of_group if o.case.language == each] for each in languages]
        counts = [fraction(sum(o.right for o in part), len(part)) for part in (*parts, of_group)]
        rows.append([group, *counts, fraction(sum(o.trusted for o in of_group), len(of_group))])
    return table(["group", *languages, "all", "trust"], rows)


def _comparison(outcomes: Sequence[Outcome], languages: Sequence[str]) -> str:
    def shown(right: Sequence[bool]) -> list[str]:
        parts = [
            [good for good, o in zip(right, outcomes, strict=True) if o.case.language == each] for each in languages
        ]
        return [percent(sum(part), len(part)) for part in (*parts, list(right))]

    rows = [
        ["memlsp", "right standing of five", *shown([o.right for o in outcomes])],
        ["", "should I trust it", *shown([o.trusted for o in outcomes])],
    ]
    for name in BASELINES:
        rows += [
            [],
            [name, "holds, stale or gone", *shown([_baseline_right(o, name) for o in outcomes])],
            ["", "should I trust it", *shown([_baseline_trusted(o, name) for o in outcomes])],
        ]
    return table(["", "scored by", *languages, "all"], rows, left=2)


def _print_failures(outcomes: Sequence[Outcome]) -> None:
    wrong = [outcome for outcome in outcomes if not outcome.right]
    if not wrong:
        return
    print(f"\nWrong: {len(wrong)} of {len(outcomes)}")
    for outcome in wrong:
        case = outcome.case
        got = f"{outcome.got}, and {outcome.fresh} when opened anew" if outcome.fresh else outcome.got
        print(f"- {case.language} {case.group}/{case.cell} {case.id}: expected {case.expect}, got {got}")
        print(f"    belief  {case.belief}  ({case.at})")
        print(f"    gold    {case.why}")
        if outcome.reason:
            print(f"    reason  {outcome.reason[:_WIDEST_REASON]}")


def _print_not_applicable(grids: Sequence[Grid]) -> None:
    lines = [f"- {grid.language} {cell}: {why}" for grid in grids for cell, why in grid.not_applicable.items()]
    if lines:
        print("\nNot applicable:")
        print("\n".join(lines))


def _as_json(outcome: Outcome) -> dict[str, object]:
    case = outcome.case
    return {
        "language": case.language,
        "group": case.group,
        "cell": case.cell,
        "id": case.id,
        "belief": case.belief,
        "at": case.at,
        "expected": case.expect,
        "got": outcome.got,
        "right": outcome.right,
        "reason": outcome.reason,
        "baselines": {name: verdict.value for name, verdict in outcome.verdicts},
    }
