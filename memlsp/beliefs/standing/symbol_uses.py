"""What symbols use, remembered for as long as every file that was looked at for the answer stays what it was.

Of the symbol's own file, what the answer follows from has to stay: see `carrying`.
"""

from __future__ import annotations

import threading
import weakref
from bisect import bisect_left
from collections import OrderedDict
from pathlib import Path

from attrs import evolve, frozen

from memlsp.beliefs.standing.answer_reuse import FileEdit
from memlsp.beliefs.standing.files import Files
from memlsp.beliefs.standing.transitive_uses import (
    ConfigurationIndex,
    Look,
    called_on_values,
    inherited,
    keys_read,
    types_mentioned,
)
from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.regions import source_of
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.symbol import Dependency, Symbol

_MOST = 4096  # answers kept

_STATES = 3  # of a file, from which answers are carried over
_FILES = 32

_Key = tuple[Path, str, str, int]


@frozen
class _Answer:
    """An answer and what it was made from; an outline is the same object for as long as its file is the same."""

    here: weakref.ref[Outline]
    siblings: tuple[str, ...]
    looked_at: tuple[tuple[str, weakref.ref[Outline] | None], ...]
    depends: tuple[Dependency, ...]


class Uses:
    """The answers, the least recently used let go first. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Key, _Answer] = OrderedDict()
        self._states: OrderedDict[tuple[Path, str], tuple[Outline, ...]] = OrderedDict()
        self._edit: tuple[weakref.ref[Outline], weakref.ref[Outline], FileEdit] | None = None
        self._indexed: tuple[str, ...] = ()
        self._index: ConfigurationIndex | None = None

    def of(self, symbol: Symbol, here: Outline, worktree: Files) -> tuple[Dependency, ...]:
        """What a symbol uses."""
        siblings = _siblings(here, worktree)
        key = (worktree.root, here.path, symbol.name, symbol.ordinal)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept.siblings == siblings and self._holds(kept, symbol, here, worktree):
            if kept.here() is not here:
                self._keep(key, evolve(kept, here=weakref.ref(here)))
            return kept.depends
        seen: dict[str, Outline | None] = {}

        def look(path: str) -> Outline | None:
            if path not in seen:
                seen[path] = worktree.outline(path)
            return seen[path]

        found = self._gathered(symbol, here, look, siblings, worktree)
        looked_at = tuple((path, weakref.ref(other) if other is not None else None) for path, other in seen.items())
        self._keep(key, _Answer(weakref.ref(here), siblings, looked_at, found))
        return found

    def _keep(self, key: _Key, answer: _Answer) -> None:
        with self._lock:
            self._kept[key] = answer
            self._kept.move_to_end(key)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)

    def _holds(self, kept: _Answer, symbol: Symbol, here: Outline, worktree: Files) -> bool:
        """True when an answer holds in the state `here` of the symbol's file."""
        before = kept.here()
        edit = self._edit_to(before, here, worktree.root)
        if before is not here and edit is None:
            return False
        others = [looked for looked in kept.looked_at if looked[0] != here.path]
        if not all(_is_still(worktree, *looked) for looked in others):
            return False
        if edit is None:
            return True
        read = [outline for _, ref in others if ref is not None and (outline := ref()) is not None]
        return edit.spares(symbol, read)

    def _edit_to(self, before: Outline | None, here: Outline, root: Path) -> FileEdit | None:
        """What lies between two states of a file; None when they are the same one, and when the former is gone."""
        if before is here:
            return None
        with self._lock:
            states = self._states.pop((root, here.path), ())
            if not any(state is here for state in states):
                states = (*states, here)[-_STATES:]
            self._states[root, here.path] = states
            while len(self._states) > _FILES:
                self._states.popitem(last=False)
            known = self._edit
        if before is None:
            return None
        if known is None or known[0]() is not before or known[1]() is not here:
            known = (weakref.ref(before), weakref.ref(here), FileEdit(before, here))
            self._edit = known
        return known[2]

    def _gathered(
        self, symbol: Symbol, here: Outline, look: Look, siblings: tuple[str, ...], worktree: Files
    ) -> tuple[Dependency, ...]:
        """What the language resolves, what bases hand down, and what is read from configuration."""
        ending = here.path[here.path.rfind(".") :]

        def listing(folder: str) -> tuple[str, ...]:
            return _files_in(folder, ending, worktree)

        found = dependencies(symbol, here, look, siblings=siblings, listing=listing)

        def resolve(callee: Symbol, there: Outline) -> tuple[Dependency, ...]:
            return dependencies(callee, there, look, siblings=_siblings(there, worktree), listing=listing)

        def source() -> str:
            return source_of(symbol, worktree.read(here.path) or b"")

        handed = (*inherited(symbol, found, look), *called_on_values(symbol, here, look, resolve, source))
        keys = tuple(keys_read(symbol, here, found, look, resolve, self._configuration(worktree.paths())))
        mentioned = tuple(types_mentioned(symbol, here, found, resolve))
        return (*found, *handed, *keys, *mentioned)

    def _configuration(self, paths: tuple[str, ...]) -> ConfigurationIndex:
        with self._lock:
            if self._index is None or self._indexed is not paths:
                self._indexed, self._index = paths, ConfigurationIndex(paths)
            return self._index


def _siblings(here: Outline, worktree: Files) -> tuple[str, ...]:
    """The files of the same folder, for a language in which they share their names."""
    language = language_named(here.language)
    if language is None or not language.shares_folder:
        return ()
    near = _files_in(here.path.rpartition("/")[0], here.path[here.path.rfind(".") :], worktree)
    return tuple(path for path in near if path != here.path)


def _files_in(folder: str, ending: str, worktree: Files) -> tuple[str, ...]:
    """The files with this ending that lie in a folder itself."""
    start = f"{folder}/" if folder else ""
    paths = worktree.paths()
    first = bisect_left(paths, start)
    found: list[str] = []
    for path in paths[first:]:
        if not path.startswith(start):
            break
        if path.endswith(ending) and "/" not in path[len(start) :]:
            found.append(path)
    return tuple(found)


def _is_still(worktree: Files, path: str, before: weakref.ref[Outline] | None) -> bool:
    now = worktree.outline(path)
    return now is None if before is None else now is not None and before() is now


_uses = Uses()


def uses_of(symbol: Symbol, here: Outline, worktree: Files) -> tuple[Dependency, ...]:
    """What `symbol` of the outline `here` uses of the workspace, as the files are now."""
    return _uses.of(symbol, here, worktree)
