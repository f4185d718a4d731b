"""Beliefs whose code lives in another file now.

The store finds beliefs by the file they were anchored in. After a move to another file the symbol's new home has to
find them too, so the files that hold anchors are looked through for anchors that are not at their place any more. A
file whose content was seen with all its anchors in place is not looked at again until the content changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b

from memlsp.capture.worktree import Worktree
from memlsp.model.belief import Belief
from memlsp.model.errors import MemlspError, StoreError
from memlsp.model.standing import Judgement
from memlsp.store import Store


class Displaced:
    """Which beliefs moved to which file."""

    def __init__(self, store: Store, worktree: Worktree, judge: Callable[[Belief], Judgement]) -> None:
        self._store = store
        self._worktree = worktree
        self._judge = judge
        self._lock = threading.Lock()
        self._moved: dict[str, set[str]] = {}  # new path -> ids of beliefs
        self._surveyed: object = None
        self._generation = 0

    def generation(self) -> int:
        """Moves when a belief was found to live in another file than was known."""
        return self._generation

    def survey(self, state: object) -> None:
        """Look through every file that holds anchors; once for each `state`, which moves when code or memory did."""
        with self._lock:
            if state == self._surveyed:
                return
        moved: dict[str, set[str]] = {}
        for path in self._store.anchored_paths():
            self._look_at(path, moved)
        with self._lock:
            if moved != self._moved:
                self._generation += 1
            self._moved = moved
            self._surveyed = state

    def note(self, judgement: Judgement) -> None:
        """Learn from a judgement that was made for another reason."""
        for tie in judgement.ties:
            if tie.found and tie.path != tie.anchor.path:
                with self._lock:
                    known = self._moved.setdefault(tie.path, set())
                    if judgement.belief.id not in known:
                        known.add(judgement.belief.id)
                        self._generation += 1

    def now_in(self, path: str) -> tuple[str, ...]:
        """Ids of the beliefs anchored elsewhere whose code was found in this file."""
        with self._lock:
            return tuple(sorted(self._moved.get(path, ())))

    def _look_at(self, path: str, moved: dict[str, set[str]]) -> None:
        key = f"in-place:{path}"
        try:
            source = self._worktree.read(path)
        except MemlspError:
            return
        beliefs = self._store.anchored_at(path)
        names = sorted(f"{anchor.symbol}" for belief in beliefs for anchor in belief.anchors if anchor.path == path)
        # the names belong to the mark, so that a belief remembered later makes the file be looked at again
        mark = blake2b((source or b"") + "\0".join(names).encode(), digest_size=16).hexdigest() if source else ""
        if mark and self._store.cached_history(key) == mark:
            return
        in_place = True
        for belief in beliefs:
            for tie in self._judge(belief).ties:
                if not tie.found:
                    in_place = False
                elif tie.path != tie.anchor.path:
                    in_place = False
                    moved.setdefault(tie.path, set()).add(belief.id)
        if in_place and mark:
            with suppress(StoreError):
                self._store.cache_history(key, mark)
