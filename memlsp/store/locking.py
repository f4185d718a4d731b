"""A lock that one process holds at a time and that goes with it, however it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def locked(handle: int) -> bool:
        """Take the lock on an open file; False when somebody else has it. Closing the file gives it back."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def locked(handle: int) -> bool:
        """Take the lock on an open file; False when somebody else has it. Closing the file gives it back."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


@contextmanager
def turn(path: Path) -> Generator[bool]:
    """Hold the lock at `path` (a file made for it, readable by its owner alone) while the block runs.

    Gives False when somebody else holds it, also another part of this process, or when it cannot be made.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError:
        yield False
        return
    try:
        yield locked(handle)
    finally:
        os.close(handle)
