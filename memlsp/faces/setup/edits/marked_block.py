"""A block of ours in a text of somebody else's, between two marks: comments in Markdown or in a shell's language."""

from __future__ import annotations

import re
from enum import Enum

_BEGIN = "memlsp: written by `memlsp init`, taken out by `memlsp uninstall`"
_END = "memlsp: end"


class Marks(Enum):
    """How a line is made a comment."""

    MARKDOWN = ("<!-- ", " -->")
    SHELL = ("# ", "")

    def mark(self, words: str) -> str:
        """The words as a comment."""
        return words.join(self.value)


def with_block(text: str, block: str, marks: Marks) -> str:
    """The text with the block at its end, or with the block renewed where it stands."""
    found = _pattern(marks).search(text)
    # a block keeps its own line ends, whatever the text around it has become
    newline = "\r\n" if "\r\n" in (found[0].strip("\r\n") if found else text) else "\n"
    whole = newline.join([marks.mark(_BEGIN), *block.strip().splitlines(), marks.mark(_END)]) + newline
    if found:
        lead = found[1] or ""
        if found[0] == lead + whole:
            return text
        return text[: found.start()] + lead + whole + text[found.end() :]
    if not text:
        return whole
    return text + newline + whole  # one line end that is ours to take out again, whether the text ended in one or not


def without_block(text: str, marks: Marks) -> str:
    """The text without our block and the line end before it."""
    return _pattern(marks).sub("", text)


def _pattern(marks: Marks) -> re.Pattern[str]:
    begin, end = (
        re.escape(marks.mark("memlsp: written by ")[: -len(marks.value[1]) or None]),
        re.escape(marks.mark(_END)),
    )
    return re.compile(rf"(\r?\n)?{begin}.*?{end}(\r?\n|\Z)", re.DOTALL)
