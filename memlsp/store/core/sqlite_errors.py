"""Translating SQLite's errors into StoreError."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memlsp.model.errors import StoreCorrupt, StoreError, StoreUnavailable
from memlsp.store.core.locations import DATA_DIR_VARIABLE

DAMAGE = (apsw.CorruptError, apsw.NotADBError)
"""SQLite's errors for a damaged file."""

_NO_ROOM = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})
_LEAST_ROOM = 64 * 1024  # bytes; the side file that processes share takes 32 KiB


@contextmanager
def store_errors(path: Path) -> Generator[None]:
    """Raise a StoreError, with a sentence for a person, instead of SQLite's errors about `path`."""
    try:
        yield
    except (apsw.Error, OSError) as error:
        raise store_error(error, path) from error


def store_error(error: Exception, path: Path) -> StoreError:
    """The StoreError for an error of SQLite about the store at `path`."""
    if isinstance(error, DAMAGE):
        return StoreCorrupt(
            f"the memory at {path} is damaged ({error})",
            "ask again: it is examined in full then, and set aside where it is damaged; nothing is deleted",
        )
    if is_full(error, path):
        return full(path)
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return StoreUnavailable(f"the memory at {path} is locked by another process for too long", "try again")
    if isinstance(error, (apsw.ReadOnlyError, apsw.PermissionsError, apsw.CantOpenError, apsw.IOError, OSError)):
        return unavailable(path, str(error))
    return StoreError(f"the memory at {path} failed: {error}")


def is_full(error: Exception, path: Path) -> bool:
    """True when `error` means a full disk. SQLite reports an I/O error where it maps its side file."""
    if isinstance(error, apsw.FullError) or getattr(error, "errno", None) in _NO_ROOM:
        return True
    if not isinstance(error, (apsw.IOError, apsw.CantOpenError)):
        return False
    try:
        return shutil.disk_usage(path.parent).free < _LEAST_ROOM
    except OSError:
        return False


def full(path: Path) -> StoreUnavailable:
    """The StoreUnavailable of a full disk."""
    return StoreUnavailable(
        f"the disk is full: {path.parent}", f"make room there, or set {DATA_DIR_VARIABLE} to another folder"
    )


def unavailable(path: Path, reason: str) -> StoreUnavailable:
    """The StoreUnavailable that names the folder and how to choose another."""
    return StoreUnavailable(
        f"the memory in {path.parent} cannot be used: {reason}",
        f"make that folder writable, or set {DATA_DIR_VARIABLE} to one that is",
    )
