"""One checkout as the editor and the disk have it now: its paths, bytes and outlines."""

from __future__ import annotations

import os
import threading
from bisect import bisect
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from memlsp.capture.bounded_cache import BoundedCache
from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.git.repository import find_repository, resolved
from memlsp.capture.workspace.file_list import FileList
from memlsp.capture.workspace.source_files import LARGEST_SOURCE, SourceFiles, below
from memlsp.capture.workspace.stamp import Stamp, is_regular_file, stamp_of
from memlsp.capture.workspace.workspace_cache import read_head
from memlsp.model.errors import NoSuchFile, Refused, UnreadableSource

if TYPE_CHECKING:
    from memlsp.capture.workspace.outliner import Outliner
    from memlsp.code.incremental.edited_file import FileVersion
    from memlsp.code.syntax.outline import Outline

LARGE = 200_000
"""Bytes from which a file is outlined in another process: it takes hundreds of milliseconds of pure Python."""

_MANY_LINES = 5_000
_NEAREST = 2_000  # files before and after a path that are searched for what is near to it
_MOST_SEARCHES = 256
_MOST_OPEN = 64  # open files beside which searches are kept
_MOST_KEPT = 4 * 1024 * 1024
"""Bytes of source whose outlines are kept; an outline takes about six times that (measured on Flask)."""


@frozen
class _Buffer:
    """The text of an open document, as UTF-8, with the editor's number for it. `serial` is ours: it moves at every
    change, even when the editor starts counting anew."""

    data: bytes
    version: int
    serial: int


@frozen
class _CachedOutline:
    """An outline and the state it was made from: `key` is the stamp of a file or the serial of a buffer. `reading` is
    the parse that the next state of an open buffer is derived from."""

    key: Stamp | int
    digest: int
    size: int  # bytes of source
    outline: Outline
    reading: FileVersion | None = None


@frozen
class _Sought:
    """What a search looks for."""

    texts: tuple[bytes, ...]
    suffixes: tuple[str, ...]
    near: str
    limit: int

    def is_in(self, path: str, data: bytes) -> bool:
        """True for a file of this content."""
        return path.endswith(self.suffixes or "") and all(text in data for text in self.texts)


