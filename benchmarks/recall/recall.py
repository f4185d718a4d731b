"""The suite `recall`: is the right memory found for a task, beside grep, plain FTS5 and other systems?

Tasks come out of real histories (`benchmarks.codememory`); repositories are split in code into those to develop on and
those that judge. Two public benchmarks of long conversations, LoCoMo and BEAM, show what we have no part for. Every
system is given the same notes in the same order and is asked at the same moments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

import pygit2
from attrs import field, frozen
from platformdirs import user_cache_path

from benchmarks.codememory.conversations import BEAM, LOCOMO, Conversation, beam, locomo
from benchmarks.codememory.mining import mined
from benchmarks.codememory.ours import Beliefs, History, Words
from benchmarks.codememory.peers import peers_of
from benchmarks.codememory.records import FORMAT, Note, Task, gold_path, read_gold, read_records, write_records
from benchmarks.codememory.replay import Asked, Paired, Score, as_case, earlier_cases, replay
from benchmarks.codememory.systems import Grep, Newest, PlainText, SplitText, System
from benchmarks.codememory.vectors import Vectors, vector_systems
from benchmarks.judgement.drift_mining import repositories_in
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import milliseconds, table
from benchmarks.stalecode.repositories import part_of
from memlsp.model.errors import NoSuchFile

OURS = History.name
_BASELINE = PlainText.name
_QUICK = 10  # tasks of a history
_CONVERSATIONS = {LOCOMO: "locomo", BEAM: "beam"}
_PARTS = ("develop", "judge", "other", *_CONVERSATIONS.values())

_Makers = Mapping[str, Callable[[], System]]

BASELINES: _Makers = {each.name: each for each in (Newest, Grep, PlainText, SplitText)}
_MEMLSP: _Makers = {each.name: each for each in (Beliefs, Words, History)}
_OF_COMMITS = (Newest.name, History.name, Words.name)
"""Of no use for a conversation: all of it is asked about at its end, and it has no commits."""


@frozen
class Source:
    """Notes and tasks in their order, with their gold; `part` is where they are counted. `kinds` says of a task, by its
    id, what kind of question it is."""

    name: str
    part: str
    records: Callable[[], Iterable[Note | Task]]
    gold: Callable[[], Mapping[str, frozenset[str]]]
    kinds: Mapping[str, str] = field(factory=dict[str, str])


def run_recall(
    data: Path, *, quick: bool = False, only: str = "", peers: Sequence[str] = (), cache: Path | None = None
) -> Report:
    """Put every task in `data` to every system, print the tables, and return the report.

    `only` is a part (`develop`, `judge`, `other`, `locomo`, `beam`) or text that a repository's name holds; `peers` are
    `NAME=COMMAND` entries. What baselines and peers answered to the same tasks in an earlier report at `cache` is not
    asked again. Raises NoSuchFile without any task, BadValue for a peer that does not answer.
    """
    others = peers_of(peers)
    makers: _Makers = {
        **BASELINES,
        **vector_systems(),
        **others,
        Beliefs.name: Beliefs,
        Words.name: Words,
        OURS: History,
    }
    asked: dict[str, list[Asked]] = {name: [] for name in makers}
    earlier = earlier_cases(cache)
    parts: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for source in _sources(data, only):
        parts[source.name] = source.part
        kinds |= source.kinds
        for name, make in makers.items():
            if source.part not in _CONVERSATIONS.values() or name not in _OF_COMMITS:
                known = earlier.get((name, source.name), {}) if name in {*BASELINES, *others} else {}
                asked[name] += _replayed(source, make, known, quick=quick)
        print(f"  {source.part} {source.name}", flush=True)
    if not parts:
        raise NoSuchFile("recall needs histories", "--data DIR: a folder of clones, such as pallets+flask")
    by_part = {part: _in_part(asked, parts, part) for part in _PARTS if part in parts.values()}
    for part, entries in by_part.items():
        _print_part(part, entries, kinds)
    return Report(
        suite="recall",
        score=_score(by_part, _ours),
        baselines={name: _score(by_part, lambda _, name=name: name) for name in makers if name != OURS},
        cases=[as_case(name, each) for name, entries in asked.items() for each in entries],
        passed=all(_passes(part, entries) for part, entries in by_part.items()),
    )


def _replayed(
    source: Source, make: Callable[[], System], known: Mapping[str, Asked], *, quick: bool
) -> Sequence[Asked]:
    tasks = list(source.gold())[: _QUICK if quick else None]
    if known and all(task in known for task in tasks):
        return [known[task] for task in tasks]
    return replay(source.name, source.records(), source.gold, make, most=_QUICK if quick else None)


def _in_part(asked: Mapping[str, Sequence[Asked]], parts: Mapping[str, str], part: str) -> dict[str, list[Asked]]:
    chosen = {name: [each for each in entries if parts[each.repository] == part] for name, entries in asked.items()}
    return {name: entries for name, entries in chosen.items() if entries}


def _ours(part: str) -> str:
    """The row that is ours: what was said is remembered as beliefs."""
    return Beliefs.name if part in _CONVERSATIONS.values() else OURS


def _sources(data: Path, only: str) -> Iterator[Source]:
    files = [path for path in sorted(data.glob("*.jsonl")) if gold_path(path).is_file()]
    for path in files:
        name = path.name.removesuffix(".jsonl").replace("+", "/")
        if _is_wanted(name, part_of(name), only):
            yield _source_of(name, path)
    for name, folder in repositories_in(data).items():
        part = _CONVERSATIONS.get(name, part_of(name))
        if files or not _is_wanted(name, part, only) or (part == "other" and only in {"", *_PARTS[:2]}):
            continue  # a clone of neither list is read when it is asked for
        if part in _CONVERSATIONS.values():
            yield from map(partial(_conversation, part), (locomo if name == LOCOMO else beam)(folder))
        else:
            yield _source_of(name, _mined(name, folder))


def _is_wanted(name: str, part: str, only: str) -> bool:
    return only == part if only in _PARTS else only in name


def _source_of(name: str, path: Path) -> Source:
    return Source(name, part_of(name), partial(read_records, path), partial(read_gold, path))


def _conversation(part: str, found: Conversation) -> Source:
    return Source(f"{part} {found.name}", part, lambda: found.records, lambda: found.gold, found.kinds)


def _mined(name: str, folder: Path) -> Path:
    """The file of a clone's notes and tasks, made when it is not there yet: reading a history takes a minute or two."""
    head = str(pygit2.Repository(str(folder)).head.target)[:12]
    kept = user_cache_path("memlsp") / "codememory" / f"{FORMAT}-{name.replace('/', '+')}-{head}.jsonl"
    if not gold_path(kept).is_file():
        print(f"  reading {name}", flush=True)
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


