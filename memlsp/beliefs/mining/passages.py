"""Splits Markdown and reStructuredText into passages: headings, list items, table rows and paragraphs. Not a parser of
either: code, quotations that nothing marks, directives and comments are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from attrs import evolve, frozen

from memlsp.code.vocabulary import patterns

_RE = patterns(__name__)
_LONGEST = 20_000  # characters of a passage that is read
_LONGEST_CODE = 3  # lines of a block of code that its lead takes in

BLOCK_BEGIN = "<!-- memlsp: written by `memlsp sync` from .memlsp/beliefs; edits here are lost -->"
BLOCK_END = "<!-- memlsp: end of what `memlsp sync` wrote -->"
"""The marks around what memlsp wrote into a document of agents: beliefs of `.memlsp/beliefs`, which are known."""


def own_block(text: str) -> tuple[int, int] | None:
    """Where the block between the marks begins and ends, with the line end before it and the one behind it; None for
    no whole block."""
    start = text.find(BLOCK_BEGIN)
    end = text.find(BLOCK_END, start) if start >= 0 else -1
    if end < 0:
        return None
    end += len(BLOCK_END)
    start -= 2 if text.endswith("\r\n", 0, start) else 1 if text.endswith("\n", 0, start) else 0
    end += 2 if text.startswith("\r\n", end) else 1 if text.startswith("\n", end) else 0
    return start, end


def without_own_block(text: str) -> str:
    """The text with empty lines in place of what memlsp wrote."""
    found = own_block(text)
    return text if found is None else text[: found[0]] + "\n" * text.count("\n", *found) + text[found[1] :]


class PassageForm(StrEnum):
    """What a passage looks like in its document."""

    PROSE = "prose"
    ITEM = "item"
    STEP = "step"  # an item with a number
    ROW = "row"
    HEADING = "heading"


@frozen
class Passage:
    """One heading, list item, table row or paragraph. `headings` are those above it, outermost first; `lead` introduces
    its list (`Never do this:`), or is the head of its table, with bars; lines are from 1, inclusive. `starts` are the
    characters of `source`, the text with its marks, at which its lines begin."""

    text: str
    headings: tuple[str, ...]
    first_line: int
    last_line: int
    form: PassageForm
    lead: str = ""
    depth: int = 0
    source: str = ""
    starts: tuple[int, ...] = (0,)

    @property
    def item(self) -> bool:
        """True for an item of a list."""
        return self.form in {PassageForm.ITEM, PassageForm.STEP}

    def sentences(self) -> Iterator[tuple[str, int, int]]:
        """The sentences without marks, each with its first and last line."""
        at = 0
        for part in sentences(self.source):
            at = max(at, self.source.find(part, at))
            first, last = (sum(start <= offset for start in self.starts) - 1 for offset in (at, at + len(part) - 1))
            at += len(part)
            text = plain(part).strip(" _")
            if text:
                yield text, self.first_line + first, self.first_line + last


def passages(text: str) -> Iterator[Passage]:
    """The passages in order, each in one line, links and emphasis as plain words, code in backticks."""
    for block in _blocks(text):
        cleaned = plain(block.source) if len(block.source) <= _LONGEST else ""
        if cleaned:
            yield evolve(block, text=cleaned, lead=plain(block.lead))


def sentences(text: str) -> list[str]:
    """The sentences of a passage; a full stop after an abbreviation ends none."""
    found: list[str] = []
    for part in _RE["sentence_end"].split(text):
        if found and (_RE["no_end"].search(found[-1]) or found[-1].count("`") % 2):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return [part.strip() for part in found if part.strip()]


def plain(text: str) -> str:
    """The text without the marks of Markdown and reStructuredText, code in single backticks."""
    text = _RE["link"].sub(lambda found: found[1] or found[2] or "", text)
    text = _RE["rst_link"].sub(lambda found: f"`{found[2] or found[3]}`" if found[2] or found[3] else found[1], text)
    code = _RE["code"].findall(text)
    text = _RE["code"].sub("\0", text)
    for _ in range(2):
        text = _RE["emphasis"].sub(r"\2", text)
    text = _RE["markup"].sub("", text)
    return " ".join(re.sub("\0", lambda _: code.pop(0), text).split())


class _PassageReader:
    """Reads line by line; `flush` gives the block that was being read."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._first = 0
        self._form = PassageForm.PROSE
        self._indent = 0
        self._leads: list[tuple[int, str]] = []
        self._fence = ""
        self._code: tuple[Passage, list[str]] | None = None  # a block that leads to code, and the lines of it
        self._literal: int | None = None  # what a literal block of reStructuredText is indented deeper than
        self._levels: dict[str, int] = {}
        self._table: list[str] = []  # the cells of its head, when its rule was read; of its first line before that
        self._is_ruled = False
        self._subject = ""  # the last first cell that was not empty
        self._quoted = False

    def read(self, number: int, line: str) -> Iterator[Passage]:
        """Take the next line; yield the blocks that it ends."""
        line = self._unquoted(line)
        indent = len(line) - len(line.lstrip())
        if self._is_code(line, indent):
            yield from self.flush(number - 1)
            if self._code is not None and not _RE["fence"].match(line):
                self._code[1].append(line.strip())
            return
        if not line.strip():
            yield from self.flush(number - 1)
            return
        if line.lstrip().startswith("|") or (self._is_ruled and "|" in line):
            yield from self.flush(number - 1)
            yield from self._row(number, line)
            return
        self._table, self._is_ruled = [], False
        if _RE["underline"].match(line) and len(self._lines) == 1 and self._form is PassageForm.PROSE:
            level = self._levels.setdefault(line[0], len(self._levels) + 1)
            self._head(level, self._lines[0])
            self._lines = []
        elif _RE["heading"].match(line) or _RE["skipped"].match(line) or _RE["underline"].match(line):
            yield from self.flush(number - 1)
            yield from self.settle()
            yield from self._mark(number, line, indent)
        else:
            yield from self._say(number, line, indent)

    def _unquoted(self, line: str) -> str:
        """The line without the mark of a quotation that is a note."""
        quote = _RE["marked_quote"].match(line)
        self._quoted = bool(quote) or (self._quoted and line.lstrip().startswith(">"))
        if quote:
            return line[quote.end() :]
        return line.lstrip().removeprefix(">").lstrip() if self._quoted else line

    def _say(self, number: int, line: str, indent: int) -> Iterator[Passage]:
        """Read a line of an item or a paragraph."""
        item = _RE["item"].match(line)
        if item:
            yield from self.flush(number - 1)
            self._first, self._indent = number, len(item["indent"])
            self._form = PassageForm.STEP if item["mark"][-1] in ".)" else PassageForm.ITEM
            self._lines = [item["text"]]
        elif self._lines:
            self._lines.append(line)
        elif indent < 4 or self._leads:  # else indented code
            self._first, self._form, self._indent = number, PassageForm.PROSE, indent
            self._lines = [line]
        if line.rstrip().endswith("::"):
            yield from self.flush(number)
            self._literal = indent

    def _mark(self, number: int, line: str, indent: int) -> Iterator[Passage]:
        """Read a heading, or a line that ends what is before it and says nothing itself."""
        heading = _RE["heading"].match(line)
        if heading:
            level = len(heading[1])
            above = tuple(each for at, each in self._headings if at < level)
            yield Passage("", above, number, number, PassageForm.HEADING, source=heading[2])
            self._head(level, heading[2])
        elif line.lstrip().startswith(".. "):
            self._literal = indent

    def flush(self, last: int) -> Iterator[Passage]:
        """Yield the open block, which ends at line `last`, unless code may belong to it."""
        if not self._lines:
            return
        yield from self.settle()
        lines = [" ".join(line.split()) for line in self._lines]
        starts = tuple(sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines)))
        headings = tuple(each for _, each in self._headings)
        lead, depth, is_item = "", 0, self._form is not PassageForm.PROSE
        if is_item:
            above = [each for each in self._leads if each[0] < self._indent]
            lead, depth = above[-1][1] if above else "", self._indent
            self._leads = above
        else:
            self._leads = []
        text = " ".join(lines)
        self._lines = []
        block = Passage("", headings, self._first, last, self._form, lead, depth, text, starts)
        if not text.rstrip("*_ ").endswith(":"):
            yield block
            return
        self._leads.append((self._indent if is_item else -1, text))
        self._code = block, []

    def settle(self) -> Iterator[Passage]:
        """Yield the block that led to code, with that code where it is short."""
        if self._code is not None:
            block, code = self._code
            self._code = None
            code = [line.removeprefix("$ ") for line in code if line and not line.startswith(("#", "//"))]
            if 0 < len(code) <= _LONGEST_CODE and not any("`" in line for line in code):
                shown = ", then ".join(f"`{line}`" for line in code)
                block = evolve(block, source=f"{block.source} {shown}")
            yield block

    def _row(self, number: int, line: str) -> Iterator[Passage]:
        """Read a line of a table; the lines below its rule are rows, which say their subject first."""
        if not self._is_ruled and self._table and _RE["rule_of_table"].match(line):
            self._is_ruled, self._subject = True, ""
            return
        cells = _cells(line)
        if not self._is_ruled:
            self._table = cells
            return
        yield from self.settle()
        self._subject = cells[0] or self._subject
        rest = [
            (self._table[at] if at < len(self._table) else "", cell)
            for at, cell in enumerate(cells)
            if at and plain(cell).strip(" -\u2013\u2014")
        ]
        if rest and plain(self._subject):
            headings = tuple(each for _, each in self._headings)
            heads = " | ".join(self._table)
            yield Passage("", headings, number, number, PassageForm.ROW, heads, source=self._sentence_of_row(rest))

    def _sentence_of_row(self, rest: Sequence[tuple[str, str]]) -> str:
        """The cells of a row as a sentence: `X: Y`, or `Instead of X: use Y` and `Do X: don't Y` where the heads of the
        table contrast."""
        subject = self._subject
        contrasts = [at for at, head in enumerate(self._table) if _RE["contrast_head"].match(head)]
        if contrasts:
            told = [f"{head.lower()} {cell}" for head, cell in rest]
            subject = f"{self._table[0]} {subject}" if not contrasts[0] or len(self._table) == 2 else subject
        else:
            told = [f"{head}: {cell}" if len(rest) > 1 and head else cell for head, cell in rest]
        return f"{subject}: {'; '.join(told)}"

    def _is_code(self, line: str, indent: int) -> bool:
        opened = _RE["fence"].match(line)
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


def _cells(line: str) -> list[str]:
    """The cells of a row; a bar in code or after a backslash parts none."""
    cells, inside, before = [""], False, ""
    for sign in line.strip().removeprefix("|").removesuffix("|"):
        inside ^= sign == "`"
        if sign == "|" and not inside and before != "\\":
            cells.append("")
        else:
            cells[-1] += sign
        before = sign
    return [cell.strip() for cell in cells]


def _blocks(text: str) -> Iterator[Passage]:
    reader = _PassageReader()
    lines = text.expandtabs(4).splitlines()
    start = _front_matter(lines)
    for number, line in enumerate(lines[start:], start + 1):
        yield from reader.read(number, line)
    yield from reader.flush(len(lines))
    yield from reader.settle()


def _front_matter(lines: list[str]) -> int:
    """The number of lines of the front matter."""
    if lines and lines[0].strip() == "---":
        for number, line in enumerate(lines[1:200], 2):
            if line.strip() in {"---", "..."}:
                return number
    return 0
