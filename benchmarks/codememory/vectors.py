"""Vectors alone, and what is called RAG, with the encoder that memlsp carries; MiniLM is in `adapters`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from benchmarks.codememory.records import Note
from benchmarks.codememory.systems import Answer, System
from memlsp.memory.recall.vectors import EMBEDDED, encoder_of
from memlsp.model.errors import BadValue

if TYPE_CHECKING:
    from memlsp.recall.static_encoder import Floats, StaticEncoder

CHUNK, STEP = 500, 400
"""Characters of a chunk, and from the beginning of one to that of the next."""


class Vectors:
    """One vector for each note, the nearest by cosine, compared with all of them."""

    name = "vectors alone"

    def __init__(self, encoder: StaticEncoder) -> None:
        self._encoder = encoder
        self._ids: list[str] = []
        self._rows: list[Floats] = []

    def learn(self, notes: Sequence[Note]) -> None:
        """Encode them."""
        pieces = [(note.id, piece) for note in notes for piece in self._pieces(note.text)]
        if pieces:
            self._ids += [id for id, _ in pieces]
            self._rows.append(self._encoder.encode([text for _, text in pieces]))

    def recall(self, text: str, k: int) -> Answer:
        """The notes of the nearest vectors."""
        import numpy as np  # late: the suite is loaded without it

        if not self._ids:
            return Answer(())
        self._rows = [np.concatenate(self._rows)]
        near = self._rows[0] @ self._encoder.encode([text])[0]
        order: list[int] = np.argsort(-near, kind="stable").tolist()
        return Answer(tuple(dict.fromkeys(self._ids[at] for at in order))[:k])

    def close(self) -> None:
        """Let go of them."""
        self._ids.clear()
        self._rows.clear()

    def _pieces(self, text: str) -> list[str]:
        return [text]


class Chunks(Vectors):
    """Fixed chunks, a vector for each, the notes of the nearest chunks."""

    name = "chunks + vectors"

    def _pieces(self, text: str) -> list[str]:
        return [text[at : at + CHUNK] for at in range(0, max(len(text) - CHUNK + STEP, 1), STEP)]


def vector_systems() -> Mapping[str, Callable[[], System]]:
    """Both, or nothing where the encoder or numpy is not there."""
    try:
        encoder = encoder_of(EMBEDDED)
    except (BadValue, ImportError, OSError):
        return {}
    if encoder is None:
        return {}
    return {Vectors.name: lambda: Vectors(encoder), Chunks.name: lambda: Chunks(encoder)}
