"""Ends the server when the editor's process ends, even if something else holds our stdin open."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any, cast

EVERY = 3.0
"""Seconds between two checks of the editor's process."""


def is_alive(pid: int) -> bool:
    """True while a process with this id exists, of any user."""
    if sys.platform == "win32":
        return _is_alive_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_alive_windows(pid: int) -> bool:
    # on Windows os.kill ends the process
    import ctypes

    kernel = cast("Any", ctypes).windll.kernel32
    handle = kernel.OpenProcess(0x00100000, False, pid)  # SYNCHRONIZE
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == 0x102)  # WAIT_TIMEOUT: it still runs
    finally:
        kernel.CloseHandle(handle)


def watch_parent(pid: int, gone: Callable[[], None], *, every: float = EVERY) -> threading.Event:
    """Call `gone` in a thread when the process has ended. Set the returned event to stop watching."""
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(every):
            if not is_alive(pid):
                gone()
                return

    threading.Thread(target=watch, name="memlsp-parent", daemon=True).start()
    return stop
