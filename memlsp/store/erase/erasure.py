"""Taking rows out for good, with all that was derived from them, and looking whether they are gone."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep

import apsw
from attrs import evolve, frozen

from memlsp.model.audit import ErasureReceipt
from memlsp.model.belief import Author, AuthorKind, Belief
from memlsp.store.core import migrations, rows
from memlsp.store.core.database import Database, connect
from memlsp.store.core.sqlite_errors import store_errors
from memlsp.store.erase import erasure_selection, row_erasure, source_erasure
from memlsp.store.erase.erasure_selection import ErasureScope
from memlsp.store.erase.search_patterns import SearchPatterns
from memlsp.store.tables import audit, beliefs, cache

_Transaction = Callable[[], AbstractContextManager[Database]]

_PATIENCE = 8.0  # seconds for readers of other processes, who may hold the log open for as long as one read takes


_MARK = "forgetting.mark"


@frozen
class ErasureAuthor:
    """Who forgets, from where, in which session, and when."""

    author: Author
    source: str
    session: str
    at: datetime


def erase(connection: Database, scope: ErasureScope, removed: Counter[str]) -> list[str]:
    """Take it out of a copy of a store, inside the caller's transaction; the ids of the beliefs that went."""
    ids = erasure_selection.chosen(connection, scope)
    if scope.everything:
        row_erasure.remove_everything(connection, removed)
        return ids
    unforeseen = set(ids) - scope.ids  # known to the copy alone
    more = SearchPatterns(
        erasure_selection.texts(connection, unforeseen), also_in=erasure_selection.other_texts(connection, ids)
    )
    _take_out(connection, evolve(scope, ids=scope.ids | unforeseen), (scope.patterns, more, scope.name), removed)
    return ids


def _take_out(
    connection: Database, scope: ErasureScope, sought: Iterable[SearchPatterns], removed: Counter[str]
) -> None:
    row_erasure.remove_beliefs(connection, scope.ids, removed)
    if scope.session:
        source_erasure.remove_session(connection, scope.session, removed)
    if scope.path:
        source_erasure.remove_file(connection, scope.path, removed)
    for patterns in sought:
        row_erasure.remove_words(connection, patterns, removed)
    source_erasure.sweep(connection)


