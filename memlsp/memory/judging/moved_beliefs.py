"""Find the beliefs whose code was moved to another file.

The store finds beliefs by the file that they were anchored in. After a move, the symbol's new file has to find them
too: this module looks up anchors in other files that share a name or a meaning with one of its symbols, and judges
those that are no longer at their place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.belief import Belief
from memlsp.model.standing import Judgement
from memlsp.store import Store

_MOST_FILES = 100
_MOST_JUDGED = 200


class MovedBeliefs:
    """Maps files to the beliefs whose code moved there. Safe to use from several threads."""

    def __init__(self, store: Store, worktree: Worktree, judge: Callable[[Belief], Judgement]) -> None:
        self._store = store
        self._worktree = worktree
        self._judge = judge
        self._lock = threading.Lock()
        self._noted: dict[str, set[str]] = {}  # new path -> ids of beliefs
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
        for id, place, symbol, meaning in self._store.anchored_elsewhere(path, names, meanings):
            if place not in files and len(files) >= _MOST_FILES:
                continue
            files.add(place)
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
