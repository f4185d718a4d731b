"""How Ctrl-C ends a command. Free of imports that take time: needed while the command line is being loaded too."""

from __future__ import annotations

import sys
from typing import NoReturn

STATUS = 130
"""What a shell says of a program that Ctrl-C ended: 128 and the number of the signal."""


def interrupted() -> NoReturn:
    """Say so in one line on stderr, and exit."""
    # a terminal has written ^C where the cursor was; the line is written over it
    start = "\r" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{start}memlsp: interrupted\n")
    raise SystemExit(STATUS) from None
