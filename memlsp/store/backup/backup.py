"""Backups: copying a store while others write, examining a backup without trusting it, and restoring one in a single
transaction, so that processes with an open store neither lose a write nor see half of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import cast

import apsw

from memlsp.model.caller import Progress
from memlsp.model.errors import MemlspError, Refused
from memlsp.store.core import migrations, store_file
from memlsp.store.core.database import (
    Database,
    columns_of,
    connect,
    connect_read_only,
    memory_database,
    quoted,
    scalar,
    text_column,
    transaction,
)
from memlsp.store.core.sqlite_errors import store_errors
from memlsp.store.tables.acts import ACTS_READ

_PAGES = 2_048
_HARDENED = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
)
_STAYS = frozenset({"audit", "forgotten", "forgotten_id", "copy", "generation", "thread_generation"})
"""Tables that restoring only adds to: the audit log, erasures and the register of copies."""

_MADE_ANEW = frozenset({"vector", "vector_due", "vector_state", "act", "judgement"})
"""Tables that are derived again, since rows have other numbers; processes with vectors in memory must notice."""

_BELIEFS = ("belief", "anchor", "mention", "revision", "rests_on", "conflict", "brought", "search")
"""Beginnings of the names of tables that are restored even when something was erased after the backup."""


def copy_store(path: Path, target: Path, progress: Progress | None = None) -> dict[str, int]:
    """Copy the present state of the store at `path` to `target`, a new private file, while others go on writing; how
    many rows each table of that state has. Raises StoreUnavailable, StoreCorrupt, OSError."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with store_errors(path), closing(connect(path, apsw.SQLITE_OPEN_READWRITE)) as source:
        source.set_busy_timeout(int(store_file.BUSY_TIMEOUT * 1000))
        source.execute("BEGIN")  # one state, however many steps it takes and other processes write meanwhile
        counts = counts_of(source)
        with closing(connect(target, apsw.SQLITE_OPEN_READWRITE)) as copy:
            with cast("apsw.Connection", copy).backup("main", cast("apsw.Connection", source), "main") as backup:
                while not backup.done:
                    backup.step(_PAGES)
                    if progress is not None:
                        progress(backup.page_count - backup.remaining, backup.page_count)
            copy.pragma("journal_mode", "delete")  # one file, without side files
    with target.open("r+b") as file:
        os.fsync(file.fileno())
    return counts


def examine(path: Path) -> tuple[int, dict[str, int]]:
    """Examine a backup without trusting it: the version of its layout, and how many rows each table has.

    Nothing that is defined in it runs: it is opened for reading, with triggers, views and functions of its schema off.
    Raises Refused unless every table, index and trigger is, letter by letter, one of ours."""
    try:
        with closing(connect_read_only(path, "&immutable=1")) as connection:
            for option, value in _HARDENED:
                connection.config(option, value)
            connection.pragma("cell_size_check", True)
            layout = _checked_layout(connection, path)
            counts = counts_of(connection)
            found = str(connection.pragma("integrity_check", 1)).splitlines()
            if found[:1] != ["ok"]:
                raise _damaged(path, found[0] if found else "nothing in it")
            if connection.execute("PRAGMA foreign_key_check").fetchall():
                raise _damaged(path, "rows of it belong to nothing")
            return layout, counts
    except apsw.Error as error:
        raise _damaged(path, str(error)) from error


def _checked_layout(connection: Database, path: Path) -> int:
    if connection.pragma("application_id") != store_file.APPLICATION_ID:
        raise Refused(f"{path} is another program's database", "memlsp backup writes one that can be brought back")
    layout = migrations.layout_of(connection)
    if layout > migrations.LATEST:
        raise Refused(f"{path} was written by a later version of memlsp", "update memlsp here")
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    if layout < 1 or frozenset(found) != _ours(layout):
        raise Refused(f"{path} does not have the layout of a memory", "it is not taken, and nothing in it was run")
    return layout


@cache
def _ours(layout: int) -> frozenset[tuple[object, ...]]:
    with closing(memory_database()) as connection:
        for number in range(layout):
            connection.execute(migrations.step(number)).fetchall()
        return frozenset(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall())


def counts_of(connection: Database) -> dict[str, int]:
    """How many rows each ordinary table has."""
    tables = (name for name, kind in _tables(connection, "main") if kind == "table")
    return {name: scalar(connection, f'SELECT count(*) FROM "{name}"') for name in tables}


def bring_back(path: Path, backup: Path, *, before: Callable[[Path], None]) -> tuple[dict[str, int], int, bool]:
    """Replace the contents of the store at `path` with `backup`, a private copy that `examine` accepted, in one
    transaction.

    The audit log, the erasures and the register of copies stay, with the entries of the backup added. Erased ids do not
    come back, nor do observations when something was erased after the backup. `before` is called with the path when
    nobody else can write and nothing is changed yet. Returns how many rows each table has then, how many beliefs were
    left out as erased, and whether observations came back."""
    with store_errors(backup), closing(connect(backup, apsw.SQLITE_OPEN_READWRITE)) as older:
        migrations.migrate(older, backup)
        older.pragma("journal_mode", "delete")
    with closing(store_file.open_database(path, read_only_ok=False).connection) as connection, store_errors(path):
        connection.execute("ATTACH DATABASE ? AS old", (str(backup),))
        with _alone(connection):
            before(path)
            whole = not _erased_since(connection)
            gone = _remove_erased(connection)
            for name, kind in _tables(connection, "main"):
                if name not in _STAYS | _MADE_ANEW and (whole or name.startswith(_BELIEFS)):
                    _replace(connection, name, kind)
            _add_to_what_stays(connection)
            _make_anew(connection)
            left = connection.execute("PRAGMA main.foreign_key_check").fetchall()
            if left:
                raise _damaged(backup, f"rows of {left[0][0]} belong to nothing")
            return counts_of(connection), gone, whole


