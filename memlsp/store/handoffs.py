"""The part of a store that holds handoffs, and what a hook may say at once. Each method is one transaction."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from memlsp.store.database import Database

_Transaction = Callable[[], AbstractContextManager[Database]]


class Handoffs:
    """Handoffs, notes, remedies and the briefing. Methods raise what those of the store do."""

    def __init__(self, reading: _Transaction, writing: _Transaction) -> None:
        self._reading = reading
        self._writing = writing
