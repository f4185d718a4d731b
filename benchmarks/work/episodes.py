"""The suite `episodes`: two tasks of one author, really interleaved in time, told apart as they happen.

The data are pairs of pull requests whose commits alternate. The system sees one commit after another and puts it to
a task; what it makes of the whole is compared with the two pulls. Rules and weights were worked on with the
repositories of `develop`, `judge` says how good they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path

import pygit2
from attrs import frozen

from benchmarks.judgement.drift_mining import repositories_in
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import table
from benchmarks.work.episodes_scores import BASELINES, Score, assigned, b_cubed, mean
from benchmarks.work.episodes_streams import PAIRS, Commits, Pair, read_pairs, without
from memlsp.episodes.affinity import shipped_weights
from memlsp.model.errors import NoSuchFile

TARGET_F1, TARGET_PRECISION = 0.82, 0.85
_OURS = "memlsp"
_WAYS = (*BASELINES, "memlsp, first decision", "memlsp, no words", "memlsp, symbol changes only", _OURS)
_QUICK = 2  # pairs of a repository
_MOST_SHOWN = 12


@frozen
class Judged:
    """One pair with the score of every way."""

    pair: Pair
    scores: Mapping[str, Score]
    clusters: int  # that we made of it
    mirrored: bool


def run_episodes(data: Path | None, *, quick: bool = False, only: str = "") -> Report:
    """Run the suite on a folder with `natural-pairs.json` and clones; `only` names a part or a repository. Raises
    NoSuchFile when there are none."""
    found, clones = _found(data)
    pairs = [pair for pair in found if not only or only in {pair.part, pair.repository}]
    judged: list[Judged] = []
    lost: list[tuple[Pair, str]] = []
    by_repository: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_repository[pair.repository].append(pair)
    for name, group in sorted(by_repository.items()):
        clone = clones.get(name)
        if clone is None:
            lost += [(pair, "no clone") for pair in group]
            continue
        commits = Commits(pygit2.Repository(str(clone)))
        for pair in group[: _QUICK if quick else None]:
            missing = commits.missing(pair)
            if missing:
                lost.append((pair, f"{len(missing)} commits are not in the clone"))
            else:
                judged.append(_judged(pair, commits))
        print(f"{name}: {len(group)} pairs", flush=True)
    if not judged:
        raise NoSuchFile("none of the repositories of the pairs is there", "DIR holds clones named OWNER+NAME")
    print()
    print(_table(judged))
    print()
    print(_by_repository(judged))
    _print_losses(judged, lost)
    return _report(judged, lost)


def _found(data: Path | None) -> tuple[Sequence[Pair], Mapping[str, Path]]:
    hint = f"--data DIR, where {PAIRS} lies beside clones named OWNER+NAME"
    if data is None:
        raise NoSuchFile("the suite episodes needs its pairs and clones", hint)
    file = (
        data
        if data.is_file()
        else next((each for each in (data / PAIRS, data / "data" / PAIRS) if each.is_file()), None)
    )
    if file is None:
        raise NoSuchFile(f"no {PAIRS} in {data}", hint)
    return read_pairs(file), repositories_in(file.parent) | repositories_in(data if data.is_dir() else file.parent)


def _judged(pair: Pair, commits: Commits) -> Judged:
    stream, weights = commits.stream(pair), shipped_weights()
    given: dict[str, Sequence[Hashable]] = {name: way(stream) for name, way in BASELINES.items()}
    given["memlsp, first decision"] = assigned(stream, weights, reconsider=False)
    given["memlsp, no words"] = assigned(without(stream, "words"), weights, reconsider=True)
    captured = commits.stream(pair, captured=True)
    given["memlsp, symbol changes only"] = assigned(captured, weights, reconsider=True)
    given[_OURS] = assigned(stream, weights, reconsider=True)
    scores = {name: b_cubed(pair.gold, labels) for name, labels in given.items()}
    return Judged(pair, scores, len(set(given[_OURS])), stream.mirrored)


def _parts(judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    parts = {name: [each for each in judged if each.pair.part == name] for name in ("judge", "develop")}
    parts["all"] = list(judged)
    return {name: group for name, group in parts.items() if group}


def _means(group: Sequence[Judged], way: str) -> tuple[Score, Score]:
    """Over the pairs, and over the repositories' means."""
    of: dict[str, list[Score]] = defaultdict(list)
    for each in group:
        of[each.pair.repository].append(each.scores[way])
    return mean([each.scores[way] for each in group]), mean([mean(scores) for scores in of.values()])


