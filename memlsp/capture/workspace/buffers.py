"""Unsaved text that an editor holds: it counts before what is on disk."""

from __future__ import annotations

import threading

from attrs import frozen


@frozen
class Buffer:
    """The text of an open document, as UTF-8, and the editor's number for this state of it."""

    data: bytes
    version: int
    serial: int  # ours: moves at every change, even when an editor starts counting again


class Buffers:
    """Open documents by path. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, Buffer] = {}
        self._serial = 0

    def set(self, path: str, text: str, version: int) -> None:
        """Put `text` in place of what was there."""
        data = text.encode("utf-8", "replace")
        with self._lock:
            self._serial += 1
            self._open[path] = Buffer(data, version, self._serial)

    def drop(self, path: str) -> bool:
        """Close it; True when it was open."""
        with self._lock:
            return self._open.pop(path, None) is not None

    def get(self, path: str) -> Buffer | None:
        """The open document, or None."""
        return self._open.get(path)

    def paths(self) -> tuple[str, ...]:
        """All that are open."""
        with self._lock:
            return tuple(self._open)
