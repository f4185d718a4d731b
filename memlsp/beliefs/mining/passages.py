"""Splits Markdown and reStructuredText into passages: list items and paragraphs with their headings. Not a parser of
either: code, tables, quotations, directives and comments are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

_FENCE = re.compile(r"^\s{0,12}(```+|~~~+)")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
_UNDERLINE = re.compile(r"^(=+|-+|~+|\^+|\"+|\*+|#+|\++)\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)]|#\.)\s+(?:\[[ xX]\]\s+)?(.*)$")
_SKIPPED = re.compile(r"^\s*(?:\||>|<|!\[|\[[^\]]+\]:|\.\. |:\w[\w -]*:|---+\s*$|\*\*\*+\s*$|\{%|\{\{|@\w)")
_LINK = re.compile(r"!?\[([^\]]*)\]\((?:[^()]|\([^)]*\))*\)|\[([^\]]+)\]\[[^\]]*\]")
_RST_LINK = re.compile(r"`([^`<]+?)\s*<[^>]+>`_+|:[\w:.+-]+:`~?([^`<]+?)(?:\s*<[^>]+>)?`|``([^`]+)``")
_EMPHASIS = re.compile(r"(?<![\w`])(\*\*|__|\*|_)(?=\S)(.+?)(?<=\S)\1(?![\w`])")
_SENTENCE_END = re.compile(r"(?<=[.!?])[)\"'*\u201d\u2019]*\s+(?=[A-Z`\"'(*\u201c\u2018_])")
_NO_END = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|no|fig|sec|incl|esp|viz)\.|\b[A-Z]\.)$", re.IGNORECASE)


@frozen
class Passage:
    """One list item or paragraph. `headings` are those above it, outermost first; `lead` introduces its list (`Never do
    this:`); lines are from 1, inclusive."""

    text: str
    headings: tuple[str, ...]
    first_line: int
    last_line: int
    item: bool
    lead: str = ""


def passages(text: str) -> Iterator[Passage]:
    """The passages in order, each in one line, links and emphasis as plain words, code in backticks."""
    for block in _blocks(text):
        cleaned = plain(" ".join(block.text.split()))
        if cleaned:
            yield Passage(cleaned, block.headings, block.first_line, block.last_line, block.item, plain(block.lead))


def sentences(text: str) -> list[str]:
    """The sentences of a passage; a full stop after an abbreviation ends none."""
    found: list[str] = []
    for part in _SENTENCE_END.split(text):
        if found and _NO_END.search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return [part.strip() for part in found if part.strip()]


def plain(text: str) -> str:
    """The text without the marks of Markdown and reStructuredText, code in single backticks."""
    text = _LINK.sub(lambda found: found[1] or found[2] or "", text)
    text = _RST_LINK.sub(lambda found: f"`{found[2] or found[3]}`" if found[2] or found[3] else found[1], text)
    for _ in range(2):
        text = _EMPHASIS.sub(r"\2", text)
    parts = text.split("`")
    parts[::2] = [re.sub(r"<!--.*?-->|</?[a-zA-Z][\w-]*(?:\s[^>]*)?/?>", "", part) for part in parts[::2]]
    return " ".join("`".join(parts).split())


class _PassageReader:
    """Reads line by line; `flush` gives the block that was being read."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._first = 0
        self._item = False
        self._indent = 0
        self._leads: list[tuple[int, str]] = []
        self._fence = ""
        self._literal: int | None = None  # what a literal block of reStructuredText is indented deeper than
        self._levels: dict[str, int] = {}

    def read(self, number: int, line: str) -> Iterator[Passage]:
        """Take the next line; yield the block that it ends."""
        indent = len(line) - len(line.lstrip())
        if self._is_code(line, indent) or not line.strip():
            yield from self.flush(number - 1)
            return
        if _UNDERLINE.match(line) and len(self._lines) == 1 and not self._item:
            level = self._levels.setdefault(line[0], len(self._levels) + 1)
            self._head(level, self._lines[0])
            self._lines = []
            return
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if heading or _SKIPPED.match(line) or _UNDERLINE.match(line):
            yield from self.flush(number - 1)
            if heading:
                self._head(len(heading[1]), heading[2])
            elif line.lstrip().startswith(".. "):
                self._literal = indent
            return
        if item:
            yield from self.flush(number - 1)
            self._first, self._item, self._indent = number, True, len(item[1])
            self._lines = [item[2]]
        elif self._lines:
            self._lines.append(line)
        elif indent < 4 or self._leads:  # else indented code
            self._first, self._item, self._indent = number, False, indent
            self._lines = [line]
        if line.rstrip().endswith("::"):
            yield from self.flush(number)
            self._literal = indent

    def flush(self, last: int) -> Iterator[Passage]:
        """Yield the open block, which ends at line `last`."""
        if self._lines:
            text = " ".join(line.strip() for line in self._lines)
            headings = tuple(each for _, each in self._headings)
            if self._item:
                lead = next((each for at, each in reversed(self._leads) if at < self._indent), "")
                self._leads = [each for each in self._leads if each[0] < self._indent]
            else:
                lead, self._leads = "", []
            yield Passage(text, headings, self._first, last, self._item, lead)
            if text.rstrip("*_ ").endswith(":"):
                self._leads.append((self._indent if self._item else -1, text))
        self._lines = []

    def _is_code(self, line: str, indent: int) -> bool:
        opened = _FENCE.match(line)
        if self._fence or opened:
            if opened and not self._fence:
                self._fence = opened[1][:3]
            elif opened and opened[1].startswith(self._fence):
                self._fence = ""
            return True
        if self._literal is not None and line.strip():
            if indent > self._literal:
                return True
            self._literal = None
        return False

    def _head(self, level: int, text: str) -> None:
        self._headings = [each for each in self._headings if each[0] < level]
        self._headings.append((level, plain(text)))
        self._leads = []


def _blocks(text: str) -> Iterator[Passage]:
    reader = _PassageReader()
    lines = text.expandtabs(4).splitlines()
    start = _front_matter(lines)
    for number, line in enumerate(lines[start:], start + 1):
        yield from reader.read(number, line)
    yield from reader.flush(len(lines))


def _front_matter(lines: list[str]) -> int:
    """The number of lines of the front matter."""
    if lines and lines[0].strip() == "---":
        for number, line in enumerate(lines[1:200], 2):
            if line.strip() in {"---", "..."}:
                return number
    return 0
