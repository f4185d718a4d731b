"""SQLite files of other programs: a copy is read, so that nothing of theirs is locked or changed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from memlsp.model.errors import MemlspError

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
        statement = f"SELECT {chosen} FROM {_quoted(table)}{where} ORDER BY rowid"  # noqa: S608 - names are quoted
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
    with tempfile.TemporaryDirectory(prefix="memlsp-import-") as folder:
        copy = Path(folder) / "copy.db"
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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
