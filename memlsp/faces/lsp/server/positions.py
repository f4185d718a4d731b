"""Converts positions: the wire counts UTF-16 units, the memory counts bytes. As in LSP, lines end at a line feed, a
carriage return, or the two together. Python's `splitlines` also splits at form feeds and Unicode line separators, which
would shift every position after them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"[^\W\d]\w*")


def split_lines(text: str) -> list[str]:
    """The lines with their line ends. The last one has none; it may be empty."""
    lines = _LINE.findall(text)
    if not lines or lines[-1].endswith(("\r", "\n")):
        lines.append("")
    return lines


def well_formed(text: str) -> str:
    """Replace lone surrogates one for one: JSON can carry them, UTF-8 cannot."""
    return _SURROGATE.sub("\ufffd", text) if _SURROGATE.search(text) else text


def units(text: str) -> int:
    """The length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def index_of(line: str, column: int) -> int:
    """The index in `line` of a UTF-16 column, clamped to the line without its line end."""
    content = line.rstrip("\r\n")
    if content.isascii():
        return min(max(column, 0), len(content))
    seen = 0
    for index, char in enumerate(content):
        if seen >= column:
            return index
        seen += 2 if char > "\uffff" else 1
    return len(content)


class DocumentText:
    """The text of a document at one moment; immutable."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = tuple(lines)

    @classmethod
    def of(cls, text: str) -> DocumentText:
        """The text with this content."""
        return cls(split_lines(text))

    def __len__(self) -> int:
        return len(self._lines)

    def source(self) -> str:
        """The text for the memory; a lone carriage return becomes a line feed, since editors break lines there."""
        text = "".join(self._lines)
        return _LONE_RETURN.sub("\n", text) if "\r" in text else text

    def line(self, number: int) -> str:
        """A line (from 0) without its end; "" beyond the end."""
        return self._lines[number].rstrip("\r\n") if 0 <= number < len(self._lines) else ""

    def column(self, number: int, byte: int) -> int:
        """The UTF-16 column of a byte offset in a line."""
        line = self.line(number)
        if line.isascii():
            return min(max(byte, 0), len(line))
        return units(line.encode()[: max(byte, 0)].decode(errors="ignore"))

    def span(self, number: int, start_byte: int, end_byte: int) -> types.Range | None:
        """The range of a name on a line, in UTF-16 units. An empty name gives the line's text. A blank line, or one
        beyond the end, gives the nearest line with text, since readers skip blank lines; None when there is none."""
        if not self.line(number).strip():
            nearest = self._nearest_with_text(number)
            return self._whole(nearest) if nearest is not None else None
        start, end = self.column(number, start_byte), self.column(number, end_byte)
        if end <= start:
            return self._whole(number)
        return types.Range(types.Position(number, start), types.Position(number, end))

    def word_at(self, position: types.Position) -> tuple[str, int, int] | None:
        """The identifier at a position, with its start and end index in the line; None between words."""
        line = self.line(position.line)
        index = index_of(line, position.character)
        for found in _WORD.finditer(line):
            if found.start() <= index <= found.end():
                return found[0], found.start(), found.end()
        return None

    def range_of(self, number: int, start: int, end: int) -> types.Range:
        """The range between two indices of a line."""
        line = self.line(number)
        return types.Range(types.Position(number, units(line[:start])), types.Position(number, units(line[:end])))

    def _whole(self, number: int) -> types.Range:
        line = self.line(number)
        start = len(line) - len(line.lstrip())
        return self.range_of(number, start, len(line.rstrip()))

    def _nearest_with_text(self, number: int) -> int | None:
        after = range(max(number, 0), len(self._lines))
        before = range(min(number, len(self._lines)) - 1, -1, -1)
        return next((each for numbers in (after, before) for each in numbers if self._lines[each].strip()), None)


def replace(lines: list[str], where: types.Range, text: str) -> None:
    """Apply one edit in place, in time proportional to the edit. Positions beyond the text are clamped."""
    start, end = where.start, where.end
    first = min(max(start.line, 0), len(lines) - 1)
    last = min(max(end.line, first), len(lines) - 1)
    head = lines[first][: index_of(lines[first], start.character)] if start.line < len(lines) else lines[first]
    tail = lines[last][index_of(lines[last], end.character) :] if end.line < len(lines) else ""
    # an edit can join or split \r\n, so the neighbouring lines are split again
    before, after = max(first - 1, 0), min(last + 1, len(lines) - 1)
    prefix = lines[before] if before < first else ""
    suffix = lines[after] if after > last else ""
    piece = split_lines(prefix + head + text + tail + suffix)
    if after < len(lines) - 1 and piece[-1] == "":
        piece.pop()  # the line after the piece begins where it ends
    lines[before : after + 1] = piece
