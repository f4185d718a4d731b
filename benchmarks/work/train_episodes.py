"""Make the weights of `memlsp.episodes.affinity` from repositories that do not judge.

    python -m benchmarks.work.train_episodes --data DIR

DIR is that of `memlsp eval episodes`. What teaches are its pairs of the part `develop`, and more of the same kind, read
out of the merges in all clones of that part: two pulls of one author whose commits alternate. Every repository teaches
by the root of the number of its pairs. The figures written beside the weights come from five rounds in each of which a
fifth of the repositories was left out; the lines were drawn by hand from such rounds.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path

import pygit2
from attrs import frozen

from benchmarks.judgement.drift_mining import repositories_in
from benchmarks.judgement.logistic_fit import fit
from benchmarks.reporting.machine import today
from benchmarks.work.episodes_scores import Score, assigned, b_cubed, mean
from benchmarks.work.episodes_streams import PAIRS, Commits, Pair, Stream, pair_of, part_of, read_pairs
from memlsp import episodes
from memlsp.episodes.affinity import FEATURES, AffinityWeights, LinearModel, Task, features

LINES = {"join": 0.1, "keep": -0.1, "stay": 0.3, "merge": 1.0}
"""Log-odds, as `AffinityWeights` explains them."""

_PENALTY = 3.0
_ROUNDS = 5
# Among two pulls of equal length the own one is the shorter, by the commit that is asked for.
_NEVER = frozenset({"size"})
_AGAINST = frozenset({"gap"})  # what may speak against; having more in common never does
_PULL = re.compile(r"pull request #?(\w+)")
_MOST_MERGES = 2_500
_MOST_COMMITS = 40  # of one pull
_MOST_PAIRS = 3  # that one pull is in
_PLACES = 4


@frozen
class Lesson:
    """A pair with its stream, and its rows for both sums: numbers, and whether it is the same task."""

    pair: Pair
    stream: Stream
    arriving: tuple[tuple[tuple[float, ...], bool], ...]
    settled: tuple[tuple[tuple[float, ...], bool], ...]


def main() -> None:
    """Read the arguments, learn, write the file, print what is in it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help=f"folder with {PAIRS} and clones")
    parser.add_argument("--out", type=Path, default=Path(episodes.__file__).with_name("affinity.json"))
    arguments = parser.parse_args()
    lessons, made_from = _lessons(arguments.data)
    whole = [taught(lessons, settled=settled) for settled in (False, True)]
    used = [chosen(each) for each in whole]
    arriving, settled = (summed(each, names) for each, names in zip(whole, used, strict=True))
    repositories = sorted({each.pair.repository for each in lessons})
    left_out: list[Score] = []
    for number in range(_ROUNDS):
        aside = {name for at, name in enumerate(repositories) if at % _ROUNDS == number}
        rest = [each for each in lessons if each.pair.repository not in aside]
        sums = [summed(taught(rest, settled=bool(at)), names) for at, names in enumerate(used)]
        weights = AffinityWeights(sums[0], sums[1], **LINES)
        left_out += [
            b_cubed(each.pair.gold, assigned(each.stream, weights, reconsider=True))
            for each in lessons
            if each.pair.repository in aside
        ]
    score = mean(left_out)
    content = {
        "about": "Made by `python -m benchmarks.work.train_episodes`; what the names mean stands in affinity.py.",
        "lines": LINES,
        **{
            name: {"bias": round(part.bias, _PLACES), "weights": dict(zip(FEATURES, _rounded(part), strict=True))}
            for name, part in (("arriving", arriving), ("settled", settled))
        },
        "left out": {
            "pairs": len(left_out),
            "precision": round(score.precision, 3),
            "recall": round(score.recall, 3),
            "f1": round(score.f1, 3),
        },
        "made from": made_from,
        "made on": today(),
    }
    arguments.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(content, indent=1))


@frozen
class Taught:
    """Rows for one sum: numbers, whether it is the same task, and how much the row counts."""

    rows: tuple[tuple[float, ...], ...]
    gold: tuple[bool, ...]
    importance: tuple[float, ...]


def taught(lessons: Sequence[Lesson], *, settled: bool) -> Taught:
    """What pairs teach; those that hold the same changes twice teach nothing."""
    used = [each for each in lessons if not each.stream.mirrored]
    pairs = Counter(each.pair.repository for each in used)
    rows: list[tuple[float, ...]] = []
    gold: list[bool] = []
    importance: list[float] = []
    for each in used:
        found = each.settled if settled else each.arriving
        rows += [row for row, _ in found]
        gold += [same for _, same in found]
        importance += [1 / len(found) / sqrt(pairs[each.pair.repository])] * len(found)
    scale = len(rows) / sum(importance)
    return Taught(tuple(rows), tuple(gold), tuple(weight * scale for weight in importance))


def summed(lesson: Taught, used: Sequence[str]) -> LinearModel:
    """The weighted sum of the numbers of these names that fits best; the others count nothing."""
    places = [FEATURES.index(name) for name in used]
    found = fit(
        [[row[at] for at in places] for row in lesson.rows], lesson.gold, penalty=_PENALTY, importance=lesson.importance
    )
    weights = dict(zip(used, found.weights, strict=True))
    return LinearModel(found.bias, tuple(weights.get(name, 0.0) for name in FEATURES))


