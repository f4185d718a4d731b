"""Matches the old and new symbols of a change set.

In this order: containers before members; an identical body anywhere in the change set, which beats an equal name (real
commits rename `a -> b` and `b -> c` at once); the same qualified name, in the container's new place; then similarity,
one to one, best first, with the users of a symbol as evidence for its new name. Ties are reported, nothing is guessed.
`pairs` has the steps.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from memlsp.code.diff.pairs import THRESHOLD, Pairing
from memlsp.code.diff.similarity import label, similarity
from memlsp.code.diff.symbol_relations import may_become
from memlsp.model.symbol import Symbol


@frozen
class Pair:
    """An old and a new state of one symbol. `similarity` is of the bodies, 0..1; weak ones are not `certain`."""

    old: Symbol
    new: Symbol
    similarity: float
    certain: bool = True


@frozen
class Ambiguous:
    """An old symbol with several possible successors. `candidates` are best first, with their similarity."""

    old: Symbol
    candidates: tuple[tuple[Symbol, float], ...]


@frozen
class Matching:
    """The result, with `pairs` in the order of the old symbols. Unclaimed candidates of an ambiguous symbol are also in
    `added`; an ambiguous symbol is not in `removed`."""

    pairs: tuple[Pair, ...] = ()
    removed: tuple[Symbol, ...] = ()
    added: tuple[Symbol, ...] = ()
    ambiguous: tuple[Ambiguous, ...] = ()


def match(old: Sequence[Symbol], new: Sequence[Symbol]) -> Matching:
    """Match the symbols of a change set, possibly of several files."""
    work = Pairing(old, new)
    work.run()
    return Matching(
        pairs=tuple(
            Pair(old[i], new[j], round(score, 4), certain) for i, (j, score, certain) in sorted(work.paired.items())
        ),
        removed=tuple(old[i] for i in work.free_old if i not in work.ambiguous),
        added=tuple(new[j] for j in work.free_new),
        ambiguous=tuple(
            Ambiguous(old[i], tuple((new[j], round(score, 4)) for j, score in found))
            for i, found in sorted(work.ambiguous.items())
            if i in work.free_old
        ),
    )


def successors(old: Symbol, candidates: Sequence[Symbol]) -> tuple[tuple[Symbol, float], ...]:
    """The possible successors of a vanished symbol: (symbol, similarity), best first, all at least 0.5."""
    shingles = frozenset(old.fingerprint.sketch)
    ranked: list[tuple[Symbol, float]] = []
    for candidate in candidates:
        likely = (
            label(candidate) == label(old)
            or candidate.fingerprint.meaning == old.fingerprint.meaning
            or not shingles.isdisjoint(candidate.fingerprint.sketch)
        )
        if likely and may_become(old, candidate, (old.path, old.container) == (candidate.path, candidate.container)):
            score = similarity(old, candidate)
            if score >= THRESHOLD:
                ranked.append((candidate, round(score, 4)))
    return tuple(sorted(ranked, key=lambda entry: (-entry[1], entry[0].path, entry[0].name, entry[0].ordinal)))
