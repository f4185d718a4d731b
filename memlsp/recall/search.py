"""Recall: the beliefs that answer a question, found, ranked, explained and packed into a budget.

Ranking is deterministic and ignores age and use. Words and nearness in the code decide what is relevant. The order is
by standing (holding first), then by relevance in bands, then by authority: a locked rule precedes an agent's note that
fits equally well, and neither precedes a belief that fits far better.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby

from attrs import frozen

from memlsp.model.belief import Authority, Belief, BeliefStatus
from memlsp.model.recall import Omission, Recall
from memlsp.model.standing import Judgement
from memlsp.recall.branch_visibility import Visibility, is_found
from memlsp.recall.budget import SPENT, RankedBelief, matched_clause, pack, shortened
from memlsp.recall.candidates import (
    FILE,
    BeliefSource,
    FoundBelief,
    Nearby,
    TiedBelief,
    candidates,
    has_enough_words,
    with_ties,
)
from memlsp.recall.question import ParsedQuestion, parse_question
from memlsp.recall.score_fusion import MIN_COSINE, NEAREST_READ, beyond_words, with_similarity
from memlsp.store.tables.beliefs import BranchOrigin

NearestByMeaning = Callable[[str, int], Sequence[tuple[str, float]]]
"""From a question and a number to at most so many beliefs nearest in meaning: (id, cosine), nearest first."""

FILES_OF_NOW = "files-of-now"
"""The code of the reason that a belief of the past was judged by the files of the present."""

_STRONG, _FAIR = 0.6, 0.3
"""Shares of the best answer's relevance that bound the bands."""

_BANDS = 3

_MANY = 10
"""Hits after which further ones are judged only while much of the budget is left, and read `_FURTHER` at a time."""

_FURTHER = 4

_FURTHEST, _FURTHEST_NEAR = 400, 1_000
"""Hits, and nearest by meaning, beyond which the search for visible ones stops."""

_AUTHORITY_CLAUSES = {
    Authority.LOCKED: "locked by a person",
    Authority.REVIEWED: "reviewed in the repository",
    Authority.PERSON: "said by a person",
    Authority.COLLEAGUE: "said by a colleague, and not reviewed here",
    Authority.AGENT: "said by an agent",
    Authority.MINED: "mined from history",
    Authority.PROPOSED: "a proposal that nobody has reviewed",
}


@frozen
class BeliefPool:
    """The beliefs that may answer. `judge` gives the standings of some, in their order and each when it is asked for;
    `visibility` says which are visible on the current branch (None: all)."""

    sources: Sequence[BeliefSource]
    judge: Callable[[Sequence[Belief]], Iterable[Judgement]]
    visibility: Callable[[BranchOrigin], Visibility] | None = None


@frozen
class SearchHints:
    """Evidence besides words: the place asked about, an index by meaning, and beliefs tied to relevant work."""

    nearby: Nearby | None = None
    nearest: NearestByMeaning | None = None
    tied: Sequence[TiedBelief] = ()


@frozen
class RecallLimits:
    """The most that an answer may take, in tokens and in hits."""

    budget: int = 1200
    limit: int = 20


_NO_HINTS, _USUAL_LIMITS = SearchHints(), RecallLimits()


def recall(
    question: str, pool: BeliefPool, hints: SearchHints = _NO_HINTS, limits: RecallLimits = _USUAL_LIMITS
) -> Recall:
    """The beliefs that answer a question, best first, within `limits`; none when none is relevant. Matches that are not
    served are in `left_out` with the reason. Only beliefs that may be served are judged."""
    asked = parse_question(question)
    found = _found(pool, asked, hints.nearby, limits.limit)
    hidden: list[str] = []
    if hints.nearest is not None and asked.terms:
        nearest, unseen = _nearest(hints.nearest, question, pool)
        hidden += beyond_words(unseen, found)
        found = with_similarity(found, nearest, pool.sources)
    found = with_ties(found, hints.tied)
    visibility = _visibility(found.values(), pool)
    visible = [each for each in found.values() if visibility.get(each.id) is not Visibility.NO]
    hidden += [each.id for each in found.values() if visibility.get(each.id) is Visibility.NO]
    best = _Best.of(visible)
    relevant = [each for each in visible if _is_relevant(each, asked, best)]
    ordered = sorted(relevant, key=lambda each: (best.band(each), each.authority_rank, -each.relevance, each.id))
    ranked: list[RankedBelief] = []
    read: set[str] = set()
    beyond = "limit"
    for each, judgement in _judged(ordered, pool, limits.limit, read):
        if visibility.get(each.id) is Visibility.IF_FOUND and not is_found(judgement):
            hidden.append(each.id)
            continue
        ranked.append(_ranked(each, judgement, best))
        if len(ranked) >= _MANY and _is_enough(ranked, limits.budget):
            beyond = "budget"
            break
    ranked.sort(key=lambda each: (-each.score, each.judgement.belief.id))
    hits, tokens, too_long = pack(ranked, limits.budget)
    relevant_ids = {each.id for each in relevant}
    left_out = (
        *too_long,
        *(Omission(each.id, beyond) for each in ordered if each.id not in read),
        *(Omission(name, "branch") for name in dict.fromkeys(hidden)),
        *(Omission(each.id, "below-cutoff") for each in visible if each.id not in relevant_ids),
    )
    return Recall(question, tuple(hits), tokens, left_out)


