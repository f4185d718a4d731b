"""Where something is: places that people type, and spans in a source text."""

from __future__ import annotations

import re

from attrs import frozen

from memlsp.model.errors import BadPlace

_LINE_SUFFIX = re.compile(r"^(?P<path>.*?):(?P<line>\d+)(?::\d+)?$", re.DOTALL)


@frozen
class Span:
    """A half-open range of a source text.

    Bytes and lines count from 0. `end_line` is the line that holds the last byte (inclusive), so a one-line
    definition has `start_line == end_line`. `start_column` is in bytes, from the start of `start_line`.
    """

    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    start_column: int = 0

    def holds_line(self, line: int) -> bool:
        """True when the 0-based `line` lies inside the span."""
        return self.start_line <= line <= self.end_line


@frozen
class Place:
    """A place in a workspace as people write it: `PATH`, `PATH:LINE` or `PATH#Qualified.name`.

    `path` is as typed (posix separators); `line` counts from 1; at most one of `line` and `symbol` is set.
    """

    path: str
    line: int | None = None
    symbol: str | None = None

    @classmethod
    def parse(cls, text: str) -> Place:
        """Read `PATH`, `PATH:LINE` (a column behind it is ignored) or `PATH#Qualified.name`.

        Raises BadPlace when the path is empty, the line is 0 or the symbol is empty.
        """
        raw = text.strip()
        path, hash_sign, symbol = raw.partition("#")
        if hash_sign:
            if not path or not symbol:
                raise BadPlace(text)
            return cls(path.replace("\\", "/"), symbol=symbol)
        found = _LINE_SUFFIX.match(raw)
        if found:
            line = int(found["line"])
            if line < 1 or not found["path"]:
                raise BadPlace(text)
            return cls(found["path"].replace("\\", "/"), line=line)
        if not raw:
            raise BadPlace(text)
        return cls(raw.replace("\\", "/"))

    def __str__(self) -> str:
        if self.symbol:
            return f"{self.path}#{self.symbol}"
        return f"{self.path}:{self.line}" if self.line else self.path