def _print_part(part: str, asked: Mapping[str, Sequence[Asked]], kinds: Mapping[str, str]) -> None:
    some = asked[_BASELINE]
    print(f"\n{part}: {len(some)} tasks of {len(_by_repository(some))} histories\n")
    rows: list[tuple[str, ...]] = []
    for name, each in asked.items():
        score, pairs = Score.of(each), Paired.of(each, some)
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
    group_of: Callable[[Asked], str] = lambda each: kinds.get(each.task, each.repository)  # noqa: E731
    groups = dict.fromkeys(map(group_of, some))
    rows = [
        (
            group,
            str(sum(group_of(each) == group for each in some)),
            *(_three(Score.of([e for e in each if group_of(e) == group]).recall) for each in asked.values()),
        )
        for group in groups
    ]
    print(table(("R@10", "tasks", *asked), rows))
    _print_targets(part, asked)


def _print_targets(part: str, asked: Mapping[str, Sequence[Asked]]) -> None:
    """What the design asks for: ten points over FTS5 and over vectors alone, and never below grep."""
    print()
    ours = asked[_ours(part)]
    for name, least in ((_BASELINE, 0.1), (Vectors.name, 0.1), (Grep.name, 0.0)):
        if name in asked:
            pairs = Paired.of(ours, asked[name])
            met = "met" if pairs.more >= least else "missed"
            print(
                f"{_ours(part)} over {name}: {100 * pairs.more:+.1f} points ({100 * pairs.least:+.1f} to"
                f" {100 * pairs.most:+.1f}), asked for {100 * least:.0f}: {met};"
                f" better on {pairs.won}, worse on {pairs.lost} of {len(ours)}"
            )


def _three(value: float) -> str:
    return f"{value:.3f}"


def _score(by_part: Mapping[str, Mapping[str, Sequence[Asked]]], name_in: Callable[[str], str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for part, asked in by_part.items():
        group = asked.get(name_in(part), ())
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


def _passes(part: str, asked: Mapping[str, Sequence[Asked]]) -> bool:
    """Never below grep."""
    return Score.of(asked[_ours(part)]).recall >= Score.of(asked[Grep.name]).recall
