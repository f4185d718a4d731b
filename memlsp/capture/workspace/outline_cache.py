"""Outlines that were made before, the least recently used let go first."""

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
"""Bytes from which a file is outlined elsewhere: there it takes some hundred milliseconds of pure Python."""

MANY_LINES = 5_000
"""Lines from which it is."""


def is_large(data: bytes) -> bool:
    """True for a text that takes longer than an editor may be held up."""
    return len(data) > LARGE or (len(data) > MANY_LINES and data.count(b"\n") > MANY_LINES)


@frozen
class Outlined:
    """An outline and the state it was made from: the stamp of a file, or the serial of a buffer.

    `reading` is what the next state of an open buffer is read from."""

    key: Stamp | int
    digest: int
    size: int  # bytes of source
    outline: Outline
    reading: FileVersion | None = None


class Outlines:
    """By path, at most `total` bytes of source. Safe to use from any thread."""

    def __init__(self, total: int = _TOTAL) -> None:
        self._total = total
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Outlined] = OrderedDict()
        self._bytes = 0

    def get(self, path: str) -> Outlined | None:
        """What was put last, if it was not let go."""
        with self._lock:
            if path not in self._kept:
                return None
            self._kept.move_to_end(path)
            return self._kept[path]

    def put(self, path: str, outlined: Outlined) -> None:
        """Keep it; an outline larger than everything that may be kept is kept until the next."""
        with self._lock:
            self._drop(path)
            self._kept[path] = outlined
            self._bytes += outlined.size
            while self._bytes > self._total and len(self._kept) > 1:
                self._drop(next(iter(self._kept)))

    def settle(self, path: str) -> None:
        """It will not be edited any more: let go of what the next state would be read from."""
        with self._lock:
            if path in self._kept:
                self._kept[path] = evolve(self._kept[path], reading=None)

    def forget(self, paths: Sequence[str] | None = None) -> None:
        """Let go of those of `paths` (None: of all)."""
        with self._lock:
            for path in list(self._kept) if paths is None else paths:
                self._drop(path)

    def _drop(self, path: str) -> None:
        gone = self._kept.pop(path, None)
        if gone is not None:
            self._bytes -= gone.size
