"""The suite `survival`: a method's history, replayed backwards: is it found again at every commit that changed it.

A belief placed on a method at its birth must be found on the method years later, and the change of what it meant must
be told. The oracles list, for a method at some commit, the commits that changed it. Ours are what the walk behind
`memlsp history` meets from that commit (never from a later one); `git log -L` runs on the same method.

Three readings. `meaning` is what our history tells, and a move of the file, held against the oracle without the commits
that only changed layout or documentation (as in CodeShovel's): there a renamed local variable, a pair of parentheses or
a type hint of Python is a change of the body, and counts as missed by us. `code` is the same oracle held against every
commit that we found to change the text beside layout and comments: that compares with the other tools' figures.
`all` is everything that touched it, on both sides. Repositories are split by a hash of their name: some are for
developing the rules, the others judge.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from attrs import frozen

from benchmarks.history.survival_oracle import PLACES, Method, load_methods
from benchmarks.history.survival_trace import READINGS, SECONDS, Traced, run_all
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import percent, table

_QUICK = 24
_SEED = 7
_TARGET_F1 = 0.93
_TARGET_LOST = 0.02
_ANCHORS = (
    "Anchors, measured elsewhere: CodeShovel F1 .871 (Python) and .877 (Java); CodeTracker 1.0 on its own oracle; the"
    " oracles are right to about .95."
)


@frozen
class Score:
    """Counts over commits of some methods."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        """Of what was said, what is so."""
        return self.right / (self.right + self.wrong) if self.right else 0.0

    @property
    def recall(self) -> float:
        """Of what is so, what was said."""
        return self.right / (self.right + self.missed) if self.right else 0.0

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        return 2 * self.right / (2 * self.right + self.wrong + self.missed) if self.right else 0.0


def run_survival(data: Path | None, *, quick: bool = False, only: str = "", cache: Path | None = None) -> Report:
    """Trace every method of the oracles in `data`, print the tables, and return the report.

    `quick` takes a seeded sample; `only` those whose repository or id holds this text. What git said in an earlier
    report at `cache` is not asked again. Raises NoSuchFile when `data` holds no oracle.
    """
    methods, missing = load_methods(data or Path())
    methods = [method for method in methods if only in method.repository or only in method.id]
    if quick:
        methods = sorted(random.Random(_SEED).sample(methods, min(_QUICK, len(methods))), key=lambda each: each.id)  # noqa: S311
    known = _cached(cache)
    jobs = [Traced(method, git=known.get(method.id, (None, 0.0))[0], git_seconds=known.get(method.id, (None, 0.0))[1])
            for method in methods]  # fmt: skip
    traced = run_all(jobs)
    for reading in READINGS:
        print(f"\nReading `{reading}`, F1 over commits\n")
        print(_by_repository(traced, reading))
    print(f"\nBy tag, recall\n\n{_by_tag(traced)}\n")
    print(_speed(traced))
    if missing:
        print(f"Not here: {', '.join(f'{name} ({count})' for name, count in sorted(missing.items()))}")
    print(_ANCHORS)
    _print_failures(traced)
    score = _scores(traced)
    return Report(
        suite="survival",
        score=score,
        baselines={"git log -L": _git_scores(traced)},
        cases=[_as_json(each) for each in traced],
        passed=score.get("judge meaning f1", 0.0) >= _TARGET_F1 and score.get("lost", 1.0) < _TARGET_LOST,
    )


def _cached(cache: Path | None) -> dict[str, tuple[tuple[str, ...] | None, float]]:
    """What git said, by method, in an earlier report."""
    try:
        content = cast("dict[str, list[dict[str, object]]]", json.loads(cache.read_bytes()) if cache else {"cases": []})
        cases = content["cases"]
        return {
            str(case["id"]): (tuple(cast("list[str]", case["git"])), float(str(case["git_seconds"]))) for case in cases
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}


# -- scoring -------------------------------------------------------------------------------------------------


def score_of(traced: Sequence[Traced], reading: str, said: Callable[[Traced], frozenset[str]]) -> Score:
    """The counts of what `said` says in a reading."""
    right = wrong = missed = 0
    for each in traced:
        gold, found = each.method.gold(everything=reading == "all"), said(each)
        right += len(gold & found)
        wrong += len(found - gold)
        missed += len(gold - found)
    return Score(right, wrong, missed)


def _ours(traced: Sequence[Traced], reading: str) -> Score:
    return score_of(traced, reading, lambda each: each.found(reading))


def _git(traced: Sequence[Traced], reading: str) -> Score:
    return score_of(traced, reading, lambda each: frozenset(each.git or ()))


def _lost(traced: Sequence[Traced]) -> tuple[int, int]:
    """Renames and moves at which our history ends, and all of them."""
    lost = total = 0
    for each in traced:
        places = {c for c, tags in each.method.commits.items() if tags & PLACES and "INTRODUCTION" not in tags}
        total += len(places)
        lost += len(places & set(each.births))
    return lost, total


def _introduced(traced: Sequence[Traced]) -> tuple[int, int]:
    """Methods whose birth we found, and those whose birth is known."""
    known = [
        (each, {c for c, tags in each.method.commits.items() if "INTRODUCTION" in tags})
        for each in traced
        if any("INTRODUCTION" in tags for tags in each.method.commits.values())
    ]
    return sum(bool(set(each.births) & commits) for each, commits in known), len(known)


def _parts(traced: Sequence[Traced]) -> dict[str, list[Traced]]:
    return {
        "develop": [each for each in traced if each.developed],
        "judge": [each for each in traced if not each.developed],
        "judge, Python": [each for each in traced if not each.developed and each.method.python],
        "judge, Java": [each for each in traced if not each.developed and not each.method.python],
        "all": list(traced),
    }


def _scores(traced: Sequence[Traced]) -> dict[str, float]:
    found: dict[str, float] = {"cases": len(traced)}
    for name, part in _parts(traced).items():
        for reading in READINGS:
            score = _ours(part, reading)
            prefix = f"{name} {reading}"
            found |= {f"{prefix} p": score.precision, f"{prefix} r": score.recall, f"{prefix} f1": score.f1}
    lost, places = _lost(traced)
    born, births = _introduced(traced)
    found["lost"] = lost / places if places else 0.0
    found["introduction"] = born / births if births else 0.0
    return {name: round(value, 4) for name, value in found.items()}


def _git_scores(traced: Sequence[Traced]) -> dict[str, float]:
    return {
        f"{name} {reading} f1": round(_git(part, reading).f1, 4)
        for name, part in _parts(traced).items()
        for reading in READINGS
    }


# -- printing ------------------------------------------------------------------------------------------------


def _by_repository(traced: Sequence[Traced], reading: str) -> str:
    groups: defaultdict[tuple[bool, str], list[Traced]] = defaultdict(list)
    for each in traced:
        groups[each.developed, each.method.repository].append(each)
    rows = [
        _row(name, "develop" if developed else "judge", group, reading)
        for (developed, name), group in sorted(groups.items(), key=lambda entry: (not entry[0][0], entry[0][1]))
    ]
    rows.append(())
    rows += [_row(name, "", part, reading) for name, part in _parts(traced).items() if part]
    head = ("repository", "part", "methods", "P", "R", "F1", "git log -L", "P", "R", "born", "lost")
    return table(head, rows, left=2)


def _row(name: str, part: str, group: Sequence[Traced], reading: str) -> tuple[str, ...]:
    ours, git = _ours(group, reading), _git(group, reading)
    born, births = _introduced(group)
    lost, places = _lost(group)
    return (
        name, part, str(len(group)), _three(ours.precision), _three(ours.recall), _three(ours.f1), _three(git.f1),
        _three(git.precision), _three(git.recall), f"{born}/{births}", f"{lost}/{places}",
    )  # fmt: skip


def _by_tag(traced: Sequence[Traced]) -> str:
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0] * 5)
    for each in traced:
        told, coded, touched = (each.found(reading) for reading in READINGS)
        git = frozenset(each.git or ())
        for commit, tags in each.method.commits.items():
            for tag in tags:
                row = counts[tag]
                row[0] += 1
                row[1] += commit in told
                row[2] += commit in coded
                row[3] += commit in touched
                row[4] += commit in git
    rows = [
        (tag, str(row[0]), *(percent(found, row[0]) for found in row[1:]))
        for tag, row in sorted(counts.items(), key=lambda entry: -entry[1][0])
    ]
    return table(("tag", "commits", *READINGS, "git log -L"), rows)


def _speed(traced: Sequence[Traced]) -> str:
    def spread(figures: Sequence[float]) -> str:
        ordered = sorted(figures)
        return f"p50 {ordered[len(ordered) // 2]:.2f} s, worst {ordered[-1]:.1f} s" if ordered else "none"

    first, second = spread([each.seconds for each in traced]), spread([each.again for each in traced])
    git = spread([each.git_seconds for each in traced])
    late = sum(each.stopped == "deadline" for each in traced)
    return (
        f"Processor time for one method, whole history: first look {first}; second look {second}; git log -L {git}."
        f" Cut off after {SECONDS:.0f} s: {late}."
    )


def _print_failures(traced: Sequence[Traced]) -> None:
    """Every method that is not right in the reading `meaning`, worst first."""
    wrong = [
        (len(found ^ gold), each, found - gold, gold - found)
        for each in traced
        if (found := each.found("meaning")) != (gold := each.method.gold(everything=False))
    ]
    if not wrong:
        return
    print(f"\nNot right in the reading `meaning`: {len(wrong)} of {len(traced)} methods (+ said wrongly, - missed)\n")
    for _, each, more, less in sorted(wrong, key=lambda entry: (-entry[0], entry[1].method.id)):
        births = set(each.births)
        entries = [f"+{c[:9]}{'(born)' if c in births else _tags(each.method, c)}" for c in each.told if c in more]
        entries += [f"-{c[:9]}{_tags(each.method, c)}" for c in each.method.commits if c in less]
        stopped = f" [{each.stopped}]" if each.stopped else ""
        print(f"  {each.method.repository} {each.method.id.rpartition('/')[2]}{stopped}: {' '.join(entries)}")


def _tags(method: Method, commit: str) -> str:
    tags = method.commits.get(commit)
    return f"({','.join(sorted(tags))})" if tags else ""


def _three(value: float) -> str:
    return f"{value:.3f}"


def _as_json(each: Traced) -> Mapping[str, object]:
    method = each.method
    return {
        "id": method.id,
        "repository": method.repository,
        "part": "develop" if each.developed else "judge",
        "told": list(each.told),
        "coded": list(each.coded),
        "touched": list(each.touched),
        "births": list(each.births),
        "seconds": each.seconds,
        "again": each.again,
        "stopped": each.stopped,
        "git": list(each.git or ()),
        "git_seconds": each.git_seconds,
        "gold": {commit: sorted(tags) for commit, tags in method.commits.items()},
    }
