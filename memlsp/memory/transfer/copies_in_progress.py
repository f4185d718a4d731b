"""Announce copies before their first byte is written, so that `forget` can wait for running ones and delete the remains
of killed ones.

An announcement is a file in the store's folder. It names the hidden file beside the copy, and its writer holds a lock
on it while it writes. A finished one is registered, and the log says who made or imported it.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from memlsp.memory.context import Context
from memlsp.model.audit import AuditEntry
from memlsp.model.belief import Author
from memlsp.model.copy import CopyKind
from memlsp.model.errors import MemlspError, StoreUnavailable
from memlsp.store.backup.backup import remove
from memlsp.store.core.file_handles import try_lock
from memlsp.store.core.hook_connection import private_folder
from memlsp.store.store import Store

FOLDER = "writing"
"""The folder of announcements, beside a store."""

PATIENCE = 60.0
"""Seconds to wait for copies that are being written."""

_PART = re.compile(r"\..+\.[0-9a-f]{12}\.part", re.DOTALL)
_LONGEST_PATH = 1 << 16
_ATTEMPTS = 3


def part_of(path: Path) -> Path:
    """A random name for the hidden file beside `path` that is written first and then renamed."""
    return path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.part")


@contextmanager
def announce(store: Path, path: Path) -> Generator[Path]:
    """Announce a copy of the store to `path` and yield the hidden file to write it to, which is deleted afterwards.
    Read the store only inside this block.

    When the announcement cannot be written, the copy may be made all the same.
    """
    part = part_of(path)
    sweep(store)
    announcement, handle = _create_announcement(store.parent / FOLDER, part)
    try:
        yield part
    finally:
        remove(part)
        if announcement is not None:
            os.close(handle)
            with suppress(OSError):
                announcement.unlink(missing_ok=True)


def sweep(store: Path) -> int:
    """Delete what killed processes left of copies of this store. Returns the number of copies that are still being
    written."""
    return sum(not _clean_up(announcement) for announcement in _announcements(store))


def wait(stores: Sequence[Path], report: Callable[[str], None]) -> None:
    """Wait until no copy of these stores is being written, or `PATIENCE` is over. Calls `sweep`."""
    until = time.monotonic() + PATIENCE
    reported = False
    while sum(sweep(store) for store in stores) and time.monotonic() < until:
        if not reported:
            report("waiting for a copy that is being written")
            reported = True
        time.sleep(0.05)


def parts(store: Path) -> Iterator[Path]:
    """The hidden files of copies of this store that are being written or were interrupted."""
    for announcement in _announcements(store):
        with suppress(OSError):
            if part := announcement.read_bytes():  # empty when its process was killed before it wrote the name
                yield Path(os.fsdecode(part))


def _announcements(store: Path) -> list[Path]:
    with suppress(OSError):
        return sorted((store.parent / FOLDER).iterdir())
    return []


def _create_announcement(folder: Path, part: Path) -> tuple[Path | None, int]:
    """Create and lock an announcement. Returns (None, -1) when that fails."""
    for _ in range(_ATTEMPTS):
        announcement = folder / secrets.token_hex(6)
        try:
            private_folder(str(folder))
            handle = os.open(announcement, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        except OSError:
            break
        try:
            if try_lock(handle) and announcement.exists():  # else another process deleted it before the lock
                os.write(handle, os.fsencode(part.absolute()))
                return announcement, handle
        except OSError:
            pass
        os.close(handle)
        with suppress(OSError):
            announcement.unlink(missing_ok=True)
    return None, -1


def _clean_up(announcement: Path) -> bool:
    """Delete an announcement and its hidden file; False while its writer holds the lock."""
    try:
        handle = os.open(announcement, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except OSError:
        return not announcement.exists()
    try:
        if not try_lock(handle):
            return False
        name = os.read(handle, _LONGEST_PATH)
        part = Path(os.fsdecode(name))
        if _PART.fullmatch(part.name):
            remove(part)
        if not name or not part.exists():
            with suppress(OSError):
                announcement.unlink(missing_ok=True)
    finally:
        os.close(handle)
    return True


def register(context: Context, store: Store, path: Path, kind: CopyKind) -> None:
    """Register a copy. A read-only store is ignored: the copy may be made all the same."""
    with suppress(StoreUnavailable):
        store.copies.add(path, kind, context.clock())


def log_copy(
    context: Context, store: Store, action: str, author: Author | None, via: str, note: str, ids: tuple[str, ...] = ()
) -> None:
    """Log an export, backup or import with its author, and the beliefs that came in. An error of the log does not undo
    the action."""
    with suppress(MemlspError):
        person = author or context.person()
        store.audit.note(AuditEntry(0, context.clock(), action, person, via, "", ids, note))
