"""The beliefs around one: its bases and dependents, predecessors and successors, and the beliefs that contradict it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.judging.judgements import Judgements
from memlsp.model.errors import NoSuchBelief
from memlsp.model.standing import Judgement
from memlsp.model.view import BeliefGraph, Bond, BondKind


def surroundings(
    context: Context, judgements: Judgements, conflicts: Conflicts, start: Judgement, *, steps: int, most: int
) -> BeliefGraph:
    """The beliefs at most `steps` bonds away, breadth first, at most `most` including the start, and every bond between
    them. Forgotten beliefs are left out."""
    known: dict[str, Judgement] = {start.belief.id: start}
    bonds: dict[Bond, None] = {}
    edge: Sequence[Judgement] = (start,)
    for step in range(steps + 1):
        found: list[Judgement] = []
        for judgement in edge:
            for bond in _bonds_of(context, conflicts, judgement):
                other = bond.other(judgement.belief.id)
                if other not in known:
                    if step == steps or len(known) >= most:
                        continue
                    try:
                        known[other] = judgements.get(other)
                    except NoSuchBelief:
                        continue
                    found.append(known[other])
                bonds[bond] = None
        edge = found
    return BeliefGraph(tuple(known.values()), tuple(bonds))


def _bonds_of(context: Context, conflicts: Conflicts, judgement: Judgement) -> Iterator[Bond]:
    belief = judgement.belief
    for base in belief.because_of:
        yield Bond(BondKind.BECAUSE_OF, belief.id, base)
    for store in context.stores:
        for dependent in store.dependents(belief.id):
            yield Bond(BondKind.BECAUSE_OF, dependent.id, belief.id)
    if belief.superseded_by:
        yield Bond(BondKind.SUPERSEDED_BY, belief.superseded_by, belief.id)
    for store in context.stores:
        for former in store.replaced_by(belief.id):
            yield Bond(BondKind.SUPERSEDED_BY, belief.id, former.id)
    for conflict in conflicts.of(belief.id):
        yield Bond(BondKind.CONTRADICTS, conflict.first, conflict.second)
