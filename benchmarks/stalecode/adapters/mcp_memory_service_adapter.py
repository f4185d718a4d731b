"""mcp-memory-service 12: statements in its SQLite-vec storage.

pip install mcp-memory-service. It knows nothing of the code, so it trusts what it keeps. Its detection of conflicts
needs an embedding model that it downloads; where that cannot be had, as here, it is not asked about contradictions, and
what it keeps is found by the hashed vectors that it falls back to.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stalecode.serve import serve

os.environ.setdefault("MCP_MEMORY_ONNX_ALLOW_DOWNLOAD", "0")


class MemoryService:
    """One database for each `begin`."""

    name = "mcp-memory-service"

    def __init__(self) -> None:
        self.version = importlib.import_module("importlib.metadata").version("mcp-memory-service")
        self._memory: Any = importlib.import_module("mcp_memory_service.models.memory").Memory
        self._hash: Any = importlib.import_module("mcp_memory_service.utils.hashing").generate_content_hash
        self._storage_class: Any = importlib.import_module(
            "mcp_memory_service.storage.sqlite_vec"
        ).SqliteVecMemoryStorage
        self._loop = asyncio.new_event_loop()
        self._storage: Any = None

    def begin(self, folder: str, data: str) -> None:  # noqa: ARG002 - the code is not looked at
        """A new database."""
        self.close()
        self._hashes: dict[str, str] = {}
        self._ids: dict[str, str] = {}  # of notes, by hash
        self._storage = self._storage_class(str(Path(data) / "memory.db"))
        self._loop.run_until_complete(self._storage.initialize())

    def remember(self, id: str, text: str, **more: Any) -> dict[str, Any]:  # noqa: ARG002 - it has no places
        """One memory."""
        self._hashes[id] = self._hash(text)
        made = self._memory(content=text, content_hash=self._hashes[id], tags=["stalecode"])
        stored, message = self._loop.run_until_complete(self._storage.store(made))
        return {} if stored else {"error": message}

    def tree(self, folder: str) -> None:
        """Nothing to do."""

    def ask(self, id: str) -> dict[str, Any]:
        """Trusted as long as it is there."""
        found = self._loop.run_until_complete(self._storage.get_by_hash(self._hashes[id]))
        return {"trust": True if found is not None else None, "why": ""}

    def forget(self, id: str) -> dict[str, Any]:
        """By its hash."""
        gone, message = self._loop.run_until_complete(self._storage.delete(self._hashes[id]))
        return {} if gone else {"error": message}

    def learn(self, notes: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """One memory for each, in one call."""
        made = [
            self._memory(content=note["text"], content_hash=self._hash(note["text"]), tags=["stalecode"])
            for note in notes
        ]
        self._ids |= {memory.content_hash: note["id"] for memory, note in zip(made, notes, strict=True)}
        told = self._loop.run_until_complete(self._storage.store_batch(made))
        refused = [message for stored, message in told if not stored]
        return {"error": refused[0]} if refused else {}

    def recall(self, text: str, k: int) -> dict[str, Any]:
        """The nearest by its vectors."""
        found = self._loop.run_until_complete(self._storage.retrieve(text, n_results=k))
        return {"ids": [self._ids[each.memory.content_hash] for each in found]}

    def close(self) -> None:
        """Close the database."""
        if self._storage is not None:
            done = self._storage.close()
            if asyncio.iscoroutine(done):
                self._loop.run_until_complete(done)


if __name__ == "__main__":
    serve(MemoryService())
