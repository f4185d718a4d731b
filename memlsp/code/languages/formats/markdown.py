"""Describes Markdown, whose headings are symbols, so that a belief can hang on a section of a document."""

from __future__ import annotations

from memlsp.code.languages.language_tables import read_tables, wheel
from memlsp.code.syntax.language import Language

MARKDOWN = Language(
    **read_tables("markdown"),
    grammar=wheel("markdown"),
    # the indentation inside of lists and quotes, and lines that are only for the one who writes
    read_string=lambda raw: "\n".join(line.rstrip() for line in raw.strip("\n").splitlines()),
)
