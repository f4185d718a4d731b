"""How commits and episodes are found by words."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from memlsp.store.database import Database

_Transaction = Callable[[], AbstractContextManager[Database]]


class WorkSearch:
    """The search index of what was done. Each method is one transaction."""

    def __init__(self, reading: _Transaction, writing: _Transaction) -> None:
        self._reading = reading
        self._writing = writing
