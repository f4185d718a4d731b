"""Workspaces, the places in them that people type, and spans in a source text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from attrs import evolve, field, frozen

from memlsp.model.errors import BadPlace

_LINE_SUFFIX = re.compile(r"^(?P<path>.*?):(?P<line>\d{1,9})(?::\d+)?$", re.DOTALL)
_LAST_LINE_SUFFIX = re.compile(r"^(?P<path>.*):(?P<line>\d{1,9})$", re.DOTALL)


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

    `path` is as typed (posix separators); `line` counts from 1; at most one of `line` and `symbol` is set. `typed` is
    the whole text that was read, "" for a place that was put together.
    """

    path: str
    line: int | None = None
    symbol: str | None = None
    typed: str = field(default="", eq=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> Place:
        """Read `PATH`, `PATH:LINE` (a column behind it is ignored) or `PATH#Qualified.name`. Raises BadPlace when the
        path is empty, the line is 0 or the symbol is empty."""
        typed = text.strip()
        raw = typed.replace("\\", "/")
        path, hash_sign, symbol = raw.partition("#")
        if hash_sign:
            if not path or not symbol:
                raise BadPlace(text)
            return cls(path, symbol=symbol, typed=typed)
        found = _LINE_SUFFIX.match(raw)
        if found:
            line = int(found["line"])
            if line < 1 or not found["path"]:
                raise BadPlace(text)
            return cls(found["path"], line=line, typed=typed)
        if not raw:
            raise BadPlace(text)
        return cls(raw, typed=typed)

    def readings(self) -> Iterator[Place]:
        """This place, then the other readings of the text for file names with `#`, `:` or a backslash (`c#/x.py`,
        `a:3`). The caller looks at the files and takes the first that exists."""
        yield self
        known: set[Place] = {self}
        for raw in dict.fromkeys((self.typed.replace("\\", "/"), self.typed)):
            for other in _readings(raw):
                if other not in known:
                    known.add(other)
                    yield evolve(other, typed=self.typed)

    def __str__(self) -> str:
        if self.symbol:
            return f"{self.path}#{self.symbol}"
        return f"{self.path}:{self.line}" if self.line else self.path


def _readings(raw: str) -> Iterator[Place]:
    """All readings of a text, the longest paths first."""
    if raw:
        yield Place(raw)
    for suffix in (_LAST_LINE_SUFFIX, _LINE_SUFFIX):
        found = suffix.match(raw)
        if found and found["path"] and int(found["line"]):
            yield Place(found["path"], line=int(found["line"]))
    for sign in reversed(list(re.finditer("#", raw))):
        path, symbol = raw[: sign.start()], raw[sign.end() :]
        if path and symbol:
            yield Place(path, symbol=symbol)


@frozen
class Workspace:
    """A project: a repository with all its worktrees and clones on this machine, or a plain folder.

    `key` names its memory; `basis` is the origin of the key: `id` (an explicit one), `remote`, `git` (the common git
    folder) or `folder`. `root` is the top of this checkout.
    """

    root: Path
    key: str
    name: str
    basis: str
    git: bool
    former: tuple[str, ...] = ()  # keys from before it had a remote or an id
    refused: str = ""  # the memory that it names and may not share until a person agrees
