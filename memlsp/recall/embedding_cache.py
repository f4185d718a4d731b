"""A cache of the vectors of slow models, by digest of their text: bytes alone, no text and no pickle.

A text that comes back, from a restored store or an import, is not encoded twice.
"""

from __future__ import annotations

from pathlib import Path

from memlsp.capture.history.parse_cache import ParseCache
from memlsp.store.tables.vectors import Vector


class EmbeddingCache(ParseCache):
    """The cache of one model in `folder`/embeddings: bounded, never raises, may be cleared at any time."""

    NAME = "embeddings"

    def __init__(self, folder: Path, model: str) -> None:
        super().__init__(folder)
        self._model = model

    def full(self, key: str) -> str:
        """The key with the model's name."""
        return f"{self._model}:{key}"

    def known(self, digest: bytes, length: int) -> tuple[float, bytes] | None:
        """The scale and bytes of a cached vector of that length, else None."""
        found = self.get(digest.hex())
        if found is None or len(found) != length + _SCALE:
            return None
        return int.from_bytes(found[:_SCALE], "big") / _UNIT, found[_SCALE:]

    def keep(self, vectors: list[Vector]) -> None:
        """Store vectors."""
        self.put({each.digest.hex(): round(each.scale * _UNIT).to_bytes(_SCALE, "big") + each.data for each in vectors})


_SCALE, _UNIT = 8, 1 << 40
