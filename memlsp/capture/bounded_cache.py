"""A cache in memory that is bounded by the sizes of what it holds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """Values by key, each with a size, at most `most` together: the least recently used are dropped first. One that is
    larger stays until the next is added. Safe to use from any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._size = 0

    def get(self, key: Key) -> Value | None:
        """The value put last, if it was not dropped."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: Key, value: Value, size: int = 1) -> None:
        """Add a value, in place of the former one."""
        with self._lock:
            self._drop(key)
            self._kept[key] = value, size
            self._size += size
            while self._size > self._most and len(self._kept) > 1:
                self._drop(next(iter(self._kept)))

    def drop(self, keys: Iterable[Key] | None = None) -> None:
        """Drop the values of some keys, None for all."""
        with self._lock:
            for key in list(self._kept) if keys is None else keys:
                self._drop(key)

    def _drop(self, key: Key) -> None:
        if key in self._kept:
            self._size -= self._kept.pop(key)[1]
