"""How long a test waits for another process before it gives up: longer on a busy machine."""

from __future__ import annotations

import os
import sys


def patience(seconds: float) -> float:
    """`seconds` times the number of processes that share a processor now, at least once and at most eight times.

    It bounds a wait for something that ends the wait by happening, so a longer bound makes no passing test slower.
    """
    if sys.platform == "win32":
        return 2 * seconds  # which does not say how busy it is
    return seconds * min(max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0), 8.0)
