"""What an agent is handed to consolidate: statements that say much the same, side by side. It decides; we do not."""

from __future__ import annotations

from memlsp.beliefs.lifecycle.similar_statements import alike
from memlsp.memory.context import Premises
from memlsp.model.belief import Belief
from memlsp.model.standing import Judgement

_NEWEST = 600
"""Statements that are looked at when no topic is given."""

_ON_TOPIC = 60


class Consolidating:
    """Finds what could be said once."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises

    def groups(self, topic: str = "", *, limit: int = 6, asker: str = "python") -> tuple[tuple[Judgement, ...], ...]:
        """Groups of statements that say much the same, the most alike first: among those that answer a `topic`, or
        among the newest. The same memory gives the same groups."""
        memory = self._premises.memory
        if topic.strip():
            found = memory.recall(topic, budget=8_000, limit=_ON_TOPIC, asker=asker, work=False)
            beliefs = [hit.judgement.belief for hit in found.hits]
        else:
            beliefs = self._newest()
        groups = alike(beliefs)[: max(limit, 0)]
        return tuple(tuple(memory.belief(each.id) for each in group) for group in groups)

    def _newest(self) -> list[Belief]:
        found = [*self._premises.store.beliefs(limit=_NEWEST), *self._premises.user.beliefs(limit=_NEWEST)]
        return sorted(found, key=lambda belief: (belief.created_at, belief.id), reverse=True)[:_NEWEST]
