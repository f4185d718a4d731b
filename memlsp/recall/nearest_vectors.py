"""Nearest vectors in memory: candidates by sign bits (Hamming distance), then exact by their bytes.

Rows are never moved: new ones are appended, removed ones marked. With real texts the bits lose .002 of recall among 100
candidates; here there are more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from memlsp.store.tables.vectors import KINDS, Vector

if TYPE_CHECKING:
    from memlsp.recall.static_encoder import Floats

_Number = TypeVar("_Number", bound=np.generic)

_BY_BITS = 4_000
"""Number of vectors from which candidates are chosen by sign bits first."""

_LOOKED_AT = 400


class NearestVectors:
    """The vectors of one store and one model. Not thread-safe."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.turn = 0
        """Of the last vector that was appended."""
        self._size = 0
        self._data = np.zeros((0, dimensions), dtype=np.int8)
        self._scales = np.zeros(0, dtype=np.float32)
        self._bits = [np.zeros(0, dtype=np.uint64) for _ in range(dimensions // 64)]  # by column: they are read so
        self._kinds = np.zeros(0, dtype=np.uint8)  # 0 for what is gone, else a kind's place in `KINDS` from 1
        self._items = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._kinds[: self._size]))

    def append(self, vectors: Sequence[Vector]) -> None:
        """Add vectors, replacing those of the same rows. Vectors of another length are ignored."""
        good = [each for each in vectors if len(each.data) == self.dimensions and each.kind in KINDS]
        if vectors:
            self.turn = max(self.turn, vectors[-1].turn)
        if not good:
            return
        if self._size:
            self.remove((each.kind, each.item) for each in good)
        self._make_room(len(good))
        part = slice(self._size, self._size + len(good))
        data = np.frombuffer(b"".join(each.data for each in good), dtype=np.int8).reshape(len(good), -1)
        self._data[part] = data
        self._scales[part] = [each.scale for each in good]
        for column, signs in zip(self._bits, _signs(data).T, strict=True):
            column[part] = signs
        self._kinds[part] = [1 + KINDS.index(each.kind) for each in good]
        self._items[part] = [each.item for each in good]
        self._size += len(good)

    def remove(self, rows: Iterable[tuple[str, int]]) -> None:
        """Remove rows; unknown ones are ignored."""
        by_kind: dict[str, list[int]] = {}
        for kind, item in rows:
            by_kind.setdefault(kind, []).append(item)
        for kind, items in by_kind.items():
            if kind in KINDS:
                here = self._kinds[: self._size] == 1 + KINDS.index(kind)
                here &= np.isin(self._items[: self._size], np.array(items, dtype=np.int64))
                self._kinds[: self._size][here] = 0

    def best(self, asked: Floats, limit: int, kinds: Collection[str] | None = None) -> list[tuple[str, int, float]]:
        """The nearest `limit` as (kind, row, cosine), nearest first, equals by kind and row."""
        kept = self._kinds[: self._size]
        wanted = np.array([False, *(kinds is None or kind in kinds for kind in KINDS)])
        alive: npt.NDArray[np.bool_] = wanted[kept]
        if limit < 1 or not alive.any() or not asked.any():
            return []
        among: npt.NDArray[np.int64]
        if self._size > _BY_BITS:
            apart = np.zeros(self._size, dtype=np.int16)
            for column, sign in zip(self._bits, _signs(asked[None, :])[0], strict=True):
                apart += np.bitwise_count(column[: self._size] ^ sign)
            apart[~alive] = np.iinfo(np.int16).max
            looked_at = min(max(_LOOKED_AT, 8 * limit), self._size)
            among = np.argpartition(apart, looked_at - 1)[:looked_at]
            among = among[alive[among]]
        else:
            among = np.flatnonzero(alive)
        near = (self._data[among].astype(np.float32) @ asked) * self._scales[among]
        order = np.lexsort((self._items[among], kept[among], -near))[:limit]
        return [
            (KINDS[int(kept[at]) - 1], int(self._items[at]), float(likeness))
            for at, likeness in zip(among[order], near[order], strict=True)
        ]

    def _make_room(self, more: int) -> None:
        needed = self._size + more
        if needed <= len(self._kinds):
            return
        room = max(needed, 2 * len(self._kinds), 1_024)
        self._data = _longer(self._data, self._size, room)
        self._scales = _longer(self._scales, self._size, room)
        self._bits = [_longer(column, self._size, room) for column in self._bits]
        self._kinds = _longer(self._kinds, self._size, room)
        self._items = _longer(self._items, self._size, room)


def _longer(old: npt.NDArray[_Number], size: int, room: int) -> npt.NDArray[_Number]:
    new = np.zeros((room, *old.shape[1:]), dtype=old.dtype)
    new[:size] = old[:size]
    return new


def quantized(rows: Floats) -> list[tuple[float, bytes]]:
    """Each row as its scale and its signed bytes."""
    scales = np.abs(rows).max(axis=1) / 127
    bytes_of: npt.NDArray[np.int8] = np.rint(rows / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    return [(float(scale), row.tobytes()) for scale, row in zip(scales, bytes_of, strict=True)]


def _signs(rows: npt.NDArray[np.int8] | Floats) -> npt.NDArray[np.uint64]:
    whole = rows[:, : rows.shape[1] // 64 * 64]
    return np.packbits(whole > 0, axis=1).view(np.uint64)
