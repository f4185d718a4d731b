"""aelfrice 5: statements as unlocked factual beliefs, asked through its own `retrieve` with its defaults.

pip install aelfrice (Python 3.12). No model, no network.
"""

from __future__ import annotations

import hashlib
import importlib
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.codememory.serve import serve


class Aelfrice:
    """One store in a folder of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="codememory-")
        self._models = importlib.import_module("aelfrice.models")
        self._retrieve = importlib.import_module("aelfrice.retrieval").retrieve
        self._store = importlib.import_module("aelfrice.store").MemoryStore(str(Path(self._folder) / "memory.db"))

    def learn(self, notes: Sequence[Mapping[str, str]]) -> None:
        """One belief for each, with the prior that its own benchmark gives."""
        for note in notes:
            digest = hashlib.sha256(note["id"].encode()).hexdigest()  # texts that are equal would be refused
            belief = self._models.Belief(
                id=note["id"], content=note["text"], content_hash=digest, alpha=1.0, beta=1.0,
                type=self._models.BELIEF_FACTUAL, lock_level=self._models.LOCK_NONE, locked_at=None,
                created_at=note["at"], last_retrieved_at=None,
            )  # fmt: skip
            self._store.insert_belief(belief)

    def recall(self, text: str, k: int) -> Sequence[str]:
        """Its order; its token budget is lifted, so that ten are served."""
        return [belief.id for belief in self._retrieve(self._store, text, token_budget=200_000)[:k]]

    def close(self) -> None:
        """Close the store and take its folder away."""
        self._store.close()
        shutil.rmtree(self._folder, ignore_errors=True)


if __name__ == "__main__":
    serve(Aelfrice())
