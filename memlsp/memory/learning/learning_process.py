"""A child process that mines a workspace for proposals, so that the program that starts it stays responsive.

`python -m memlsp.memory.learning.learning_process ROOT --data FOLDER`. It ends when it is done, or when its parent
closes its standard input or dies.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from memlsp.memory.memory import Memory


def main(arguments: list[str]) -> int:
    """Mine the workspace of the first argument; 0 when done, 1 when stopped early."""
    if sys.platform != "win32":
        os.nice(10)
    root, _, data = arguments
    stop = threading.Event()

    def listen() -> None:
        sys.stdin.buffer.read()
        stop.set()

    threading.Thread(target=listen, name="memlsp-learner", daemon=True).start()
    with Memory.open(root, data_dir=Path(data)) as memory:
        return 1 if memory.proposals.learn(cancelled=stop.is_set).stopped else 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(status)  # a thread waits for standard input
