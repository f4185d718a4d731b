"""The entries of the search index of beliefs."""

from __future__ import annotations

import re

from memlsp.code.syntax.names import words
from memlsp.store.core.database import Database

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_SEAM = re.compile(r"[A-Za-z0-9][_-]+[A-Za-z0-9]")


def enter(connection: Database, seq: int, text: str, keywords: str) -> None:
    """Index a belief, which must not be in the index."""
    connection.execute(
        "INSERT INTO search (rowid, said, named) VALUES (?, ?, ?)", (seq, expanded(text), expanded(keywords))
    )


def leave(connection: Database, seq: int) -> None:
    """Remove a belief from the index."""
    connection.execute("DELETE FROM search WHERE rowid = ?", (seq,))


def expanded(text: str) -> str:
    """The text followed by the words of its identifiers and their joined forms, so that `fetchUserById` is found by
    "user" and by `fetch_user_by_id`, and the other way round."""
    extra: dict[str, None] = {}
    for found in _IDENTIFIER.finditer(text):
        name = found[0]
        has_hump = _HUMP.search(name)
        if not has_hump and not _SEAM.search(name):
            continue
        parts = words(name)
        if len(parts) > 1:
            extra["".join(parts)] = None
            if has_hump:  # the tokenizer splits at the other seams by itself
                extra.update(dict.fromkeys(parts))
    return f"{text}\n{' '.join(extra)}" if extra else text
