"""Single keys and edited lines from a terminal. The terminal stays in one mode from the first key to the last, so that
keys typed during a computation are neither lost nor echoed."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress

import click

_ARROW = 3  # characters that an arrow key sends


class Keyboard:
    """Reads from standard input, which is a terminal. Ctrl-C raises KeyboardInterrupt in both ways of reading."""

    def __init__(self) -> None:
        self._typed = ""

    @contextmanager
    def held(self) -> Generator[None]:
        """Read keys one by one, without echo, until the block ends; then the terminal is as it was."""
        if sys.platform == "win32":
            yield
            return
        import termios
        import tty

        before = termios.tcgetattr(sys.stdin.fileno())
        try:
            tty.setcbreak(sys.stdin.fileno(), termios.TCSADRAIN)  # keeps what was typed already, and Ctrl-C a signal
            yield
        finally:
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)

    def key(self) -> str:
        """The next key; an arrow is its escape sequence, the end of input Ctrl-D."""
        sys.stdout.flush()
        if sys.platform == "win32":
            try:
                return click.getchar()
            except EOFError:
                return "\x04"
        if not self._typed:
            self._typed = os.read(sys.stdin.fileno(), 256).decode("utf-8", "replace") or "\x04"
        length = _ARROW if self._typed.startswith("\x1b[") else 1
        pressed, self._typed = self._typed[:length], self._typed[length:]
        return pressed

    def line(self, prompt: str, start: str = "") -> str:
        """A line that begins with `start`, editable where the terminal can; "" at the end of input."""
        with ordinary_terminal(), suppress(EOFError):
            return _edited(prompt, start.replace("\n", " "))
        return ""


@contextmanager
def ordinary_terminal() -> Generator[None]:
    """Switch the terminal to whole lines with echo until the block ends."""
    if sys.platform == "win32":
        yield
        return
    import termios

    held = termios.tcgetattr(sys.stdin.fileno())
    lines = list(held)
    lines[3] |= termios.ICANON | termios.ECHO
    try:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, lines)
        yield
    finally:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, held)


def _edited(prompt: str, start: str) -> str:
    with suppress(ImportError):
        import readline  # where there is one: not on Windows

        if os.environ.get("TERM") != "dumb" and hasattr(readline, "set_startup_hook"):
            readline.set_startup_hook(lambda: readline.insert_text(start))
            try:
                return input(prompt)
            finally:
                readline.set_startup_hook(None)
    if start:
        click.echo(f"now: {start}")
    return input(prompt)
