"""The part of a store that holds what the git history was read into: each method one transaction."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from memlsp.model.episode import CommitEpisode, HistoryKept
from memlsp.store.core.database import Database
from memlsp.store.core.file_lock import turn
from memlsp.store.tables import history
from memlsp.store.tables.history import CompletedScan, RecordedChange

_Transaction = Callable[[], AbstractContextManager[Database]]


class HistoryRepository:
    """Commit episodes and their symbol changes. All of it can be read from git again, so that nothing here moves the
    store's version. Methods raise what those of the store do."""

    def __init__(self, path: Path, reading: _Transaction, writing: _Transaction) -> None:
        self._path = path
        self._reading = reading
        self._writing = writing

    @contextmanager
    def turn(self) -> Generator[bool]:
        """Be the one who reads the history into this store, while the block runs; False when another is."""
        with turn(self._path.with_name(self._path.name + ".reading")) as mine:
            yield mine

    def keep(self, episode: CommitEpisode) -> bool:
        """Write an episode, durable when this returns; False, and nothing is written, when it is there already."""
        with self._writing() as connection:
            return history.keep(connection, episode)

    def known(self) -> set[str]:
        """The full hashes of the commits that were read."""
        with self._reading() as connection:
            return history.known(connection)

    def episode(self, commit: str) -> CommitEpisode | None:
        """The episode of a commit, by its full hash."""
        with self._reading() as connection:
            return history.episode(connection, commit)

    def episodes(self, limit: int) -> list[CommitEpisode]:
        """The latest episodes of all branches that were read, by the time of their commits."""
        with self._reading() as connection:
            return history.episodes(connection, limit)

    def steps(
        self, path: str, names: Sequence[str] | None = None, *, limit: int = 1_000, moved: bool = False
    ) -> list[RecordedChange]:
        """The changes of symbols of a file, newest first by the time of their commits, on any branch.

        Those after which a symbol of one of `names` (None: any) stood there, or that took it away; with `moved` only
        those that gave it another name or place.
        """
        with self._reading() as connection:
            return history.steps_of(connection, path, names, limit, moved=moved)

    def departures(self, path: str, names: Sequence[str], *, limit: int = 1_000) -> list[RecordedChange]:
        """The changes by which a symbol that had one of these names in a file got another name or place, newest first
        by the time of their commits, on any branch."""
        with self._reading() as connection:
            return history.departures(connection, path, names, limit)

    def scans(self) -> list[CompletedScan]:
        """The scans that came to their end, the latest first."""
        with self._reading() as connection:
            return history.scans(connection)

    def add_scan(self, reading: CompletedScan) -> None:
        """Note that a reading came to its end."""
        with self._writing() as connection:
            history.add_scan(connection, reading)

    def counted(self) -> HistoryKept:
        """What is kept, in numbers; `git_bytes` is left open."""
        with self._reading() as connection:
            return history.counted(connection)

    def clear(self) -> None:
        """Forget all of it."""
        with self._writing() as connection:
            history.clear(connection)