def _table(judged: Sequence[Judged]) -> str:
    rows: list[Sequence[str]] = []
    for part, group in _parts(judged).items():
        repositories = len({each.pair.repository for each in group})
        if rows:
            rows.append(())
        for way in _WAYS:
            pairs, by_repository = _means(group, way)
            figures = [
                f"{value:.3f}"
                for score in (pairs, by_repository)
                for value in (score.precision, score.recall, score.f1)
            ]
            rows.append((part, way, f"{len(group)} of {repositories}", *figures))
    head = ("part", "way", "pairs of repositories", "P", "R", "F1", "P, by repository", "R", "F1")
    return table(head, rows, left=2)


def _by_repository(judged: Sequence[Judged]) -> str:
    of: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for each in judged:
        of[each.pair.part, each.pair.repository].append(each)
    rows: list[Sequence[str]] = []
    for (part, name), group in sorted(of.items(), key=lambda entry: (entry[0][0] == "develop", entry[0][1])):
        ours, one, overlap = (
            mean([each.scores[way] for each in group]) for way in (_OURS, "one cluster", "file overlap")
        )
        figures = [f"{value:.3f}" for value in (ours.precision, ours.recall, ours.f1, one.f1, overlap.f1)]
        rows.append((name, part, str(len(group)), *figures))
    return table(("repository", "part", "pairs", "P", "R", "F1", "one cluster", "file overlap"), rows, left=2)


def _print_losses(judged: Sequence[Judged], lost: Sequence[tuple[Pair, str]]) -> None:
    mirrored = [each for each in judged if each.mirrored]
    if mirrored:
        rest = [each for each in judged if not each.mirrored]
        score = mean([each.scores[_OURS] for each in rest]) if rest else None
        told = f"; without them P {score.precision:.3f} R {score.recall:.3f} F1 {score.f1:.3f}" if score else ""
        print(f"\n{len(mirrored)} pairs hold the same changes twice, and nothing can tell them apart{told}")
    worse = [each for each in judged if each.scores[_OURS].f1 < each.scores["one cluster"].f1 - 0.05]
    print(f"{len(worse)} of {len(judged)} pairs are worse than one cluster by more than .05; the worst:")
    for each in sorted(worse, key=lambda each: each.scores[_OURS].f1)[:_MOST_SHOWN]:
        ours = each.scores[_OURS]
        print(
            f"  {each.pair.name}: P {ours.precision:.2f} R {ours.recall:.2f} F1 {ours.f1:.2f}, {each.clusters} tasks"
            f" made of {len(each.pair.commits)} commits; one cluster {each.scores['one cluster'].f1:.2f}"
        )
    print(f"{len(lost)} pairs lost" + (":" if lost else ""))
    for pair, why in lost:
        print(f"  {pair.name}: {why}")


def _report(judged: Sequence[Judged], lost: Sequence[tuple[Pair, str]]) -> Report:
    numbers: dict[str, dict[str, float]] = {way: {} for way in _WAYS}
    for part, group in _parts(judged).items():
        for way in _WAYS:
            for kind, score in zip(("", ", by repository"), _means(group, way), strict=True):
                numbers[way][f"{part} F1{kind}"] = score.f1
                numbers[way][f"{part} P{kind}"] = score.precision
                numbers[way][f"{part} R{kind}"] = score.recall
    ours = numbers.pop(_OURS)
    ours["lost"] = float(len(lost))
    part = "judge" if "judge F1" in ours else "develop"
    cases: list[Mapping[str, object]] = [
        {
            "pair": each.pair.name,
            "part": each.pair.part,
            "commits": len(each.pair.commits),
            "tasks": each.clusters,
            "mirrored": each.mirrored,
            **{name: [score.precision, score.recall, score.f1] for name, score in each.scores.items()},
        }
        for each in judged
    ]
    cases += [{"pair": pair.name, "part": pair.part, "lost": why} for pair, why in lost]
    passed = ours[f"{part} F1"] >= TARGET_F1 and ours[f"{part} P"] >= TARGET_PRECISION
    return Report("episodes", ours, numbers, cases, passed)
