"""Groups statements that share most of their stems, more freely where they are tied to the same code.

A group is a suggestion to look at sentences together, so it may be wrong; nothing is decided by it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from memlsp.beliefs.claims.stems import prose_words, stem
from memlsp.model.belief import Belief

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
