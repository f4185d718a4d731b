"""One checkout as the editor and the disk have it now: paths, bytes, outlines."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pygit2

from memlsp.capture.git.repository import find_repository, resolved
from memlsp.capture.workspace.buffers import Buffers
from memlsp.capture.workspace.file_list import Listing
from memlsp.capture.workspace.outline_cache import Outlined, Outlines, is_large
from memlsp.capture.workspace.source_files import LARGEST_SOURCE, Sources, below
from memlsp.capture.workspace.stamp import Stamp, stamp_of
from memlsp.model.errors import NoSuchFile, Refused, UnreadableSource

if TYPE_CHECKING:
    from memlsp.capture.workspace.outliner import Outliner
    from memlsp.code.syntax.outline import Outline


class Worktree:
    """The files under `root`. Paths are relative to it with posix separators. Safe to use from any thread.

    Nothing that it returns is older than the call: files are looked at (not read) every time. An impatient one has
    large files outlined in another process; until that has answered, `outline` gives the one from before, or None, and
    `generation` moves when the answer is there.
    """

    def __init__(self, root: Path, *, git: bool, patient: bool = True) -> None:
        self.root = resolved(root)
        self._patient = patient
        self._outliner: Outliner | None = None
        self._git = git
        self._lock = threading.RLock()
        self._listing = Listing(self.root, git=git)
        self._sources = Sources(self.root)
        self._buffers = Buffers()
        self._outlines = Outlines()
        self._problems: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self._generation = 0
        self._awaited: set[str] = set()  # large files that are being read elsewhere
        self._repository: pygit2.Repository | None = None

    def relative(self, path: str | Path, base: Path | None = None) -> str:
        """`path` as a person typed it, relative to the root.

        It may be absolute, relative to `base` (by default the working folder) or relative to the root, in this order.
        Symbolic links are followed. Raises NoSuchFile when there is no such file (an open buffer counts as one) and
        Refused when there is one outside of the workspace only.
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
        """The files of the workspace, sorted: tracked by git or not ignored; in a plain folder, not excluded by its
        ignore files. No symbolic links, nothing inside a nested repository, at most 200,000."""
        return self._listing.paths()

    @property
    def listing(self) -> Listing:
        """The rules by which `paths` chooses, for the watcher."""
        return self._listing

    def exists(self, path: str) -> bool:
        """True when there is such a file or folder, on disk or in an editor. Never raises."""
        return os.path.exists(self.root / path) or self.has_buffer(path)  # noqa: PTH110  never raises

    def read(self, path: str) -> bytes | None:
        """The bytes of the open buffer, else of the file on disk; None when there is neither.

        Raises UnreadableSource when the file is binary or larger than 5 MB, Refused when it leads out of the workspace.
        """
        buffer = self._buffers.get(path)
        if buffer is not None:
            return buffer.data
        source = self._sources.read(path)
        return source.data if source else None

    def outline(self, path: str) -> Outline | None:
        """The symbols of the file as it is now; None when it is absent or unreadable (then see `problem`)."""
        kept = self._outlines.get(path)
        try:
            if kept is not None and self._is_current(path, kept.key):
                return kept.outline
            data, key = self._state(path)
        except (UnreadableSource, Refused) as unreadable:
            self._outlines.forget([path])
            self._problems[path] = str(unreadable)
            return None
        self._problems.pop(path, None)
        self._told.pop(path, None)
        if data is None:
            self._outlines.forget([path])
            return None
        outlined = self._outlined(path, data, key, kept)
        if outlined is None:
            return kept.outline if kept is not None else None
        self._outlines.put(path, outlined)
        return outlined.outline

    def close(self) -> None:
        """End what runs for it."""
        if self._outliner is not None:
            self._outliner.close()

    def _outlined(self, path: str, data: bytes, key: Stamp | int, kept: Outlined | None) -> Outlined | None:
        """The outline of `data`: the one from before, what follows from it after an edit of a buffer, or a new one."""
        edited = isinstance(key, int)
        digest = hash(data)
        if kept is not None and (kept.digest, kept.size) == (digest, len(data)):
            return Outlined(key, digest, len(data), kept.outline, kept.reading if edited else None)
        if not self._patient and is_large(data):
            found = self._elsewhere().outline(path, data)
            (self._awaited.add if found is None else self._awaited.discard)(path)
            return Outlined(key, digest, len(data), found) if found is not None else None
        # late, since the grammars take a while to load and many commands never parse
        if not edited:
            from memlsp.code.syntax.outline import outline as outline_of

            return Outlined(key, digest, len(data), outline_of(path, data))
        from memlsp.code.incremental.edited_file import parse_file, reparse_file

        before = kept.reading if kept is not None else None
        reading = reparse_file(before, data) if before is not None else parse_file(path, data)
        return Outlined(key, digest, len(data), reading.outline, reading)

    def _elsewhere(self) -> Outliner:
        # late, for most never meet a large file
        from memlsp.capture.workspace.outliner import Outliner

        with self._lock:
            if self._outliner is None:
                self._outliner = Outliner(lambda _path: self._moved())
            return self._outliner

    def state(self, path: str) -> object:
        """Equal for two moments at which the file had the same content; None where nothing tells, as for a file that
        is not there or was only just written."""
        buffer = self._buffers.get(path)
        if buffer is not None:
            return buffer.serial
        stamp = stamp_of(self._sources.locate(path))
        return stamp if stamp is not None and stamp.settled else None

    def awaits(self, path: str) -> bool:
        """True while a large file is being read in another process, so that `outline` gives none or an old one."""
        return path in self._awaited

    def problem(self, path: str) -> str | None:
        """Why `outline` gives None although there is a file: said once, then None until it is another reason."""
        if self._outlines.get(path) is None:
            try:
                self._state(path)  # it need not be parsed to know that it cannot be
            except (UnreadableSource, Refused) as unreadable:
                self._problems[path] = str(unreadable)
        with self._lock:
            reason = self._problems.get(path)
            if reason is None or self._told.get(path) == reason:
                return None
            self._told[path] = reason
            return reason

    def containing(self, needles: Sequence[bytes], *, suffixes: Sequence[str] = (), limit: int = 200) -> list[str]:
        """The files that hold all `needles`, in order of path, at most `limit`; open buffers count before the disk."""
        ends = tuple(suffixes)
        paths = self.paths()
        unlisted = [path for path in self._buffers.paths() if not self._listing.holds(path)]
        found: list[str] = []
        for path in sorted([*paths, *unlisted]) if unlisted else paths:
            if ends and not path.endswith(ends):
                continue
            buffer = self._buffers.get(path)
            if buffer is not None:
                held = all(needle in buffer.data for needle in needles)
            else:
                held = self._sources.search(path, needles)
            if held:
                found.append(path)
                if len(found) >= limit:
                    break
        return found

    def set_buffer(self, path: str, text: str, version: int) -> None:
        """Take `text` for the file at `path` until `drop_buffer`."""
        self._buffers.set(path, text, version)
        self._moved()

    def drop_buffer(self, path: str) -> None:
        """The file on disk counts again."""
        if self._buffers.drop(path):
            self._outlines.settle(path)
            self._moved()

    def has_buffer(self, path: str) -> bool:
        """True between `set_buffer` and `drop_buffer`."""
        return self._buffers.get(path) is not None

    def changed(self, paths: Sequence[str] | None = None) -> None:
        """Forget what is cached about `paths` (None: about everything)."""
        with self._lock:
            self._outlines.forget(paths)
            self._sources.forget(paths)
            if paths is None or not all(self._listing.holds(path) and self._is_file(path) for path in paths):
                self._listing.forget()
            self._repository = None
            self._moved()

    def head(self) -> str | None:
        """The hash of the commit that is checked out; None without git and before the first commit."""
        with self._lock:
            repository = self._opened()
            try:
                return str(repository.head.target) if repository else None
            except (pygit2.GitError, KeyError, ValueError, OSError):
                return None

    def branch(self) -> str | None:
        """The name of the branch that is checked out, also before its first commit; None when detached."""
        with self._lock:
            repository = self._opened()
            try:
                target = repository.lookup_reference("HEAD").target if repository else None
            except (pygit2.GitError, KeyError, ValueError, OSError):
                return None
            return target.removeprefix("refs/heads/") if isinstance(target, str) else None

    def generation(self) -> int:
        """A number that moves whenever a buffer or a file was said to have changed."""
        return self._generation

    def _candidates(self, typed: Path, base: Path | None) -> list[Path]:
        if typed.is_absolute():
            return [typed]
        try:
            here = base if base is not None and base.is_absolute() else Path.cwd() / (base or "")
        except OSError:  # the working folder was deleted
            return [self.root / typed]
        return [here / typed, self.root / typed]

    def _is_file(self, path: str) -> bool:
        stamp = stamp_of(self.root / path)
        return stamp is not None and stamp.regular

    def _as_listed(self, inner: str, full: Path) -> str:
        """The case in which the listing has it, where the file system does not care."""
        if stamp_of(self.root / inner.swapcase()) is None or self._listing.holds(inner):
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
        return key.settled and stamp_of(self._sources.locate(path)) == key

    def _state(self, path: str) -> tuple[bytes | None, Stamp | int]:
        """The bytes as they are now (None: there is no such file), and the key of this state."""
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
