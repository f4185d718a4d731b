"""The part of a store that holds what was observed. Each method is one transaction."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from memlsp.store.database import Database

_Transaction = Callable[[], AbstractContextManager[Database]]


class Journal:
    """Events, and what became of each. Methods raise what those of the store do."""

    def __init__(self, reading: _Transaction, writing: _Transaction) -> None:
        self._reading = reading
        self._writing = writing
