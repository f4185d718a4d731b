"""Reading SQLite files of other programs from a copy, so that theirs is neither locked nor changed.

The copy may hold secrets. It lies in a private folder and is deleted after reading; the copy of a killed process is
deleted when the next one is made, and by every erasure.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw

from memlsp.model.errors import MemlspError
from memlsp.store.core.database import Database, connect, quoted
from memlsp.store.core.file_handles import try_lock
from memlsp.store.core.hook_connection import private_folder
from memlsp.store.core.locations import data_folder

FOLDER = "importing"
"""In the data folder."""

_HELD = ".held"

Cell = str | int | float | bytes | None


class ForeignUnreadable(MemlspError):
    """A file that this version of SQLite cannot read."""


class ForeignTables:
    """The tables of another program's database."""

    def __init__(self, connection: Database, path: Path) -> None:
        self._connection = connection
        self._path = path

    def columns(self, table: str) -> tuple[str, ...]:
        """The names of a table's columns; () when there is no such table."""
        return tuple(str(name) for (name,) in self._rows("SELECT name FROM pragma_table_info(?)", (table,)))

    def rows(self, table: str, columns: Sequence[str], *, keys: tuple[str, str] | None = None) -> Iterator[list[Cell]]:
        """The values of `columns` of every row, by row number; None for columns that do not exist, nothing for a table
        that does not. `keys` (column, beginning) restricts the rows."""
        known = self.columns(table)
        if not known:
            return
        chosen = ", ".join(quoted(column) if column in known else "NULL" for column in columns)
        where, bindings = "", ()
        if keys is not None:
            where = f" WHERE {quoted(keys[0])} >= ? AND {quoted(keys[0])} < ?"
            bindings = (keys[1], keys[1][:-1] + chr(ord(keys[1][-1]) + 1))
        statement = f"SELECT {chosen} FROM {quoted(table)}{where} ORDER BY rowid"
        yield from map(list, self._rows(statement, bindings))

    def _rows(self, statement: str, bindings: tuple[str, ...]) -> Iterator[tuple[Cell, ...]]:
        try:
            yield from self._connection.execute(statement, bindings)
        except apsw.Error as error:
            raise ForeignUnreadable(f"{self._path} cannot be read: {error}") from error


@contextmanager
def foreign_tables(path: Path) -> Generator[ForeignTables]:
    """The tables of a database file, read from a copy that is deleted afterwards. Raises ForeignUnreadable, OSError."""
    with _private_folder() as folder:
        copy = folder / "copy.db"
        shutil.copyfile(path, copy)
        log = path.with_name(f"{path.name}-wal")
        if log.is_file():  # it has the latest writes
            shutil.copyfile(log, copy.with_name("copy.db-wal"))
        try:
            connection = connect(copy, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        except apsw.Error as error:
            raise ForeignUnreadable(f"{path} cannot be read: {error}") from error
        with closing(connection):
            yield ForeignTables(connection, path)


def remove_leftovers(data: Path | None = None) -> int:
    """Delete the copies of processes that ended; how many there were. Never raises."""
    gone = 0
    for held in sorted(((data or data_folder()) / FOLDER).glob(f"*{_HELD}")):
        try:
            handle = os.open(held, os.O_RDWR)
        except OSError:
            continue
        try:
            if try_lock(handle):  # the process that made the copy holds it
                shutil.rmtree(held.with_suffix(""), ignore_errors=True)
                held.unlink(missing_ok=True)
                gone += 1
        except OSError:
            continue
        finally:
            os.close(handle)
    return gone


@contextmanager
def _private_folder() -> Generator[Path]:
    remove_leftovers()
    folder = data_folder() / FOLDER / f"{os.getpid()}-{secrets.token_hex(6)}"
    private_folder(str(folder.parent))
    held = folder.with_suffix(_HELD)
    handle = os.open(held, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try_lock(handle)  # before there is a folder that looks like a leftover
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)
        with suppress(OSError):
            held.unlink()
            folder.parent.rmdir()
