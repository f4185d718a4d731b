"""Lines of writers, what a pull returns, and the limits of both."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import frozen

from memlsp.model.errors import BadValue

LARGEST_LINE = 256 << 10  # bytes
MOST_LINES = 200_000  # of one writer
MOST_BYTES = 128 << 20  # of one writer

_KEY = re.compile(r"[0-9a-f]{32}")
_WRITER = re.compile(r"[0-9a-f]{16}[0-9a-z_-]{0,112}")


@frozen
class Line:
    """One JSON object as ASCII without a line end. `key`, 32 hexadecimal digits, stands for this text for good."""

    key: str
    text: bytes


@frozen
class Pull:
    """What writers left since a cursor: (writer, line) in any order, perhaps again; the next cursor; whether more waits
    behind it; and (writer, reason) of what was refused, "" for the writer where none is known."""

    lines: tuple[tuple[str, Line], ...]
    cursor: str
    more: bool = False
    faults: tuple[tuple[str, str], ...] = ()


def is_writer(name: str) -> bool:
    """Whether `name` can be a writer's: 16 hexadecimal digits, then digits, lower-case letters, `_` and `-`."""
    return _WRITER.fullmatch(name) is not None


def fault_of(line: Line) -> str:
    """What is wrong with the form of a line; "" for nothing."""
    if len(line.text) > LARGEST_LINE:
        return f"a line has more than {LARGEST_LINE >> 10} KiB"
    if not _KEY.fullmatch(line.key):
        return "the key of a line is not 32 hexadecimal digits"
    text = line.text
    if not (text[:1] == b"{" and text[-1:] == b"}" and text.isascii()) or b"\n" in text or b"\r" in text:
        return "a line is not one JSON object in ASCII"
    return ""


def check_lines(writer: str, lines: Sequence[Line]) -> None:
    """Raise BadValue where readers would refuse the lines of `writer`."""
    fault = "" if is_writer(writer) else "the name of the writer does not begin with 16 hexadecimal digits"
    fault = fault or next((found for found in map(fault_of, lines) if found), "")
    if len({line.key for line in lines}) < len(lines):
        fault = fault or "two lines have the same key"
    if len(lines) > MOST_LINES or sum(len(line.text) + 34 for line in lines) > MOST_BYTES:
        fault = fault or f"a writer leaves more than {MOST_LINES} lines or {MOST_BYTES >> 20} MiB"
    if fault:
        raise BadValue(f"not published for {writer[:16]!r}: {fault}")
