"""aelfrice 5: statements as unlocked factual beliefs in its store, asked through its own `retrieve`.

pip install aelfrice (Python 3.12). No model, no network. It knows nothing of the code, so it trusts what it retrieves.
Two statements conflict when its relationship detector, with the comparison of values, says so.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stalecode.serve import serve


class Aelfrice:
    """One store for each `begin`."""

    name = "aelfrice"

    def __init__(self) -> None:
        self.version = importlib.import_module("importlib.metadata").version("aelfrice")
        self._models: Any = importlib.import_module("aelfrice.models")
        self._retrieve: Any = importlib.import_module("aelfrice.retrieval").retrieve
        self._analyze: Any = importlib.import_module("aelfrice.relationship_detector").analyze
        self._open: Any = importlib.import_module("aelfrice.store").MemoryStore
        self._store: Any = None

    def begin(self, folder: str, data: str) -> None:  # noqa: ARG002 - the code is not looked at
        """A new store."""
        self.close()
        self._store = self._open(str(Path(data) / "memory.db"))
        self._texts: dict[str, str] = {}

    def remember(self, id: str, text: str, **more: Any) -> None:  # noqa: ARG002 - it has no places
        """One belief."""
        self._texts[id] = text
        self._insert(id, text, datetime.now(UTC).isoformat())

    def tree(self, folder: str) -> None:
        """Nothing to do."""

    def ask(self, id: str) -> dict[str, Any]:
        """Trusted when its own words retrieve it."""
        return {"trust": True if id in self.recall(self._texts[id], 10)["ids"] else None, "why": ""}

    def conflicts(self, id: str) -> dict[str, Any]:
        """Every other statement, by its detector."""
        others = [other for other in self._texts if other != id]
        found = [o for o in others if self._label(self._texts[o], self._texts[id]) == "contradicts"]
        return {"with": found}

    def forget(self, id: str) -> None:
        """A hard delete."""
        self._store.delete_belief(id)

    def learn(self, notes: Sequence[dict[str, Any]]) -> None:
        """One belief for each, with the prior that its own benchmark gives."""
        for note in notes:
            self._insert(note["id"], note["text"], note["at"])

    def recall(self, text: str, k: int) -> dict[str, Any]:
        """Its order; its token budget is lifted, so that ten are served."""
        return {"ids": [belief.id for belief in self._retrieve(self._store, text, token_budget=200_000)[:k]]}

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()

    def _label(self, one: str, other: str) -> str:
        return str(self._analyze(one, other, use_value_comparison=True).label)

    def _insert(self, id: str, text: str, at: str) -> None:
        digest = hashlib.sha256(id.encode()).hexdigest()  # texts that are equal would be refused
        self._store.insert_belief(
            self._models.Belief(
                id=id, content=text, content_hash=digest, alpha=1.0, beta=1.0,
                type=self._models.BELIEF_FACTUAL, lock_level=self._models.LOCK_NONE, locked_at=None,
                created_at=at, last_retrieved_at=None,
            )
        )  # fmt: skip


if __name__ == "__main__":
    serve(Aelfrice())