def chosen(lesson: Taught) -> list[str]:
    """The numbers that are used: having something in common never speaks against, so the number that does so most is
    left out, until none does."""
    used = [name for name in FEATURES if name not in _NEVER]
    while True:
        found = summed(lesson, used)
        wrong = [
            (found.weights[FEATURES.index(name)] * _spread([row[FEATURES.index(name)] for row in lesson.rows]), name)
            for name in used
            if name not in _AGAINST and found.weights[FEATURES.index(name)] < 0
        ]
        if not wrong:
            return used
        used.remove(min(wrong)[1])


def _spread(values: Sequence[float]) -> float:
    mean_value = sum(values) / len(values)
    return sqrt(sum((value - mean_value) ** 2 for value in values) / len(values))


def lesson(pair: Pair, commits: Commits) -> Lesson:
    """What one pair teaches: of each commit, whether it belongs with those before it, and with all others."""
    stream = commits.stream(pair)
    line = stream.stretches
    arriving: list[tuple[tuple[float, ...], bool]] = []
    settled: list[tuple[tuple[float, ...], bool]] = []
    for at, stretch in enumerate(line):
        before = line[at - 1] if at else None
        after = line[at + 1] if at + 1 < len(line) else None
        for pull in (0, 1):
            others = [(place, each) for place, each in enumerate(line) if place != at and pair.gold[place] == pull]
            same = pair.gold[at] == pull
            earlier = [each for place, each in others if place < at]
            if earlier:
                arriving.append((features(stretch, Task(earlier), stream.background, before, None), same))
            if others:
                everything = Task(each for _, each in others)
                settled.append((features(stretch, everything, stream.background, before, after), same))
    return Lesson(pair, stream, tuple(arriving), tuple(settled))


def _lessons(data: Path) -> tuple[list[Lesson], dict[str, str]]:
    given: dict[str, list[Pair]] = defaultdict(list)
    for pair in read_pairs(data / PAIRS):
        given[pair.repository].append(pair)
    lessons: list[Lesson] = []
    made_from: dict[str, str] = {}
    for name, folder in repositories_in(data).items():
        if part_of(name) != "develop":
            continue
        commits = Commits(pygit2.Repository(str(folder)))
        pairs = {frozenset(pair.commits): pair for pair in (*mined_pairs(name, commits.repository), *given[name])}
        taught = [lesson(pair, commits) for pair in pairs.values() if not commits.missing(pair)]
        if taught:
            lessons += taught
            made_from[name] = f"{len(taught)} pairs, {commits.repository.head.target}"
            print(f"{name}: {len(taught)} pairs, {len(given[name])} of them given", flush=True)
    return lessons, made_from


def mined_pairs(name: str, repository: pygit2.Repository) -> Iterator[Pair]:
    """Pairs of pulls of one author whose commits alternate, out of the merges of a repository."""
    pulls: dict[str, list[tuple[str, list[tuple[int, str]]]]] = defaultdict(list)
    for merge in _merges(repository):
        commits = _brought(repository, merge)
        authors = {commit.author.email for commit in commits}
        if len(authors) == 1 and 2 <= len(commits) <= _MOST_COMMITS:
            number = _PULL.search(merge.message)
            rows = [(commit.author.time, str(commit.id)) for commit in commits]
            pulls[authors.pop()].append((number[1] if number else str(merge.id)[:8], rows))
    for author in sorted(pulls):
        used: Counter[str] = Counter()
        line = sorted(pulls[author], key=lambda pull: (min(pull[1]), pull[0]))
        for at, (a, of_a) in enumerate(line):
            for b, of_b in line[at + 1 :]:
                if min(of_b)[0] > max(of_a)[0]:
                    break
                if max(used[a], used[b]) >= _MOST_PAIRS or set(of_a) & set(of_b):
                    continue
                pair = pair_of(name, (a, b), of_a, of_b)
                if sum(x != y for x, y in zip(pair.gold, pair.gold[1:], strict=False)) > 1:
                    used.update((a, b))
                    yield pair


def _merges(repository: pygit2.Repository) -> Iterator[pygit2.Commit]:
    found = 0
    for commit in repository.walk(repository.head.target, pygit2.enums.SortMode.TIME):
        if len(commit.parents) == 2 and "pull request" in commit.message.partition("\n")[0]:
            yield commit
            found += 1
            if found >= _MOST_MERGES:
                return


def _brought(repository: pygit2.Repository, merge: pygit2.Commit) -> list[pygit2.Commit]:
    """The commits that a merge brought; at most one more than a pull may have."""
    kept, brought = merge.parent_ids
    walk = repository.walk(brought, pygit2.enums.SortMode.TIME)
    walk.hide(kept)
    commits: list[pygit2.Commit] = []
    for commit in walk:
        if len(commit.parents) <= 1:
            commits.append(commit)
        if len(commits) > _MOST_COMMITS:
            break
    return commits


def _rounded(part: LinearModel) -> list[float]:
    return [round(weight, _PLACES) for weight in part.weights]


if __name__ == "__main__":
    main()
