"""Forgetting, with everything that was derived."""

from __future__ import annotations

from memlsp.memory.premises import Premises


class Forgetting:
    """Removes for good, and proves it."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
