"""basic-memory 0.16: notes in its full-text index, asked through its own search with the words joined by OR.

Its search joins words by AND unless the question says otherwise; a task of twenty words would find nothing at all, so
it is asked in the form that its documentation has for "either term". Rows are those that its service makes of a note.

pip install 'basic-memory<0.17' (Python 3.12). No model, no network.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.codememory.serve import serve

_OPERATORS = frozenset({"and", "or", "not"})


class BasicMemory:
    """Its index in a database in memory, of one project."""

    def __init__(self) -> None:
        os.environ["HOME"] = tempfile.mkdtemp(prefix="codememory-")  # it makes folders of its own there
        self._loop = asyncio.new_event_loop()
        self._rows: Any = importlib.import_module("basic_memory.repository.search_index_row").SearchIndexRow
        self._ids: list[str] = []
        self._index: Any = self._loop.run_until_complete(self._opened())

    async def _opened(self) -> Any:
        db = importlib.import_module("basic_memory.db")
        found = importlib.import_module("basic_memory.repository.search_repository")
        _, sessions = await db.get_or_create_db(Path("memory.db"), db_type=db.DatabaseType.MEMORY)
        index = found.create_search_repository(sessions, project_id=1)
        await index.init_search_index()
        return index

    def learn(self, notes: Sequence[Mapping[str, str]]) -> None:
        """One entity for each, under its subject."""
        rows: list[Any] = []
        for note in notes:
            self._ids.append(note["id"])
            path, at = f"notes/{note['id']}.md", datetime.fromisoformat(note["at"])
            title = note["text"].partition("\n")[0]
            stems = "\n".join([title, title.lower(), *title.lower().split(), note["text"]])[:6000]
            rows.append(self._rows(project_id=1, id=len(self._ids), type="entity", file_path=path, created_at=at,
                                   updated_at=at, permalink=path.removesuffix(".md"), title=title, content_stems=stems,
                                   content_snippet=note["text"][:250], entity_id=len(self._ids)))  # fmt: skip
        if rows:
            self._loop.run_until_complete(self._index.bulk_index_items(rows))

    def recall(self, text: str, k: int) -> Sequence[str]:
        """Its order."""
        words = [word for word in dict.fromkeys(re.findall(r"[^\W_]{2,}", text.lower())) if word not in _OPERATORS]
        found: list[Any] = self._loop.run_until_complete(self._index.search(search_text=" OR ".join(words), limit=k))
        return [self._ids[int(row.id) - 1] for row in found]

    def close(self) -> None:
        """Its database was in memory."""
        db = importlib.import_module("basic_memory.db")
        self._loop.run_until_complete(db.shutdown_db())


if __name__ == "__main__":
    serve(BasicMemory())
