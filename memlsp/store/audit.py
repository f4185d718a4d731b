"""The audit log as rows, which are only ever added."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from memlsp.store.database import Database

_Transaction = Callable[[], AbstractContextManager[Database]]


class Audit:
    """The part of a store that says who changed what. Each method is one transaction."""

    def __init__(self, reading: _Transaction, writing: _Transaction) -> None:
        self._reading = reading
        self._writing = writing
