"""From a question to what is remembered about it: found, weighed, ordered, explained and packed.

Ranking is deterministic and knows nothing of age or use. What is relevant is decided by words and by nearness in the
code; in which order the relevant stand, by whether it holds, then by how relevant it is (in bands), then by who stands
behind it. So a locked rule precedes an agent's note that fits equally well, and neither precedes what fits far better.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby

from attrs import frozen

from memlsp.model.belief import Authority, Belief, BeliefStatus
from memlsp.model.recall import Omission, Recall
from memlsp.model.standing import Judgement
from memlsp.recall.anchored_beliefs import TiedBelief, with_ties
from memlsp.recall.branch_visibility import Visibility, is_found
from memlsp.recall.budget import SPENT, RankedBelief, pack
from memlsp.recall.candidates import FILE, BeliefSource, FoundBelief, Nearby, candidates
from memlsp.recall.explanation import why
from memlsp.recall.question import ParsedQuestion, parse_question
from memlsp.recall.score_fusion import MIN_COSINE, NEAREST_READ, beyond_words, with_similarity
from memlsp.store import BranchOrigin

Near = Callable[[str, int], Sequence[tuple[str, float]]]
"""The beliefs whose meaning is nearest to a question's, by id with their cosines, nearest first, so many at most."""

_STRONG = 0.6
_FAIR = 0.3
"""Shares of the best answer's relevance that bound the bands."""

_BANDS = 3

_MANY = 10
"""Hits of an answer to which further ones are added only while there is much room."""

_FURTHEST = 400
"""Hits from which on it is looked no further for some that speak here."""

_FURTHEST_NEAR = 1_000
"""And so many of the nearest by meaning."""

_FAR_BELOW = 0.25
"""What holds one word of the question, and less than this of what the best one holds of it, is left out."""


def recall(
    question: str,
    *,
    sources: Sequence[BeliefSource],
    judge: Callable[[Belief], Judgement],
    speech: Callable[[BranchOrigin], Visibility] | None = None,
    nearby: Nearby | None = None,
    near: Near | None = None,
    tied: Sequence[TiedBelief] = (),
    budget: int = 1200,
    limit: int = 20,
) -> Recall:
    """The beliefs that answer a question, best first, in at most `budget` tokens and `limit` hits.

    Nothing when nothing is relevant. What matched and is not served is in `left_out` with its reason. `judge` is called
    for what may be served alone. `speech` tells which beliefs speak here; without it all do. `near` gives so many
    beliefs whose meaning is nearest to a question's, with their cosines (see `likeness`), `tied` those that are tied
    to symbols which work on the same things changed.
    """
    asked = parse_question(question)
    found = _found(sources, asked, nearby, limit, speech)
    silent: list[str] = []
    if near is not None and asked.terms:
        nearest, unheard = _nearest(near, question, sources, speech)
        silent += beyond_words(unheard, found)
        found = with_similarity(found, nearest, sources)
    found = with_ties(found, tied)
    spoken = _speeches(found.values(), speech) if speech is not None else {}
    heard = [each for each in found.values() if spoken.get(each.id) is not Visibility.NO]
    best = _Best.of(heard)
    relevant = [each for each in heard if _is_relevant(each, asked, best)]
    ordered = sorted(relevant, key=lambda each: (best.band(each), each.authority_rank, -each.relevance, each.id))
    silent += [each.id for each in found.values() if spoken.get(each.id) is Visibility.NO]
    ranked: list[RankedBelief] = []
    looked_at: set[str] = set()
    beyond = "limit"
    for each, belief in _read(ordered, limit, looked_at):
        judgement = judge(belief)
        if spoken.get(each.id) is Visibility.IF_FOUND and not is_found(judgement):
            silent.append(each.id)
            continue
        ranked.append(_ranked(each, judgement, best))
        if len(ranked) >= _MANY and _is_enough(ranked, budget):
            beyond = "budget"
            break
    ranked.sort(key=lambda each: (-each.score, each.judgement.belief.id))
    hits, tokens, too_much = pack(ranked, budget)
    weighed = {each.id for each in relevant}
    left_out = (
        *too_much,
        *(Omission(each.id, beyond) for each in ordered if each.id not in looked_at),
        *(Omission(name, "branch") for name in dict.fromkeys(silent)),
        *(Omission(each.id, "below-cutoff") for each in heard if each.id not in weighed),
    )
    return Recall(question, tuple(hits), tokens, left_out)


