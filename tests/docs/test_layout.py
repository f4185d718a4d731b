"""Pages read well in a terminal and in a diff: short lines, short paragraphs, tables that fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.test_documentation import PAGES_OF_THE_PROJECT, ROOT

WIDTH = 100  # columns; the target of a link does not count, since it cannot be wrapped
LONGEST_PARAGRAPH = 6  # lines
MOST_COLUMNS = 8  # of a table


def prose(page: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a page outside code blocks; an empty line stands for each block."""
    fence = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r"\s*(`{3,})", line)
        if not fence:
            fence = mark[1] if mark else ""
            yield number, "" if mark else line
        elif line.strip() == fence:
            fence = ""


def width(line: str) -> int:
    """Columns of a line without the targets of its links, which cannot be wrapped."""
    return len(re.sub(r"\]\([^)]*\)", "]", line))


def faults(page: Path) -> Iterator[str]:
    """Each break of the rules as `line: what is wrong`."""
    lines = 0
    for number, line in prose(page):
        if width(line) > WIDTH:
            yield f"{number}: {width(line)} columns, at most {WIDTH}"
        if line.lstrip().startswith("|"):
            columns = len(re.findall(r"(?<!\\)\|", line)) - 1
            if columns > MOST_COLUMNS:
                yield f"{number}: a table of {columns} columns, at most {MOST_COLUMNS}"
            lines = 0
        elif re.match(r"\s*(?:[-*+]|\d+\.)\s", line):
            lines = 1
        else:
            lines = lines + 1 if line.strip() and not line.startswith(("#", "<")) else 0
        if lines == LONGEST_PARAGRAPH + 1:
            yield f"{number}: a paragraph of more than {LONGEST_PARAGRAPH} lines"


@pytest.mark.parametrize("page", PAGES_OF_THE_PROJECT, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_paragraphs_and_tables_fit(page: Path) -> None:
    assert list(faults(page)) == []
