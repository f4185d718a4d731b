"""The bytes of source files: read from disk with limits, and cached for searches while memory allows."""

from __future__ import annotations

import codecs
import os
import re
import stat
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePath

from attrs import frozen

from memlsp.capture.git.repository import is_binary, resolved
from memlsp.capture.workspace.stamp import Stamp, stamp_from
from memlsp.model.errors import Refused, UnreadableSource

LARGEST_SOURCE = 5 * 1024 * 1024  # bytes
_CACHED_TOTAL = 32 * 1024 * 1024  # bytes of files cached for searches
_CACHED_EACH = 256 * 1024

_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags for opening a file. Non-blocking: what was one may have become a pipe."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LONE_RETURN = re.compile(rb"\r(?!\n)")


@frozen
class SourceFile:
    """One state of a file on disk."""

    data: bytes
    stamp: Stamp


@lru_cache(maxsize=8192)
def _is_inner(path: str) -> bool:
    pure = PurePath(path)
    return bool(pure.parts) and not pure.anchor and ".." not in pure.parts and "\0" not in path


class SourceFiles:
    """Reads files below `root`; paths are relative to it with posix separators. Safe to use from any thread."""

    def __init__(self, root: Path, *, cache_bytes: int = _CACHED_TOTAL) -> None:
        self._root = str(root)
        self._lock = threading.Lock()
        self._cache: OrderedDict[str, SourceFile] = OrderedDict()
        self.cached_bytes = 0  # at most `cache_bytes`
        self._cache_bytes = cache_bytes

    def locate(self, path: str) -> str:
        """Return the file's absolute path, links followed. Raises Refused when it leads out of the root."""
        full = self._inside(path)
        real = os.path.realpath(full)
        if real != full and below(Path(real), Path(self._root)) is None:
            raise Refused(f"{path} leads out of the workspace, to {real}")
        return real

    def read(self, path: str) -> SourceFile | None:
        """Read the file; None when there is none. Raises Refused and UnreadableSource."""
        try:
            os.lstat(self._inside(path))  # most names that an import may mean do not exist, and following links is slow
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            pass  # reported below
        return self._load(path, self.locate(path))

    def _inside(self, path: str) -> str:
        if not _is_inner(path):
            raise Refused(f"{path!r} is not a path inside the workspace")
        return self._full(path)

    def search(self, path: str, texts: Sequence[bytes]) -> bool:
        """Return True when the file contains all `texts`; False when it cannot be read. `path` must come from a
        FileList, which follows no links."""
        full = self._full(path)
        try:
            cached = self._cache.get(path)
            data = (
                cached.data if cached is not None and _is_current(cached.stamp, full) else self._load_listed(path, full)
            )
        except (OSError, UnreadableSource):
            return False
        return all(text in data for text in texts)

    def is_current(self, path: str, stamp: Stamp) -> bool:
        """Return True while what was read of the file with this stamp is what is there. Follows no links to tell: what
        a link leads to elsewhere has another stamp."""
        try:
            return _is_current(stamp, self._full(path))
        except OSError:
            return False

    def forget(self, paths: Sequence[str] | None = None) -> None:
        """Drop the cached bytes of `paths` (None: of all files)."""
        with self._lock:
            for path in list(self._cache) if paths is None else paths:
                self._drop(path)

    def _full(self, path: str) -> str:
        return f"{self._root}{os.sep}{path.replace('/', os.sep)}"

    def _load_listed(self, path: str, full: str) -> bytes:
        """Read a listed file, and cache it while there is room. Raises OSError, UnreadableSource."""
        source = _read_whole(path, full)
        if path in self._cache or self.cached_bytes + len(source.data) <= self._cache_bytes:
            self._keep(path, source)
        return source.data

    def _load(self, path: str, full: str) -> SourceFile | None:
        try:
            if os.path.isdir(full):  # noqa: PTH112  the fast path
                return None
            return _read_whole(path, full)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as problem:
            raise UnreadableSource(f"{path} cannot be read: {problem.strerror or problem}") from None

    def _keep(self, path: str, source: SourceFile) -> None:
        with self._lock:
            self._drop(path)
            if len(source.data) > _CACHED_EACH:
                return
            self._cache[path] = source
            self.cached_bytes += len(source.data)
            while self.cached_bytes > self._cache_bytes:
                # drop the newest: a search reads all files in order, and would evict each before its next turn
                self._drop(next(reversed(self._cache)))

    def _drop(self, path: str) -> None:
        gone = self._cache.pop(path, None)
        if gone is not None:
            self.cached_bytes -= len(gone.data)


def _read_whole(path: str, full: str) -> SourceFile:
    """Read the file at `full`. Raises OSError, and UnreadableSource for one that is no regular file, binary, or too
    large."""
    handle = os.open(full, _READING)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableSource(f"{path} is not a regular file")
        if status.st_size > LARGEST_SOURCE:
            raise UnreadableSource(f"{path} is larger than 5 MB ({status.st_size / 1e6:.1f} MB), so it is not read")
        # sized by the file: allocating for the largest, for each of thousands, takes longer than reading
        data = os.read(handle, status.st_size + 1)
        while len(data) != status.st_size and (more := os.read(handle, LARGEST_SOURCE + 1 - len(data))):
            data += more  # it grew meanwhile, or came in parts
    finally:
        os.close(handle)
    if len(data) > LARGEST_SOURCE:
        raise UnreadableSource(f"{path} is larger than 5 MB, so it is not read")
    return SourceFile(_as_text(path, data), stamp_from(status))


def _is_current(stamp: Stamp, full: str) -> bool:
    """Return True while the file has this stamp. Compares fields, since making a stamp takes longer than a search.
    Raises OSError."""
    if not stamp.settled:
        return False
    status = os.stat(full)  # noqa: PTH116  once per file of the workspace
    now = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, (status.st_dev, status.st_ino))
    return (stamp.mtime_ns, stamp.ctime_ns, stamp.size, stamp.file) == now


def _as_text(path: str, data: bytes) -> bytes:
    """Return the bytes as an editor would send them: UTF-16 with a mark as UTF-8, and line feeds for lone carriage
    returns, which parsers do not take for line ends. Raises UnreadableSource."""
    if data.startswith(_UTF_16):
        with suppress(UnicodeDecodeError):  # else binary after all
            data = data.decode("utf-16").encode("utf-8", "replace")
    if is_binary(data):
        raise UnreadableSource(f"{path} is binary, so it is not read")
    return _LONE_RETURN.sub(b"\n", data) if b"\r" in data else data


def below(path: Path, root: Path) -> str | None:
    """Return `path` (absolute, need not exist) relative to `root` with posix separators, "" for the root, None outside
    it. Follows symbolic links, and ignores case where the file system does."""
    real = resolved(path)
    for here in (real, *real.parents):
        if here == root or (here.name.casefold() == root.name.casefold() and _same(here, root)):
            inner = real.relative_to(here).as_posix()
            return "" if inner == "." else inner
    return None


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
