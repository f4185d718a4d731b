"""The end of a command by Ctrl-C. It imports nothing that takes time, as it is needed while commands are loaded."""

from __future__ import annotations

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

STATUS = 130
"""The exit status of a program that Ctrl-C ended: 128 and the number of the signal."""


def interrupted() -> NoReturn:
    """Report the interruption in one line on stderr, and exit."""
    # a terminal has written ^C where the cursor was; the line is written over it
    start = "\r" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{start}memlsp: interrupted\n")
    raise SystemExit(STATUS) from None


@contextmanager
def ended_at_once() -> Generator[None]:
    """While a server loads its modules, Ctrl-C ends the process without a word: nothing has begun, and Python would
    print a traceback for an interruption of its import locks. Stays ignored where it is ignored, as in the background.
    """
    loading = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if loading:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if loading:
            signal.signal(signal.SIGINT, signal.default_int_handler)
