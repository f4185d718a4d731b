"""Candidates for an answer: beliefs found by words or by where they are anchored. No belief is judged here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from attrs import evolve, frozen

from memlsp.model.belief import Anchor, Belief
from memlsp.recall.question import ParsedQuestion
from memlsp.store.search.query import SearchHit
from memlsp.store.tables.beliefs import BranchOrigin

_SHARE = 0.3
"""Weight of the question's share in the relevance by words; the rest is BM25. More costs rank: MRR .420 at 0.3, .409 at
0.5, .354 at 1 for 500 docstrings asked of 3,000 functions of Python's library, and .418 for BM25 alone. In a store of
a few beliefs every word is in many of them, BM25 tells nothing apart, and the share decides."""

_FAR_BELOW = 0.25
"""A hit on one word is left out when it holds less than this part of the best hit's share of the question."""

CANDIDATES = 40
"""Hits that are read from an index at least."""

SYMBOL, _CONTAINER, FILE, _CALL = 0.6, 0.45, 0.3, 0.15
"""The addition of nearness to a relevance by words (0..1)."""

_TIED = 0.2
"""The addition for an anchor at the symbol that work changed most. Not measured: it decides between
beliefs that words leave close together, and adds no candidate."""

_FARTHEST_FILES = 8


class BeliefSource(Protocol):
    """The searches of one store of beliefs; a `Store` has them."""

    def search(self, terms: Sequence[Sequence[str]], *, limit: int) -> Sequence[SearchHit]:
        """The active beliefs that match some terms with their alternatives, best first."""
        ...

    def several(self, ids: Sequence[str]) -> Sequence[Belief]:
        """The beliefs of these ids, in their order, without missing ones."""
        ...

    def branch_origins(self, ids: Sequence[str]) -> Sequence[BranchOrigin]:
        """The branch origins of these beliefs; one without a known origin is left out."""
        ...

    def anchored_at(self, path: str) -> Sequence[Belief]:
        """The active beliefs with an anchor in a file."""
        ...


@frozen
class Nearby:
    """The symbol of a file that a question is about ("" for the whole file), with its callers and callees as
    (path, symbol)."""

    path: str
    symbol: str
    callers: Collection[tuple[str, str]] = ()
    callees: Collection[tuple[str, str]] = ()


@frozen
class FoundBelief:
    """A candidate before it is judged. `words` and `nearness` add up to its relevance."""

    id: str
    source: BeliefSource
    authority_rank: int
    words: float = 0.0
    share: float = 0.0  # of the question's terms
    matched: tuple[str, ...] = ()
    nearness: float = 0.0
    tie: str = ""  # the clause that says where it is anchored
    likeness: float = 0.0  # cosine to the question, 0 where it was not compared

    @property
    def relevance(self) -> float:
        """The sum that ranks it."""
        return self.words + self.nearness


@frozen
class TiedBelief:
    """A belief anchored to a symbol that relevant work changed. `weight` is the symbol's (0..1), `clause` for a
    person."""

    id: str
    weight: float
    clause: str


def candidates(source: BeliefSource, asked: ParsedQuestion, nearby: Nearby | None, limit: int) -> list[FoundBelief]:
    """The candidates of one source, unordered."""
    near = _near(source, nearby)
    hits = source.search(asked.terms, limit=max(CANDIDATES, 2 * limit)) if asked.terms else ()
    words = word_scores(hits)
    found: list[FoundBelief] = []
    for hit in hits:
        close = near.pop(hit.id, None)
        nearness, tie = (close.nearness, close.tie) if close else (0.0, "")
        found.append(
            FoundBelief(hit.id, source, hit.authority_rank, words[hit.id], hit.share, hit.matched, nearness, tie)
        )
    # no word is needed at the very place, nor when only the place was asked about
    needed = 0.0 if not asked.terms or nearby is None else SYMBOL if nearby.symbol else FILE
    return found + [each for each in near.values() if each.nearness >= needed]


def word_scores(hits: Sequence[SearchHit]) -> dict[str, float]:
    """The relevance of each hit by words, 0..1, by id."""
    top_score = max((hit.score for hit in hits), default=0.0)
    top_share = max((hit.share for hit in hits), default=0.0)
    # BM25 is relative to one store, the share of the question is not: the share scales BM25
    return {
        hit.id: _SHARE * hit.share + (1 - _SHARE) * top_share * (hit.score / top_score if top_score > 0 else 1.0)
        for hit in hits
    }


def has_enough_words(asked: ParsedQuestion, matched: Sequence[str], share: float, top_share: float) -> bool:
    """True when a hit's words alone make it relevant."""
    if len(asked.terms) < 2:
        return True
    if asked.is_specific and all(word in asked.slight for word in matched):
        return False
    return len(matched) > 1 or share >= _FAR_BELOW * top_share


def with_ties(found: Mapping[str, FoundBelief], tied: Sequence[TiedBelief]) -> dict[str, FoundBelief]:
    """The candidates, nearer where they are tied to what relevant work changed."""
    changed = dict(found)
    for each in tied:
        known = changed.get(each.id)
        if known is not None and not known.tie:
            changed[each.id] = evolve(known, nearness=known.nearness + _TIED * each.weight, tie=each.clause)
    return changed


def _near(source: BeliefSource, nearby: Nearby | None) -> dict[str, FoundBelief]:
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
    clause, called = f"anchored to {anchor.place}", _call_clause(anchor, nearby)
    if anchor.path != nearby.path:
        return (_CALL, called) if called else (0.0, "")
    if anchor.symbol == nearby.symbol:
        return SYMBOL, clause
    if anchor.symbol and nearby.symbol.startswith(f"{anchor.symbol}."):
        return _CONTAINER, f"{clause}, which holds {nearby.symbol}"
    return FILE, called or clause


def _call_clause(anchor: Anchor, nearby: Nearby) -> str:
    pair = (anchor.path, anchor.symbol)
    here = nearby.symbol or nearby.path
    if pair in nearby.callers:
        return f"anchored to {anchor.place}, which calls {here}"
    return f"anchored to {anchor.place}, called by {here}" if pair in nearby.callees else ""
