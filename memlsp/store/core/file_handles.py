"""Telling files apart and locking them, with the fewest imports."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> bool:
        """Lock an open file; False when another process holds the lock. Closing the file releases it."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Lock an open file; False when another process holds the lock. Closing the file releases it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def file_identity(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Device and number of a file, which another one in its place does not have; None when there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - pathlib is a tenth of a hook's time
    except OSError:
        return None
    return status.st_dev, status.st_ino
