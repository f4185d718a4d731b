"""Choose the beliefs that apply to a place, without reading the others, and order them.

The store finds beliefs by the file that they were anchored in. After a move, the symbol's new file has to find them
too: `MovedBeliefs` looks up anchors in other files that share a name or a meaning with one of its symbols, and judges
those that are no longer at their place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from memlsp.capture.bounded_cache import BoundedCache
from memlsp.model.belief import Belief, ScopeKind
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Judgement

if TYPE_CHECKING:
    import pathspec

    from memlsp.capture.workspace.worktree import Worktree
    from memlsp.store.store import Store

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
        self._covering = BoundedCache[tuple[int, str], tuple[tuple[int, int], tuple[str, ...]]](_MOST_PATHS)

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
        kept = self._covering.get((number, path))
        if kept is not None and kept[0] == state:
            return kept[1]
        covering = tuple(pattern for pattern in store.patterns() if matches(pattern, path))
        self._covering.put((number, path), (state, covering))
        return covering


_MOST_FILES = 100
_MOST_JUDGED = 200
_MOST_NAMED = 64
_Elsewhere = tuple[str, str, str, str]
"""The id of a belief, with path, symbol and meaning of its anchor."""


class MovedBeliefs:
    """Maps files to the beliefs whose code moved there. Safe to use from several threads."""

    def __init__(self, store: Store, worktree: Worktree, judge: Callable[[Belief], Judgement]) -> None:
        self._store = store
        self._worktree = worktree
        self._judge = judge
        self._lock = threading.Lock()
        self._noted: dict[str, set[str]] = {}  # new path -> ids of beliefs
        self._named = BoundedCache[str, tuple[tuple[int, int, frozenset[str]], list[_Elsewhere]]](_MOST_NAMED)
        self._defined = BoundedCache[str, tuple[object, frozenset[str]]](4 * _MOST_FILES)
        self._generation = 0

    def generation(self) -> int:
        """A number that moves when a judgement located a belief in a file that was not known to hold it."""
        return self._generation

    def note(self, judgement: Judgement) -> None:
        """Record where a judgement found its code, whatever the judgement was made for."""
        for tie in judgement.ties:
            if tie.found and tie.path != tie.anchor.path:
                with self._lock:
                    known = self._noted.setdefault(tie.path, set())
                    if judgement.belief.id not in known:
                        known.add(judgement.belief.id)
                        self._generation += 1

    def now_in(self, path: str) -> tuple[str, ...]:
        """Ids of the beliefs anchored elsewhere whose code is in this file now, or was found there before.

        At most 100 files that lost a symbol are considered, and 200 beliefs.
        """
        found = self._arrived(path)
        with self._lock:
            return tuple(sorted(found | self._noted.get(path, set())))

    def _arrived(self, path: str) -> set[str]:
        if not self._store.anchored_outside(path):
            return set()
        outline = self._worktree.outline(path)
        if outline is None:
            return set()
        names = {symbol.simple_name for symbol in outline.symbols if symbol.name}
        meanings = {symbol.fingerprint.meaning for symbol in outline.symbols}
        suspects: dict[str, None] = {}
        files: set[str] = set()
        for id, place, symbol, meaning in self._candidates(path, names, meanings):
            if place not in files and len(files) >= _MOST_FILES:
                continue
            files.add(place)
            if meaning not in meanings and symbol in self._defined_in(place):
                continue
            there = self._worktree.outline(place)
            now = there.find(symbol) if there is not None else None
            # what stands under its old name is at its place, unless it has another body and the old one came here
            if now is None or (now.fingerprint.meaning != meaning and meaning in meanings):
                suspects.setdefault(id)
        arrived: set[str] = set()
        for id in list(suspects)[:_MOST_JUDGED]:
            belief = self._store.belief(id)
            if belief is not None and any(tie.found and tie.path == path for tie in self._judge(belief).ties):
                arrived.add(id)
        return arrived

    def _candidates(self, path: str, names: set[str], meanings: set[str]) -> list[_Elsewhere]:
        """The anchors in other files that may belong here, by place. Those of the names, which a keystroke seldom
        changes and thousands may share, are read once for each state of the store."""
        state = self._store.data_version(), self._store.change_count(), frozenset(names)
        kept = self._named.get(path)
        if kept is None or kept[0] != state:
            kept = state, self._store.anchored_elsewhere(path, names, ())
            self._named.put(path, kept)
        found = {*kept[1], *self._store.anchored_elsewhere(path, (), meanings)}
        return sorted(found, key=lambda each: (*each[1:3], each[0]))

    def _defined_in(self, path: str) -> frozenset[str]:
        """Names that a file surely defines; its outline, which takes ten times as long, may have more."""
        from memlsp.code.syntax.outline import defined_names  # late, as the outline above

        kept, state = self._defined.get(path), self._worktree.state(path)
        if kept is None or state is None or kept[0] != state:
            kept = state, frozenset[str]()
            with suppress(MemlspError, OSError):
                kept = state, defined_names(path, self._worktree.read(path) or b"")
            self._defined.put(path, kept)
        return kept[1]
