"""What could answer a question: by its words, and by where it is tied to. No belief is judged here."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from attrs import frozen

from memlsp.model.belief import Anchor, Belief
from memlsp.recall.question import ParsedQuestion
from memlsp.store import BranchOrigin, SearchHit

_SHARE = 0.3
"""How much of the relevance by words is the share of the question that was found; the rest is BM25. More costs rank:
MRR .420 at 0.3, .409 at 0.5, .354 at 1 for 500 docstrings asked of 3,000 functions of Python's library, and .418 for
BM25 alone. In a store of a few beliefs BM25 knows nothing, as every word stands in many of them; there the share
decides."""

_CANDIDATES = 40

SYMBOL, _CONTAINER, FILE, _CALL = 0.6, 0.45, 0.3, 0.15
"""What nearness adds to a relevance by words between 0 and 1."""

_FARTHEST_FILES = 8


class BeliefSource(Protocol):
    """Where beliefs are looked up; a `Store` is one."""

    def search(self, terms: Sequence[Sequence[str]], *, limit: int) -> Sequence[SearchHit]:
        """The best active beliefs for some words with their alternatives, best first."""
        ...

    def several(self, ids: Sequence[str]) -> Sequence[Belief]:
        """The beliefs of these ids, in their order; those that are not there are left out."""
        ...

    def learned(self, ids: Sequence[str]) -> Sequence[BranchOrigin]:
        """Where the beliefs of these ids were learned, those left out for which that is not known."""
        ...

    def anchored_at(self, path: str) -> Sequence[Belief]:
        """The active beliefs with an anchor in a file."""
        ...


@frozen
class Nearby:
    """What a question is about: a symbol of a file ("" for the whole file), and the (path, symbol) pairs of those that
    call it and those that it calls."""

    path: str
    symbol: str
    callers: Collection[tuple[str, str]] = ()
    callees: Collection[tuple[str, str]] = ()


@frozen
class FoundBelief:
    """A candidate, before it is judged. `words` and `nearness` add up to its relevance."""

    id: str
    source: BeliefSource
    authority_rank: int
    words: float = 0.0
    share: float = 0.0  # how much of the question it holds
    matched: tuple[str, ...] = ()
    nearness: float = 0.0
    tie: str = ""  # the clause that says where it is anchored
    likeness: float = 0.0  # the cosine of its meaning and the question's, where that was looked at

    @property
    def relevance(self) -> float:
        """What it has of all that counts."""
        return self.words + self.nearness


def candidates(source: BeliefSource, asked: ParsedQuestion, nearby: Nearby | None, limit: int) -> list[FoundBelief]:
    """What one source has for a question, in no order that means anything."""
    near = _near(source, nearby)
    hits: Sequence[SearchHit] = ()
    if asked.terms:
        hits = source.search(asked.terms, limit=max(_CANDIDATES, 2 * limit))
    top_score = max((hit.score for hit in hits), default=0.0)
    top_share = max((hit.share for hit in hits), default=0.0)
    found: list[FoundBelief] = []
    for hit in hits:
        # BM25 is relative to one store, the share of the question to none: the one scales the other
        relative = hit.score / top_score if top_score > 0 else 1.0
        close = near.pop(hit.id, None)
        nearness, tie = (close.nearness, close.tie) if close else (0.0, "")
        words = _SHARE * hit.share + (1 - _SHARE) * top_share * relative
        found.append(FoundBelief(hit.id, source, hit.authority_rank, words, hit.share, hit.matched, nearness, tie))
    # words are not needed of what is tied to the very place, nor when nothing but the place was asked about
    needed = 0.0 if not asked.terms or nearby is None else SYMBOL if nearby.symbol else FILE
    found += [each for each in near.values() if each.nearness >= needed]
    return found


def _near(source: BeliefSource, nearby: Nearby | None) -> dict[str, FoundBelief]:
    """What is anchored nearby, whatever its words."""
    if nearby is None:
        return {}
    others = {path for path, _ in (*nearby.callers, *nearby.callees)} - {nearby.path}
    near: dict[str, FoundBelief] = {}
    for path in (nearby.path, *sorted(others)[:_FARTHEST_FILES]):
        for belief in source.anchored_at(path):
            ties = [_nearness_of(anchor, nearby) for anchor in belief.anchors]
            nearness, tie = max(ties, key=lambda tie: tie[0], default=(0.0, ""))  # the first of equals
            if nearness:
                near[belief.id] = FoundBelief(belief.id, source, belief.authority.rank, nearness=nearness, tie=tie)
    return near


def _nearness_of(anchor: Anchor, nearby: Nearby) -> tuple[float, str]:
    clause = f"anchored to {anchor.place}"
    if anchor.path == nearby.path:
        if anchor.symbol == nearby.symbol:
            return SYMBOL, clause
        if anchor.symbol and nearby.symbol.startswith(f"{anchor.symbol}."):
            return _CONTAINER, f"{clause}, which holds {nearby.symbol}"
        pair_clause = _call_clause(anchor, nearby)
        return FILE, pair_clause or clause
    pair_clause = _call_clause(anchor, nearby)
    return (_CALL, pair_clause) if pair_clause else (0.0, "")


def _call_clause(anchor: Anchor, nearby: Nearby) -> str:
    pair = (anchor.path, anchor.symbol)
    here = nearby.symbol or nearby.path
    if pair in nearby.callers:
        return f"anchored to {anchor.place}, which calls {here}"
    return f"anchored to {anchor.place}, called by {here}" if pair in nearby.callees else ""