def erase_in_backup(path: Path, scope: ErasureScope) -> Counter[str]:
    """Take it out of a backup, a private copy that was examined, and write the file anew. Raises StoreError."""
    removed: Counter[str] = Counter()
    with store_errors(path):
        connection = connect(path, apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.pragma("foreign_keys", True)
            connection.pragma("secure_delete", True)
            migrations.migrate(connection, path)
            connection.execute("BEGIN IMMEDIATE")
            erase(connection, scope, removed)
            connection.execute("COMMIT")
            connection.execute("VACUUM")
            connection.pragma("journal_mode", "delete")
        finally:
            connection.close()
    return +removed


def erasure_epoch(connection: Database) -> str:
    """`ErasureRepository.mark`, inside the caller's transaction."""
    return cache.info(connection, _MARK) or ""


def tried(path: Path, scope: ErasureScope) -> Counter[str]:
    """How many of what would go from a store, tried on a private copy of it. Raises StoreError."""
    removed: Counter[str] = Counter()
    with store_errors(path):
        connection = connect(path, apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.pragma("foreign_keys", True)
            connection.execute("BEGIN IMMEDIATE")
            erase(connection, scope, removed)
            connection.execute("ROLLBACK")
        finally:
            connection.close()
    return +removed


class ErasureRepository:
    """The part of a store that forgets. Each method is one transaction unless it says otherwise."""

    def __init__(self, reading: _Transaction, writing: _Transaction, alone: _Transaction) -> None:
        """`alone` gives the connection with no transaction open."""
        self._reading = reading
        self._writing = writing
        self._alone = alone

    # -- choosing -----------------------------------------------------------------------------------------------------

    def ids(self) -> list[str]:
        """The ids that may not come back."""
        with self._reading() as connection:
            return [str(id) for (id,) in connection.execute("SELECT id FROM forgotten_id ORDER BY id")]

    def bar(self, ids: Iterable[str]) -> None:
        """Let these ids not come back either: what was forgotten in a store that this one takes the place of."""
        with self._writing() as connection:
            for id in ids:
                connection.execute("INSERT OR IGNORE INTO forgotten_id VALUES (?)", (rows.clean(id),))

    def chosen(self, scope: ErasureScope) -> list[Belief]:
        """The beliefs that would go, oldest first."""
        with self._reading() as connection:
            ids = erasure_selection.chosen(connection, scope)
            return [found for id in ids if (found := beliefs.one(connection, id)) is not None]

    def chain(self, id: str) -> list[Belief]:
        """The beliefs that this one took the place of and that took its place, near ones first."""
        with self._reading() as connection:
            return erasure_selection.chain(connection, id)

    def saying_the_same(self, ids: Collection[str]) -> list[str]:
        """The ids of the other beliefs that hold all that one of these says."""
        with self._reading() as connection:
            return [id for id, _ in erasure_selection.saying_the_same(connection, ids)]

    def texts(self, ids: Collection[str]) -> list[str]:
        """All that beliefs say and said, with the notes of their revisions and the quotes that they were found by."""
        with self._reading() as connection:
            return erasure_selection.texts(connection, ids)

    def other_texts(self, ids: Collection[str]) -> list[str]:
        """What all other beliefs say."""
        with self._reading() as connection:
            return erasure_selection.other_texts(connection, ids)

    def events_of(self, session: str) -> tuple[list[str], list[str]]:
        """The long texts of a session's events, and those of all others."""
        with self._reading() as connection:
            return source_erasure.event_texts(connection, session)

    # -- forgetting ---------------------------------------------------------------------------------------------------

    def erase(
        self, scope: ErasureScope, by: ErasureAuthor, may: Callable[[Belief], bool]
    ) -> tuple[Counter[str], ErasureScope]:
        """Take out beliefs with all that is tied to them, what is known of a session or a file, and the words in all
        other rows, as far as nobody else says them by now; how many of what, and what it was in the end.

        `may` says of a belief that came since it was looked at whether it may go too.
        """
        removed: Counter[str] = Counter()
        with self._writing() as connection:
            if scope.everything:
                ids = erase(connection, scope, removed)
            else:
                scope = erasure_selection.as_it_stands(connection, scope, may)
                ids = erasure_selection.present(connection, scope.ids)
                _take_out(connection, scope, (scope.patterns, scope.name), removed)
            cache.set_info(connection, _MARK, secrets.token_hex(8))  # also where nothing went: words go by this too
            if +removed:
                audit.append(
                    connection,
                    at=by.at,
                    action="forget",
                    author=by.author,
                    source=by.source,
                    session=by.session,
                    targets=ids,
                )
        return +removed, scope

    def excluding_survivors(self, scope: ErasureScope) -> ErasureScope:
        """What is to go, without the words that others say by now."""
        with self._reading() as connection:
            return evolve(scope, patterns=scope.patterns.excluding(erasure_selection.said_by_others(connection, scope)))

    def epoch(self) -> str:
        """What moves whenever something is forgotten. Who reads it first, and finds it the same in the transaction in
        which he writes, writes down nothing that was forgotten in between."""
        with self._reading() as connection:
            return erasure_epoch(connection)

    def compact(self) -> bool:
        """Leave nothing of what was taken out in the file or its log: write it anew, and empty the log. Not one
        transaction. False where another process kept the log open all the while."""
        with self._alone() as connection:
            self._emptied(connection)
            with suppress(apsw.FullError, apsw.BusyError):
                connection.execute("VACUUM")
            return self._emptied(connection)

    def _emptied(self, connection: Database) -> bool:
        until = monotonic() + _PATIENCE
        while True:
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
            if not busy or monotonic() > until:
                return not busy
            sleep(0.05)

    def holding(self, patterns: SearchPatterns) -> Counter[str]:
        """How many rows of each table hold the words still, read through whatever they are packed in."""
        with self._reading() as connection:
            return row_erasure.holding(connection, patterns)

    # -- receipts -----------------------------------------------------------------------------------------------------

    def record(self, receipt: ErasureReceipt) -> ErasureReceipt:
        """Write a receipt; it comes back with its number."""
        with self._writing() as connection:
            number = connection.execute(
                "INSERT INTO forgotten (at, author, author_kind, selector, removed, searched, left_over)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (
                    rows.stamp(receipt.at),
                    rows.clean(receipt.author.name),
                    receipt.author.kind.value,
                    receipt.selector,
                    json.dumps(receipt.removed),
                    receipt.searched,
                    rows.clean(json.dumps(receipt.left, ensure_ascii=False)),
                ),
            ).get
        assert isinstance(number, int)
        return evolve(receipt, id=number)

    def receipts(self, limit: int = 50) -> list[ErasureReceipt]:
        """What was forgotten, the latest first, without what it was."""
        query = (
            "SELECT id, at, author, author_kind, selector, removed, searched, left_over FROM forgotten"
            " ORDER BY id DESC LIMIT ?"
        )
        with self._reading() as connection:
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
                for row in connection.execute(query, (max(limit, 0),))
            ]
