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
import os
import random
import re
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import cast

import pygit2
from attrs import evolve, frozen

from memlsp.capture.ancestry import Ancestry
from memlsp.capture.origins import Origins, Trace
from memlsp.capture.tracing import Touch, Walk
from memlsp.code import Outline
from memlsp.harness.report import Report
from memlsp.harness.survival_oracle import PLACES, Method, load_methods
from memlsp.harness.tables import percent, table
from memlsp.model.symbol import Symbol, SymbolKind

_SECONDS = 60.0  # of the processor for one method of ours, on the clock for git; what was found until then counts
_MOST_WORKERS = 2
_QUICK = 24
_SEED = 7
_TARGET_F1 = 0.93
_TARGET_LOST = 0.02
READINGS = ("meaning", "code", "all")
_ANCHORS = (
    "Anchors, measured elsewhere: CodeShovel F1 .871 (Python) and .877 (Java); CodeTracker 1.0 on its own oracle; the"
    " oracles are right to about .95."
)


@frozen
class Traced:
    """One method and what was found. `told`, `coded` and `touched` are the commits of the three readings; `births` are
    those at which our history says that it began. `git` is None when it was not run."""

    method: Method
    told: tuple[str, ...] = ()
    coded: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    births: tuple[str, ...] = ()
    seconds: float = 0.0
    stopped: str = ""
    git: tuple[str, ...] | None = None
    git_seconds: float = 0.0

    @property
    def developed(self) -> bool:
        """Whether its repository is one that rules may be developed on."""
        return sha256(self.method.repository.encode()).digest()[0] % 2 == 1

    def found(self, reading: str) -> frozenset[str]:
        """Our commits in a reading."""
        return frozenset({"meaning": self.told, "code": self.coded, "all": self.touched}[reading])


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
    traced = _run(jobs)
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


# -- tracing -------------------------------------------------------------------------------------------------


def trace_method(job: Traced) -> Traced:
    """Our commits of one method, and git's where they are not known."""
    method = job.method
    if job.git is None:
        started = _children()
        job = evolve(job, git=_git_log(method))
        job = evolve(job, git_seconds=round(_children() - started, 3))
    started = time.process_time()
    told: list[str] = []
    coded: list[str] = []
    touched: list[str] = []
    births: list[str] = []
    stopped = ""
    try:
        for touch in _walk(method):
            commit = str(touch.trace.commit.id)
            touched.append(commit)
            if touch.origin is None:
                births.append(commit)
            means = touch.origin is None or touch.change is not None or touch.moved_file
            if means:
                told.append(commit)
            if means or (touch.origin and _code(method, touch.origin.text) != _code(method, touch.trace.text)):
                coded.append(commit)
    except TimeoutError:
        stopped = "deadline"
    except Exception as error:  # noqa: BLE001 - one broken case must not hide the others
        stopped = f"{type(error).__name__}: {error}"
    return evolve(
        job,
        told=tuple(told),
        coded=tuple(coded),
        touched=tuple(touched),
        births=tuple(births),
        seconds=round(time.process_time() - started, 3),
        stopped=stopped,
    )


_COMMENTS = {
    False: re.compile(rb"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|//[^\n]*|/\*.*?\*/""", re.DOTALL),
    True: re.compile(rb"""(\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\#[^\n]*""", re.DOTALL),
}


def _code(method: Method, text: bytes) -> bytes:
    """A definition without comments and layout."""
    bare = _COMMENTS[method.python].sub(lambda found: found[1] or b"", text)
    return b"".join(bare.split())


def _walk(method: Method) -> Iterator[Touch]:
    until = time.process_time() + _SECONDS

    def check() -> None:
        if time.process_time() > until:
            raise TimeoutError

    ancestry = Ancestry(pygit2.Repository(str(method.folder)), "")
    origins = Origins(ancestry, check)
    commit = ancestry.commit(method.start)
    outlined = origins.outline(commit, method.path) if commit else None
    symbol = _symbol(method, outlined) if outlined else None
    found = origins.at(commit, method.path, symbol) if commit and symbol else None
    if commit is None or found is None:
        raise LookupError("the method is not there")
    return Walk(origins).touches(Trace(commit, method.path, found.symbol, found.written))


def _symbol(method: Method, outlined: Outline) -> Symbol | None:
    """The method of that name that holds the line, else the nearest below it."""
    named = [
        symbol
        for symbol in outlined.symbols
        if symbol.simple_name == method.name and symbol.kind in (SymbolKind.METHOD, SymbolKind.FUNCTION)
    ]
    line = method.line - 1
    return min(named, key=lambda symbol: abs(symbol.name_span.start_line - line), default=None)


def _git_log(method: Method) -> tuple[str, ...]:
    """The commits of `git log -L`, by lines where the oracle has both, else by the name of the function."""
    # A definition of one line is named so by git as well.
    span = f"{method.line},{method.end_line}" if method.end_line else f"{method.line},+{_length(method)}"
    command = [
        "git", "-C", str(method.folder), "log", "-s", "--format=%H", f"-L{span}:{method.path}", method.start,
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode("ascii", "replace")  # bytes even when text was asked for
        return tuple(line for line in text.split() if len(line) == 40)
    return tuple(line for line in done.stdout.split() if len(line) == 40)


def _children() -> float:
    """Seconds of the processor that programs started from here have used."""
    used = os.times()
    return used.children_user + used.children_system


def _length(method: Method) -> int:
    ancestry = Ancestry(pygit2.Repository(str(method.folder)), "")
    origins = Origins(ancestry, lambda: None)
    commit = ancestry.commit(method.start)
    outlined = origins.outline(commit, method.path) if commit else None
    symbol = _symbol(method, outlined) if outlined else None
    return max(1, symbol.span.end_line - method.line + 2) if symbol else 1


def _run(jobs: Sequence[Traced]) -> list[Traced]:
    workers = min(os.cpu_count() or 1, _MOST_WORKERS)
    if workers <= 1 or len(jobs) < 4:
        return [trace_method(job) for job in jobs]
    # spawned, for a forked child would inherit locks
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(trace_method, jobs, chunksize=1))


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

    late = sum(each.stopped == "deadline" for each in traced)
    return (
        f"Processor time for one method, whole history, nothing cached: {spread([each.seconds for each in traced])};"
        f" git log -L: {spread([each.git_seconds for each in traced])}. Cut off after {_SECONDS:.0f} s: {late}."
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
        "stopped": each.stopped,
        "git": list(each.git or ()),
        "git_seconds": each.git_seconds,
        "gold": {commit: sorted(tags) for commit, tags in method.commits.items()},
    }
