"""The list of a workspace's files: one walk, then only folders that changed are read again."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from attrs import frozen

from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.git.repository import find_repository
from memlsp.capture.workspace.ignore_rules import GitRules, IgnoreRules, PlainRules, is_ignore_file
from memlsp.capture.workspace.stamp import Stamp, stamp_of

MOST_FILES = 200_000
# In a workspace with more folders than this, checking them takes at most a twentieth of the time, and the list may be a
# second old unless somebody calls `forget`.
_MANY_FOLDERS = 2_000
_SHARE = 20
_OLDEST = 1.0


@frozen
class _Folder:
    stamp: Stamp
    files: tuple[str, ...]
    folders: tuple[str, ...]


class FileList:
    """The files of the workspace at `root`, as posix paths relative to it. Safe to use from any thread. A folder's time
    stamp moves when an entry is added, removed or renamed, so one `stat` per folder finds the folders to read again."""

    def __init__(self, root: Path, *, git: bool, most: int = MOST_FILES) -> None:
        self._root = root
        self._git = git
        self._most = most
        self._lock = threading.RLock()
        self._rules: IgnoreRules | None = None
        self._decisive: dict[str, Stamp | None] = {}
        self._folders: dict[str, _Folder] = {}
        self._paths: tuple[str, ...] | None = None
        self._known: frozenset[str] = frozenset()
        self._next_check = 0.0
        self._rules_appeared = False

    def paths(self) -> tuple[str, ...]:
        """Return all regular files, sorted, without symbolic links; at most `most`."""
        with self._lock:
            started = time.monotonic()
            if self._paths is not None and started < self._next_check:
                return self._paths
            if self._rules_changed():
                self._restart()
            moved = self._walk()
            if self._rules_appeared:
                self._restart()
                moved = self._walk()
            if moved or self._paths is None:
                self._collect()
            took = time.monotonic() - started
            many = len(self._folders) > _MANY_FOLDERS
            self._next_check = started + min(took * _SHARE, _OLDEST) if many else 0.0
            return self._paths or ()

    def holds(self, path: str) -> bool:
        """Return True when `path` is one of `paths()`."""
        with self._lock:
            self.paths()
            return path in self._known

    def folders(self) -> tuple[str, ...]:
        """Return the folders that are not ignored, "" for the root."""
        with self._lock:
            self.paths()
            return tuple(sorted(self._folders))

    def stamps(self) -> dict[str, Stamp | None]:
        """Return what the list of the last walk follows from, by absolute path: folders and files with rules."""
        with self._lock:
            folders = {f"{self._root}{os.sep}{path}": each.stamp for path, each in self._folders.items()}
            return {**folders, **self._decisive}

    def skips(self, path: str, *, folder: bool = False) -> bool:
        """Return True when `path`, existing or not, or a folder above it is ignored."""
        parts = path.split("/")
        if ".git" in parts:
            return True
        with self._lock:
            rules = self._current_rules()
            above = (("/".join(parts[:depth]), True) for depth in range(1, len(parts)))
            return any(rules.skips(part, folder=is_folder) for part, is_folder in (*above, (path, folder)))

    def forget(self) -> None:
        """Walk the whole workspace again at the next call."""
        with self._lock:
            self._restart()
            self._next_check = 0.0

    def _restart(self) -> None:
        self._rules = None
        self._folders = {}
        self._paths = None
        self._rules_appeared = False

    def _current_rules(self) -> IgnoreRules:
        if self._rules is None:
            self._rules = self._make_rules()
            self._decisive = {str(path): stamp_of(path) for path in self._rules.decisive_files()}
        return self._rules

    def _make_rules(self) -> IgnoreRules:
        repository = find_repository(self._root) if self._git else None
        if repository is not None and repository.handle is not None and not repository.bare:
            try:
                return GitRules(self._root, repository.handle)
            except (pygit2.GitError, OSError, ValueError):
                pass  # a damaged index: better too many files than none
        return PlainRules(self._root)

    def _rules_changed(self) -> bool:
        return self._rules is not None and any(
            stamp_of(path) != before or (before is not None and not before.settled)
            for path, before in self._decisive.items()
        )

    def _walk(self) -> bool:
        """Read the folders that changed. Returns True when the list changed."""
        if self._git and not os.path.lexists(self._root / ".git") and (self._root / "HEAD").is_file():  # bare
            return False
        rules = self._current_rules()
        walked: dict[str, _Folder] = {}
        seen: set[tuple[int, int]] = set()
        moved, count, waiting = False, 0, [""]
        while waiting:
            path = waiting.pop()
            stamp = stamp_of(f"{self._root}{os.sep}{path}")
            if stamp is None or stamp.file in seen:  # gone meanwhile, or a loop
                moved = True
                continue
            seen.add(stamp.file)
            folder = self._folders.get(path)
            if folder is None or folder.stamp != stamp or not folder.stamp.settled:
                fresh = self._scan(path, stamp, rules)
                moved = moved or folder is None or (fresh.files, fresh.folders) != (folder.files, folder.folders)
                folder = fresh
            walked[path] = folder
            count += len(folder.files)
            if count > self._most:
                break
            waiting.extend(folder.folders)
        moved = moved or len(walked) != len(self._folders)
        self._folders = walked
        return moved

    def _scan(self, path: str, stamp: Stamp, rules: IgnoreRules) -> _Folder:
        files: list[str] = []
        folders: list[str] = []
        prefix = f"{path}/" if path else ""
        try:
            with os.scandir(f"{self._root}{os.sep}{path}") as entries:
                for entry in entries:
                    if entry.name == ".git" or entry.is_symlink() or not _is_utf8(entry.name):
                        continue
                    inner = prefix + entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if not rules.skips(inner, folder=True):
                            folders.append(inner)
                    elif entry.is_file(follow_symlinks=False):
                        if not rules.skips(inner, folder=False):
                            files.append(inner)
                        if is_ignore_file(entry.name):
                            self._rules_appeared |= path in self._folders and entry.path not in self._decisive
                            self._decisive[entry.path] = stamp_of(entry.path)
        except OSError:
            pass  # unreadable or deleted: listed as empty
        return _Folder(stamp, tuple(files), tuple(folders))

    def _collect(self) -> None:
        paths = sorted(path for folder in self._folders.values() for path in folder.files)
        self._paths = tuple(paths[: self._most])
        self._known = frozenset(self._paths)


def _is_utf8(name: str) -> bool:
    """Return False for a name that is not UTF-8 on disk: it can neither be stored nor shown."""
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
