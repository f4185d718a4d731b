"""The end of a command by Ctrl-C. It imports nothing that takes time, as it is needed while commands are loaded."""

from __future__ import annotations

import sys
from typing import NoReturn

STATUS = 130
"""The exit status of a program that Ctrl-C ended: 128 and the number of the signal."""


def interrupted() -> NoReturn:
    """Report the interruption in one line on stderr, and exit."""
    # a terminal has written ^C where the cursor was; the line is written over it
    start = "\r" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{start}memlsp: interrupted\n")
    raise SystemExit(STATUS) from None
