"""basic-memory 0.24: a note for each statement, written, searched and deleted through the tools of its MCP server.

pip install basic-memory (Python 3.12). It knows nothing of the code, so it trusts what its search finds. Its search
joins words by AND unless the question says otherwise; it is asked in the form that its documentation has for either.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stalecode.serve import serve

_OPERATORS = frozenset({"and", "or", "not"})
os.environ.setdefault("BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED", "false")  # its model cannot be had without a network


class BasicMemory:
    """One project for each `begin`."""

    name = "basic-memory"

    def __init__(self) -> None:
        self.version = importlib.import_module("importlib.metadata").version("basic-memory")
        self._loop = asyncio.new_event_loop()
        importlib.import_module("basic_memory.mcp.tools")
        server: Any = importlib.import_module("basic_memory.mcp.server").mcp
        self._client: Any = importlib.import_module("fastmcp").Client(server)
        self._loop.run_until_complete(self._client.__aenter__())
        self._number = 0

    def begin(self, folder: str, data: str) -> None:  # noqa: ARG002 - the code is not looked at
        """A new project in the folder of the data."""
        self._number += 1
        self._project = f"case-{self._number}"
        notes = Path(data) / "notes"
        notes.mkdir()
        self._call("create_memory_project", project_name=self._project, project_path=str(notes))
        self._texts: dict[str, str] = {}

    def remember(self, id: str, text: str, **more: Any) -> None:  # noqa: ARG002 - it has no places
        """One note."""
        self._texts[id] = text
        self._call("write_note", title=id, content=text, directory="notes", project=self._project)

    def tree(self, folder: str) -> None:
        """Nothing to do."""

    def ask(self, id: str) -> dict[str, Any]:
        """Trusted when its own words find it."""
        return {"trust": True if id in self.recall(self._texts[id], 10)["ids"] else None, "why": ""}

    def forget(self, id: str) -> None:
        """The note is deleted."""
        self._call("delete_note", identifier=f"notes/{id}", project=self._project)

    def learn(self, notes: Sequence[dict[str, Any]]) -> None:
        """One note for each."""
        for note in notes:
            self.remember(note["id"], note["text"])

    def recall(self, text: str, k: int) -> dict[str, Any]:
        """Its order."""
        words = [word for word in dict.fromkeys(re.findall(r"[^\W_]{2,}", text.lower())) if word not in _OPERATORS]
        found = self._call(
            "search_notes", query=" OR ".join(words), project=self._project, page_size=k, output_format="json"
        )
        rows: list[dict[str, Any]] = found.get("results", [])
        return {"ids": list(dict.fromkeys(str(row["permalink"]).rpartition("/")[2] for row in rows))}

    def close(self) -> None:
        """End the client."""
        self._loop.run_until_complete(self._client.__aexit__(None, None, None))

    def _call(self, tool: str, **words: Any) -> dict[str, Any]:
        result = self._loop.run_until_complete(self._client.call_tool(tool, words))
        told: dict[str, Any] = result.structured_content or {}
        return told.get("result", told)


if __name__ == "__main__":
    serve(BasicMemory())