def _found(pool: BeliefPool, asked: ParsedQuestion, nearby: Nearby | None, limit: int) -> dict[str, FoundBelief]:
    """The candidates of all sources. While most of them are hidden the search widens: else the many beliefs of a
    long-lived branch would crowd out the visible ones."""
    found: dict[str, FoundBelief] = {}
    while True:
        known = len(found)
        for source in pool.sources:
            for candidate in candidates(source, asked, nearby, limit):
                found.setdefault(candidate.id, candidate)
        if pool.visibility is None or len(found) == known or limit >= _FURTHEST:
            return found
        hidden = sum(each is Visibility.NO for each in _visibility(found.values(), pool).values())
        if 2 * hidden <= len(found):
            return found
        limit *= 5


def _nearest(
    near: NearestByMeaning, question: str, pool: BeliefPool
) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """The nearest by meaning that may be visible, and the hidden ones among them; widens as `_found` does."""
    visibility, limit = pool.visibility, NEAREST_READ
    while True:
        nearest = list(near(question, limit))
        if visibility is None:
            return nearest, []
        ids = [id for id, _ in nearest]
        origins = (origin for source in pool.sources for origin in source.branch_origins(ids))
        hidden = {origin.id for origin in origins if visibility(origin) is Visibility.NO}
        if 2 * len(hidden) <= len(nearest) or len(nearest) < limit or limit >= _FURTHEST_NEAR:
            visible = [each for each in nearest if each[0] not in hidden]
            return visible[:NEAREST_READ], [each for each in nearest if each[0] in hidden]
        limit *= 5


def _visibility(found: Collection[FoundBelief], pool: BeliefPool) -> dict[str, Visibility]:
    """The visibility of the candidates that have a branch origin, by id; the others are visible."""
    known: dict[str, Visibility] = {}
    if pool.visibility is not None:
        for source, group in groupby(found, key=lambda each: each.source):
            origins = source.branch_origins([each.id for each in group])
            known.update((origin.id, pool.visibility(origin)) for origin in origins)
    return known


# --- relevance and order -------------------------------------------------------------------------------------------


@frozen
class _Best:
    share: float
    relevance: float

    @classmethod
    def of(cls, found: Collection[FoundBelief]) -> _Best:
        return cls(
            max((each.share for each in found), default=0.0), max((each.relevance for each in found), default=0.0)
        )

    def band(self, each: FoundBelief) -> int:
        """0 for those near the best, 2 for the farthest."""
        return sum(each.relevance < bound * self.relevance for bound in (_STRONG, _FAIR))


def _is_relevant(each: FoundBelief, asked: ParsedQuestion, best: _Best) -> bool:
    if each.nearness >= FILE or each.likeness >= MIN_COSINE:
        return True
    return has_enough_words(asked, each.matched, each.share, best.share)


def _judged(
    ordered: Sequence[FoundBelief], pool: BeliefPool, limit: int, read: set[str]
) -> Iterator[tuple[FoundBelief, Judgement]]:
    """The first `limit` candidates with their standings, read a few at a time: a query costs what reading four does.
    Adds each that it comes to, to `read`."""
    given = taken = 0
    while taken < len(ordered) and given < limit:
        step = ordered[taken : taken + min(limit - given, _FURTHER if taken else _MANY)]
        taken += len(step)
        beliefs = {
            belief.id: belief
            for source in dict.fromkeys(each.source for each in step)
            for belief in source.several([each.id for each in step if each.source is source])
            if belief.status is BeliefStatus.ACTIVE  # else retired since the search
        }
        given += len(beliefs)
        judged = iter(pool.judge([beliefs[each.id] for each in step if each.id in beliefs]))
        for each in step:
            read.add(each.id)
            if each.id in beliefs:
                yield each, next(judged)


def _is_enough(ranked: Sequence[RankedBelief], budget: int) -> bool:
    """True when ten hold and fill an answer of the usual size: to judge a further one costs reading its file."""
    holding = [each for each in ranked if each.judgement.holds]
    return len(holding) >= _MANY and SPENT * pack(holding, budget)[1] >= budget


def _ranked(each: FoundBelief, judgement: Judgement, best: _Best) -> RankedBelief:
    """The candidate with a score of 0..1 that holds the order: half for holding, then band, authority and relevance,
    each finer than a step of the one before."""
    ranks = len(Authority)
    within = min(each.relevance / best.relevance, 1.0) if best.relevance > 0 else 0.0
    authority = (ranks - 1 - judgement.belief.authority.rank + 0.999 * within) / ranks
    score = 0.5 * judgement.holds + (_BANDS - 1 - best.band(each) + authority) / (2 * _BANDS)
    return RankedBelief(judgement, score, _why(each, judgement))


def _why(each: FoundBelief, judgement: Judgement) -> tuple[str, ...]:
    """The explanation of a hit as clauses: matched words, anchors, authority, and why it does not hold."""
    clauses = [matched_clause(each.matched)] if each.matched else []
    if each.likeness >= MIN_COSINE:
        clauses.append("near in meaning")
    if each.tie:
        clauses.append(each.tie)
    clauses.append(_AUTHORITY_CLAUSES[judgement.belief.authority])
    if judgement.has_caveat:
        reasons = [each.message for each in judgement.reasons if each.message and each.code != FILES_OF_NOW]
        shown = f", {shortened('; '.join(reasons), 160)}" if reasons else ""
        clauses.append(f"{'' if judgement.holds else 'stale: '}{judgement.standing.value}{shown}")
    clauses += [each.message for each in judgement.reasons if each.code == FILES_OF_NOW]
    return tuple(clauses)
