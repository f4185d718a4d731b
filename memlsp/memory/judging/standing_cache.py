"""Judgements that are kept from one look at everything to the next, so that a look costs what moved.

With each judgement is kept which files were looked at for it and in which state they were; while they are the same, so
is it. What was searched for through the whole workspace (where has this symbol gone?) holds while nothing at all was
said to have changed, and only while a watcher says so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from attrs import frozen

from memlsp.beliefs.files import FileSnapshot
from memlsp.beliefs.standing.standing import judge_in
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.syntax.outline import Outline
from memlsp.model.belief import Belief
from memlsp.model.standing import Judgement

MOST_KEPT = 10_000
"""Judgements; the oldest go."""

States = dict[str, object]


@frozen
class _Kept:
    """A judgement, the states of the files that were looked at, and until when it holds by its dates. `generation` is
    that of the worktree where more was looked at than those files."""

    judgement: Judgement
    states: tuple[tuple[str, object], ...]
    generation: int | None
    until: datetime | None


class StandingCache:
    """The judgements of one worktree. Safe to use from several threads. `watched` tells whether a watcher runs."""

    def __init__(self, worktree: Worktree, watched: Callable[[], bool], clock: Callable[[], datetime]) -> None:
        self._worktree = worktree
        self._watched = watched
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, _Kept] = {}

    def judge_all(self, beliefs: Iterable[Belief]) -> Iterator[Judgement]:
        """Each held against the code as it is now, anew only where that may give another answer."""
        look = _Look(self._worktree)
        generation, now, watched = self._worktree.generation(), self._clock(), self._watched()
        for belief in beliefs:
            with self._lock:
                kept = self._kept.get(belief.id)
            if kept is not None and self._holds(kept, belief, look, generation if watched else None, now):
                yield kept.judgement
                continue
            look.begin()
            judgement = judge_in(belief, look, now=now)
            self._keep(judgement, look, generation, now)
            yield judgement

    def retain(self, ids: Collection[str]) -> None:
        """Keep nothing of any other belief: it may have been forgotten."""
        with self._lock:
            for id in self._kept.keys() - set(ids):
                del self._kept[id]

    def _holds(self, kept: _Kept, belief: Belief, look: _Look, generation: int | None, now: datetime) -> bool:
        if kept.generation is not None and kept.generation != generation:
            return False
        if kept.until is not None and now >= kept.until:
            return False
        if kept.judgement.belief != belief:
            return False
        return all(look.state(path) == state for path, state in kept.states)

    def _keep(self, judgement: Judgement, look: _Look, generation: int, now: datetime) -> None:
        belief = judgement.belief
        states = tuple((path, look.state(path)) for path in look.paths_seen)
        settled = all(state is not None and not self._worktree.awaits(path) for path, state in states)
        dates = [each for each in (belief.expires_at, belief.unconfirmed_at) if each is not None and each > now]
        kept = _Kept(
            judgement,
            states if settled else (),
            None if settled and not look.is_wide else generation,
            min(dates, default=None),
        )
        with self._lock:
            self._kept.pop(belief.id, None)
            self._kept[belief.id] = kept
            if len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]


class _Look(FileSnapshot):
    """A glance that notes what is looked at. Not to be shared by threads.

    A state is taken before its file is read: what changes in between is looked at again the next time.
    """

    def __init__(self, worktree: Worktree) -> None:
        super().__init__(worktree)
        self._states: States = {}
        self.paths_seen: set[str] = set()
        self.is_wide = False

    def begin(self) -> None:
        """From here on for another belief."""
        self.paths_seen = set()
        self.is_wide = False

    def state(self, path: str) -> object:
        """What tells the file's content from any other it may have; None where nothing does."""
        if path not in self._states:
            self._states[path] = self._worktree.state(path)
        return self._states[path]

    @property
    def root(self) -> Path:
        """The top of the checkout."""
        return self._worktree.root

    def paths(self) -> tuple[str, ...]:
        """The files of the workspace, sorted."""
        self.is_wide = True
        return super().paths()

    def exists(self, path: str) -> bool:
        """True when there is such a file or folder."""
        self.is_wide = True
        return super().exists(path)

    def read(self, path: str) -> bytes | None:
        """The bytes as they are now; raises what the worktree raises."""
        self._see(path)
        return super().read(path)

    def outline(self, path: str) -> Outline | None:
        """The symbols as they are now."""
        self._see(path)
        return super().outline(path)

    def containing(self, texts: Sequence[bytes], *, suffixes: Sequence[str] = (), limit: int = 200) -> list[str]:
        """Return the files that contain all `texts`."""
        self.is_wide = True
        return super().containing(texts, suffixes=suffixes, limit=limit)

    def has_buffer(self, path: str) -> bool:
        """True when an editor holds the file."""
        self._see(path)
        return super().has_buffer(path)

    def head(self) -> str | None:
        """The commit that is checked out."""
        self.is_wide = True
        return super().head()

    def _see(self, path: str) -> None:
        self.state(path)
        self.paths_seen.add(path)
