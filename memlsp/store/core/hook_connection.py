"""Opening a store for one short transaction of a hook, whose whole process has 40 ms.

Nothing is created, migrated, examined or set aside here. `Unready` is raised for a store that is missing, of another
layout, locked, damaged, read-only or full; then the hook writes to the spool.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from memlsp.store.core.database import Database

LAYOUT = 19
"""`migrations.LATEST`, which takes too long to import; a test compares them."""

PATIENCE = 15
"""Milliseconds to wait for a lock."""

_NO_CKPT_ON_CLOSE = 1006  # SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE
_CHECKPOINT = 4 << 20  # bytes of log from which even a hook writes it back; reading it takes 3 ms then


class Unready(Exception):
    """The store cannot be written now. The message is a word or two: missing, locked, damaged, ..."""


def opened(path: str, patience: int = PATIENCE) -> Database:
    """A connection to an existing store of the present layout. Raises Unready. Leave it open until the process ends:
    closing it would write the log back into the file, which takes time."""
    if not os.access(path, os.F_OK):
        raise Unready("missing")
    connection = None
    try:
        connection = _connected(path)
        connection.config(_NO_CKPT_ON_CLOSE, 1)
        connection.set_busy_timeout(patience)
        layout = connection.execute("PRAGMA user_version").get
    except Exception as error:
        raise Unready(reason_of(error)) from error
    if layout != LAYOUT:
        connection.close()
        raise Unready("empty" if not layout else "too new" if layout > LAYOUT else "of an older layout")
    try:
        # with WAL, NORMAL loses nothing when a process dies; see `store_file`
        connection.execute("PRAGMA synchronous = normal; PRAGMA foreign_keys = on")
        if _size(path + "-wal") < _CHECKPOINT:
            connection.execute("PRAGMA wal_autocheckpoint = 0")
    except Exception as error:
        connection.close()
        raise Unready(reason_of(error)) from error
    return connection


def reason_of(error: Exception) -> str:
    """An error of SQLite in a word or two."""
    name = type(error).__name__
    return _REASONS.get(name, name)


def private_folder(folder: str) -> None:
    """Make a folder and its missing parents, for their owner alone. Raises OSError."""
    missing: list[str] = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for each in reversed(missing):
        try:
            os.mkdir(each, 0o700)
        except FileExistsError:
            if not os.path.isdir(each):  # else another process made it
                raise


def suspect(path: str) -> None:
    """Make the next full opening examine the store (`store_file.mark_of_damage`)."""
    try:
        os.close(os.open(path + ".suspect", os.O_WRONLY | os.O_CREAT, 0o600))
    except OSError:
        pass


_REASONS = {
    "BusyError": "locked",
    "LockedError": "locked",
    "CorruptError": "damaged",
    "NotADBError": "damaged",
    "FullError": "full",
    "ReadOnlyError": "read-only",
    "PermissionsError": "read-only",
    "CantOpenError": "unreachable",
    "IOError": "unreachable",
}


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _connected(path: str) -> Database:
    # apsw takes one name out of `collections.abc`, and with it comes the whole of `collections`, 3 ms of a hook's time;
    # the name is in `_collections_abc`, which every Python has loaded by now
    borrowed = "collections" not in sys.modules
    if borrowed:
        import _collections_abc

        sys.modules["collections"] = sys.modules["collections.abc"] = _collections_abc
    try:
        import apsw
    finally:
        if borrowed:
            del sys.modules["collections"], sys.modules["collections.abc"]
    return apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)  # pyright: ignore[reportReturnType] - see `database`
