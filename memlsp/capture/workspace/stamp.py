"""What tells one state of a file from another without reading it."""

from __future__ import annotations

import os
import stat
import time

from attrs import field, frozen

# File systems keep times in steps, so a file that changed just before it was looked at may change again without showing
# it (the idea is that of git's "racily clean" index entries). A time with a fraction of a millisecond comes from a
# clock that steps with the kernel's, at least every 10 ms; a round one may come from FAT, which steps every 2 s.
_FINE_STEP_NS = 50_000_000
_COARSE_STEP_NS = 2_000_000_000


@frozen
class Stamp:
    """Time of last change, size, and which file it is. `settled` is False when a change could still hide behind it."""

    mtime_ns: int
    size: int
    file: tuple[int, int]  # device, inode
    regular: bool
    settled: bool = field(eq=False)


def stamp_of(path: str | os.PathLike[str]) -> Stamp | None:
    """The stamp of what `path` leads to, or None when there is nothing (or nothing that we may see)."""
    try:
        return stamp_from(os.stat(path))  # noqa: PTH116  the fast path: called for every folder and file
    except (OSError, ValueError):
        return None


def stamp_from(status: os.stat_result) -> Stamp:
    """The stamp from a status that was just taken."""
    step = _FINE_STEP_NS if status.st_mtime_ns % 1_000_000 else _COARSE_STEP_NS
    settled = time.time_ns() - status.st_mtime_ns > step
    return Stamp(
        status.st_mtime_ns, status.st_size, (status.st_dev, status.st_ino), stat.S_ISREG(status.st_mode), settled
    )
