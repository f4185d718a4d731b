"""Copies that are being written, announced before the first byte: forgetting waits for those that go on, and takes away
what is left of those whose process was killed.

An announcement is a file in the folder of the store, locked by whoever writes for as long as he does, that names the
hidden file beside the copy to which he writes.
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
"""Beside a store."""

PATIENCE = 60.0
"""Seconds for which a copy that is being written is waited for."""

_PART = re.compile(r"\..+\.[0-9a-f]{12}\.part", re.DOTALL)
_LONGEST = 1 << 16
_TRIES = 3


def part_of(path: Path) -> Path:
    """A name for the hidden file beside `path` to which it is written."""
    return path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.part")


def is_part(path: Path) -> bool:
    """True for such a name."""
    return _PART.fullmatch(path.name) is not None


@contextmanager
def announce(store: Path, path: Path) -> Generator[Path]:
    """Say that a copy of the store is being written to `path`; gives the hidden file to write it to, which is gone
    afterwards. Whatever is read of the store has to be read in this block.

    Where nothing can be announced the copy may be written all the same.
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
    """Take away what killed processes left of copies of this store; how many copies are being written now."""
    return sum(not _swept(mark) for mark in _marks(store))


def wait(stores: Sequence[Path], tell: Callable[[str], None]) -> None:
    """Wait until no copy of these stores is being written, or patience is at its end; `sweep` them."""
    until = time.monotonic() + PATIENCE
    told = False
    while sum(sweep(store) for store in stores) and time.monotonic() < until:
        if not told:
            tell("waiting for a copy that is being written")
            told = True
        time.sleep(0.05)


def parts(store: Path) -> Iterator[Path]:
    """The hidden files to which copies of this store are being written, or were when somebody was killed."""
    for mark in _marks(store):
        with suppress(OSError):
            if part := mark.read_bytes():  # of a process that was killed before it wrote the name there is none
                yield Path(os.fsdecode(part))


def _marks(store: Path) -> list[Path]:
    with suppress(OSError):
        return sorted((store.parent / FOLDER).iterdir())
    return []


def _mark(folder: Path, part: Path) -> tuple[Path | None, int]:
    """The announcement and its handle, locked; None when it cannot be made."""
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
    """Clean up after whoever made this announcement; False while he writes."""
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