def _found(
    sources: Sequence[BeliefSource],
    asked: ParsedQuestion,
    nearby: Nearby | None,
    limit: int,
    speech: Callable[[BranchOrigin], Visibility] | None,
) -> dict[str, FoundBelief]:
    """The candidates of all sources. Where most of them are silent it is looked further, or what a long-lived branch
    says of the same would leave no place to what speaks here."""
    found: dict[str, FoundBelief] = {}
    while True:
        known = len(found)
        for source in sources:
            for candidate in candidates(source, asked, nearby, limit):
                found.setdefault(candidate.id, candidate)
        if speech is None or len(found) == known or limit >= _FURTHEST:
            return found
        silent = sum(each is Visibility.NO for each in _speeches(found.values(), speech).values())
        if 2 * silent <= len(found):
            return found
        limit *= 5


def _nearest(
    near: Near, question: str, sources: Sequence[BeliefSource], speech: Callable[[BranchOrigin], Visibility] | None
) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """The nearest by meaning that may speak here, and those among them that do not. Where most of them are silent it is
    looked further, as `_found` does."""
    limit = NEAREST_READ
    while True:
        nearest = list(near(question, limit))
        if speech is None:
            return nearest, []
        ids = [id for id, _ in nearest]
        silent = {
            learned.id for source in sources for learned in source.learned(ids) if speech(learned) is Visibility.NO
        }
        if 2 * len(silent) <= len(nearest) or len(nearest) < limit or limit >= _FURTHEST_NEAR:
            heard = [each for each in nearest if each[0] not in silent]
            return heard[:NEAREST_READ], [each for each in nearest if each[0] in silent]
        limit *= 5


def _speeches(found: Collection[FoundBelief], speech: Callable[[BranchOrigin], Visibility]) -> dict[str, Visibility]:
    """Which of the candidates speak here; those that are not in it do."""
    spoken: dict[str, Visibility] = {}
    for source, group in groupby(found, key=lambda each: each.source):
        spoken.update((learned.id, speech(learned)) for learned in source.learned([each.id for each in group]))
    return spoken


# --- what is relevant, and in which order --------------------------------------------------------------------------


@frozen
class _Best:
    """What the best of all candidates has."""

    share: float
    relevance: float

    @classmethod
    def of(cls, found: Collection[FoundBelief]) -> _Best:
        return cls(
            max((each.share for each in found), default=0.0), max((each.relevance for each in found), default=0.0)
        )

    def band(self, each: FoundBelief) -> int:
        """0 for those near the best, 2 for the farthest."""
        if each.relevance >= _STRONG * self.relevance:
            return 0
        return 1 if each.relevance >= _FAIR * self.relevance else 2


def _is_relevant(each: FoundBelief, asked: ParsedQuestion, best: _Best) -> bool:
    if each.nearness >= FILE or len(asked.terms) < 2 or each.likeness >= MIN_COSINE:
        return True
    if asked.tells and all(word in asked.slight for word in each.matched):
        return False
    return len(each.matched) > 1 or each.share >= _FAR_BELOW * best.share


def _read(ordered: Sequence[FoundBelief], limit: int, looked_at: set[str]) -> Iterator[tuple[FoundBelief, Belief]]:
    """The first `limit` of the candidates with their beliefs, read a few at a time; each that was come to is noted."""
    given = taken = 0
    while taken < len(ordered) and given < limit:
        step = ordered[taken : taken + min(limit - given, _MANY)]
        taken += len(step)
        beliefs = {
            belief.id: belief
            for source in dict.fromkeys(each.source for each in step)
            for belief in source.several([each.id for each in step if each.source is source])
        }
        for each in step:
            looked_at.add(each.id)
            belief = beliefs.get(each.id)
            if belief is not None and belief.status is BeliefStatus.ACTIVE:  # else retired since the search
                given += 1
                yield each, belief


def _is_enough(ranked: Sequence[RankedBelief], budget: int) -> bool:
    """True when ten hold and take as much as most answers should: to judge a further one costs reading its file."""
    holding = [each for each in ranked if each.judgement.standing.holds]
    return len(holding) >= _MANY and SPENT * pack(holding, budget)[1] >= budget


def _ranked(each: FoundBelief, judgement: Judgement, best: _Best) -> RankedBelief:
    """The candidate with a score between 0 and 1 that has the order in it: half for holding, then band, authority and
    relevance, each finer than a step of the one before."""
    ranks = len(Authority)
    within = min(each.relevance / best.relevance, 1.0) if best.relevance > 0 else 0.0
    authority = (ranks - 1 - judgement.belief.authority.rank + 0.999 * within) / ranks
    score = 0.5 * judgement.standing.holds + (_BANDS - 1 - best.band(each) + authority) / (2 * _BANDS)
    return RankedBelief(judgement, score, why(each, judgement))
