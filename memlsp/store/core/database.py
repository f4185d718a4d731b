"""The part of an apsw connection that the store uses, typed for every supported Python, and the smallest queries.

apsw annotates with `collections.abc.Buffer`, which Python 3.11 does not have, so its values would have no type.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import quote

import apsw

Value = int | float | str | bytes | None
"""The value of a column."""

Row = tuple[Any, ...]
"""One row. Only the query knows its columns, so the reader of a row gives them types."""


class Result(Protocol):
    """The rows of a query, read lazily. `get` reads all that is left: None for no row, the value for one column of one
    row."""

    @property
    def get(self) -> Any: ...
    def fetchall(self) -> list[Row]: ...
    def __iter__(self) -> Iterator[Row]: ...


class Tokenizer(Protocol):
    """An FTS5 tokenizer: the tokens of a text."""

    def __call__(
        self, utf8: bytes, flags: int, locale: str | None, *, include_offsets: bool, include_colocated: bool
    ) -> list[str]: ...


class SearchRow(Protocol):
    """A matching row, as FTS5 passes it to an auxiliary function, with the number of rows of the index."""

    @property
    def row_count(self) -> int: ...


SearchFunction = Callable[[SearchRow], Value]
"""An FTS5 auxiliary function without arguments of its own."""


class Database(Protocol):
    """A connection of apsw. Not to be used by two threads at once. `execute` runs one or more statements."""

    @property
    def in_transaction(self) -> bool: ...
    def execute(self, statements: str, bindings: Sequence[Value] | None = None) -> Result: ...
    def pragma(self, name: str, value: Value = None) -> Any: ...
    def config(self, op: int, value: int, /) -> int: ...
    def set_busy_timeout(self, milliseconds: int, /) -> None: ...
    def fts5_tokenizer(self, name: str, args: list[str]) -> Tokenizer: ...
    def register_fts5_function(self, name: str, function: SearchFunction) -> None: ...
    def close(self) -> None: ...


SOUND_SQLITE = (3, 51, 3)
"""The first SQLite that loses no committed writes when a WAL is reset."""


def sqlite_version() -> tuple[int, ...]:
    """The version of the SQLite library that is linked."""
    return tuple(int(part) for part in apsw.sqlite_lib_version().split("."))


def connect(address: str | Path, flags: int) -> Database:
    """Open a database file. `flags` are SQLITE_OPEN_*."""
    return cast("Database", apsw.Connection(str(address), flags=flags))


def memory_database() -> Database:
    """A database of this process, which goes when it is closed."""
    return connect(":memory:", apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)


def connect_read_only(path: Path, options: str = "") -> Database:
    """Open a database file for reading. `options` are further parameters of SQLite's file URI, as `&immutable=1`."""
    return connect(f"file:{quote(str(path))}?mode=ro{options}", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def bytes_of_database(path: Path) -> bytes:
    """The bytes of a database file, read by SQLite. POSIX drops all locks of a process on a file with the first handle
    of it that the process closes, and SQLite alone knows when it may. Raises OSError."""
    try:
        file = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    except apsw.Error as error:
        raise OSError(str(error)) from error
    try:
        return file.xRead(file.xFileSize(), 0)
    except apsw.Error as error:
        raise OSError(str(error)) from error
    finally:
        file.xClose()


def scalar(connection: Database, query: str, values: Sequence[Value] = ()) -> int:
    """The number that a query gives; 0 when it gives none."""
    found = connection.execute(query, values).get
    return found if isinstance(found, int) else 0


def insert_row(connection: Database, statement: str, values: Sequence[Value]) -> int:
    """Run an INSERT that returns the number of the new row."""
    found = connection.execute(statement, values).get
    assert isinstance(found, int)
    return found


def delete_rows(connection: Database, statement: str, values: Sequence[Value] = ()) -> int:
    """Run a DELETE; how many rows it removed."""
    return len(connection.execute(f"{statement} RETURNING 1", values).fetchall())


def text_column(connection: Database, query: str, values: Sequence[Value] = ()) -> list[str]:
    """The texts of a query with one column."""
    return [str(text) for (text,) in connection.execute(query, values)]


@contextmanager
def transaction(connection: Database) -> Generator[None]:
    """Write everything that the block does when it ends, or nothing when it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def columns_of(connection: Database, table: str) -> list[str]:
    """The names of a table's columns, in order."""
    return text_column(connection, "SELECT name FROM pragma_table_info(?)", (table,))


def placeholders(values: Collection[object]) -> str:
    """One `?` for each value, for use in `IN (...)`."""
    return ", ".join("?" * len(values))


def quoted(name: str) -> str:
    """The name of a table or column as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


@cache
def statement(room: str, name: str) -> str:
    """A long statement, from `sql/NAME.sql` in a room of the store."""
    return Path(__file__).parents[1].joinpath(room, "sql", f"{name}.sql").read_text("utf-8")
