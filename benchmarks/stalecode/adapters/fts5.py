"""SQLite's FTS5 as a memory: statements are found by their words, and nothing is known of the code.

A statement that its own words find is served as it was written, so it is trusted. Forgetting is `DELETE`, as SQLite
comes. The search is porter-stemmed, all words of the question joined by OR, ranked by BM25.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stalecode.serve import serve


class PlainText:
    """One database in the folder that `begin` names."""

    name, version = "FTS5", sqlite3.sqlite_version

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:")

    def begin(self, folder: str, data: str) -> None:  # noqa: ARG002 - the code is not looked at
        """A new database."""
        self._connection.close()
        self._connection = sqlite3.connect(Path(data) / "memory.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = wal")
        self._connection.execute(
            "CREATE VIRTUAL TABLE note USING fts5(id UNINDEXED, text, tokenize='porter unicode61')"
        )

    def remember(self, id: str, text: str, **more: Any) -> None:  # noqa: ARG002 - places are not kept
        """Keep it."""
        self._connection.execute("INSERT INTO note VALUES (?, ?)", (id, text))

    def tree(self, folder: str) -> None:
        """Nothing to do."""

    def ask(self, id: str) -> dict[str, Any]:
        """Trusted when its own words find it."""
        row = self._connection.execute("SELECT text FROM note WHERE id = ?", (id,)).fetchone()
        return {"trust": row is not None and id in self.recall(row[0], 10)["ids"], "why": ""}

    def forget(self, id: str) -> None:
        """A row goes."""
        self._connection.execute("DELETE FROM note WHERE id = ?", (id,))

    def learn(self, notes: Sequence[dict[str, Any]]) -> None:
        """Keep them."""
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO note VALUES (?, ?)", [(n["id"], n["text"]) for n in notes])
        self._connection.execute("COMMIT")

    def recall(self, text: str, k: int) -> dict[str, Any]:
        """The best `k`."""
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"[^\W_]+", text.lower())))
        if not match:
            return {"ids": []}
        rows = self._connection.execute("SELECT id FROM note WHERE note MATCH ? ORDER BY rank LIMIT ?", (match, k))
        return {"ids": [str(row[0]) for row in rows]}

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


if __name__ == "__main__":
    serve(PlainText())
