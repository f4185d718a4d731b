"""What work says of beliefs: those anchored to the symbols that work on the same things changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from memlsp.recall.candidates import FoundBelief

_TIED = 0.2
"""What being anchored to the symbol that most of the work changed adds to a relevance by words. No data of ours
measures it: it decides between statements that the words leave close together, and brings none that they did not
find."""


@frozen
class TiedBelief:
    """A belief that is anchored to a symbol. `weight` is that of the symbol (0..1), `clause` tells a person."""

    id: str
    weight: float
    clause: str


def with_ties(found: Mapping[str, FoundBelief], tied: Sequence[TiedBelief]) -> dict[str, FoundBelief]:
    """The candidates, those nearer that are tied to what work on the question changed. None is added."""
    changed = dict(found)
    for each in tied:
        known = changed.get(each.id)
        if known is not None and not known.tie:
            changed[each.id] = evolve(known, nearness=known.nearness + _TIED * each.weight, tie=each.clause)
    return changed
