"""A cache of outlines; the least recently used are dropped first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from memlsp.capture.workspace.stamp import Stamp

if TYPE_CHECKING:
    from memlsp.code.incremental.edited_file import FileVersion
    from memlsp.code.syntax.outline import Outline

_TOTAL = 4 * 1024 * 1024  # bytes of source; an outline takes about six times that (measured on Flask)

LARGE = 200_000
"""Bytes from which a file is outlined in another process: it takes hundreds of milliseconds of pure Python."""

_MANY_LINES = 5_000


def is_large(data: bytes) -> bool:
    """Return True for a text that takes longer to outline than an editor may wait."""
    return len(data) > LARGE or (len(data) > _MANY_LINES and data.count(b"\n") > _MANY_LINES)


@frozen
class CachedOutline:
    """An outline and the state it was made from: `key` is the stamp of a file or the serial of a buffer. `reading` is
    the parse that the next state of an open buffer is derived from."""

    key: Stamp | int
    digest: int
    size: int  # bytes of source
    outline: Outline
    reading: FileVersion | None = None


class OutlineCache:
    """Outlines by path, of at most `total` bytes of source. Safe to use from any thread."""

    def __init__(self, total: int = _TOTAL) -> None:
        self._total = total
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, CachedOutline] = OrderedDict()
        self._bytes = 0

    def get(self, path: str) -> CachedOutline | None:
        """Return the outline put last, if it was not dropped."""
        with self._lock:
            if path not in self._kept:
                return None
            self._kept.move_to_end(path)
            return self._kept[path]

    def put(self, path: str, outlined: CachedOutline) -> None:
        """Add an outline. One that is larger than the whole cache stays until the next is added."""
        with self._lock:
            self._drop(path)
            self._kept[path] = outlined
            self._bytes += outlined.size
            while self._bytes > self._total and len(self._kept) > 1:
                self._drop(next(iter(self._kept)))

    def settle(self, path: str) -> None:
        """Drop the parse of a file that is no longer edited."""
        with self._lock:
            if path in self._kept:
                self._kept[path] = evolve(self._kept[path], reading=None)

    def forget(self, paths: Sequence[str] | None = None) -> None:
        """Drop the outlines of `paths` (None: of all files)."""
        with self._lock:
            for path in list(self._kept) if paths is None else paths:
                self._drop(path)

    def _drop(self, path: str) -> None:
        gone = self._kept.pop(path, None)
        if gone is not None:
            self._bytes -= gone.size
