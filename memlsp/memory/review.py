"""The review queue."""

from __future__ import annotations

from memlsp.memory.premises import Premises


class Review:
    """What waits for a decision, by impact."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
