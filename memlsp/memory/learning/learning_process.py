"""The process that looks for proposals in a workspace, for a program that must stay quick meanwhile.

`python -m memlsp.memory.learning.learning_process ROOT --data FOLDER`. It ends when it is done, and when its
standard input is closed: whoever started it does not want it any more, or is gone.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired

from memlsp.capture.child_process import start_module

_LOOK_EVERY = 0.1
"""Seconds between two looks at whether it was cancelled."""

_ENDS_WITHIN = 2.0


def learned_aside(root: Path, data: Path, cancelled: Callable[[], bool]) -> bool:
    """Start it and wait for it; True when it was done. Raises OSError when it cannot be started."""
    command = (sys.executable, "-P", "-m", "memlsp.memory.learning.learning_process", str(root), "--data", str(data))
    with start_module("", command) as child:
        while child.poll() is None and not cancelled():
            with suppress(TimeoutExpired):
                child.wait(_LOOK_EVERY)
        if child.stdin is not None:
            child.stdin.close()
        try:
            child.wait(_ENDS_WITHIN)
        except TimeoutExpired:
            child.kill()
        return child.wait() == 0


def main(arguments: list[str]) -> int:
    """Learn in the workspace of the first argument; 0 when it was done, 1 when it was ended."""
    from memlsp.memory.memory import Memory

    if sys.platform != "win32":
        os.nice(10)
    root, _, data = arguments
    stop = threading.Event()

    def listen() -> None:
        sys.stdin.buffer.read()
        stop.set()

    threading.Thread(target=listen, name="memlsp-learner", daemon=True).start()
    with Memory.open(root, data_dir=Path(data)) as memory:
        return 1 if memory.learning.learn(cancelled=stop.is_set).stopped else 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(status)  # a thread waits for standard input
