"""The suite `refactorings`: does `diff` name what happened to a symbol, as people and other tools named it?

Gold is RefactoringMiner's oracle (see refactorings_gold); the sources before and after are all that the tellers see.
What a teller tells and no label confirms is counted against it, although nobody ever looked there; what is labelled
false and told too. Labels of one dataset are scored by the kinds that its makers looked for.

The repositories are divided by a hash of their names: rules are worked on with `develop`, `judge` says how good they
are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path

from attrs import frozen

from benchmarks.history.refactorings_gold import Change, Label, Oracle
from benchmarks.history.refactorings_reports import GROUPS, Happening
from benchmarks.history.refactorings_systems import TELLERS
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import table
from memlsp.code.languages.detection import language_of
from memlsp.code.syntax.outline import Outline, outline

PARTS = ("develop", "judge")
TARGET = (0.97, 0.95)  # precision, recall
_MOST_WORKERS = 4
_PRINTED = 30
_OURS = "memlsp"
_SIGNATURE = frozenset(GROUPS["signature"])
# What the makers of a dataset did not look for is neither gold nor a mistake: the tools behind the Java data know no
# parameters and no annotations, that of JavaScript and Python no types.
_TYPES = frozenset({"parameter type", "return type", "attribute type"})
_DECORATORS = frozenset({"add decorator", "remove decorator", "change decorator"})
_UNLABELLED: dict[str, frozenset[str]] = {
    "java": _SIGNATURE - {"return type", "attribute type"},
    "kotlin": frozenset(),
    "javascript": _TYPES | _DECORATORS,
    "python": _TYPES,
}


@frozen
class Told:
    """One teller's answer on one commit, held against the labels."""

    right: tuple[Label, ...]
    missed: tuple[Label, ...]
    wrong: tuple[Happening, ...]  # told, and not labelled as true
    refuted: int = 0  # of these, how many are labelled as false


@frozen
class Outcome:
    """One commit and what each teller made of it."""

    change: Change
    told: dict[str, Told]
    skipped: str = ""  # why it was not scored


def run_refactorings(folder: Path, *, quick: bool = False, workers: int | None = None) -> Report:
    """Run on the clone of tsantalis/RefactoringMiner in `folder`, print the tables, and return the report.

    `quick` takes the Python repositories alone. Raises NoSuchFile when there is no such clone.
    """
    oracle = Oracle(folder)
    changes = oracle.changes(("python",) if quick else ())
    count = workers if workers is not None else min(cpu_count() or 1, _MOST_WORKERS)
    outcomes = _run(oracle.path, changes, count)
    scored = [outcome for outcome in outcomes if not outcome.skipped]
    for part in PARTS:
        of_part = [outcome for outcome in scored if outcome.change.part == part]
        if of_part:
            names = sorted({outcome.change.repository for outcome in of_part})
            print(f"\n{part}: {len(of_part)} commits of {', '.join(names)}\n\n{_by_kind(of_part)}")
            print(f"\n{_by_dataset(of_part)}")
    _print_losses(scored)
    for reason, number in Counter(outcome.skipped for outcome in outcomes if outcome.skipped).items():
        print(f"\nNot scored: {number} commits, {reason}")
    score = _score(scored, _OURS)
    return Report(
        suite="refactorings",
        score=score,
        baselines={name: _score(scored, name) for name in TELLERS if name != _OURS},
        cases=[case for outcome in scored for case in _as_json(outcome)],
        passed=all(
            score.get(f"judge {group} {measure}", 1.0) >= wanted
            for group in ("rename", "move", "extract", "signature")
            for measure, wanted in zip(("precision", "recall"), TARGET, strict=True)
        ),
    )


def judged(told: Sequence[Happening], change: Change) -> Told:
    """What was told against the labels of a commit, each label used once."""
    unlabelled = _UNLABELLED.get(change.dataset, frozenset())
    true = [label for label in change.labels if label.true and label.happening.kind not in unlabelled]
    gold = [label for label in true if not label.happening.implied]
    false = [label.happening for label in change.labels if not label.true]
    right: list[Label] = []
    wrong: list[Happening] = []
    refuted = 0
    for happening in told:
        if happening.kind in unlabelled:
            continue
        found = next((label for label in gold if happening.agrees(label.happening)), None)
        if found is not None:
            gold.remove(found)
            right.append(found)
        elif not any(happening.agrees(label.happening) for label in true):
            wrong.append(happening)
            refuted += any(happening.agrees(other) for other in false)
    return Told(tuple(right), tuple(gold), tuple(wrong), refuted)


def run_change(oracle: Oracle, change: Change) -> Outcome:
    """All tellers on one commit."""
    sources = oracle.sources(change)
    before = [outline(path, content) for path, content in sources.before.items()]
    after = [outline(path, content) for path, content in sources.after.items()]
    if not any(_is_read(one) for one in (*before, *after)):
        return Outcome(change, {}, "in a language that is not read")
    return Outcome(change, {name: judged(teller(before, after), change) for name, teller in TELLERS.items()})


def _is_read(one: Outline) -> bool:
    return language_of(one.path) is not None and one.language is not None


# --- running

_ORACLES: dict[str, Oracle] = {}


