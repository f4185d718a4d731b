"""File stamps: tell two states of a file apart without reading it."""

from __future__ import annotations

import os
import stat
import time

from attrs import field, frozen

# File systems keep times in steps, so a file may change again within a step and keep its stamp (git calls such index
# entries "racily clean"). A time with a fraction of a millisecond comes from a clock that steps at least every 10 ms;
# a round one may come from FAT, which steps every 2 s.
_FINE_STEP_NS = 50_000_000
_COARSE_STEP_NS = 2_000_000_000


@frozen
class Stamp:
    """Times, size and identity of a file. `settled` is False while a change could leave it equal. `ctime_ns` moves also
    where a program sets the time of a file back after it wrote it (on POSIX systems)."""

    mtime_ns: int
    ctime_ns: int
    size: int
    file: tuple[int, int]  # device, inode
    regular: bool
    settled: bool = field(eq=False)


def stamp_of(path: str | os.PathLike[str]) -> Stamp | None:
    """Return the stamp of the file or folder that `path` leads to; None when there is none or it is hidden from us."""
    try:
        return stamp_from(os.stat(path))  # noqa: PTH116  called for every folder and file
    except (OSError, ValueError):
        return None


def stamp_from(status: os.stat_result) -> Stamp:
    """Make a stamp from a status that was just taken."""
    step = _FINE_STEP_NS if status.st_mtime_ns % 1_000_000 else _COARSE_STEP_NS
    settled = time.time_ns() - status.st_mtime_ns > step
    file = (status.st_dev, status.st_ino)
    return Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size, file, stat.S_ISREG(status.st_mode), settled)


def is_regular_file(path: str | os.PathLike[str]) -> bool:
    """Return True for a regular file, or a link to one. Never raises."""
    stamp = stamp_of(path)
    return stamp is not None and stamp.regular
