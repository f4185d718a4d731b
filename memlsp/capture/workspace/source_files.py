"""The bytes of source files: read from disk with limits, kept for searching while memory allows."""

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

from memlsp.capture.git.repository import resolved
from memlsp.capture.workspace.stamp import Stamp, stamp_from
from memlsp.model.errors import Refused, UnreadableSource

LARGEST_SOURCE = 5 * 1024 * 1024  # bytes
_BINARY_HEAD = 8 * 1024
_KEPT_TOTAL = 32 * 1024 * 1024  # bytes of files kept for searching
_KEPT_EACH = 256 * 1024


_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
"""How a file is opened to be searched. Without waiting: what the listing took for a file may be a pipe by now."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LONE_RETURN = re.compile(rb"\r(?!\n)")


@frozen
class Source:
    """One state of a file on disk."""

    data: bytes
    stamp: Stamp


@lru_cache(maxsize=8192)
def _is_inner(path: str) -> bool:
    pure = PurePath(path)
    return bool(pure.parts) and not pure.anchor and ".." not in pure.parts and "\0" not in path


class Sources:
    """Reads files below `root`; paths are relative to it with posix separators. Safe to use from any thread."""

    def __init__(self, root: Path, *, kept_total: int = _KEPT_TOTAL) -> None:
        self._root = str(root)
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Source] = OrderedDict()
        self.kept_bytes = 0  # never more than `kept_total`
        self._kept_total = kept_total

    def locate(self, path: str) -> str:
        """The file's absolute path. Raises Refused when `path` leads out of the root, symbolic links followed."""
        full = self._inside(path)
        real = os.path.realpath(full)
        if real != full and below(Path(real), Path(self._root)) is None:
            raise Refused(f"{path} leads out of the workspace, to {real}")
        return real

    def read(self, path: str) -> Source | None:
        """The file as it is now; None when there is none. Raises Refused and UnreadableSource."""
        try:
            os.lstat(
                self._inside(path)
            )  # most names that imports may lead to lead nowhere, and following links is slow
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            pass  # what is wrong is told below
        return self._load(path, self.locate(path))

    def _inside(self, path: str) -> str:
        if not _is_inner(path):
            raise Refused(f"{path!r} is not a path inside the workspace")
        return self._full(path)

    def search(self, path: str, needles: Sequence[bytes]) -> bool:
        """True when the file holds all `needles`. `path` must come from a listing, which follows no links. Files that
        cannot be read hold nothing."""
        full = self._full(path)
        try:
            kept = self._kept.get(path)
            data = kept.data if kept is not None and _is_as_kept(kept.stamp, full) else self._taken(path, full)
        except (OSError, UnreadableSource):
            return False
        return all(needle in data for needle in needles)

    def forget(self, paths: Sequence[str] | None = None) -> None:
        """Let go of what is kept (None: of everything)."""
        with self._lock:
            for path in list(self._kept) if paths is None else paths:
                self._drop(path)

    def _full(self, path: str) -> str:
        return f"{self._root}{os.sep}{path.replace('/', os.sep)}"

    def _taken(self, path: str, full: str) -> bytes:
        """The bytes of a file that a listing has, kept while there is room. Raises OSError, UnreadableSource."""
        handle = os.open(full, _READING)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SOURCE:
                raise UnreadableSource(f"{path} is not read")
            data = os.read(handle, status.st_size + 1)
            while data and len(data) < status.st_size and (more := os.read(handle, status.st_size + 1 - len(data))):
                data += more
        finally:
            os.close(handle)
        if len(data) > status.st_size:  # it grew meanwhile
            source = self._load(path, full)
            data = b"" if source is None else source.data
            self._keep(path, source)
            return data
        data = _as_text(path, data)
        if path in self._kept or self.kept_bytes + len(data) <= self._kept_total:
            self._keep(path, Source(data, stamp_from(status)))
        return data

    def _load(self, path: str, full: str) -> Source | None:
        try:
            status = os.stat(full)  # noqa: PTH116  the fast path
            if stat.S_ISDIR(status.st_mode):
                return None
            if not stat.S_ISREG(status.st_mode):  # opening a pipe would block
                raise UnreadableSource(f"{path} is not a regular file")
            if status.st_size > LARGEST_SOURCE:
                raise UnreadableSource(f"{path} is larger than 5 MB ({status.st_size / 1e6:.1f} MB), so it is not read")
            with open(full, "rb") as file:  # noqa: PTH123  the fast path
                status = os.fstat(file.fileno())
                # as much as there is: room for the largest file, asked for each of thousands, takes longer than reading
                data = file.read(min(status.st_size, LARGEST_SOURCE) + 1)
                if len(data) > status.st_size:  # it grew meanwhile
                    data += file.read(LARGEST_SOURCE + 1 - len(data))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as problem:
            raise UnreadableSource(f"{path} cannot be read: {problem.strerror or problem}") from None
        if len(data) > LARGEST_SOURCE:
            raise UnreadableSource(f"{path} is larger than 5 MB, so it is not read")
        return Source(_as_text(path, data), stamp_from(status))

    def _keep(self, path: str, source: Source | None) -> None:
        with self._lock:
            self._drop(path)
            if source is None or len(source.data) > _KEPT_EACH:
                return
            self._kept[path] = source
            self.kept_bytes += len(source.data)
            while self.kept_bytes > self._kept_total:
                # the newest goes: a search walks all files in order, and would otherwise evict each before its turn
                self._drop(next(reversed(self._kept)))

    def _drop(self, path: str) -> None:
        gone = self._kept.pop(path, None)
        if gone is not None:
            self.kept_bytes -= len(gone.data)


def _is_as_kept(stamp: Stamp, full: str) -> bool:
    """True while the file is the one that was kept. Compared by hand: in a large workspace, making a stamp for each
    file would take longer than searching it. Raises OSError."""
    if not stamp.settled:
        return False
    status = os.stat(full)  # noqa: PTH116  once per file of the workspace
    return (stamp.mtime_ns, stamp.size, stamp.file[1]) == (status.st_mtime_ns, status.st_size, status.st_ino)


def _as_text(path: str, data: bytes) -> bytes:
    """The bytes as an editor would hand the file over: UTF-16 that says so as UTF-8, and line feeds for the carriage
    returns that end lines alone, which parsers do not take for line ends. Raises UnreadableSource."""
    if data.startswith(_UTF_16):
        with suppress(UnicodeDecodeError):  # else binary after all
            data = data.decode("utf-16").encode("utf-8", "replace")
    if b"\0" in data[:_BINARY_HEAD]:
        raise UnreadableSource(f"{path} is binary, so it is not read")
    return _LONE_RETURN.sub(b"\n", data) if b"\r" in data else data


def below(path: Path, root: Path) -> str | None:
    """`path` (absolute, need not exist) relative to `root` with posix separators, "" for the root itself; None when it
    lies outside. Symbolic links are followed; on file systems that ignore case so is case."""
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
