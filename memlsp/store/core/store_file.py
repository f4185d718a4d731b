"""Opening the file of a store: creating it, examining it, and setting a damaged one aside."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

import apsw
from attrs import frozen

from memlsp.model.errors import StoreCorrupt, StoreUnavailable
from memlsp.store.core import migrations
from memlsp.store.core.database import Database, connect, connect_read_only
from memlsp.store.core.file_handles import file_identity, try_lock
from memlsp.store.core.sqlite_errors import DAMAGE, full, is_full, store_error, store_errors, unavailable

BUSY_TIMEOUT = 15.0
"""Seconds for which an opening or a write waits for another process: a busy machine is no reason to lose a write."""

APPLICATION_ID = 0x6D656D6C
"""Written into the file's header, so that another program's database is not taken for a memory ("meml")."""

EXAMINED_IN_FULL = 1 << 20
"""Bytes up to which a store is examined in full at every opening; larger ones only after damage was suspected."""

_SIDE_FILES = ("-wal", "-shm")
_ONLY_ME = 0o600
_ONLY_MY_FOLDER = 0o700


@frozen
class Opened:
    """A connection that is ready for use. `notice` is one line for a person, "" when all is well; `refusal` is the
    error to raise for writes, None when writing is allowed."""

    connection: Database
    notice: str = ""
    refusal: StoreUnavailable | None = None


def open_database(path: Path, *, read_only_ok: bool) -> Opened:
    """Open the store at `path`, making it and its folder where needed. Raises StoreTooNew, StoreCorrupt (damaged, and
    could not be set aside) or StoreUnavailable."""
    try:
        with store_errors(path):
            return _opened(path)
    except StoreCorrupt as error:
        raise StoreCorrupt(
            f"the memory at {path} is damaged and could not be set aside", "move it away by hand and start again"
        ) from error
    except _Unwritable as error:
        return _read_only(path, error, read_only_ok=read_only_ok)


_NO_LAYOUT = 1_000  # the number of a layout that none will ever have


class _Unwritable(Exception):
    """The file can be read and not written; `refusal` says why."""

    def __init__(self, refusal: StoreUnavailable) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


def _opened(path: Path) -> Opened:
    while True:
        before = file_identity(path)
        try:
            return _open_once(path)
        except apsw.SchemaChangeError:
            continue  # another process is migrating it, which ends after a few steps
        except (apsw.CantOpenError, FileNotFoundError, _Unwritable):
            if file_identity(path) == before:
                raise  # else another process set it aside, or made it, while we opened it


def _size(path: Path) -> int:
    """The bytes of a file, 0 for none: in one look, since another process may set it aside at any moment."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _open_once(path: Path) -> Opened:
    if not _size(path):
        _make_folder(path)
        with _one_at_a_time(path):
            return Opened(_made(path))
    try:
        return Opened(_examined(path))
    except DAMAGE:
        with _one_at_a_time(path):
            try:
                return Opened(_examined(path))  # another process may have set it aside while we waited
            except DAMAGE as damage:
                aside = _set_aside(path)
                connection = _made(path)
                notice = f"the memory at {path} was damaged ({damage}); it was kept as {aside} and a fresh one started"
                return Opened(connection, notice)


def _make_folder(path: Path) -> None:
    missing: list[Path] = []
    folder = path.parent
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    try:
        for each in reversed(missing):
            each.mkdir(mode=_ONLY_MY_FOLDER, exist_ok=True)
            each.chmod(_ONLY_MY_FOLDER)  # whatever the umask is
    except OSError as error:
        raise unavailable(path, f"it cannot be made ({error.strerror or error})") from error


def _made(path: Path) -> Database:
    try:
        os.close(_private(path))
    except OSError as error:
        raise unavailable(path, error.strerror or str(error)) from error
    return _examined(path)


