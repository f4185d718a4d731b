"""Groups of similar statements, for an agent that consolidates the memory. The agent decides what to merge."""

from __future__ import annotations

from memlsp.beliefs.lifecycle.similar_statements import similar_groups
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.recall.recall import Recaller
from memlsp.model.belief import Belief
from memlsp.model.recall import RecallOptions
from memlsp.model.standing import Judgement

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
            beliefs = self._newest()
        groups = similar_groups(beliefs)[: max(limit, 0)]
        return tuple(tuple(self._judgements.get(each.id) for each in group) for group in groups)

    def _newest(self) -> list[Belief]:
        found = [*self._context.store.beliefs(limit=_NEWEST), *self._context.user.beliefs(limit=_NEWEST)]
        return sorted(found, key=lambda belief: (belief.created_at, belief.id), reverse=True)[:_NEWEST]
