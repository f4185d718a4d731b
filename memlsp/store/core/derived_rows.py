"""Rows that can be made again, in a file of their own beside a store."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import apsw

from memlsp.store.core.database import Database, Value, connect, transaction
from memlsp.store.core.file_handles import file_identity

_PATIENCE = 2_000  # milliseconds for another process
_LAYOUT = """
    PRAGMA auto_vacuum = full; PRAGMA secure_delete = on; PRAGMA synchronous = off;
    CREATE TABLE IF NOT EXISTS kept (
        number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, mark TEXT NOT NULL, value ANY NOT NULL
    ) STRICT;
"""
_Found = TypeVar("_Found")


class DerivedRows:
    """Values by key, shared by processes, at most `largest` bytes. A row is there for those alone that name the mark
    that it was written under. Never raises for a state of the disk: a damaged file is deleted, and what cannot be
    written is lost. For any thread."""

    def __init__(self, path: Path, largest: int) -> None:
        self._path = path
        self._largest = largest
        self._lock = threading.RLock()
        self._opened: tuple[Database, tuple[int, int] | None] | None = None

    def read(self, mark: str, keys: Collection[str]) -> dict[str, Value]:
        """The values of these keys."""
        query = "SELECT key, value FROM kept WHERE key IN (SELECT value FROM json_each(?)) AND mark = ?"
        if not self._path.exists():
            return {}
        return self._in_file(lambda file: dict(file.execute(query, (json.dumps([*keys]), mark)))) or {}

    def write(self, mark: str, rows: Mapping[str, Value]) -> None:
        """Write values; all of another mark go, and the oldest when there are too many."""

        def write(file: Database) -> None:
            with transaction(file):
                file.execute("DELETE FROM kept WHERE mark != ?", (mark,))
                for key, value in rows.items():
                    row = (key, mark, value)
                    file.execute("INSERT OR REPLACE INTO kept (key, mark, value) VALUES (?, ?, ?)", row)
                if self._path.stat().st_size > self._largest:
                    file.execute("DELETE FROM kept WHERE number <= (SELECT min(number) + max(number) FROM kept) / 2")

        self._in_file(write)

    def clear(self) -> None:
        """Delete the file, or what is in it where another process holds it."""
        with self._lock:
            with suppress(apsw.Error, OSError):
                if self._path.exists():
                    self._connection().execute("DELETE FROM kept")
            self.close()
            for suffix in ("", "-journal"):
                with suppress(OSError):
                    self._path.with_name(self._path.name + suffix).unlink()

    def close(self) -> None:
        """Close the file until it is needed again."""
        with self._lock:
            if self._opened is not None:
                self._opened[0].close()
                self._opened = None

    def _in_file(self, work: Callable[[Database], _Found]) -> _Found | None:
        with self._lock:
            try:
                return work(self._connection())
            except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
                self.clear()
            except (apsw.Error, OSError):
                pass  # it is busy, or may not be written
            return None

    def _connection(self) -> Database:
        """A connection to the file that is there now, made where there is none."""
        if self._opened is not None and self._opened[1] == file_identity(self._path):
            return self._opened[0]
        self.close()
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = connect(self._path, apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(_PATIENCE)
            connection.execute(_LAYOUT).fetchall()  # to its end
        except BaseException:
            connection.close()
            raise
        self._opened = connection, file_identity(self._path)
        return connection