def _private(path: Path) -> int:
    """A handle of a file that only its owner may read and write, made where there is none. SQLite gives its side files
    the same rights."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), _ONLY_ME)
    if os.fstat(handle).st_mode & 0o777 != _ONLY_ME and sys.platform != "win32":
        os.fchmod(handle, _ONLY_ME)
    return handle


def _examined(path: Path) -> Database:
    """A connection to a sound store of the present layout. Raises one of DAMAGE for a damaged one."""
    if not _may_write(path) or not _may_write(path.parent):
        raise _Unwritable(unavailable(path, "it is read-only"))
    _keep_private(path)
    connection = connect(path, apsw.SQLITE_OPEN_READWRITE)
    try:
        # until it is known to be sound, closing it must not change anything
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.set_busy_timeout(int(BUSY_TIMEOUT * 1000))
        _probe(connection, path)
        migrations.refuse_newer(connection, path)  # before anything is written
        connection.pragma("journal_mode", "wal")
        # with WAL, NORMAL loses nothing when a process dies at any moment: its pages are with the operating system. A
        # power failure may take the last transactions, never the file.
        connection.pragma("synchronous", "normal")
        connection.pragma("foreign_keys", True)
        connection.pragma("secure_delete", True)
        connection.pragma("journal_size_limit", 16 << 20)
        connection.pragma("cache_size", -16_384)  # KiB; the default of 2 MB reads the same pages again and again
        migrations.migrate(connection, path)
        if not connection.pragma("application_id"):
            connection.pragma("application_id", APPLICATION_ID)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    except (apsw.FullError, apsw.IOError, apsw.CantOpenError) as error:
        connection.close()
        if is_full(error, path):
            raise _Unwritable(full(path)) from error
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _keep_private(path: Path) -> None:
    for each in (path, *(_beside(path, suffix) for suffix in _SIDE_FILES)):
        try:
            if each.stat().st_mode & 0o077 and sys.platform != "win32":
                each.chmod(_ONLY_ME)
        except OSError:
            continue  # not there, or not ours: SQLite will say what matters


def _probe(connection: Database, path: Path) -> None:
    """Check the header and the schema, and all of a small or suspected file."""
    owner = connection.pragma("application_id")
    try:
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    except apsw.SQLError as error:
        raise apsw.CorruptError(str(error)) from error  # bytes 44 to 47: "unsupported file format"
    if tables and owner not in {0, APPLICATION_ID}:
        raise unavailable(path, "it is another program's database")
    layout = migrations.layout_of(connection)
    if tables and not 0 < layout < _NO_LAYOUT:
        raise apsw.CorruptError(f"no memlsp has layout {layout}")
    suspected = mark_of_damage(path).exists()
    if suspected or path.stat().st_size <= EXAMINED_IN_FULL:
        found = connection.pragma("quick_check", 1)
        if found != "ok":
            raise apsw.CorruptError(str(found).splitlines()[0])
    if suspected:
        mark_of_damage(path).unlink(missing_ok=True)


def mark_of_damage(path: Path) -> Path:
    """The file whose presence makes the next opening examine the store in full."""
    return _beside(path, ".suspect")


def _set_aside(path: Path) -> Path:
    """Rename the damaged store and its side files, the file itself last, since its absence lets others make a new
    one."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    aside = _beside(path, f".corrupt-{now}")
    number = 1
    while aside.exists():
        number += 1
        aside = _beside(path, f".corrupt-{now}-{number}")
    try:
        for suffix in (*_SIDE_FILES, ""):
            each = _beside(path, suffix)
            if each.exists():
                each.rename(_beside(aside, suffix))
        mark_of_damage(path).unlink(missing_ok=True)
    except OSError as error:
        raise StoreCorrupt(f"could not be set aside: {error}") from error
    return aside


def _read_only(path: Path, reason: _Unwritable, *, read_only_ok: bool) -> Opened:
    if not read_only_ok:
        raise reason.refusal from reason
    with store_errors(path):
        connection = _readable(path)
        migrations.refuse_newer(connection, path)
        layout = migrations.layout_of(connection)
        if not layout:
            raise reason.refusal from reason  # there was never room to begin
        if layout < migrations.LATEST:
            raise unavailable(
                path, "it is of an older version and may not be written, so it cannot be brought up to date"
            )
        cause = "the disk is full" if isinstance(reason.__cause__, apsw.Error) else "read-only"
        notice = f"the memory at {path} can only be read ({cause}): nothing new is remembered"
        return Opened(connection, notice, reason.refusal)


def _readable(path: Path) -> Database:
    """A reading connection. Where SQLite cannot create the shared side file, nobody writes; then the log is read
    without it, or the file alone."""
    last: apsw.Error | None = None
    alone = "win32-none" if sys.platform == "win32" else "unix-none"
    for options in ("", f"&vfs={alone}", "&immutable=1"):
        connection: Database | None = None
        try:
            connection = connect_read_only(path, options)
            connection.set_busy_timeout(int(BUSY_TIMEOUT * 1000))
            if "vfs" in options:
                # keep the side file in memory; and without locks, closing must not checkpoint, for others may write
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                connection.pragma("locking_mode", "exclusive")
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except DAMAGE:
            if connection is not None:
                connection.close()
            raise
        except apsw.Error as error:
            last = error
            if connection is not None:
                connection.close()
        else:
            return connection
    assert last is not None
    raise store_error(last, path) from last


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


@contextmanager
def _one_at_a_time(path: Path) -> Generator[None]:
    with os.fdopen(_private(_beside(path, ".lock")), "r+b") as lock:
        deadline = monotonic() + BUSY_TIMEOUT
        while not try_lock(lock.fileno()):
            if monotonic() > deadline:
                raise apsw.BusyError("another process is opening it")
            sleep(0.01)
        yield  # closing the file releases the lock
