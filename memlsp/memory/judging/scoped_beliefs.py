"""Find the beliefs of user, workspace and glob scope that concern one place, without reading the others."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from memlsp.memory.judging.ordering import matches
from memlsp.model.belief import Belief
from memlsp.store import Store

_MOST_PATHS = 1024


class ScopedBeliefs:
    """The beliefs that hold for a whole workspace or a part of it. Safe to use from several threads."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self._stores = tuple(stores)
        self._lock = threading.Lock()
        self._covering: dict[tuple[int, str], tuple[tuple[int, int], tuple[str, ...]]] = {}

    def at(self, path: str, simple_name: str) -> list[Belief]:
        """The active beliefs whose path glob covers the file, or that mention a symbol by its last name."""
        found: list[Belief] = []
        for number, store in enumerate(self._stores):
            found += store.in_scope(self._patterns(number, path), simple_name)
        return found

    def _patterns(self, number: int, path: str) -> tuple[str, ...]:
        """The globs that cover a file, matched once for each state of the store."""
        store = self._stores[number]
        state = (store.data_version(), store.change_count())
        with self._lock:
            kept = self._covering.get((number, path))
        if kept is not None and kept[0] == state:
            return kept[1]
        covering = tuple(pattern for pattern in store.patterns() if matches(pattern, path))
        with self._lock:
            if len(self._covering) >= _MOST_PATHS:
                self._covering.clear()
            self._covering[(number, path)] = (state, covering)
        return covering