@contextmanager
def _alone(connection: Database) -> Generator[None]:
    connection.pragma("foreign_keys", False)  # cannot be changed in a transaction; they are checked before its end
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)  # every table is written as it was
    with transaction(connection):
        yield


def _replace(connection: Database, name: str, kind: str) -> None:
    columns = ", ".join(map(quoted, columns_of(connection, name)))
    if kind == "virtual":
        columns = f"rowid, {columns}"
    connection.execute(f'DELETE FROM main."{name}"')
    connection.execute(f'INSERT INTO main."{name}" ({columns}) SELECT {columns} FROM old."{name}"')


def _remove_erased(connection: Database) -> int:
    ids = "SELECT id FROM main.forgotten_id UNION SELECT id FROM old.forgotten_id"
    gone = f"SELECT seq FROM old.belief WHERE id IN ({ids})"
    number = scalar(connection, f"SELECT count(*) FROM ({gone})")
    connection.execute(f"DELETE FROM old.search WHERE rowid IN ({gone})")
    for table, _ in _tables(connection, "old"):
        tied = "SELECT \"from\" FROM pragma_foreign_key_list(?, 'old') WHERE \"table\" = 'belief'"
        for column in text_column(connection, tied, (table,)):
            connection.execute(f'DELETE FROM old."{table}" WHERE "{column}" IN ({gone})')
    connection.execute(f"DELETE FROM old.belief WHERE seq IN ({gone})")
    connection.execute(f"DELETE FROM old.conflict WHERE first IN ({ids}) OR second IN ({ids})")
    return number


def _erased_since(connection: Database) -> bool:
    """True when something was erased here that the backup still holds, by the receipts or by the audit log, since an
    interrupted erasure leaves no receipt."""
    query = """
        SELECT 1 FROM main.forgotten AS f WHERE NOT EXISTS (
            SELECT 1 FROM old.forgotten AS o WHERE (o.at, o.selector, o.removed) = (f.at, f.selector, f.removed)
        )
        UNION ALL
        SELECT 1 FROM main.audit AS f WHERE f.action = 'forget' AND NOT EXISTS (
            SELECT 1 FROM old.audit AS o WHERE (o.at, o.action, o.targets) = (f.at, f.action, f.targets)
        ) LIMIT 1
    """
    return connection.execute(query).get is not None


def _add_to_what_stays(connection: Database) -> None:
    connection.execute("INSERT OR IGNORE INTO main.forgotten_id SELECT id FROM old.forgotten_id")
    connection.execute("INSERT OR IGNORE INTO main.copy SELECT path, kind, at FROM old.copy")
    for table, key in (("forgotten", ("at", "selector", "removed")), ("audit", ("at", "action", "author", "targets"))):
        columns = ", ".join(name for name in columns_of(connection, table) if name != "id")
        same = " AND ".join(f"m.{column} = o.{column}" for column in key)
        connection.execute(
            f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM old.{table} AS o"
            f" WHERE NOT EXISTS (SELECT 1 FROM main.{table} AS m WHERE {same}) ORDER BY o.id"
        )
    for table in ("generation", "thread_generation"):
        connection.execute(f"UPDATE {table} SET number = number + 1")


def _make_anew(connection: Database) -> None:
    for table in _MADE_ANEW - {"vector_state"}:
        connection.execute(f"DELETE FROM main.{table}")
    connection.execute("UPDATE main.vector_state SET removals = removals + 1")
    connection.execute("DELETE FROM main.info WHERE key = ?", (ACTS_READ,))
    due = "INSERT INTO main.vector_due (kind, item) SELECT"
    connection.execute(f"{due} 'belief', seq FROM main.belief WHERE status = 'active' ORDER BY seq")
    connection.execute(f"{due} kind, seq FROM main.work_entry ORDER BY seq")


def _tables(connection: Database, schema: str) -> Iterator[tuple[str, str]]:
    listed = connection.execute(
        "SELECT l.name, l.type, s.sql FROM pragma_table_list AS l JOIN main.sqlite_schema AS s ON s.name = l.name"
        " WHERE l.schema = ? AND l.type IN ('table', 'virtual') AND l.name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        " ORDER BY l.name",
        (schema,),
    ).fetchall()
    for name, kind, sql in listed:
        if "fts5vocab" not in str(sql):
            yield str(name), str(kind)


def remove(path: Path) -> None:
    """Delete a database file and its side files, if they exist."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def _damaged(path: Path, why: str) -> MemlspError:
    return Refused(f"{path} is damaged: {why[:200]}", "take another backup")
