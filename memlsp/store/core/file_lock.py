"""A lock file, which the operating system releases with its process."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager

from memlsp.store.core.file_handles import try_lock


@contextmanager
def turn(path: str | os.PathLike[str]) -> Generator[bool]:
    """Hold the lock at `path` (a file, made readable by its owner alone) while the block runs. False when it is held
    already, also by another part of this process, or cannot be made."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError:
        yield False
        return
    try:
        yield try_lock(handle)
    finally:
        os.close(handle)
