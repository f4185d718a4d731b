"""Small files of the data folder, written in one step and for the owner alone. Imports nothing slow, for hooks."""

from __future__ import annotations

import os
import sys

from memlsp.store.core.hook_connection import private_folder


def data_folder() -> str:
    """Return the same absolute folder as `store.core.locations.data_folder`, without its slow imports."""
    chosen = os.environ.get("MEMLSP_DATA_DIR", "").strip()
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    if sys.platform == "linux" and "ANDROID_DATA" not in os.environ:
        base = os.environ.get("XDG_DATA_HOME", "")
        if not base.strip():
            base = os.path.expanduser("~/.local/share")
        return os.path.join(base, "memlsp")
    from memlsp.store.core import locations  # late: slow, and needed on other systems only

    return str(locations.data_folder())


def stamp_text(path: str) -> str:
    """Return time, size and inode of a file as text, which differs when the file does; "" when there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def write_private(path: str, data: bytes) -> None:
    """Replace a file in one step, making its folder; nobody but the owner can read it. Raises OSError."""
    private_folder(os.path.dirname(path))
    beside = f"{path}.{os.getpid()}"
    # without O_BINARY, Windows would write two bytes for each line end
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(beside, flags, 0o600)
        try:
            os.write(handle, data)
        finally:
            os.close(handle)
        os.replace(beside, path)
    except OSError:
        try:
            os.unlink(beside)
        except OSError:
            pass
        raise
