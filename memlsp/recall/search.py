"""From a question to what is remembered about it: found, weighed, ordered, explained and packed.

Ranking is deterministic and knows nothing of age or use. What is relevant is decided by words and by nearness in the
code; in which order the relevant stand, by whether it holds, then by how relevant it is (in bands), then by who stands
behind it. So a locked rule precedes an agent's note that fits equally well, and neither precedes what fits far better.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from attrs import frozen

from memlsp.model.belief import Anchor, Authority, Belief, BeliefStatus
from memlsp.model.recall import Omission, Recall
from memlsp.model.standing import Judgement
from memlsp.recall.packing import Ranked, pack, shortened
from memlsp.recall.question import Question, read_question
from memlsp.store import SearchHit

_STRONG = 0.6
_FAIR = 0.3
"""Shares of the best answer's relevance that bound the bands."""

_BANDS = 3

_FAR_BELOW = 0.25
"""What holds one word of the question, and less than this of what the best one holds of it, is left out."""

_SHARE = 0.3
"""How much of the relevance by words is the share of the question that was found; the rest is BM25. More costs rank:
MRR .420 at 0.3, .409 at 0.5, .354 at 1 for 500 docstrings asked of 3,000 functions of Python's library, and .418 for
BM25 alone. In a store of a few beliefs BM25 knows nothing, as every word stands in many of them; there the share
decides."""

_CANDIDATES = 40

_SYMBOL, _CONTAINER, _FILE, _CALL = 0.6, 0.45, 0.3, 0.15
"""What nearness adds to a relevance by words between 0 and 1."""

_FARTHEST_FILES = 8


class Source(Protocol):
    """Where beliefs are looked up; a `Store` is one."""

    def search(self, terms: Sequence[Sequence[str]], *, limit: int) -> Sequence[SearchHit]:
        """The best active beliefs for some words with their alternatives, best first."""
        ...

    def belief(self, id: str) -> Belief | None:
        """The belief of an id."""
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
class _Found:
    """A candidate, before it is judged. `words` and `nearness` add up to its relevance."""

    id: str
    source: Source
    authority_rank: int
    words: float = 0.0
    share: float = 0.0  # how much of the question it holds
    matched: tuple[str, ...] = ()
    nearness: float = 0.0
    tie: str = ""  # the clause that says where it is anchored

    @property
    def relevance(self) -> float:
        return self.words + self.nearness


def recall(
    question: str,
    *,
    sources: Sequence[Source],
    judge: Callable[[Belief], Judgement],
    nearby: Nearby | None = None,
    budget: int = 1200,
    limit: int = 20,
) -> Recall:
    """The beliefs that answer a question, best first, in at most `budget` tokens and `limit` hits.

    Nothing when nothing is relevant. What matched and is not served is in `left_out` with its reason. `judge` is called
    for at most `limit` beliefs.
    """
    asked = read_question(question)
    found: dict[str, _Found] = {}
    for source in sources:
        for candidate in _candidates(source, asked, nearby, limit):
            found.setdefault(candidate.id, candidate)
    best = _Best.of(found.values())
    relevant = [each for each in found.values() if _is_relevant(each, asked, best)]
    chosen, beyond = _chosen(relevant, best, limit)
    ranked = [_ranked(each, judge(belief), best) for each, belief in chosen]
    ranked.sort(key=lambda each: (-each.score, each.judgement.belief.id))
    hits, tokens, too_much = pack(ranked, budget)
    weighed = {each.id for each in relevant}
    left_out = (
        *too_much,
        *(Omission(name, "limit") for name in beyond),
        *(Omission(name, "below-cutoff") for name in found if name not in weighed),
    )
    return Recall(question, tuple(hits), tokens, left_out)


# --- candidates ----------------------------------------------------------------------------------------------------


def _candidates(source: Source, asked: Question, nearby: Nearby | None, limit: int) -> list[_Found]:
    near = _near(source, nearby)
    hits: Sequence[SearchHit] = ()
    if asked.terms:
        hits = source.search(asked.terms, limit=max(_CANDIDATES, 2 * limit))
    top_score = max((hit.score for hit in hits), default=0.0)
    top_share = max((hit.share for hit in hits), default=0.0)
    found: list[_Found] = []
    for hit in hits:
        # BM25 is relative to one store, the share of the question to none: the one scales the other
        relative = hit.score / top_score if top_score > 0 else 1.0
        close = near.pop(hit.id, None)
        nearness, tie = (close.nearness, close.tie) if close else (0.0, "")
        words = _SHARE * hit.share + (1 - _SHARE) * top_share * relative
        found.append(_Found(hit.id, source, hit.authority_rank, words, hit.share, hit.matched, nearness, tie))
    # words are not needed of what is tied to the very place, nor when nothing but the place was asked about
    needed = 0.0 if not asked.terms or nearby is None else _SYMBOL if nearby.symbol else _FILE
    found += [each for each in near.values() if each.nearness >= needed]
    return found


