"""Erasing beliefs, sessions and files with everything derived from them, and checking that they are gone."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep

import apsw
from attrs import evolve, frozen

from memlsp.model.audit import AuditEntry, ErasureReceipt
from memlsp.model.belief import Author, AuthorKind, Belief
from memlsp.store.core import migrations, rows
from memlsp.store.core.database import Database, connect, insert_row, transaction
from memlsp.store.core.sqlite_errors import store_errors
from memlsp.store.core.transactions import StoreRepository, read
from memlsp.store.erase import erasure_selection, row_erasure, source_erasure
from memlsp.store.erase.erasure_selection import ErasureScope
from memlsp.store.erase.search_patterns import SearchPatterns
from memlsp.store.tables import audit, beliefs, cache
from memlsp.store.tables.event_repository import delete_unreferenced

_PATIENCE = 8.0  # seconds for readers of other processes, who may hold the log open for as long as one read takes
_FORGOTTEN = "at, author, author_kind, selector, removed, searched, left_over"


@frozen
class ErasureAuthor:
    """The author, source, session and time of an erasure."""

    author: Author
    source: str
    session: str
    at: datetime


def erase(connection: Database, scope: ErasureScope, removed: Counter[str]) -> list[str]:
    """Erase in a copy of a store, inside the caller's transaction; the ids of the erased beliefs."""
    ids = erasure_selection.chosen(connection, scope)
    if scope.everything:
        row_erasure.remove_everything(connection, removed)
        return ids
    unforeseen = set(ids) - scope.ids  # beliefs of the copy alone
    more = SearchPatterns(
        erasure_selection.texts(connection, unforeseen), also_in=erasure_selection.other_texts(connection, ids)
    )
    _erase_rows(connection, evolve(scope, ids=scope.ids | unforeseen), (scope.patterns, more, scope.name), removed)
    return ids


def _erase_rows(
    connection: Database, scope: ErasureScope, sought: Iterable[SearchPatterns], removed: Counter[str]
) -> None:
    row_erasure.remove_beliefs(connection, scope.ids, removed)
    if scope.session:
        source_erasure.remove_session(connection, scope.session, removed)
    if scope.path:
        source_erasure.remove_file(connection, scope.path, removed)
    for patterns in sought:
        row_erasure.remove_words(connection, patterns, removed)
    delete_unreferenced(connection)


def erase_in_backup(path: Path, scope: ErasureScope) -> Counter[str]:
    """Erase in a backup, a private copy that was examined, and rewrite the file. Raises StoreError."""
    removed: Counter[str] = Counter()
    with _private_copy(path) as connection:
        connection.pragma("secure_delete", True)
        migrations.migrate(connection, path)
        with transaction(connection):
            erase(connection, scope, removed)
        connection.execute("VACUUM")
        connection.pragma("journal_mode", "delete")
    return +removed


def dry_run(path: Path, scope: ErasureScope) -> Counter[str]:
    """Count the rows of each kind that would be erased, by erasing them from a private copy of a store. Raises
    StoreError."""
    removed: Counter[str] = Counter()
    with _private_copy(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        erase(connection, scope, removed)
        connection.execute("ROLLBACK")
    return +removed


@contextmanager
def _private_copy(path: Path) -> Generator[Database]:
    with store_errors(path), closing(connect(path, apsw.SQLITE_OPEN_READWRITE)) as connection:
        connection.pragma("foreign_keys", True)
        yield connection


class ErasureRepository(StoreRepository):
    """Erasure. `holding` counts the rows of each table that still hold the patterns, whatever they are packed in."""

    chain = read(erasure_selection.chain)
    texts = read(erasure_selection.texts)
    other_texts = read(erasure_selection.other_texts)
    events_of = read(source_erasure.event_texts)
    holding = read(row_erasure.holding)

    def ids(self) -> list[str]:
        """The ids that may not come back."""
        return self._texts("SELECT id FROM forgotten_id ORDER BY id")

    def chosen(self, scope: ErasureScope) -> list[Belief]:
        """The beliefs that a scope erases, oldest first."""
        with self._reading() as connection:
            return beliefs.several(connection, erasure_selection.chosen(connection, scope))

    def with_same_text(self, ids: Collection[str]) -> list[str]:
        """The ids of other beliefs that hold the whole text of one of these."""
        with self._reading() as connection:
            return [id for id, _ in erasure_selection.with_same_text(connection, ids)]

    def erase(
        self, scope: ErasureScope, by: ErasureAuthor, may: Callable[[Belief], bool]
    ) -> tuple[Counter[str], ErasureScope]:
        """Erase beliefs with everything tied to them, what is known of a session or file, and the patterns in all other
        rows; how many rows of what, and the final scope.

        Patterns that surviving records hold by now are spared. `may` decides whether a belief that was added since the
        scope was planned may be erased too."""
        removed: Counter[str] = Counter()
        with self._changing() as connection:
            if scope.everything:
                ids = erase(connection, scope, removed)
            else:
                scope = erasure_selection.at_erasure(connection, scope, may)
                ids = erasure_selection.present(connection, scope.ids)
                _erase_rows(connection, scope, (scope.patterns, scope.name), removed)
            cache.set_erasure_epoch(connection, secrets.token_hex(8))  # also when no row went
            if +removed:
                entry = AuditEntry(0, by.at, "forget", by.author, by.source, by.session, tuple(ids))
                audit.append(connection, entry)
        return +removed, scope

    def excluding_survivors(self, scope: ErasureScope) -> ErasureScope:
        """The scope minus the patterns that surviving records hold."""
        with self._reading() as connection:
            survivors = erasure_selection.surviving_texts(connection, scope)
            return evolve(scope, patterns=scope.patterns.excluding(survivors))

    def compact(self) -> bool:
        """Rewrite the file and empty its log, so that neither holds anything of the erased rows. Not one transaction.
        False when another process kept the log open all the while."""
        with self._transactions.alone() as connection:
            _empty_log(connection)
            with suppress(apsw.FullError, apsw.BusyError):
                connection.execute("VACUUM")
            return _empty_log(connection)

    def record(self, receipt: ErasureReceipt) -> ErasureReceipt:
        """Write a receipt of an erasure; returns it with its number."""
        with self._changing() as connection:
            number = insert_row(
                connection,
                f"INSERT INTO forgotten ({_FORGOTTEN}) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (
                    rows.stamp(receipt.at),
                    rows.clean(receipt.author.name),
                    receipt.author.kind.value,
                    receipt.selector,
                    json.dumps(receipt.removed),
                    receipt.searched,
                    rows.json_text(receipt.left),
                ),
            )
        return evolve(receipt, id=number)

    def receipts(self, limit: int = 50) -> list[ErasureReceipt]:
        """The receipts of erasures, without what was erased, the latest first."""
        query = f"SELECT id, {_FORGOTTEN} FROM forgotten ORDER BY id DESC LIMIT ?"
        return [
            ErasureReceipt(
                id=row[0],
                at=rows.moment(row[1]),
                author=Author(row[2], AuthorKind(row[3])),
                selector=row[4],
                removed=tuple((str(what), int(number)) for what, number in json.loads(row[5])),
                searched=row[6],
                left=tuple(json.loads(row[7])),
            )
            for row in self._rows(query, (max(limit, 0),))
        ]


def _empty_log(connection: Database) -> bool:
    until = monotonic() + _PATIENCE
    while True:
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
        if not busy or monotonic() > until:
            return not busy
        sleep(0.05)
