"""Processes of our own: how they are started, so that nothing in a workspace chooses what they run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def environment() -> dict[str, str]:
    """The environment in which a process of ours finds what this one imports."""
    # with -P beside it: a folder of the user's is no place to import from, and the working directory is one
    ours = str(Path(__file__).resolve().parents[2])
    paths = [*(path for path in sys.path if path and path != os.getcwd()), ours]  # noqa: PTH109
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def started(module: str, command: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """A process that runs `module` of ours, or `command` in its place, at a low priority, with pipes for stdin and
    stdout and its stderr closed. Raises OSError when it cannot be started."""
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW
    return subprocess.Popen(  # noqa: S603 - our own program
        command or (sys.executable, "-P", "-m", module),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
        creationflags=flags,
    )
