"""Candidates by meaning, beside those by words: one sum of both, with a weight that was chosen by measurement.

Both scores are taken between the last that was found and the best, so that a way of searching that tells nothing apart
decides nothing. `memlsp eval encoder` holds the weight against words alone, on packages that nothing was chosen on.
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
"""How many of the nearest are looked at."""

MIN_COSINE = 0.35
"""The cosine from which a statement answers a question though they share no word: of questions put to a hundred
statements of another package, one in twenty finds a nearer one."""

_WITHOUT_WORDS = 8
"""How many are taken that share no word with the question: each has to be read."""


def with_similarity(
    found: Mapping[str, FoundBelief], near: Sequence[tuple[str, float]], sources: Collection[BeliefSource]
) -> dict[str, FoundBelief]:
    """The candidates with their relevance by words and meaning together, and the nearest that no word found.

    `near` holds ids with their cosines, nearest first. Relevance stays between 0 and 1. Where nothing is near enough to
    answer by itself, meaning still tells apart what words found, the less the farther all is.
    """
    candidates = {**found, **_read(beyond_words(near, found), sources)}
    fused = fuse({id: each.words for id, each in candidates.items()}, near)
    likeness = dict(near)
    return {id: evolve(each, words=fused[id], likeness=likeness.get(id, 0.0)) for id, each in candidates.items()}


def fuse(words: Mapping[_Key, float], near: Sequence[tuple[_Key, float]], weight: float = WEIGHT) -> dict[_Key, float]:
    """Relevance by words and meaning in one sum, of all that `words` holds (0 for what no word found). On the scale of
    the best by words, or of the nearest where that is near enough to be an answer."""
    if not near:
        return dict(words)
    likeness = dict(near)
    best, least = max(near[0][1], MIN_COSINE), max(min(near[-1][1], MIN_COSINE), 0.0)
    top = max(words.values(), default=0.0)
    scale = max(top, best) if near[0][1] >= MIN_COSINE else top
    fused: dict[_Key, float] = {}
    for id, score in words.items():
        meaning = max(likeness.get(id, 0.0) - least, 0.0) / (best - least) if best > least else float(id in likeness)
        # without a word in all candidates meaning alone tells them apart
        fused[id] = scale * ((1 - weight) * score / top + weight * meaning if top else meaning)
    return fused


def beyond_words(near: Sequence[tuple[_Key, float]], words: Container[_Key]) -> list[_Key]:
    """The nearest that words did not find and that are near enough to be an answer; a few."""
    return [id for id, cosine in near if cosine >= MIN_COSINE and id not in words][:_WITHOUT_WORDS]


def _read(ids: Sequence[str], sources: Collection[BeliefSource]) -> dict[str, FoundBelief]:
    """The nearest of them as candidates; those that are not active are left out."""
    read: dict[str, FoundBelief] = {}
    for source in sources:
        for belief in source.several(ids):
            if belief.status is BeliefStatus.ACTIVE:
                read.setdefault(belief.id, FoundBelief(belief.id, source, belief.authority.rank))
    return read
