"""Log the errors of hooks, one line each, in a file of at most 256 kB.

A hook must not bother its agent with errors of ours, so they are written here and `memlsp doctor` shows them. A line
says what failed and where; it holds nothing of what was observed.
"""

from __future__ import annotations

import os
import time

from memlsp.capture.private_files import data_folder
from memlsp.store.core.hook_connection import private_folder

FILE = "hook.log"
"""In the data folder; older lines are in `hook.log.1`."""

_HALF = 128 << 10  # bytes of each of the two files
_LONGEST = 1_000


def note(what: str) -> bool:
    """Write a line. Returns False when it cannot be written; never raises."""
    try:
        folder = data_folder()
        private_folder(folder)
        path = os.path.join(folder, FILE)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        plain = " ".join(what.split())[:_LONGEST]
        line = f"{stamp} {os.getpid()} {plain}\n".encode("utf-8", "replace")
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            size = os.fstat(handle).st_size
            os.write(handle, line)
        finally:
            os.close(handle)
        if size + len(line) > _HALF:
            os.replace(path, path + ".1")  # two that do it at once lose the older half twice, and nothing else
    except Exception:
        return False
    return True


def render_error(error: BaseException) -> str:
    """Render an error as a line: its type and the place in our code, without a message that may hold observed text."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    message = f" {error}" if isinstance(error, (OSError, ImportError)) else ""
    return f"{type(error).__name__}{message} at {place}"


def last(number: int = 20, *, data: str | None = None) -> list[str]:
    """The last lines, oldest first."""
    path = os.path.join(data_folder() if data is None else data, FILE)
    lines: list[str] = []
    for each in (path + ".1", path):
        try:
            with open(each, encoding="utf-8", errors="replace") as file:
                lines += file.read().splitlines()
        except OSError:
            continue
    return lines[-number:]
