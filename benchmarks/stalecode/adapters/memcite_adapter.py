"""memcite 1.0: a statement with the lines of its place as evidence, validated when it is asked for.

pip install memcite. No model, no network. What it calls stale or invalid is not trusted; a text that has moved within
its file it finds again. A conflict is what it warns of when a statement is added.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from stalecode.serve import serve


class Memcite:
    """One store for each `begin`."""

    name = "memcite"

    def __init__(self) -> None:
        self._package: Any = importlib.import_module("agentic_memory")
        self.version = importlib.import_module("importlib.metadata").version("memcite")
        self._memory: Any = None

    def begin(self, folder: str, data: str) -> None:
        """A new store."""
        self.close()
        self._memory = self._package.Memory(folder, db_name=str(Path(data) / "memory.db"))
        self._ids: dict[str, str] = {}
        self._conflicts: dict[str, set[str]] = {}
        self._places: dict[str, dict[str, str]] = {}

    def remember(self, id: str, text: str, path: str = "", **more: Any) -> None:
        """With the file and its lines as evidence; without a place it takes somebody's word."""
        lines = more.get("lines")
        evidence = (
            self._package.FileRef(path, lines=tuple(lines) if lines else None)
            if path
            else self._package.ManualRef("said by a person")
        )
        added = self._memory.add_with_result(text, evidence=evidence)
        self._ids[id] = added.record.id
        self._places[id] = {"path": path, "symbol": more.get("symbol", "")}
        self._conflicts[id] = {each.id for each in added.conflicts}

    def tree(self, folder: str) -> None:
        """The evidence is validated when it is asked for."""

    def ask(self, id: str) -> dict[str, Any]:
        """Trusted when no evidence is stale."""
        record = self._memory.get(self._ids[id])
        if record is None:
            return {"trust": None}
        stale = {each.id: each for each in self._memory.validate()}
        found = stale.get(record.id)
        why = found.validation_message if found is not None else ""
        return {"trust": found is None, "why": why, "where": self._places[id] if found is None else None}

    def conflicts(self, id: str) -> dict[str, Any]:
        """Those that it named when this one was added."""
        return {"with": [name for name, own in self._ids.items() if own in self._conflicts[id]]}

    def forget(self, id: str) -> None:
        """By its id."""
        self._memory.delete(self._ids[id])

    def close(self) -> None:
        """Close the store."""
        if self._memory is not None:
            self._memory.close()


if __name__ == "__main__":
    serve(Memcite())
