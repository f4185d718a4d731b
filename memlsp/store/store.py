"""One memory on disk: values in, values out, durable when a call returns.

Long for being the whole face of the store: each method is one transaction around a function of a neighbouring module.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

from memlsp.model.belief import Belief, BeliefKind, BeliefStatus, Revision, RevisionAction, ScopeKind
from memlsp.model.errors import StoreCorrupt, StoreUnavailable
from memlsp.model.recall import Omission, Receipt
from memlsp.store.backup.copies import CopyRepository
from memlsp.store.core import store_file
from memlsp.store.core.database import Database
from memlsp.store.core.sqlite_errors import store_errors
from memlsp.store.erase.erasure import ErasureRepository, erasure_epoch
from memlsp.store.search.past_beliefs import states_at
from memlsp.store.search.query import Search, SearchHit
from memlsp.store.search.work_query import WorkSearch
from memlsp.store.tables import beliefs, cache, receipts
from memlsp.store.tables.audit import AuditRepository
from memlsp.store.tables.conflicts import ConflictRepository
from memlsp.store.tables.episodes import EpisodeRepository
from memlsp.store.tables.event_repository import EventRepository
from memlsp.store.tables.handoffs import HandoffRepository
from memlsp.store.tables.history_repository import HistoryRepository
from memlsp.store.tables.revisions import RevisionRepository
from memlsp.store.tables.threads import ThreadRepository
from memlsp.store.tables.vectors import VectorRepository
from memlsp.store.tables.visibility_fields import BranchOrigin, learned

_NEW = frozenset({RevisionAction.REMEMBER, RevisionAction.PROPOSE, RevisionAction.SUPERSEDE})


def open_store(path: Path, *, read_only_ok: bool = True) -> Store:
    """Open the store at `path`; it and its folder are made where needed, readable by their owner alone.

    A damaged file is set aside and a fresh one started, a folder that may not be written is read: `notice` says so.
    Raises StoreTooNew when a newer memlsp wrote it, StoreUnavailable when there is nothing to read or write, or when
    it could only be read and `read_only_ok` is False.
    """
    return Store(path, read_only_ok=read_only_ok)


class Store:
    """One memory on disk. `notice` is one line for a person, "" when all is well. With `makes_anew` set to False a file
    that vanishes is not made again: what is written then raises StoreUnavailable.

    Any thread may call it: one connection, guarded by a lock. Any number of processes may have the same file open.
    After a fork the child opens its own: a connection that crossed a fork can damage the file, so it is refused. Every
    method may raise StoreUnavailable (locked too long, disk full, read-only, closed) and StoreCorrupt.
    """

    def __init__(self, path: Path, *, read_only_ok: bool = True) -> None:
        self.path = path
        self.makes_anew = True
        self._read_only_ok = read_only_ok
        self._lock = threading.RLock()
        self._closed = False
        self._epoch = 0  # moves when the file was replaced under us
        self._doubtful = False  # damage was met, or the file could not be opened again
        self._written = 0
        self._use(store_file.open_database(path, read_only_ok=read_only_ok))
        self.past = HistoryRepository(path, self._reading, self._writing)
        self.journal = EventRepository(path, self._reading, self._writing)
        self.episodes = EpisodeRepository(self._reading, self._writing)
        self.threads = ThreadRepository(self._reading, self._writing)
        self.handoffs = HandoffRepository(self._reading, self._writing)
        self.vectors = VectorRepository(self._reading, self._writing)
        self.work_search = WorkSearch(self._reading, self._writing)
        self.conflicts = ConflictRepository(self._reading, self._writing, self._changing)
        self.copies = CopyRepository(self._reading, self._writing, self._changing)
        self.audit = AuditRepository(self._reading, self._writing)
        self.changes = RevisionRepository(self._reading)
        self.forgetting = ErasureRepository(self._reading, self._changing, self._alone)

    def _use(self, opened: store_file.Opened) -> None:
        self._connection = opened.connection
        self._search = Search(opened.connection)
        self.notice = opened.notice
        self.refusal = opened.refusal
        self._process = os.getpid()
        self._file = _identity(self.path)
        self._bytes_at = _state_of(self.path)
        self._stamp: int | None = None
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

    # -- has anything moved -------------------------------------------------------------------------------------

    def data_version(self) -> int:
        """A number that moves when another connection changed beliefs. Receipts and caches do not move it."""
        with self._ready():
            connection = self._present()
            stamp = connection.pragma("data_version")
            if stamp != self._stamp:
                number = connection.execute("SELECT number FROM generation").get
                assert isinstance(stamp, int)
                assert isinstance(number, int)
                self._stamp, self._others = stamp, number - self._written_here
            return self._others + self._epoch

    def change_count(self) -> int:
        """A number that moves when beliefs were changed through this object."""
        return self._written

    # -- beliefs ------------------------------------------------------------------------------------------------

    def add(self, belief: Belief, revision: Revision, keywords: str = "") -> None:
        """Write a new belief; `keywords` are what search finds it by besides its text. Raises Refused for an id that
        was used before."""
        with self._changing() as connection:
            beliefs.insert(connection, belief, revision, keywords)

    def change(
        self, belief: Belief, revision: Revision, keywords: str = "", expected: Belief | None = None
    ) -> Revision:
        """Write the new state of a belief and append the revision, numbered here; the former state is kept.

        Empty `keywords` leave those that are there. Raises NoSuchBelief; Refused for an agent and what only persons do,
        and when the belief is no longer as `expected`, because somebody else was quicker.
        """
        with self._changing() as connection:
            return beliefs.update(connection, belief, revision, keywords, expected)

    def change_all(
        self, changes: Sequence[tuple[Belief, Revision, str]], expected: Sequence[Belief] = ()
    ) -> list[Revision]:
        """Several changes in one transaction: all or none, also when one of `expected` is no longer so (Refused).

        A belief that is not there yet is added when its revision is `remember` or `supersede`, else NoSuchBelief.
        """
        known = {belief.id: belief for belief in expected}
        with self._changing() as connection:
            written: list[Revision] = []
            for belief, revision, keywords in changes:
                if revision.action in _NEW and not beliefs.exists(connection, belief.id):
                    written.append(beliefs.insert(connection, belief, revision, keywords))
                else:
                    before = known.get(belief.id)
                    written.append(beliefs.update(connection, belief, revision, keywords, before))
            return written

    def belief(self, id: str) -> Belief | None:
        """The belief of exactly this id, whatever its status."""
        with self._reading() as connection:
            return beliefs.one(connection, id)

    def several(self, ids: Sequence[str]) -> list[Belief]:
        """The beliefs of these ids, in their order, whatever their status; what is not there is left out."""
        with self._reading() as connection:
            return beliefs.several(connection, ids)

    def learned(self, ids: Sequence[str]) -> list[BranchOrigin]:
        """Where the beliefs of these ids were learned; those left out of which nothing of the sort is known."""
        with self._reading() as connection:
            return learned(connection, ids)

    def states_at(self, moment: datetime) -> dict[str, Belief | None]:
        """The beliefs that were revised after a moment, as they were then; None for those that came later."""
        with self._reading() as connection:
            return states_at(connection, moment)

    def resolve(self, prefix: str) -> str:
        """The full id from a unique beginning of it. Raises NoSuchBelief, naming the rivals where there are several."""
        with self._reading() as connection:
            return beliefs.resolve(connection, prefix)

    def beliefs(
        self,
        *,
        status: Sequence[BeliefStatus] | None = (BeliefStatus.ACTIVE,),
        kinds: Sequence[BeliefKind] | None = None,
        scopes: Sequence[ScopeKind] | None = None,
        paths: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[Belief]:
        """The beliefs that fulfil all that is given, newest first; None asks for nothing."""
        with self._reading() as connection:
            found = beliefs.listed(connection, status=status, kinds=kinds, scopes=scopes, paths=paths, limit=limit)
        return beliefs.made(found)  # of thousands it takes a second, and others want to read meanwhile

    def anchored_at(self, path: str) -> list[Belief]:
        """The active beliefs with an anchor in a file, oldest first."""
        with self._reading() as connection:
            return beliefs.anchored_at(connection, path)

    def anchored_paths(self) -> dict[str, int]:
        """Each file that active beliefs are anchored in, with how many."""
        with self._reading() as connection:
            return beliefs.anchored_paths(connection)

    def anchored_outside(self, path: str) -> bool:
        """True when an active belief is anchored in another file than this."""
        with self._reading() as connection:
            return beliefs.anchored_outside(connection, path)

    def anchored_elsewhere(
        self, path: str, names: Collection[str], meanings: Collection[str], *, most: int = 2_000
    ) -> list[tuple[str, str, str, str]]:
        """The active anchors in other files that could have come to `path`, at most `most`.

        Those whose symbol has one of these simple names, or meant one of these meanings (digests) when it was verified;
        each as (id of the belief, path, symbol, meaning).
        """
        with self._reading() as connection:
            return beliefs.anchored_elsewhere(connection, path, names, meanings, most)

    def count_at(self, path: str) -> list[tuple[str, int]]:
        """Each symbol of a file that active beliefs are anchored at, with how many; by name."""
        with self._reading() as connection:
            return beliefs.count_at(connection, path)

    def scoped(self, kinds: Sequence[ScopeKind]) -> list[Belief]:
        """The active beliefs of these scopes, newest first."""
        with self._reading() as connection:
            return beliefs.scoped(connection, kinds)

    def patterns(self) -> list[str]:
        """The path globs of active beliefs, each once."""
        with self._reading() as connection:
            return beliefs.patterns(connection)

    def guarded(self, kinds: Sequence[ScopeKind]) -> list[Belief]:
        """The active beliefs of these scopes that carry a guard, oldest first."""
        with self._reading() as connection:
            return beliefs.guarded(connection, kinds)

    def wide(self, patterns: Sequence[str], name: str) -> list[Belief]:
        """The active beliefs of one of these path globs, and those of any wide scope that mention a symbol by its last
        name; oldest first."""
        with self._reading() as connection:
            return beliefs.wide(connection, patterns, name)

    def resting_on(self, id: str) -> list[Belief]:
        """The active beliefs that rest on this one, oldest first."""
        with self._reading() as connection:
            return beliefs.resting_on(connection, id)

    def replaced_by(self, id: str) -> list[Belief]:
        """The beliefs whose place this one took, oldest first."""
        with self._reading() as connection:
            return beliefs.replaced_by(connection, id)

    def revisions(self, id: str) -> list[Revision]:
        """What was done to a belief, oldest first; empty when there is no such belief."""
        with self._reading() as connection:
            return beliefs.revisions(connection, id)

    def state_before(self, id: str, number: int) -> Belief | None:
        """The belief as it was before a revision (from 1), None when it did not exist then. Raises NoSuchBelief."""
        with self._reading() as connection:
            return beliefs.state_before(connection, id, number)

    # -- search -------------------------------------------------------------------------------------------------

    def search(self, terms: Sequence[Sequence[str]], *, limit: int, any_term: bool = True) -> list[SearchHit]:
        """The best `limit` active beliefs for some words, each with its alternatives; best first, equals by authority,
        then by id. With `any_term` one word is enough, otherwise all must be found. Any text may be asked."""
        with self._reading():
            return self._search.best(terms, limit=limit, any_term=any_term)

    # -- receipts and what can be derived again -----------------------------------------------------------------

    def add_receipt(
        self,
        *,
        at: datetime,
        asker: str,
        query: str,
        served: Sequence[str],
        left_out: Sequence[Omission],
        tokens: int,
        as_of: str = "",
        mark: str | None = None,
    ) -> int:
        """Write the record of one recall; its id. The latest 5,000 are kept. With `mark`, which `forgetting.mark` gave
        before the question was looked for, its words are left out when something was forgotten since."""
        receipt = Receipt(0, at, asker, query, tuple(served), tuple(left_out), tokens, as_of)
        with self._writing() as connection:
            if mark is not None and mark != erasure_epoch(connection):
                receipt = receipts.unforgotten(connection, receipt)
            return receipts.add(connection, receipt)

    def receipts(self, limit: int = 50, belief: str | None = None) -> list[Receipt]:
        """The latest recalls, newest first; with `belief` (an id) those that served it."""
        with self._reading() as connection:
            return receipts.latest(connection, limit, belief)

    def cached_history(self, key: str) -> str | None:
        """What was kept under this key, None when nothing was or it has gone since."""
        with self._reading() as connection:
            return cache.history(connection, key)

    def cached_histories(self) -> int:
        """How many entries are kept so."""
        with self._reading() as connection:
            return cache.histories(connection)

    def cache_history(self, key: str, value: str) -> None:
        """Keep something that can be derived again. The latest 5,000 are kept."""
        with self._writing() as connection:
            cache.keep_history(connection, key, value)

    # -- about itself -------------------------------------------------------------------------------------------

    def workspace_info(self, key: str) -> str | None:
        """A note about this store, None when there is none of that name."""
        with self._reading() as connection:
            return cache.info(connection, key)

    def set_info(self, key: str, value: str) -> None:
        """Write a note about this store."""
        with self._writing() as connection:
            cache.set_info(connection, key, value)

    def counts(self) -> dict[str, int]:
        """How many beliefs (in all and by status), revisions, anchors and receipts; `bytes` on disk, side files too."""
        with self._reading() as connection:
            by_status = dict(connection.execute("SELECT status, count(*) FROM belief GROUP BY status").fetchall())
            counts = {"beliefs": sum(by_status.values())}
            counts |= {status.value: by_status.get(status.value, 0) for status in BeliefStatus}
            for table in ("revision", "anchor", "receipt"):
                number = connection.execute(f"SELECT count(*) FROM {table}").get  # noqa: S608 - names of ours
                counts[f"{table}s"] = number if isinstance(number, int) else 0
        counts["bytes"] = sum(_size(Path(f"{self.path}{suffix}")) for suffix in ("", "-wal", "-shm"))
        return counts

    def integrity(self) -> str:
        """The first problem that a full examination finds, "ok" when there is none. Seconds for a large store."""
        with self._ready() as connection:
            try:
                for index in ("search", "work_search"):
                    # a question first: the check by itself goes by what this connection last knew of the index
                    connection.execute(f"SELECT rowid FROM {index} WHERE {index} MATCH 'a' LIMIT 1").fetchall()  # noqa: S608
                found = str(connection.pragma("integrity_check", 1)).splitlines()
                if found[:1] != ["ok"]:
                    return found[0] if found else "nothing to examine"
                astray = connection.execute("PRAGMA foreign_key_check").fetchall()
                if astray:
                    return f"a row of {astray[0][0]} belongs to no belief"
                if not self.read_only:
                    connection.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 0)")
            except (apsw.CorruptError, apsw.NotADBError) as error:
                return str(error)
            indexed = connection.execute("SELECT count(*) FROM search_docsize").get
            active = connection.execute("SELECT count(*) FROM belief WHERE status = 'active'").get
            return "ok" if indexed == active else f"{active} active beliefs, {indexed} in the search index"

    # -- inside -------------------------------------------------------------------------------------------------

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
    def _reading(self) -> Generator[Database]:
        """One state of the store for several reads."""
        with self._ready() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:  # an I/O error may have ended it
                    connection.execute("COMMIT")

    @contextmanager
    def _writing(self) -> Generator[Database]:
        """A transaction: what is written in it is there as a whole and durable, or not at all."""
        with self._ready():
            connection = self._present(writing=True)
            if self.refusal is not None:
                raise StoreUnavailable(str(self.refusal), self.refusal.hint)
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _alone(self) -> Generator[Database]:
        """The connection with no transaction open, for what SQLite does outside of one."""
        with self._ready():
            yield self._present(writing=True)

    @contextmanager
    def _changing(self) -> Generator[Database]:
        """A transaction that changes beliefs."""
        with self._lock:
            with self._writing() as connection:
                yield connection
                connection.execute("UPDATE generation SET number = number + 1")
            self._written += 1
            self._written_here += 1

    def _present(self, *, writing: bool = False) -> Database:
        """The connection to the file that is there now. When another process set the file aside or deleted it, what is
        written to the old one would be lost. One that could only be read is tried again when it is to be written."""
        if self.read_only:
            stale = writing or _state_of(self.path) != self._bytes_at
        else:
            found = _identity(self.path)
            stale = found != self._file
            if found is None and not self.makes_anew:
                raise StoreUnavailable(f"the memory at {self.path} is gone")
        if stale:
            self._reopen()
        return self._connection

    def _reopen(self) -> None:
        self._doubtful = True
        self._connection.close()  # first, since a damaged file that is open cannot be set aside everywhere
        self._use(store_file.open_database(self.path, read_only_ok=self._read_only_ok))
        self._epoch += 1 << 32
        self._doubtful = False


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _state_of(path: Path) -> tuple[object, ...]:
    """Moves when anything is written to the file or to its log."""
    found: list[object] = []
    for each in (path, Path(f"{path}-wal")):
        with suppress(OSError):
            status = each.stat()
            found.append((status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size))
    return tuple(found)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
