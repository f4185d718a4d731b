"""A block of ours in somebody else's text, between two marks: comments in Markdown or in a shell's language."""

from __future__ import annotations

import re
from enum import Enum

_BEGIN = "memlsp: written by `memlsp init`, taken out by `memlsp uninstall`"
_END = "memlsp: end"


class Marks(Enum):
    """The comment syntax around a mark."""

    MARKDOWN = ("<!-- ", " -->")
    SHELL = ("# ", "")

    def mark(self, words: str) -> str:
        """The words as a comment."""
        return words.join(self.value)


def with_block(text: str, block: str, marks: Marks) -> str:
    """Add the block at the end of the text, or renew it where it stands."""
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
    return text + newline + whole  # always one line end of ours, which is removed with the block


def without_block(text: str, marks: Marks) -> str:
    """Remove our block and the line end before it."""
    return _pattern(marks).sub("", text)


def _pattern(marks: Marks) -> re.Pattern[str]:
    begin, end = (
        re.escape(marks.mark("memlsp: written by ")[: -len(marks.value[1]) or None]),
        re.escape(marks.mark(_END)),
    )
    return re.compile(rf"(\r?\n)?{begin}.*?{end}(\r?\n|\Z)", re.DOTALL)
