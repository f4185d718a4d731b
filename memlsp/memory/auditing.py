"""The audit log behind the door."""

from __future__ import annotations

from memlsp.memory.premises import Premises


class Auditing:
    """Who changed what in one workspace's memory."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
