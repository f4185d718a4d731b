"""Contradictions between beliefs, behind the door."""

from __future__ import annotations

from memlsp.memory.premises import Premises


class Conflicts:
    """Finds, tells and settles what contradicts."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
