"""Starts memlsp as the fork of a process that has imported it already.

Half a second of processor time goes by until a language server has imported what it needs, and as much again until an
MCP server has: more than most tests have them do. What is started here is a process like any other, with its own pipes,
folder and environment, and ends as one. A test of starting, of imports, of signals or of a terminal starts
`python -m memlsp` instead.
"""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
_ONE_AT_A_TIME = threading.Lock()


def warm_program(*words: str) -> list[str]:
    """The command line that runs memlsp with these words; their first decides what was imported already."""
    if sys.platform != "linux":  # that a process dies with the one that stands for it is known there alone
        return [sys.executable, "-m", "memlsp", *words]
    with _ONE_AT_A_TIME:
        path = _started(words[0])
    return [sys.executable, "-I", "-S", str(HERE / "warm_client.py"), path, *words]


@cache
def _started(face: str) -> str:
    """Start the process whose forks serve `face`; the path of its socket. It ends with this process."""
    folder = tempfile.mkdtemp(prefix="warm-")  # a path of the test's own could be too long for a socket
    path = f"{folder}/socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(16)
        process = subprocess.Popen(
            [sys.executable, "-P", str(HERE / "warm_parent.py"), str(listener.fileno()), face],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # a process with threads is not forked
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )

    def end() -> None:
        process.communicate()
        shutil.rmtree(folder)

    atexit.register(end)
    return path