def _run(clone: Path, changes: Sequence[Change], workers: int) -> list[Outcome]:
    jobs = [(str(clone), change) for change in changes]
    if workers <= 1:
        return [_one(job) for job in jobs]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(_one, jobs, chunksize=4))


def _one(job: tuple[str, Change]) -> Outcome:
    clone, change = job
    if clone not in _ORACLES:
        _ORACLES[clone] = Oracle(Path(clone))
    return run_change(_ORACLES[clone], change)


# --- tables


@frozen
class _Count:
    right: int = 0
    missed: int = 0
    wrong: int = 0

    @property
    def precision(self) -> float | None:
        told = self.right + self.wrong
        return self.right / told if told else None

    @property
    def recall(self) -> float | None:
        gold = self.right + self.missed
        return self.right / gold if gold else None


def _counts(outcomes: Sequence[Outcome], teller: str, kinds: Sequence[str]) -> _Count:
    wanted = frozenset(kinds)
    right = missed = wrong = 0
    for outcome in outcomes:
        told = outcome.told[teller]
        right += sum(label.happening.kind in wanted for label in told.right)
        missed += sum(label.happening.kind in wanted for label in told.missed)
        wrong += sum(happening.kind in wanted for happening in told.wrong)
    return _Count(right, missed, wrong)


def _by_kind(outcomes: Sequence[Outcome]) -> str:
    rows: list[list[str]] = []
    for group, kinds in GROUPS.items():
        inner = [_row(outcomes, ["", kind], (kind,)) for kind in kinds]
        shown = [row for row in inner if row is not None]
        whole = _row(outcomes, [group, ""], kinds)
        if whole is not None:
            rows += [whole, *(shown if len(shown) > 1 or len(kinds) > 1 else []), []]
    whole = _row(outcomes, ["all", ""], [kind for kinds in GROUPS.values() for kind in kinds])
    return table(_HEAD, [*rows, whole or []], left=2)


def _by_dataset(outcomes: Sequence[Outcome]) -> str:
    rows: list[list[str]] = []
    for dataset in dict.fromkeys(outcome.change.dataset for outcome in outcomes):
        of_set = [outcome for outcome in outcomes if outcome.change.dataset == dataset]
        for group, kinds in GROUPS.items():
            row = _row(of_set, [dataset, group], kinds)
            if row is not None:
                rows.append(row)
        rows.append([])
    return table(_HEAD, rows[:-1], left=2)


_HEAD = ["", "", "gold", *[part for name in TELLERS for part in (f"{name} P", "R")]]


def _row(outcomes: Sequence[Outcome], head: list[str], kinds: Sequence[str]) -> list[str] | None:
    counts = [_counts(outcomes, name, kinds) for name in TELLERS]
    gold = counts[0].right + counts[0].missed
    if not gold and not counts[0].wrong:
        return None
    shown = [text for count in counts for text in (_share(count.precision), _share(count.recall))]
    return [*head, str(gold), *shown]


def _share(value: float | None) -> str:
    return "·" if value is None else f"{value:.3f}".replace("0.", ".", 1)


def _score(outcomes: Sequence[Outcome], teller: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in PARTS:
        of_part = [outcome for outcome in outcomes if outcome.change.part == part]
        for group, kinds in GROUPS.items():
            count = _counts(of_part, teller, kinds)
            for name, value in (("precision", count.precision), ("recall", count.recall)):
                if value is not None:
                    found[f"{part} {group} {name}"] = round(value, 4)
    return found


# --- what is lost


def _print_losses(outcomes: Sequence[Outcome]) -> None:
    for title, lines in (("Missed", _missed), ("Told without a label", _wrong)):
        everything = [line for outcome in outcomes for line in lines(outcome)]
        by_kind: defaultdict[str, list[str]] = defaultdict(list)
        for kind, text in everything:
            by_kind[kind].append(text)
        if everything:
            print(f"\n{title}: {len(everything)}; --json has all")
        for kind, texts in by_kind.items():
            print(f"- {kind}: {len(texts)}")
            step = max(1, len(texts) * len(by_kind) // _PRINTED)
            for text in texts[::step][:3]:
                print(f"    {text}")


def _missed(outcome: Outcome) -> Iterator[tuple[str, str]]:
    for label in outcome.told[_OURS].missed:
        yield label.happening.kind, f"{_where(outcome.change)} {label.report[:200]}"


def _wrong(outcome: Outcome) -> Iterator[tuple[str, str]]:
    for happening in outcome.told[_OURS].wrong:
        yield happening.kind, f"{_where(outcome.change)} {happening}"


def _where(change: Change) -> str:
    return f"{change.repository}@{change.commit[:10]}"


def _as_json(outcome: Outcome) -> Iterator[dict[str, object]]:
    change, told = outcome.change, outcome.told[_OURS]
    about = {"part": change.part, "repository": change.repository, "commit": change.commit, "dataset": change.dataset}
    for verdict, labels in (("right", told.right), ("missed", told.missed)):
        for label in labels:
            yield {**about, "verdict": verdict, "kind": label.happening.kind, "report": label.report}
    for happening in told.wrong:
        yield {**about, "verdict": "unlabelled", "kind": happening.kind, "told": str(happening)}
