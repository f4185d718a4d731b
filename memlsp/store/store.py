"""The store of one memory: its file, its transactions, and the repositories that work in them."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from memlsp.model.belief import BeliefStatus
from memlsp.model.errors import StoreCorrupt, StoreUnavailable
from memlsp.store.core import store_file
from memlsp.store.core.database import Database, scalar, transaction
from memlsp.store.core.file_handles import file_identity
from memlsp.store.core.sqlite_errors import DAMAGE, store_errors
from memlsp.store.core.transactions import Transactions
from memlsp.store.search.query import Search, SearchHit
from memlsp.store.tables.belief_repository import BeliefRepository

if TYPE_CHECKING:
    from memlsp.store.backup.copies import CopyRepository
    from memlsp.store.erase.erasure import ErasureRepository
    from memlsp.store.search.work_query import WorkSearch
    from memlsp.store.tables.audit import AuditRepository
    from memlsp.store.tables.conflicts import ConflictRepository
    from memlsp.store.tables.episodes import EpisodeRepository
    from memlsp.store.tables.event_repository import EventRepository
    from memlsp.store.tables.handoffs import HandoffRepository
    from memlsp.store.tables.history import HistoryRepository
    from memlsp.store.tables.revisions import RevisionRepository
    from memlsp.store.tables.team import TeamRepository
    from memlsp.store.tables.threads import ThreadRepository
    from memlsp.store.tables.vectors import VectorRepository

_PARTS = {
    "past": "tables.history",
    "journal": "tables.event_repository",
    "episodes": "tables.episodes",
    "threads": "tables.threads",
    "handoffs": "tables.handoffs",
    "vectors": "tables.vectors",
    "work_search": "search.work_query",
    "conflicts": "tables.conflicts",
    "copies": "backup.copies",
    "audit": "tables.audit",
    "changes": "tables.revisions",
    "team": "tables.team",
    "forgetting": "erase.erasure",
}


def open_store(path: Path, *, read_only_ok: bool = True, patience: float | None = None) -> Store:
    """Open the store at `path`, making it and its folder where needed, readable by their owner alone.

    A damaged file is set aside and a fresh one started; a file that may not be written is opened for reading; `notice`
    says so. Raises StoreTooNew when a newer memlsp wrote it, and StoreUnavailable when it can be neither read nor made,
    or could only be read and `read_only_ok` is False. A write waits `patience` seconds for other processes."""
    return Store(path, read_only_ok=read_only_ok, patience=patience)


class Store(BeliefRepository):
    """One memory on disk: values in, values out, durable when a call returns.

    `notice` is one line for a person, "" when all is well. With `makes_anew` False, writing to a file that vanished
    raises StoreUnavailable instead of making a new one. Any thread may call it: one connection, guarded by a lock. Any
    number of processes may have the file open. After a fork the child must open its own: a connection that crossed a
    fork can damage the file, so it is refused. Every method may raise StoreUnavailable (locked too long, disk full,
    read-only, closed) and StoreCorrupt."""

    past: HistoryRepository
    journal: EventRepository
    episodes: EpisodeRepository
    threads: ThreadRepository
    handoffs: HandoffRepository
    vectors: VectorRepository
    work_search: WorkSearch
    conflicts: ConflictRepository
    copies: CopyRepository
    audit: AuditRepository
    changes: RevisionRepository
    team: TeamRepository
    forgetting: ErasureRepository

    def __init__(self, path: Path, *, read_only_ok: bool = True, patience: float | None = None) -> None:
        self.path = path
        self.makes_anew = True
        self._read_only_ok = read_only_ok
        self._patience = patience
        self._lock = threading.RLock()
        self._closed = False
        self._epoch = 0  # moves when the file was replaced under us
        self._doubtful = False  # damage was met, or the file could not be opened again
        self.notice, self.refusal = "", None
        self._written = 0
        self._use(store_file.open_database(path, read_only_ok=read_only_ok))
        transactions = Transactions(path, self._read, self._write, self._change, self._alone)
        super().__init__(transactions)

    def __getattr__(self, name: str) -> Any:
        """A part of the store, made when it is first asked for: most processes need one or two."""
        if name not in _PARTS:
            raise AttributeError(name)
        home = import_module(f"memlsp.store.{_PARTS[name]}")
        made = getattr(home, self.__class__.__annotations__[name])(self._transactions)
        return self.__dict__.setdefault(name, made)  # two threads may have asked at once

    def _use(self, opened: store_file.Opened) -> None:
        self._connection = opened.connection
        if self._patience is not None:
            opened.connection.set_busy_timeout(int(self._patience * 1000))
        self._search = Search(opened.connection)
        kept_aside = "" if self.refusal else self.notice  # not hidden by a second opening before anybody was told
        self.notice = opened.notice or kept_aside
        self.refusal = opened.refusal
        self._process = os.getpid()
        self._file = file_identity(self.path)
        self._bytes_at = self._bytes_now()
        self._stamp: object = None
        self._others = 0
        self._written_here = 0

    @property
    def read_only(self) -> bool:
        """True when nothing can be written: the folder or the file may not be, or the disk is full."""
        return self.refusal is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. May be called twice."""
        with self._lock:
            if not self._closed and self._process == os.getpid():
                self._connection.close()
            self._closed = True

    def try_again(self) -> None:
        """Open once more what could only be read, since what was in the way may be over. Raises what opening does."""
        if self.read_only:
            with self._ready():
                self._present(writing=True)

    def data_version(self) -> int:
        """A number that moves when another connection changed beliefs. Receipts and caches do not move it."""
        with self._ready():
            connection = self._present()
            stamp = connection.pragma("data_version")
            if stamp != self._stamp:
                self._stamp = stamp
                self._others = scalar(connection, "SELECT number FROM generation") - self._written_here
            return self._others + self._epoch

    def change_count(self) -> int:
        """A number that moves when beliefs were changed through this object."""
        return self._written

    def search(self, terms: Sequence[Sequence[str]], *, limit: int) -> list[SearchHit]:
        """The best `limit` active beliefs for some words, each with its alternatives; best first, ties by authority,
        then by id. One word is enough. Any text may be asked."""
        with self._read():
            return self._search.best(terms, limit=limit)

    def counts(self) -> dict[str, int]:
        """How many beliefs (in all and by status), revisions, anchors and receipts; `bytes` on disk, side files too."""
        with self._read() as connection:
            by_status = dict(connection.execute("SELECT status, count(*) FROM belief GROUP BY status").fetchall())
            counts = {"beliefs": sum(by_status.values())}
            counts |= {status.value: by_status.get(status.value, 0) for status in BeliefStatus}
            for table in ("revision", "anchor", "receipt"):
                counts[f"{table}s"] = scalar(connection, f"SELECT count(*) FROM {table}")
        counts["bytes"] = sum(
            size for *_, size in _file_states(self.path, Path(f"{self.path}-wal"), Path(f"{self.path}-shm"))
        )
        return counts

    def integrity(self) -> str:
        """The first problem that a full examination finds, "ok" when there is none. Seconds for a large store."""
        with self._ready() as connection:
            try:
                for index in ("search", "work_search"):
                    # a query first: the check by itself goes by what this connection last knew of the index
                    connection.execute(f"SELECT rowid FROM {index} WHERE {index} MATCH 'a' LIMIT 1").fetchall()
                found = str(connection.pragma("integrity_check", 1)).splitlines()
                if found[:1] != ["ok"]:
                    return found[0] if found else "nothing to examine"
                astray = connection.execute("PRAGMA foreign_key_check").fetchall()
                if astray:
                    return f"a row of {astray[0][0]} belongs to no belief"
                if not self.read_only:
                    connection.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 0)")
            except DAMAGE as error:
                return str(error)
            indexed = scalar(connection, "SELECT count(*) FROM search_docsize")
            active = scalar(connection, "SELECT count(*) FROM belief WHERE status = 'active'")
            return "ok" if indexed == active else f"{active} active beliefs, {indexed} in the search index"

    @contextmanager
    def _ready(self) -> Generator[Database]:
        """The connection, for this thread alone, with SQLite's errors said as ours."""
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"the memory at {self.path} is closed")
            if self._process != os.getpid():
                raise StoreUnavailable(
                    f"the memory at {self.path} was opened by the process that this one was forked from",
                    "open it again",
                )
            if self._doubtful:
                self._reopen()
            try:
                with store_errors(self.path):
                    yield self._connection
            except StoreCorrupt:
                self._doubtful = True  # the next call examines it, and sets it aside where it is damaged
                with suppress(OSError):
                    store_file.mark_of_damage(self.path).touch(mode=0o600)
                raise

    @contextmanager
    def _read(self) -> Generator[Database]:
        with self._ready() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:  # an I/O error may have ended it
                    connection.execute("COMMIT")

    @contextmanager
    def _write(self) -> Generator[Database]:
        """A transaction: what is written in it is there as a whole and durable, or not at all."""
        with self._ready():
            connection = self._present(writing=True)
            if self.refusal is not None:
                raise StoreUnavailable(str(self.refusal), self.refusal.hint)
            with transaction(connection):
                yield connection

    @contextmanager
    def _alone(self) -> Generator[Database]:
        with self._ready():
            yield self._present(writing=True)

    @contextmanager
    def _change(self) -> Generator[Database]:
        with self._lock:
            with self._write() as connection:
                yield connection
                connection.execute("UPDATE generation SET number = number + 1")
            self._written += 1
            self._written_here += 1

    def _present(self, *, writing: bool = False) -> Database:
        """The connection to the file that is there now. When another process set the file aside or deleted it, what is
        written to the old one would be lost. One that could only be read is tried again when it is to be written."""
        if self.read_only:
            stale = writing or self._bytes_now() != self._bytes_at
        else:
            found = file_identity(self.path)
            stale = found != self._file
            if found is None and not self.makes_anew:
                raise StoreUnavailable(f"the memory at {self.path} is gone")
        if stale:
            self._reopen()
        return self._connection

    def _bytes_now(self) -> list[tuple[int, int, int, int]]:
        return _file_states(self.path, Path(f"{self.path}-wal"))

    def _reopen(self) -> None:
        self._doubtful = True
        self._connection.close()  # first, since a damaged file that is open cannot be set aside everywhere
        self._use(store_file.open_database(self.path, read_only_ok=self._read_only_ok))
        self._epoch += 1 << 32
        self._doubtful = False


def _file_states(*paths: Path) -> list[tuple[int, int, int, int]]:
    """Device, number, time of change (ns) and size of each file that exists; differs after anything was written."""
    found: list[tuple[int, int, int, int]] = []
    for each in paths:
        with suppress(OSError):
            status = each.stat()
            found.append((status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size))
    return found
