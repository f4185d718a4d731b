"""Vectors that a slow model made once, by what they were made of: a cache of bytes, no text and no pickle.

A text that comes back (a store that was restored, a belief that is taken into another memory) is not read twice.
"""

from __future__ import annotations

from pathlib import Path

from memlsp.capture.history.parse_cache import ParseCache
from memlsp.store.tables.vectors import Vector


class EmbeddingCache(ParseCache):
    """The cache of one model, in `folder`/embeddings. It never raises, is bounded, and may be cleared at any time."""

    NAME = "embeddings"

    def __init__(self, folder: Path, model: str) -> None:
        super().__init__(folder)
        self._model = model

    def full(self, key: str) -> str:
        """The key with the model's name."""
        return f"{self._model}:{key}"

    def known(self, digest: bytes, length: int) -> tuple[float, bytes] | None:
        """The scale and bytes of a vector of that length, when it was kept."""
        found = self.get(digest.hex())
        if found is None or len(found) != length + _SCALE:
            return None
        return int.from_bytes(found[:_SCALE], "big") / _UNIT, found[_SCALE:]

    def keep(self, vectors: list[Vector]) -> None:
        """Keep what was made."""
        self.put({each.digest.hex(): round(each.scale * _UNIT).to_bytes(_SCALE, "big") + each.data for each in vectors})


_SCALE, _UNIT = 8, 1 << 40
