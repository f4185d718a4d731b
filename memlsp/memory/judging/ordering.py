"""Choose the beliefs that apply to a place, without reading the others, and order them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from memlsp.model.belief import Belief, ScopeKind
from memlsp.model.standing import Judgement

if TYPE_CHECKING:
    import pathspec

    from memlsp.store import Store

_NEAREST_FIRST = list(ScopeKind)[::-1]


def most_trusted_first(judgements: Iterable[Judgement], symbol: str) -> tuple[Judgement, ...]:
    """Order judgements: those that hold first, then by authority, then by nearness to `symbol`, then by id.

    Age is no evidence, so it decides nothing. Each belief appears once.
    """

    def distance(judgement: Judgement) -> int:
        near = [len(symbol) - len(tie.symbol) for tie in judgement.ties if symbol.startswith(tie.symbol)]
        return min(near) if near else 1000 + _NEAREST_FIRST.index(judgement.belief.scope.kind)

    unique = {judgement.belief.id: judgement for judgement in judgements}
    return tuple(
        sorted(unique.values(), key=lambda j: (not j.standing.holds, j.belief.authority.rank, distance(j), j.belief.id))
    )


def with_containers(name: str) -> frozenset[str]:
    """A dotted name with the names of all its containers, the file ("") included."""
    names = {"", name}
    while name := name.rpartition(".")[0]:
        names.add(name)
    return frozenset(names)


def is_about(judgement: Judgement, path: str) -> bool:
    """True when a belief is or was tied to a file, or has a path glob that covers it."""
    tied = any(path in {tie.path, tie.anchor.path} for tie in judgement.ties)
    return tied or covers(judgement.belief, path)


def covers(belief: Belief, path: str) -> bool:
    """True when the belief's path glob matches a file. Globs have the syntax of .gitignore."""
    return belief.scope.kind is ScopeKind.GLOB and matches(belief.scope.pattern, path)


def matches(pattern: str, path: str) -> bool:
    """True when a path glob covers a file."""
    return _spec(pattern).match_file(path)


@lru_cache(maxsize=1024)
def _spec(pattern: str) -> pathspec.GitIgnoreSpec:
    import pathspec  # late: only for beliefs of a path glob

    return pathspec.GitIgnoreSpec.from_lines([pattern])


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
