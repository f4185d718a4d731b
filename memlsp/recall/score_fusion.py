"""One relevance out of two: a weighted sum of the scores by words and by meaning, both scaled to best and worst.

Scaling makes a search that tells nothing apart decide nothing. `memlsp eval encoder` compares the weight with words
alone, on packages that it was not chosen on.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Hashable, Mapping, Sequence
from typing import TypeVar

from attrs import evolve

from memlsp.model.belief import BeliefStatus
from memlsp.recall.candidates import BeliefSource, FoundBelief

_Key = TypeVar("_Key", bound=Hashable)

WEIGHT = 0.5
"""Of meaning, in a sum of 1 with words."""

NEAREST_READ = 40
"""Nearest vectors that are read for a question."""

MIN_COSINE = 0.35
"""Minimum cosine for a hit without a word in common: 5 % of questions find a nearer one among a hundred statements of
another package."""

_WITHOUT_WORDS = 8
"""Hits without a word in common; each has to be read."""


def with_similarity(
    found: Mapping[str, FoundBelief], near: Sequence[tuple[str, float]], sources: Collection[BeliefSource]
) -> dict[str, FoundBelief]:
    """The candidates with relevance by words and meaning (0..1), and the nearest that no word found.

    `near` has ids with cosines, nearest first. Even where none reaches `MIN_COSINE`, meaning tells apart what words
    found, less so the farther all of it is.
    """
    candidates = {**found, **_read(beyond_words(near, found), sources)}
    fused = fuse({id: each.words for id, each in candidates.items()}, near)
    cosines = dict(near)
    return {id: evolve(each, words=fused[id], likeness=cosines.get(id, 0.0)) for id, each in candidates.items()}


def fuse(words: Mapping[_Key, float], near: Sequence[tuple[_Key, float]], weight: float = WEIGHT) -> dict[_Key, float]:
    """The fused relevance of every key in `words` (0 for those that no word found), on the scale of the best by words,
    or of the nearest where that reaches `MIN_COSINE`."""
    if not near:
        return dict(words)
    cosines = dict(near)
    best, least = max(near[0][1], MIN_COSINE), max(min(near[-1][1], MIN_COSINE), 0.0)
    top = max(words.values(), default=0.0)
    scale = max(top, best) if near[0][1] >= MIN_COSINE else top
    fused: dict[_Key, float] = {}
    for id, score in words.items():
        meaning = max(cosines.get(id, 0.0) - least, 0.0) / (best - least) if best > least else float(id in cosines)
        # without a word in all candidates meaning alone tells them apart
        fused[id] = scale * ((1 - weight) * score / top + weight * meaning if top else meaning)
    return fused


def beyond_words(near: Sequence[tuple[_Key, float]], words: Container[_Key]) -> list[_Key]:
    """The few nearest that reach `MIN_COSINE` and that words did not find."""
    return [id for id, cosine in near if cosine >= MIN_COSINE and id not in words][:_WITHOUT_WORDS]


def _read(ids: Sequence[str], sources: Collection[BeliefSource]) -> dict[str, FoundBelief]:
    read: dict[str, FoundBelief] = {}
    for source in sources:
        for belief in source.several(ids):
            if belief.status is BeliefStatus.ACTIVE:
                read.setdefault(belief.id, FoundBelief(belief.id, source, belief.authority.rank))
    return read