class Worktree:
    """The files under `root`. Paths are relative to it with posix separators. Safe to use from any thread.

    Nothing that it returns is older than the call: every call checks the files' stamps, only that of a search is kept
    until a watcher, while one runs, reports a change. With `patient=False`, large
    files are outlined in another process; until it answers, `outline` returns the previous outline or None, and
    `generation` moves with the answer.
    """

    def __init__(self, root: Path, *, git: bool, patient: bool = True) -> None:
        self.root = resolved(root)
        self.patient = patient
        self._outliner: Outliner | None = None
        self._git = git
        self._lock = threading.RLock()
        self._files = FileList(self.root, git=git)
        self._sources = SourceFiles(self.root)
        self._buffers: dict[str, _Buffer] = {}
        self._serial = 0
        self._outlines: BoundedCache[str, _CachedOutline] = BoundedCache(_MOST_KEPT)
        self._problems: dict[str, str] = {}
        self._reported: dict[str, str] = {}
        self._generation = 0
        self.watchers = 0  # which report every change of a file, so that answers can be kept until they report one
        self._saved = 0  # moves with a reported change of a file, and not with those of buffers
        self._searches: BoundedCache[_Sought, tuple[int, list[str]]] = BoundedCache(_MOST_SEARCHES)
        self._awaited: set[str] = set()  # large files that another process is outlining
        self._repository: pygit2.Repository | None = None

    def relative(self, path: str | Path, base: Path | None = None) -> str:
        """Return a path that a person typed, relative to the root.

        It may be absolute, relative to `base` (by default the working folder) or relative to the root, in this order.
        Follows symbolic links. Raises NoSuchFile when there is no such file (an open buffer counts as one) and Refused
        when the only one is outside of the workspace.
        """
        typed = Path(path).expanduser() if str(path).startswith("~") else Path(path)
        if "\0" in str(path):
            raise NoSuchFile(f"no such file: {str(path)!r}")
        outside = False
        for full in self._candidates(typed, base):
            try:
                inner = below(full, self.root)
                if inner is None:
                    outside = outside or full.exists()
                elif full.is_file() or self._buffers.get(inner):
                    return self._as_listed(inner, full)
                elif full.is_dir():
                    raise NoSuchFile(f"{path} is a folder", "name a file in it")
                elif full.exists():
                    raise NoSuchFile(f"{path} is no regular file", "name a file with text in it")
            except OSError as problem:  # a name too long, a folder that may not be looked into
                raise NoSuchFile(f"cannot look for {path}: {problem.strerror or problem}") from None
        if outside:
            raise Refused(f"{path} lies outside of the workspace {self.root}", "name a file in the workspace")
        sought = dict.fromkeys(str(folder) for folder in (base or "the working folder", self.root))
        raise NoSuchFile(f"no such file: {path}", f"looked in {' and in '.join(sought)}")

    def paths(self) -> tuple[str, ...]:
        """Return the workspace's files, sorted: tracked by git or not ignored; in a plain folder, not excluded by its
        ignore files. No symbolic links, nothing inside a nested repository, at most 200,000."""
        return self._files.paths()

    @property
    def listing(self) -> FileList:
        """The list that `paths` returns, for the watcher."""
        return self._files

    def exists(self, path: str) -> bool:
        """Return True for a file or folder on disk, or a file in an editor. Never raises."""
        return os.path.exists(self.root / path) or self.has_buffer(path)  # noqa: PTH110  never raises

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the open buffer, else of the file on disk; None when there is neither. Raises
        UnreadableSource when the file is binary or larger than 5 MB, Refused when it leads out of the workspace."""
        buffer = self._buffers.get(path)
        if buffer is not None:
            return buffer.data
        return self.saved(path)

    def saved(self, path: str) -> bytes | None:
        """Return the bytes on disk, whatever the editor shows; None without a file. Raises as `read` does."""
        source = self._sources.read(path)
        return source.data if source else None

    def outline(self, path: str) -> Outline | None:
        """Return the current symbols of the file; None when it is absent or unreadable (see `problem`)."""
        kept = self._outlines.get(path)
        try:
            if kept is not None and self._is_current(path, kept.key):
                return kept.outline
            data, key = self._state(path)
        except (UnreadableSource, Refused) as unreadable:
            self._outlines.drop([path])
            self._problems[path] = str(unreadable)
            return None
        self._problems.pop(path, None)
        self._reported.pop(path, None)
        if data is None:
            self._outlines.drop([path])
            return None
        outlined = self._outlined(path, data, key, kept)
        if outlined is None:
            return kept.outline if kept is not None else None
        self._outlines.put(path, outlined, outlined.size)
        return outlined.outline

    def close(self) -> None:
        """End the process that outlines large files."""
        if self._outliner is not None:
            self._outliner.close()

    def _outlined(self, path: str, data: bytes, key: Stamp | int, kept: _CachedOutline | None) -> _CachedOutline | None:
        """Outline `data`: reuse the cached outline, update it after an edit of a buffer, or parse anew."""
        edited = isinstance(key, int)
        digest = hash(data)
        if kept is not None and (kept.digest, kept.size) == (digest, len(data)):
            return _CachedOutline(key, digest, len(data), kept.outline, kept.reading if edited else None)
        if not self.patient and _is_large(data):
            found = self._outliner_process().outline(path, data)
            (self._awaited.add if found is None else self._awaited.discard)(path)
            return _CachedOutline(key, digest, len(data), found) if found is not None else None
        # late, since the grammars take a while to load and many commands never parse
        if not edited:
            from memlsp.code.syntax.outline import outline as outline_of

            return _CachedOutline(key, digest, len(data), outline_of(path, data))
        from memlsp.code.incremental.edited_file import parse_file, reparse_file

        before = kept.reading if kept is not None else None
        reading = reparse_file(before, data) if before is not None else parse_file(path, data)
        return _CachedOutline(key, digest, len(data), reading.outline, reading)

    def _outliner_process(self) -> Outliner:
        from memlsp.capture.workspace.outliner import Outliner  # late: few workspaces have a large file

        with self._lock:
            if self._outliner is None:
                self._outliner = Outliner(lambda _path: self._moved())
            return self._outliner

    def state(self, path: str) -> object:
        """Return a value that is equal while the file's content is; None when unknown, as for a file that is missing or
        was written a moment ago."""
        buffer = self._buffers.get(path)
        if buffer is not None:
            return buffer.serial
        stamp = stamp_of(self._sources.locate(path))
        return stamp if stamp is not None and stamp.settled else None

    def awaits(self, path: str) -> bool:
        """Return True while another process outlines this file, so that `outline` gives an old outline or None."""
        return path in self._awaited

    def problem(self, path: str) -> str | None:
        """Say why `outline` gives None although there is a file: each reason once, else None."""
        if self._outlines.get(path) is None:
            try:
                self._state(path)  # reading is enough to know that it cannot be parsed
            except (UnreadableSource, Refused) as unreadable:
                self._problems[path] = str(unreadable)
        with self._lock:
            reason = self._problems.get(path)
            if reason is None or self._reported.get(path) == reason:
                return None
            self._reported[path] = reason
            return reason

    def containing(
        self, texts: Sequence[bytes], *, suffixes: Sequence[str] = (), limit: int = 200, near: str = ""
    ) -> list[str]:
        """Return the files that contain all `texts`, sorted, at most `limit`; buffers count before the disk. With
        `near` only the files that stand nearest to that path in the sorted list are read."""
        sought, buffers = _Sought(tuple(texts), tuple(suffixes), near, limit), dict(self._buffers)
        is_kept = self.watchers > 0 and len(buffers) <= _MOST_OPEN
        kept = self._searches.get(sought) if is_kept else None
        if kept is None or kept[0] != self._saved:
            kept = self._saved, self._saved_with(sought, limit + (_MOST_OPEN if is_kept else len(buffers)))
            self._searches.put(sought, kept)
        found = {path for path in kept[1] if path not in buffers}
        found |= {path for path, buffer in buffers.items() if sought.is_in(path, buffer.data)}
        return sorted(found)[:limit]

    def _saved_with(self, sought: _Sought, most: int) -> list[str]:
        """The files that match on disk, sorted, at most `most`."""
        paths = self.paths()
        if sought.near and len(paths) > 2 * _NEAREST:
            at = bisect(paths, sought.near)
            paths = paths[max(0, at - _NEAREST) : at + _NEAREST]
        ends = sought.suffixes
        matching = (p for p in paths if (not ends or p.endswith(ends)) and self._sources.search(p, sought.texts))
        return list(islice(matching, most))

    def set_buffer(self, path: str, text: str, version: int) -> None:
        """Use `text` in place of the file at `path` until `drop_buffer`."""
        data = text.encode("utf-8", "replace")
        with self._lock:
            self._serial += 1
            self._buffers[path] = _Buffer(data, version, self._serial)
            self._moved()

    def drop_buffer(self, path: str) -> None:
        """Use the file on disk again."""
        with self._lock:
            buffer = self._buffers.pop(path, None)
        if buffer is not None:
            kept = self._outlines.get(path)
            if kept is not None:  # without the parse, which is for the next edit
                self._outlines.put(path, evolve(kept, reading=None), kept.size)
            self._moved()

    def has_buffer(self, path: str) -> bool:
        """Return True between `set_buffer` and `drop_buffer`."""
        return path in self._buffers

    def changed(self, paths: Sequence[str] | None = None) -> None:
        """Drop the caches for `paths` (None: for all files)."""
        with self._lock:
            self._saved += 1
            self._outlines.drop(paths)
            self._sources.forget(paths)
            if paths is None or not all(
                self._files.holds(path) and is_regular_file(self.root / path) for path in paths
            ):
                self._files.forget()
            self._repository = None
            self._moved()

    def head(self) -> str | None:
        """Return the hash of the checked-out commit; None without git and before the first commit."""
        if self._git and (commit := read_head(str(self.root))[1]):
            return commit  # as in most repositories, which libgit2 takes long to open
        with self._lock:
            repository = self._opened()
            try:
                return str(repository.head.target) if repository else None
            except (pygit2.GitError, KeyError, ValueError, OSError):
                return None

    def branch(self) -> str | None:
        """Return the name of the checked-out branch, also before its first commit; None when detached."""
        if self._git and (branch := read_head(str(self.root))[0]):
            return branch
        with self._lock:
            repository = self._opened()
            try:
                target = repository.lookup_reference("HEAD").target if repository else None
            except (pygit2.GitError, KeyError, ValueError, OSError):
                return None
            return target.removeprefix("refs/heads/") if isinstance(target, str) else None

    def generation(self) -> int:
        """Return a number that moves with every reported change of a buffer or a file."""
        return self._generation

    def _candidates(self, typed: Path, base: Path | None) -> list[Path]:
        if typed.is_absolute():
            return [typed]
        try:
            here = base if base is not None and base.is_absolute() else Path.cwd() / (base or "")
        except OSError:  # the working folder was deleted
            return [self.root / typed]
        return [here / typed, self.root / typed]

    def _as_listed(self, inner: str, full: Path) -> str:
        """Return `inner` spelled as in the list of files, where the file system ignores case."""
        if stamp_of(self.root / inner.swapcase()) is None or self._files.holds(inner):
            return inner
        folded = inner.casefold()
        for path in self.paths():
            if path.casefold() == folded and (self.root / path).samefile(full):
                return path
        return inner

    def _is_current(self, path: str, key: Stamp | int) -> bool:
        buffer = self._buffers.get(path)
        if buffer is not None or isinstance(key, int):
            return buffer is not None and buffer.serial == key
        return self._sources.is_current(path, key)

    def _state(self, path: str) -> tuple[bytes | None, Stamp | int]:
        """Return the current bytes (None: no such file) and the key of this state."""
        buffer = self._buffers.get(path)
        if buffer is not None:
            if len(buffer.data) > LARGEST_SOURCE:
                raise UnreadableSource(f"{path} is larger than 5 MB, so it is not read")
            return buffer.data, buffer.serial
        source = self._sources.read(path)
        return (source.data, source.stamp) if source else (None, 0)

    def _moved(self) -> None:
        with self._lock:
            self._generation += 1

    def _opened(self) -> pygit2.Repository | None:
        if self._repository is None and self._git:
            found = find_repository(self.root)
            self._repository = found.handle if found else None
        return self._repository


def _is_large(data: bytes) -> bool:
    """Return True for a text that takes longer to outline than an editor may wait."""
    return len(data) > LARGE or (len(data) > _MANY_LINES and data.count(b"\n") > _MANY_LINES)
