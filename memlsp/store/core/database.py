"""The part of an apsw connection that the store uses, with types for every Python that we support.

apsw's own annotations name `collections.abc.Buffer`, unknown before Python 3.12, which would make every value that
comes from the database of unknown type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import apsw

Value = int | float | str | bytes | None
"""What a column holds."""

Row = tuple[Any, ...]
"""One row; `Any` because only the query knows what its columns are. It is given a type where it is read."""


class Result(Protocol):
    """The rows of a query, read as they are asked for."""

    @property
    def get(self) -> Any:
        """All that is left: None for nothing, the value for one column of one row."""
        ...

    def fetchall(self) -> list[Row]:
        """All rows that are left."""
        ...

    def __iter__(self) -> Iterator[Row]: ...


class Tokenizer(Protocol):
    """An FTS5 tokenizer."""

    def __call__(
        self, utf8: bytes, flags: int, locale: str | None, *, include_offsets: bool, include_colocated: bool
    ) -> list[str]:
        """The tokens of a text."""
        ...


class SearchRow(Protocol):
    """What an FTS5 auxiliary function sees of the row it is called for."""

    @property
    def row_count(self) -> int:
        """How many rows the index holds."""
        ...

    @property
    def phrase_count(self) -> int:
        """How many phrases the query has."""
        ...

    def phrase_columns(self, phrase: int, /) -> Sequence[int]:
        """The columns of this row that hold a phrase."""
        ...


class SearchFunction(Protocol):
    """An FTS5 auxiliary function without arguments of its own."""

    def __call__(self, row: SearchRow, /) -> Value:
        """The value for a row."""
        ...


class Database(Protocol):
    """A connection. Not to be used by two threads at once."""

    @property
    def in_transaction(self) -> bool:
        """True between BEGIN and COMMIT or ROLLBACK."""
        ...

    def execute(self, statements: str, bindings: Sequence[Value] | None = None) -> Result:
        """Run one statement or several."""
        ...

    def pragma(self, name: str, value: Value = None) -> Any:
        """Read or set a pragma."""
        ...

    def config(self, op: int, value: int, /) -> int:
        """Set one of SQLITE_DBCONFIG_*."""
        ...

    def set_busy_timeout(self, milliseconds: int, /) -> None:
        """How long to wait for another process's lock."""
        ...

    def readonly(self, name: str, /) -> bool:
        """True when the file could not be opened for writing."""
        ...

    def fts5_tokenizer(self, name: str, args: list[str]) -> Tokenizer:
        """A tokenizer as an FTS5 table would make it."""
        ...

    def register_fts5_function(self, name: str, function: SearchFunction) -> None:
        """Give FTS5 queries a function."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


def connect(address: str | Path, flags: int) -> Database:
    """Open a database file. `flags` are SQLITE_OPEN_*."""
    return cast("Database", apsw.Connection(str(address), flags=flags))
