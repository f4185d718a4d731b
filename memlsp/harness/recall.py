"""The suite `recall`: is the right memory found for a task, beside grep, plain FTS5 and others that are asked the same?

Tasks come out of real histories (harness/codememory); repositories are split in code into those to develop on and those
that judge. Every system is given the same notes in the same order and is asked at the same moments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import pygit2
from attrs import frozen
from platformdirs import user_cache_path

from memlsp.harness.codememory.mining import mined
from memlsp.harness.codememory.ours import Beliefs, History
from memlsp.harness.codememory.records import FORMAT, gold_path, write_records
from memlsp.harness.codememory.replaying import Asked, Paired, Score, replay
from memlsp.harness.codememory.repositories import DEVELOP, JUDGE, part_of
from memlsp.harness.codememory.systems import Grep, Newest, PlainText, SplitText, System
from memlsp.harness.drift_mining import repositories_in
from memlsp.harness.report import Report
from memlsp.harness.tables import milliseconds, table
from memlsp.model.errors import NoSuchFile

OURS = "memlsp"
_BASELINE = PlainText.name
_QUICK = 10  # tasks of a history
_PARTS = ("develop", "judge", "other")

SYSTEMS: Mapping[str, Callable[[], System]] = {
    Newest.name: Newest,
    Grep.name: Grep,
    PlainText.name: PlainText,
    SplitText.name: SplitText,
    Beliefs.name: Beliefs,
    History.name: History,
}


@frozen
class Source:
    """A file of notes and tasks."""

    repository: str
    path: Path

    @property
    def part(self) -> str:
        """`develop`, `judge` or `other`."""
        return part_of(self.repository)


def run_recall(data: Path, *, quick: bool = False, only: str = "") -> Report:
    """Put every task of the histories in `data` to every system, print the tables, and return the report.

    `only` is a part (`develop`, `judge`) or text that a repository's name holds. Raises NoSuchFile without any.
    """
    sources = list(_sources(data, only))
    if not sources:
        raise NoSuchFile("recall needs histories", "--data DIR: a folder of clones, such as pallets+flask")
    asked: dict[str, list[Asked]] = {name: [] for name in SYSTEMS}
    for source in sources:
        for name, make in SYSTEMS.items():
            asked[name] += replay(source.repository, source.path, make, most=_QUICK if quick else None)
        print(f"  {source.repository}: {len([e for e in asked[_BASELINE] if e.repository == source.repository])} tasks")
    for part in _PARTS:
        names = {source.repository for source in sources if source.part == part}
        if names:
            _print_part(part, {name: [e for e in each if e.repository in names] for name, each in asked.items()})
    return Report(
        suite="recall",
        score=_score(asked[OURS]),
        baselines={name: _score(each) for name, each in asked.items() if name != OURS},
        cases=[_case(name, each) for name, entries in asked.items() for each in entries],
        passed=all(_passes(asked, part) for part in _PARTS),
    )


def _sources(data: Path, only: str) -> Iterator[Source]:
    files = [path for path in sorted(data.glob("*.jsonl")) if gold_path(path).is_file()]
    for path in files:
        source = Source(path.stem.replace("+", "/"), path)
        if only in source.repository or only == source.part:
            yield source
    if files:
        return
    for name, folder in repositories_in(data).items():
        if part_of(name) != "other" and (only in name or only == part_of(name)):
            yield Source(name, _mined(name, folder))


def _mined(name: str, folder: Path) -> Path:
    """The file of a clone's notes and tasks, made when it is not there yet: reading a history takes a minute or two."""
    head = str(pygit2.Repository(str(folder)).head.target)[:12]
    kept = user_cache_path("memlsp") / "codememory" / f"{FORMAT}-{name.replace('/', '+')}-{head}.jsonl"
    if not gold_path(kept).is_file():
        found = mined(folder)
        write_records(kept, found.records, found.gold)
    return kept


# --- scoring and printing


def _by_repository(asked: Sequence[Asked]) -> dict[str, list[Asked]]:
    found: dict[str, list[Asked]] = {}
    for each in asked:
        found.setdefault(each.repository, []).append(each)
    return found


def _averaged(asked: Sequence[Asked]) -> float:
    """R@10, the mean over repositories."""
    groups = _by_repository(asked).values()
    return fmean(Score.of(group).recall for group in groups) if groups else 0.0


def _print_part(part: str, asked: Mapping[str, Sequence[Asked]]) -> None:
    some = next(iter(asked.values()))
    print(f"\n{part}: {len(some)} tasks of {len(_by_repository(some))} histories\n")
    rows: list[tuple[str, ...]] = []
    for name, each in asked.items():
        score, pairs = Score.of(each), Paired.of(each, asked[_BASELINE])
        rows.append(
            (
                name, _three(score.recall), _three(_averaged(each)), _three(score.whole), _three(score.some),
                _three(score.mrr), _three(score.within), f"{score.tokens:.0f}", milliseconds(score.p50),
                milliseconds(score.p95), "" if name == _BASELINE else f"{pairs.won} / {pairs.lost}",
            )
        )  # fmt: skip
    head = ("system", "R@10", "by rep.", "all@10", "any@10", "MRR", "R@1200t", "tokens", "p50 ms", "p95 ms", "+/- FTS5")
    print(table(head, rows))
    print()
    groups = {name: _by_repository(each) for name, each in asked.items()}
    rows = [
        (name, str(len(group)), *(_three(Score.of(each[name]).recall) for each in groups.values()))
        for name, group in _by_repository(some).items()
    ]
    print(table(("R@10", "tasks", *asked), rows))


def _three(value: float) -> str:
    return f"{value:.3f}"


def _score(asked: Sequence[Asked]) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in _PARTS:
        group = [each for each in asked if part_of(each.repository) == part]
        if group:
            score = Score.of(group)
            found |= {
                f"{part} tasks": score.tasks,
                f"{part} recall@10": score.recall,
                f"{part} recall@10 by repository": _averaged(group),
                f"{part} all@10": score.whole,
                f"{part} any@10": score.some,
                f"{part} mrr": score.mrr,
                f"{part} recall within 1200 tokens": score.within,
                f"{part} tokens": score.tokens,
                f"{part} p50": score.p50,
                f"{part} p95": score.p95,
            }
    return {name: round(value, 4) for name, value in found.items()}


def _passes(asked: Mapping[str, Sequence[Asked]], part: str) -> bool:
    """Never below grep."""
    ours, grep = ([e for e in asked[name] if part_of(e.repository) == part] for name in (OURS, Grep.name))
    return Score.of(ours).recall >= Score.of(grep).recall


def _case(system: str, each: Asked) -> Mapping[str, object]:
    return {
        "system": system,
        "repository": each.repository,
        "task": each.task,
        "gold": each.gold,
        "found": [place + 1 for place, hit in enumerate(each.found) if hit],
        "tokens": each.served,
        "ms": round(1_000 * each.seconds, 3),
    }


assert not set(DEVELOP) & set(JUDGE)
