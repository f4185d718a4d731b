"""Announce copies before their first byte is written, so that `forget` can wait for running ones and delete the remains
of killed ones.

An announcement is a file in the store's folder. It names the hidden file beside the copy, and its writer holds a lock
on it while it writes.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from memlsp.store.backup.backup import remove
from memlsp.store.core.file_handles import try_lock
from memlsp.store.core.hook_connection import private_folder

FOLDER = "writing"
"""The folder of announcements, beside a store."""

PATIENCE = 60.0
"""Seconds to wait for copies that are being written."""

_PART = re.compile(r"\..+\.[0-9a-f]{12}\.part", re.DOTALL)
_LONGEST = 1 << 16
_TRIES = 3


def part_of(path: Path) -> Path:
    """A random name for the hidden file beside `path` that is written first and then renamed."""
    return path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.part")


def is_part(path: Path) -> bool:
    """True for a name that `part_of` makes."""
    return _PART.fullmatch(path.name) is not None


@contextmanager
def announce(store: Path, path: Path) -> Generator[Path]:
    """Announce a copy of the store to `path` and yield the hidden file to write it to, which is deleted afterwards.
    Read the store only inside this block.

    When the announcement cannot be written, the copy may be made all the same.
    """
    part = part_of(path)
    sweep(store)
    mark, handle = _mark(store.parent / FOLDER, part)
    try:
        yield part
    finally:
        remove(part)
        if mark is not None:
            os.close(handle)
            with suppress(OSError):
                mark.unlink(missing_ok=True)


def sweep(store: Path) -> int:
    """Delete what killed processes left of copies of this store. Returns the number of copies that are still being
    written."""
    return sum(not _swept(mark) for mark in _marks(store))


def wait(stores: Sequence[Path], tell: Callable[[str], None]) -> None:
    """Wait until no copy of these stores is being written, or `PATIENCE` is over. Calls `sweep`."""
    until = time.monotonic() + PATIENCE
    told = False
    while sum(sweep(store) for store in stores) and time.monotonic() < until:
        if not told:
            tell("waiting for a copy that is being written")
            told = True
        time.sleep(0.05)


def parts(store: Path) -> Iterator[Path]:
    """The hidden files of copies of this store that are being written or were interrupted."""
    for mark in _marks(store):
        with suppress(OSError):
            if part := mark.read_bytes():  # of a process that was killed before it wrote the name there is none
                yield Path(os.fsdecode(part))


def _marks(store: Path) -> list[Path]:
    with suppress(OSError):
        return sorted((store.parent / FOLDER).iterdir())
    return []


def _mark(folder: Path, part: Path) -> tuple[Path | None, int]:
    """Create and lock an announcement. Returns (None, -1) when that fails."""
    for _ in range(_TRIES):
        mark = folder / secrets.token_hex(6)
        try:
            private_folder(str(folder))
            handle = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        except OSError:
            break
        try:
            if try_lock(handle) and mark.exists():  # else somebody swept it away before it had its lock
                os.write(handle, os.fsencode(part.absolute()))
                return mark, handle
        except OSError:
            pass
        os.close(handle)
        with suppress(OSError):
            mark.unlink(missing_ok=True)
    return None, -1


def _swept(mark: Path) -> bool:
    """Delete an announcement and its hidden file; False while its writer holds the lock."""
    try:
        handle = os.open(mark, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except OSError:
        return not mark.exists()
    try:
        if not try_lock(handle):
            return False
        named = os.read(handle, _LONGEST)
        part = Path(os.fsdecode(named))
        if is_part(part):
            remove(part)
        if not named or not part.exists():
            with suppress(OSError):
                mark.unlink(missing_ok=True)
    finally:
        os.close(handle)
    return True
