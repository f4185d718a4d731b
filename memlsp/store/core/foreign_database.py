"""SQLite files of other programs: a copy is read, so that nothing of theirs is locked or changed.

The copy holds whatever theirs does, secrets too. So it lies in a folder of our own that nobody else may look into, is
gone as soon as it was read, and what a process that was killed left of it goes when the next one is made, and when
something is forgotten.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from memlsp.model.errors import MemlspError
from memlsp.store.core.file_handles import try_lock
from memlsp.store.core.hook_connection import private_folder
from memlsp.store.core.locations import data_folder

FOLDER = "importing"
"""In the data folder."""

_HELD = ".held"

Cell = str | int | float | bytes | None


class ForeignUnreadable(MemlspError):
    """A file that is no SQLite database, or none that this version can read."""


class ForeignTables:
    """The tables of another program's database."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def columns(self, table: str) -> tuple[str, ...]:
        """The names of a table's columns; () when there is no such table."""
        return tuple(str(row[0]) for row in self._rows("SELECT name FROM pragma_table_info(?)", (table,)))

    def rows(self, table: str, columns: Sequence[str], *, keys: tuple[str, str] | None = None) -> Iterator[list[Cell]]:
        """The values of `columns` of every row, in order of its number; None for a column that there is not. With
        `keys` (column, beginning) only rows in which that column begins so. Nothing for a table that there is not."""
        known = self.columns(table)
        if not known:
            return
        chosen = ", ".join(_quoted(column) if column in known else "NULL" for column in columns)
        where, bindings = "", ()
        if keys is not None:
            where = f" WHERE {_quoted(keys[0])} >= ? AND {_quoted(keys[0])} < ?"
            bindings = (keys[1], keys[1][:-1] + chr(ord(keys[1][-1]) + 1))
        statement = f"SELECT {chosen} FROM {_quoted(table)}{where} ORDER BY rowid"
        for row in self._rows(statement, bindings):
            yield list(row)

    def _rows(self, statement: str, bindings: tuple[str, ...]) -> Iterator[tuple[Cell, ...]]:
        try:
            yield from self._connection.execute(statement, bindings)  # pyright: ignore[reportUnknownMemberType]
        except apsw.Error as error:
            raise ForeignUnreadable(f"{self._path} cannot be read: {error}") from error


@contextmanager
def foreign_tables(path: Path) -> Generator[ForeignTables]:
    """The tables in a database file, read from a copy that is gone afterwards. Raises ForeignUnreadable, OSError."""
    with _private_folder() as folder:
        copy = folder / "copy.db"
        shutil.copyfile(path, copy)
        log = path.with_name(f"{path.name}-wal")
        if log.is_file():  # what was written last is only there
            shutil.copyfile(log, copy.with_name("copy.db-wal"))
        try:
            connection = apsw.Connection(str(copy))
        except apsw.Error as error:
            raise ForeignUnreadable(f"{path} cannot be read: {error}") from error
        try:
            yield ForeignTables(connection, path)
        finally:
            connection.close()


def remove_leftovers(data: Path | None = None) -> int:
    """Delete the copies of processes that are no more; how many there were. Never raises."""
    gone = 0
    for held in sorted(((data or data_folder()) / FOLDER).glob(f"*{_HELD}")):
        try:
            handle = os.open(held, os.O_RDWR)
        except OSError:
            continue
        try:
            if try_lock(handle):  # whoever made the copy holds it as long as he lives
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
        try_lock(handle)  # before there is a folder that somebody could take for a leftover
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)
        with suppress(OSError):
            held.unlink()
            folder.parent.rmdir()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
