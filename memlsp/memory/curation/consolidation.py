"""Groups of similar statements, for an agent that consolidates the memory. The agent decides what to merge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from memlsp.beliefs.claims.stems import prose_words, stem
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.recall.recall import Recaller
from memlsp.model.belief import Belief
from memlsp.model.recall import RecallOptions
from memlsp.model.standing import Judgement

ANYWHERE = 0.6
"""Share of their stems (intersection over union) that two statements have in common to be shown together."""

SAME_PLACE = 0.35
"""The same for two that are tied to the same symbol or file."""

_COMMON = 40
"""A stem that more statements than this hold leads to no pairs: they would be compared with half of all."""

LARGEST = 6
"""Statements of one group; of more, nobody would see what they have in common."""


def similar_groups(beliefs: Sequence[Belief]) -> list[tuple[Belief, ...]]:
    """Groups of two to `LARGEST` similar statements, the most similar first; each statement once."""
    stems = [frozenset(stem(word) for word in prose_words(belief.text)) for belief in beliefs]
    places = [frozenset((anchor.path, anchor.symbol) for anchor in belief.anchors) for belief in beliefs]
    holders: dict[object, list[int]] = defaultdict(list)
    for number, (own, tied) in enumerate(zip(stems, places, strict=True)):
        for key in (*own, *tied):
            holders[key].append(number)
    pairs: dict[tuple[int, int], float] = {}
    for numbers in holders.values():
        if len(numbers) > _COMMON:
            continue
        for at, one in enumerate(numbers):
            for other in numbers[at + 1 :]:
                if (one, other) not in pairs:
                    pairs[one, other] = _shared(stems[one], stems[other])
    close = [
        (share, one, other)
        for (one, other), share in pairs.items()
        if share >= (SAME_PLACE if places[one] & places[other] else ANYWHERE)
    ]
    close.sort(key=lambda each: (-each[0], beliefs[each[1]].id, beliefs[each[2]].id))
    return [tuple(beliefs[number] for number in group) for group in _joined((one, other) for _, one, other in close)]


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _joined(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Pairs, best first, joined into groups; a full group takes no more."""
    groups: list[list[int]] = []
    home: dict[int, list[int]] = {}
    for one, other in pairs:
        mine, theirs = home.get(one), home.get(other)
        if mine is None and theirs is None:
            group = [one, other]
            groups.append(group)
            home[one] = home[other] = group
        elif (mine is None) != (theirs is None):
            group, new = (mine, other) if theirs is None else (theirs, one)
            if group is not None and len(group) < LARGEST:
                group.append(new)
                home[new] = group
    return groups


_NEWEST = 600
"""Statements that are compared when no topic is given."""

_ON_TOPIC = 60


class Consolidation:
    """Finds statements that could be merged into one."""

    def __init__(self, context: Context, judgements: Judgements, recaller: Recaller) -> None:
        self._context = context
        self._judgements = judgements
        self._recaller = recaller

    def groups(self, topic: str = "", *, limit: int = 6, asker: str = "python") -> tuple[tuple[Judgement, ...], ...]:
        """Groups of similar statements, the most similar first: among the answers to `topic`, or among the newest. The
        result is deterministic."""
        if topic.strip():
            found = self._recaller.ask(topic, RecallOptions(budget=8_000, limit=_ON_TOPIC, work=False), asker=asker)
            beliefs = [hit.judgement.belief for hit in found.hits]
        else:
            newest = (belief for store in self._context.stores for belief in store.beliefs(limit=_NEWEST))
            beliefs = sorted(newest, key=lambda belief: (belief.created_at, belief.id), reverse=True)[:_NEWEST]
        groups = similar_groups(beliefs)[: max(limit, 0)]
        return tuple(tuple(self._judgements.get(each.id) for each in group) for group in groups)
