"""B-cubed, and the ways of telling tasks apart that a system has to be better than.

B-cubed (Bagga and Baldwin, 1998): for every commit, how much of what it was put together with belongs to its task
(precision), and how much of its task it was put together with (recall); F1 of their means over the commits of a pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence

from attrs import frozen

from benchmarks.work.episodes_streams import Stream
from memlsp.episodes.affinity import AffinityWeights
from memlsp.episodes.assignment import Assigner

_DAY = 24 * 3_600_000


@frozen
class Score:
    """Precision, recall and F1, each 0..1."""

    precision: float
    recall: float
    f1: float


def b_cubed(gold: Sequence[Hashable], given: Sequence[Hashable]) -> Score:
    """The score of clusters against gold, both as one label for each item. At least one item."""
    of_gold, of_given = Counter(gold), Counter(given)
    both = Counter(zip(gold, given, strict=True))
    precision = sum(both[a, b] / of_given[b] for a, b in zip(gold, given, strict=True)) / len(gold)
    recall = sum(both[a, b] / of_gold[a] for a, b in zip(gold, given, strict=True)) / len(gold)
    return Score(precision, recall, 2 * precision * recall / (precision + recall))


def mean(scores: Sequence[Score]) -> Score:
    """The mean of each figure (the F1 is the mean of F1s, not that of the means). At least one score."""
    number = len(scores)
    return Score(
        sum(score.precision for score in scores) / number,
        sum(score.recall for score in scores) / number,
        sum(score.f1 for score in scores) / number,
    )


def assigned(stream: Stream, weights: AffinityWeights, *, reconsider: bool) -> list[str]:
    """What we make of a stream, one commit after another. With `reconsider` the places of earlier ones are looked at
    again after each, as long as their episodes are open (here: to the end, nothing closes one)."""
    assigner = Assigner([], weights, stream.background)
    for stretch in stream.stretches:
        assigner.place(stretch)
        if reconsider:
            assigner.reconsider()
    where = {stretch.key: draft.id for draft in assigner.drafts for stretch in draft.stretches}
    return [where[stretch.key] for stretch in stream.stretches]


def _one(stream: Stream) -> list[int]:
    return [0] * len(stream.stretches)


def _each(stream: Stream) -> list[int]:
    return list(range(len(stream.stretches)))


def _gaps(stream: Stream) -> list[int]:
    labels = [0]
    for before, after in zip(stream.stretches, stream.stretches[1:], strict=False):
        labels.append(labels[-1] + (after.began - before.began > _DAY))
    return labels


def _files(stream: Stream) -> list[int]:
    """Each to the cluster with which it shares most files, a new one when it shares none."""
    clusters: list[set[str]] = []
    labels: list[int] = []
    for stretch in stream.stretches:
        shared = [len(stretch.signs.paths & cluster) for cluster in clusters]
        at = max(range(len(shared)), key=shared.__getitem__) if shared and max(shared) else len(clusters)
        if at == len(clusters):
            clusters.append(set())
        clusters[at] |= stretch.signs.paths
        labels.append(at)
    return labels


BASELINES: Mapping[str, Callable[[Stream], Sequence[Hashable]]] = {
    "one cluster": _one,
    "each commit alone": _each,
    "gap of 24 hours": _gaps,
    "file overlap": _files,
}
"""Ways that need no knowledge of code or words."""
