"""Which of the beliefs that are told contradict another: an agent that asks should hear both sides."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from memlsp.faces.mcp.workspace import Desk
from memlsp.model.errors import MemlspError
from memlsp.model.review import Conflict
from memlsp.model.standing import Judgement

MOST = 5
"""Contradictions that an answer names; `review` has all."""


def open_conflicts(desk: Desk, told: Iterable[Judgement]) -> list[Conflict]:
    """The open conflicts of what is told, each once, in its order."""
    found: dict[str, Conflict] = {}
    with suppress(MemlspError):  # the answer stands without them
        for judgement in told:
            for each in desk.memory.conflicts.of(judgement.belief.id):
                found.setdefault(each.id, each)
    return list(found.values())[:MOST]