def _near(source: Source, nearby: Nearby | None) -> dict[str, _Found]:
    """What is anchored nearby, whatever its words."""
    if nearby is None:
        return {}
    others = {path for path, _ in (*nearby.callers, *nearby.callees)} - {nearby.path}
    near: dict[str, _Found] = {}
    for path in (nearby.path, *sorted(others)[:_FARTHEST_FILES]):
        for belief in source.anchored_at(path):
            ties = [_nearness_of(anchor, nearby) for anchor in belief.anchors]
            nearness, tie = max(ties, key=lambda tie: tie[0], default=(0.0, ""))  # the first of equals
            if nearness:
                near[belief.id] = _Found(belief.id, source, belief.authority.rank, nearness=nearness, tie=tie)
    return near


def _nearness_of(anchor: Anchor, nearby: Nearby) -> tuple[float, str]:
    clause = f"anchored to {anchor.place}"
    if anchor.path == nearby.path:
        if anchor.symbol == nearby.symbol:
            return _SYMBOL, clause
        if anchor.symbol and nearby.symbol.startswith(f"{anchor.symbol}."):
            return _CONTAINER, f"{clause}, which holds {nearby.symbol}"
        pair_clause = _call_clause(anchor, nearby)
        return _FILE, pair_clause or clause
    pair_clause = _call_clause(anchor, nearby)
    return (_CALL, pair_clause) if pair_clause else (0.0, "")


def _call_clause(anchor: Anchor, nearby: Nearby) -> str:
    pair = (anchor.path, anchor.symbol)
    here = nearby.symbol or nearby.path
    if pair in nearby.callers:
        return f"anchored to {anchor.place}, which calls {here}"
    return f"anchored to {anchor.place}, called by {here}" if pair in nearby.callees else ""


# --- what is relevant, and in which order --------------------------------------------------------------------------


@frozen
class _Best:
    """What the best of all candidates has."""

    share: float
    relevance: float

    @classmethod
    def of(cls, found: Collection[_Found]) -> _Best:
        return cls(
            max((each.share for each in found), default=0.0), max((each.relevance for each in found), default=0.0)
        )

    def band(self, each: _Found) -> int:
        """0 for those near the best, 2 for the farthest."""
        if each.relevance >= _STRONG * self.relevance:
            return 0
        return 1 if each.relevance >= _FAIR * self.relevance else 2


def _is_relevant(each: _Found, asked: Question, best: _Best) -> bool:
    if each.nearness >= _FILE or len(asked.terms) < 2:
        return True
    if asked.tells and all(word in asked.slight for word in each.matched):
        return False
    return len(each.matched) > 1 or each.share >= _FAR_BELOW * best.share


def _chosen(relevant: Sequence[_Found], best: _Best, limit: int) -> tuple[list[tuple[_Found, Belief]], list[str]]:
    """The first `limit` by band, authority and relevance, with their beliefs; and the ids of the others."""
    ordered = sorted(relevant, key=lambda each: (best.band(each), each.authority_rank, -each.relevance, each.id))
    chosen: list[tuple[_Found, Belief]] = []
    beyond: list[str] = []
    for each in ordered:
        if len(chosen) >= limit:
            beyond.append(each.id)
            continue
        belief = each.source.belief(each.id)
        if belief is not None and belief.status is BeliefStatus.ACTIVE:  # else retired since the search
            chosen.append((each, belief))
    return chosen, beyond


def _ranked(each: _Found, judgement: Judgement, best: _Best) -> Ranked:
    """The candidate with a score between 0 and 1 that has the order in it: half for holding, then band, authority and
    relevance, each finer than a step of the one before."""
    ranks = len(Authority)
    within = min(each.relevance / best.relevance, 1.0) if best.relevance > 0 else 0.0
    authority = (ranks - 1 - judgement.belief.authority.rank + 0.999 * within) / ranks
    score = 0.5 * judgement.standing.holds + (_BANDS - 1 - best.band(each) + authority) / (2 * _BANDS)
    return Ranked(judgement, score, _why(each, judgement))


_SAID = {
    Authority.LOCKED: "locked by a person",
    Authority.REVIEWED: "reviewed in the repository",
    Authority.PERSON: "said by a person",
    Authority.AGENT: "said by an agent",
    Authority.MINED: "mined from history",
    Authority.PROPOSED: "a proposal that nobody has reviewed",
}


def _why(each: _Found, judgement: Judgement) -> tuple[str, ...]:
    clauses: list[str] = []
    if each.matched:
        clauses.append("matches " + ", ".join(f'"{shortened(word, 60)}"' for word in each.matched[:8]))
    if each.tie:
        clauses.append(each.tie)
    clauses.append(_SAID[judgement.belief.authority])
    if not judgement.standing.holds:
        reasons = "; ".join(reason.message for reason in judgement.reasons if reason.message)
        clauses.append(f"stale: {judgement.standing.value}{f', {shortened(reasons, 160)}' if reasons else ''}")
    return tuple(clauses)
