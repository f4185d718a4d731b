"""Vectors of what is remembered, kept up to date in the background."""

from __future__ import annotations

from memlsp.memory.premises import Premises


class Meaning:
    """The vectors of one workspace's memory."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
