"""Keep judgements between two listings of all beliefs, so that a listing costs what changed.

Each kept judgement records the files that it was made from and their states; it is reused while those are the same. A
search through the whole workspace (where has this symbol gone?) is reused only while a watcher runs and has reported no
change at all.
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
"""The most judgements that are kept; the oldest are dropped."""

States = dict[str, object]


@frozen
class _CachedJudgement:
    """A judgement, the states of the files it was made from, and the date at which it ends. `generation` is the
    worktree's where the judgement used more than those files."""

    judgement: Judgement
    states: tuple[tuple[str, object], ...]
    generation: int | None
    until: datetime | None


class StandingCache:
    """Caches the judgements of one worktree. Safe to use from several threads. `watched` returns True while a watcher
    runs."""

    def __init__(self, worktree: Worktree, watched: Callable[[], bool], clock: Callable[[], datetime]) -> None:
        self._worktree = worktree
        self._watched = watched
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, _CachedJudgement] = {}

    def judge_all(self, beliefs: Iterable[Belief]) -> Iterator[Judgement]:
        """Judge each belief by the code as it is now, or reuse its judgement where nothing that it was made from
        changed."""
        look = RecordingSnapshot(self._worktree)
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
        """Drop the judgements of all other beliefs: they may have been forgotten."""
        with self._lock:
            for id in self._kept.keys() - set(ids):
                del self._kept[id]

    def _holds(
        self, kept: _CachedJudgement, belief: Belief, look: RecordingSnapshot, generation: int | None, now: datetime
    ) -> bool:
        if kept.generation is not None and kept.generation != generation:
            return False
        if kept.until is not None and now >= kept.until:
            return False
        if kept.judgement.belief != belief:
            return False
        return all(look.state(path) == state for path, state in kept.states)

    def _keep(self, judgement: Judgement, look: RecordingSnapshot, generation: int, now: datetime) -> None:
        belief = judgement.belief
        states = tuple((path, look.state(path)) for path in look.paths_seen)
        settled = all(state is not None and not self._worktree.awaits(path) for path, state in states)
        dates = [each for each in (belief.expires_at, belief.unconfirmed_at) if each is not None and each > now]
        kept = _CachedJudgement(
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


class RecordingSnapshot(FileSnapshot):
    """A snapshot that records which files were used. Not to be shared by threads.

    A state is taken before its file is read, so a change in between is noticed at the next listing.
    """

    def __init__(self, worktree: Worktree) -> None:
        super().__init__(worktree)
        self._states: States = {}
        self.paths_seen: set[str] = set()
        self.is_wide = False

    def begin(self) -> None:
        """Start recording for another belief."""
        self.paths_seen = set()
        self.is_wide = False

    def state(self, path: str) -> object:
        """A value that differs for every content of the file; None where there is no such value."""
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
        """The bytes of a file now. Raises the errors of the worktree."""
        self._see(path)
        return super().read(path)

    def outline(self, path: str) -> Outline | None:
        """The symbols of a file now."""
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
