"""A symbol in one commit, its predecessor in an earlier one, and the text of its definition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from attrs import frozen

from memlsp.capture.git.libgit2 import pygit2
from memlsp.model.symbol import Symbol, SymbolKind


class DefinitionText:
    """The text of a definition and its head line, read lazily. The head line is the nearest one above with less
    indentation: that of the class that holds the definition."""

    __slots__ = ("_found", "_read")

    def __init__(self, read: Callable[[], tuple[bytes, int, int]]) -> None:
        self._read: Callable[[], tuple[bytes, int, int]] | None = read  # the file, and where the definition is in it
        self._found: tuple[bytes, bytes] | None = None

    def __call__(self) -> bytes:
        """The bytes of the definition."""
        return self._parts()[0]

    def stands_in(self, data: bytes) -> bool:
        """True when a file has the definition byte for byte, under the same head line, and not as a part of another
        definition (`RATE` in `TAX_RATE`)."""
        text, head = self._parts()
        return any(_head(data, at) == head for at in _places(data, text))

    def _parts(self) -> tuple[bytes, bytes]:
        if self._found is None:
            data, start, end = self._read() if self._read else (b"", 0, 0)
            self._found = data[start:end], _head(data, start)
            self._read = None  # it may hold on to the whole file
        return self._found


@frozen
class NameAndKind:
    """The dotted name of a symbol that was not read, and its kind, of which only the family counts; None for any."""

    name: str
    kind: SymbolKind | None


@frozen
class Trace:
    """A symbol in one commit."""

    commit: pygit2.Commit
    path: str
    symbol: Symbol
    written: DefinitionText

    @property
    def text(self) -> bytes:
        """Its definition."""
        return self.written()


@frozen
class Predecessor:
    """The symbol before a commit; `file_moved` when its whole file was moved."""

    path: str
    symbol: Symbol
    written: DefinitionText
    file_moved: bool = False

    @property
    def text(self) -> bytes:
        """Its definition."""
        return self.written()


def holds(data: bytes, text: bytes) -> bool:
    """True when the file has the definition byte for byte."""
    return next(_places(data, text), None) is not None


def _places(data: bytes, text: bytes) -> Iterator[int]:
    at = data.find(text) if text else -1
    while at >= 0:
        before, after = data[at - 1 : at], data[at + len(text) : at + len(text) + 1]
        if (not before or before.isspace()) and (not after or after in b"\r\n;, )}"):
            yield at
        at = data.find(text, at + 1)


def _head(data: bytes, at: int) -> bytes:
    """The nearest line above with less indentation that is no comment or decorator; empty at the margin."""
    indent = at - data.rfind(b"\n", 0, at) - 1
    heads = [found[0] for found in _less_indented(indent).finditer(data, 0, at)] if indent > 0 else []
    return heads[-1].strip() if heads else b""


@cache
def _less_indented(indent: int) -> re.Pattern[bytes]:
    return re.compile(rb"^[ \t]{0,%d}(?![ \t\r\n#*{@]|//|/\*)[^\n]+" % (indent - 1), re.MULTILINE)
