"""Keep judgements between two answers, so that an answer costs what changed.

Each kept judgement records the files that it was made from and their states; it is reused while those are the same. A
search through the whole workspace (where has this symbol gone?) is reused only while a watcher runs and has reported no
change at all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.beliefs.files import FileSnapshot
from memlsp.capture.workspace.worktree import Worktree
from memlsp.memory.judging.kept_standings import KeptStandings
from memlsp.model.belief import Belief
from memlsp.model.standing import Judgement

if TYPE_CHECKING:
    from memlsp.code.syntax.outline import Outline

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

    def __init__(
        self,
        worktree: Worktree,
        watched: Callable[[], bool],
        clock: Callable[[], datetime],
        on_disk: KeptStandings | None = None,
    ) -> None:
        self._worktree = worktree
        self._on_disk = on_disk
        self._watched = watched
        self._clock = clock
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._kept: dict[str, _CachedJudgement] = {}

    def judge_all(self, beliefs: Sequence[Belief], look: RecordingSnapshot | None = None) -> Iterator[Judgement]:
        """Judge each belief by the code as it is now, or reuse its judgement where nothing that it was made from
        changed. Without `look` the files are looked at anew."""
        look = look or RecordingSnapshot(self._worktree)
        generation, now, watched = self._worktree.generation(), self._clock(), self._watched()
        on_disk = None if watched else self._on_disk
        digests: dict[str, str] = {}
        known: dict[str, Judgement] = {}
        if on_disk is not None:
            with self._writing:
                digests = on_disk.digests(beliefs)
                known = on_disk.judgements(beliefs, digests, now)
        for belief in beliefs:
            if belief.id in known:
                yield known[belief.id]
                continue
            with self._lock:
                kept = self._kept.get(belief.id)
            if kept is not None and self._holds(kept, belief, look, generation if watched else None, now):
                yield kept.judgement
                continue
            from memlsp.beliefs.standing.standing import judge_in  # late: all of the parsing is behind it

            look.begin()
            judgement = judge_in(belief, look, now=now)
            until = self._keep(judgement, look, generation, now)
            if on_disk is not None:
                with self._writing:
                    on_disk.note(judgement, digests.get(belief.id), look, until)
            yield judgement

    def close(self) -> None:
        """Write what the next process may reuse."""
        if self._on_disk is not None:
            with self._writing:
                self._on_disk.write()

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

    def _keep(self, judgement: Judgement, look: RecordingSnapshot, generation: int, now: datetime) -> datetime | None:
        """Keep a judgement; return when it ends by its date."""
        belief = judgement.belief
        states = tuple((path, look.state(path)) for path in look.paths_seen)
        settled = all(state is not None and not self._worktree.awaits(path) for path, state in states)
        dates = [each for each in (belief.expires_at, belief.unconfirmed_at) if each is not None and each > now]
        until = min(dates, default=None)
        wide = None if settled and not look.is_wide else generation
        kept = _CachedJudgement(judgement, states if settled else (), wide, until)
        with self._lock:
            self._kept.pop(belief.id, None)
            self._kept[belief.id] = kept
            if len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        return until


class RecordingSnapshot(FileSnapshot):
    """A snapshot that records which files were used. Not to be shared by threads.

    A state is taken before its file is read, so a change in between is noticed at the next listing.
    """

    def __init__(self, worktree: Worktree) -> None:
        super().__init__(worktree)
        self._states: States = {}
        self.begin()

    def begin(self) -> None:
        """Start recording for another belief."""
        self.paths_seen: set[str] = set()
        self.present: set[str] = set()  # of them, those that were there
        self.asked: dict[str, bool] = {}  # names, and whether there was such a file or folder
        self.is_wide = False
        self.searched = False

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
        found = self.asked[path] = super().exists(path)
        return found

    def read(self, path: str) -> bytes | None:
        """The bytes of a file now. Raises the errors of the worktree."""
        self._see(path)
        found = super().read(path)
        if found is not None:
            self.present.add(path)
        return found

    def outline(self, path: str) -> Outline | None:
        """The symbols of a file now."""
        self._see(path)
        found = super().outline(path)
        if found is not None:
            self.present.add(path)
        return found

    def containing(self, texts: Sequence[bytes], *, suffixes: Sequence[str] = (), limit: int = 200) -> list[str]:
        """Return the files that contain all `texts`."""
        self.is_wide = self.searched = True
        return super().containing(texts, suffixes=suffixes, limit=limit)

    def has_buffer(self, path: str) -> bool:
        """True when an editor holds the file."""
        self._see(path)
        return super().has_buffer(path)

    def head(self) -> str | None:
        """The commit that is checked out."""
        self.is_wide = self.searched = True
        return super().head()

    def _see(self, path: str) -> None:
        self.state(path)
        self.paths_seen.add(path)
