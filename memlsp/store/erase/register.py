"""The erasure rule of every column of every table, from `register.txt`.

A test compares the list with the schema and fails for a column that is missing here, so nobody adds a column without
deciding what erasure does to it.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path


class ErasureRule(StrEnum):
    """How erasure treats a column whose value holds the patterns."""

    NONE = "none"  # never holds them: numbers, times, ids, digests and words of ours
    BELIEF = "belief"  # the row is deleted with its belief; in rows of other beliefs the texts are blanked
    BLANK = "blank"  # every text in it that holds them is replaced by a mark
    NAME = "name"  # other rows refer to it: it is replaced by a mark with its number
    EMPTY = "empty"  # it becomes null
    CLEAR = "clear"  # it becomes "": the audit log allows nothing else
    ROW = "row"  # the row is deleted: it is derived, or says nothing without the words
    PASSAGE = "passage"  # a shared text: the row is deleted, and references to it become null
    INDEX = "index"  # part of a search index, which drops it with its entry


REGISTER: dict[str, dict[str, ErasureRule]] = {}
"""The rules by table and column."""

NOUNS: dict[str, str] = {}
"""The nouns by which erased rows are counted for a person, by table; rows of other tables are not counted."""


def _read() -> None:
    columns: dict[str, ErasureRule] = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            rule, *names = line.split()
            columns.update(dict.fromkeys(names, ErasureRule(rule)))
        elif not line.startswith("#"):
            table, _, noun = line.partition(": ")
            columns = REGISTER[table] = {}
            if noun:
                NOUNS[table] = noun


_read()
