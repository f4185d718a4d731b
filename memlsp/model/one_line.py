"""Stored text as one harmless line: unknown people and programs typed it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_JOINERS = "\u200c\u200d"


def plain(text: str, limit: int | None = None) -> str:
    """The text on one line: no control, bidirectional or invisible characters, no layout, no lone surrogates.

    `limit` is in characters; a longer text ends in an ellipsis. Zero-width joiners stay where scripts and emoji need
    them: after a character beyond ASCII.
    """
    kept: list[str] = []
    for char in text:
        category = unicodedata.category(char)
        if char.isspace() or category in {"Zl", "Zp", "Zs"}:
            kept.append(" ")
        elif category == "Cs":
            kept.append("\ufffd")
        elif char in _JOINERS:
            if kept and kept[-1] > "\x7f" and kept[-1] not in _JOINERS:
                kept.append(char)
        elif category not in {"Cc", "Cf"} and not "\U000e0000" <= char <= "\U000e0fff":
            kept.append(char)
    line = " ".join("".join(kept).split())
    if limit is not None and len(line) > limit:
        line = line[: max(limit - 1, 0)].rstrip() + "…"
    return line


def joined(names: Sequence[str], most: int | None = None) -> str:
    """`a`, `a and b`, `a, b and c`; with more than `most` the number of the others comes last."""
    listed = names if most is None or len(names) <= most else [*names[:most], f"{len(names) - most} more"]
    return " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)


def tagless(text: str, limit: int | None = None) -> str:
    """`plain` with `<` and `>` escaped, so that it opens no tag. `limit` counts characters before escaping."""
    return plain(text, limit).replace("<", "&lt;").replace(">", "&gt;")
