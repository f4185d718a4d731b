"""An approximate index (HNSW by usearch, extra `semantic`) for vectors too many to compare one by one.

The file is a snapshot of the store's rows and may be deleted at any time. It knows a vector by the turn in which its
row was written: removed rows are not found in the store any more, later ones are compared one by one. It is built in
steps by a background worker and replaced as a whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from memlsp.store.tables.vectors import Vector

if TYPE_CHECKING:
    from memlsp.recall.static_encoder import Floats

FROM = 100_000
"""Number of vectors from which an index is built."""

GROWTH = 0.1
"""Share of new vectors after which it is built again."""

_EXPANSION = 128
_AT_ONCE = 2_000


class _Graph(Protocol):
    """The part of `usearch.index.Index` that is used."""

    def __len__(self) -> int: ...

    def add(self, keys: object, vectors: object, *, threads: int) -> object: ...

    def search(self, vectors: object, count: int, *, threads: int) -> Any: ...

    def save(self, path: str) -> None: ...

    def view(self, path: str) -> None: ...


def is_possible() -> bool:
    """True when usearch is installed."""
    try:
        import_module("usearch.index")
    except ImportError:
        return False
    return True


class SideIndex:
    """The snapshot of one model's vectors in a folder. `turn` is that of the last vector in it."""

    def __init__(self, folder: Path, model: str, dimensions: int) -> None:
        name = blake2b(f"{model} {dimensions}".encode(), digest_size=6).hexdigest()
        self._path = folder / f"vectors-{name}.usearch"
        self._about = folder / f"vectors-{name}.json"
        self._dimensions = dimensions
        self._graph: _Graph | None = None
        self._making: _Graph | None = None
        self._made_to = 0
        self.turn = 0

    def __len__(self) -> int:
        return len(self._graph) if self._graph is not None else 0

    def open(self) -> bool:
        """Open the file; True when it is there, whole and can be searched."""
        if self._graph is not None:
            return True
        try:
            about = cast("dict[str, object]", json.loads(self._about.read_text(encoding="utf-8")))
            turn, size = about["turn"], about["size"]
            if size != self._path.stat().st_size or not isinstance(turn, int):
                return False
            graph = self._new()
            graph.view(str(self._path))
        except (OSError, ValueError, KeyError, TypeError, ImportError, RuntimeError):
            return False
        self._graph, self.turn = graph, turn
        return True

    def best(self, asked: Floats, limit: int) -> list[tuple[int, float]]:
        """The turns of the (approximately) nearest vectors with their cosines, nearest first."""
        if self._graph is None or limit < 1:
            return []
        import numpy as np  # late, as below

        from memlsp.recall.nearest_vectors import quantized

        wanted = np.frombuffer(quantized(asked[None, :])[0][1], dtype=np.int8)
        found = self._graph.search(wanted, limit, threads=1)
        return [(int(key), 1.0 - float(far)) for key, far in zip(found.keys, found.distances, strict=True)]

    def make(self, vectors: Sequence[Vector]) -> int:
        """Add vectors, in the order of their turns, to the next snapshot; returns the last turn."""
        import numpy as np  # late: only where there is so much

        if self._making is None:
            self._making, self._made_to = self._new(), 0
        for start in range(0, len(vectors), _AT_ONCE):
            part = [each for each in vectors[start : start + _AT_ONCE] if len(each.data) == self._dimensions]
            if part:
                data = np.frombuffer(b"".join(each.data for each in part), dtype=np.int8).reshape(len(part), -1)
                self._making.add(np.array([each.turn for each in part], dtype=np.uint64), data, threads=1)
        if vectors:
            self._made_to = vectors[-1].turn
        return self._made_to

    @property
    def made_to(self) -> int:
        """The last turn in the next snapshot, 0 before it is begun."""
        return self._made_to if self._making is not None else 0

    def finish(self) -> None:
        """Replace the file by the next snapshot. Raises OSError when it cannot be written."""
        if self._making is None:
            return
        beside = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
            self._making.save(str(beside))
            size = beside.stat().st_size
            self._about.unlink(missing_ok=True)  # a file without it is not looked at
            beside.replace(self._path)
            handle = os.open(self._about, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"turn": self._made_to, "size": size}, file)
        finally:
            beside.unlink(missing_ok=True)
            self._making = self._graph = None
        self.open()

    def clear(self) -> None:
        """Delete the file and the next snapshot."""
        self._graph = self._making = None
        self.turn = self._made_to = 0
        for path in (self._about, self._path):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _new(self) -> _Graph:
        index: Any = import_module("usearch.index")
        made: object = index.Index(
            ndim=self._dimensions, metric="cos", dtype="i8", expansion_add=_EXPANSION, expansion_search=_EXPANSION
        )
        return cast("_Graph", made)


def clear_all(folder: Path) -> None:
    """Delete the snapshots of all models in a folder."""
    for path in folder.glob("vectors-*"):
        with suppress(OSError):
            path.unlink()
