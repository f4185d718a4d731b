"""A program in a pseudo-terminal, driven as a person would: wait for what it says, press a key."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from patience import patience

_PATIENCE = 30.0
"""Seconds that a program may take to print something on an idle machine."""

_PRESSED_AGAIN = 5.0
"""Seconds after which a person presses Ctrl-C once more."""

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")


class Terminal:
    """`memlsp` with these words, in a terminal of 120 columns. `said` is all that it printed, without colours."""

    def __init__(self, words: Sequence[str], folder: Path) -> None:
        import pty  # there is none on Windows
        import termios

        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (50, 120))
        self._screen = ours
        self._process = subprocess.Popen(
            [sys.executable, "-m", "memlsp", *words],
            cwd=folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color"},
            start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509 - nothing else runs in the child yet
        )
        os.close(theirs)
        self.said = ""
        self._read = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait(patience(_PATIENCE))
        os.close(self._screen)

    def expect(self, text: str) -> str:
        """Wait until it says `text` after what was waited for before; what it said up to there."""
        until = time.monotonic() + patience(_PATIENCE)
        while text not in self.said[self._read :]:
            if not self._more(until):
                raise AssertionError(f"it never said {text!r}; since then:\n{self.said[self._read :]}")
        end = self.said.index(text, self._read) + len(text)
        found = self.said[self._read : end]
        self._read = end
        return found

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._screen, keys.encode())

    def type_code(self, code: str = "") -> None:
        """Type the code that a locked belief takes, or another one."""
        self.expect("To go on, type ")
        self.press(f"{code or self.expect(': ')[:4]}\r")

    def end(self) -> int:
        """Wait until it ends; its exit status."""
        until = time.monotonic() + patience(_PATIENCE)
        while self._more(until):
            pass
        return self._process.wait(patience(_PATIENCE))

    def interrupt(self) -> int:
        """Press Ctrl-C, and again while nothing happens, as a person does; the exit status.

        CPython misses a signal that arrives just before it waits for a key (`readline_until_enter_or_signal`).
        """
        until = time.monotonic() + patience(_PATIENCE)
        while self._process.poll() is None and time.monotonic() < until:
            self.press("\x03")
            pause = time.monotonic() + patience(_PRESSED_AGAIN)
            while self._more(pause):
                pass
        return self.end()

    def _more(self, until: float) -> bool:
        left = until - time.monotonic()
        if left <= 0 or not select.select([self._screen], [], [], left)[0]:
            return False
        try:
            data = os.read(self._screen, 65_536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self.said = _CONTROL.sub("", self.said + data.decode("utf-8", "replace")).replace("\r\n", "\n")
        return bool(data)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C becomes a signal
