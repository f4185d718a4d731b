"""The files that differ between two states of a repository, with their bytes on both sides."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import cast

from attrs import frozen
from pygit2.enums import DeltaStatus, DiffFind, DiffOption, FileMode

from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.git.repository import Repository, check_walkable, resolved, tree_entries
from memlsp.capture.git.revisions import INDEX, DiffRequest
from memlsp.capture.workspace.source_files import LARGEST_SOURCE
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.difference import FileFate, FileNature
from memlsp.model.errors import NoSuchFile, Refused, UnreadableSource

_FILES = frozenset({FileMode.BLOB, FileMode.BLOB_EXECUTABLE})
_RENAMES = 1000  # removed or added files up to which git looks for renames among those that are not code
_OPTIONS = DiffOption.INCLUDE_TYPECHANGE | DiffOption.SKIP_BINARY_CHECK
_FATES = {
    DeltaStatus.ADDED: FileFate.ADDED,
    DeltaStatus.UNTRACKED: FileFate.ADDED,
    DeltaStatus.DELETED: FileFate.REMOVED,
    DeltaStatus.RENAMED: FileFate.RENAMED,
}


@frozen
class Delta:
    """A file that differs. Paths are relative to the workspace; `old` is None for an added file, `new` for a removed
    one. `nature` is set when it is known without reading the file."""

    old: str | None
    new: str | None
    fate: FileFate
    before: Callable[[], bytes | None]
    after: Callable[[], bytes | None]
    nature: FileNature | None = None
    mode: str = ""

    @property
    def path(self) -> str:
        """The new path; the old one of a removed file."""
        return self.new or self.old or ""


def deltas_of(found: Repository, question: DiffRequest, worktree: Worktree, base: Path) -> list[Delta]:
    """The files that differ, in order of their paths. Raises NoSuchFile for a path that neither side has, and Refused
    for one outside of the workspace."""
    repository = found.handle
    assert repository is not None
    root = worktree.root
    prefix = found.prefix(root)
    wanted = [_PathFilter.read(path, base, root) for path in question.paths]
    reading = _DeltaReader(
        repository, worktree, prefix, on_disk=question.new.tree is None and question.new.name != INDEX
    )
    made = [] if question.old.tree is None else _differences(repository, question)
    listed = reading.first_files(question) if question.old.tree is None else (reading.delta(each) for each in made)
    deltas = [
        delta for delta in listed if delta is not None and (not wanted or any(each.covers(delta) for each in wanted))
    ]
    for each in wanted:
        if not any(each.covers(delta) for delta in deltas) and not reading.knows(each.path, question):
            raise NoSuchFile(f"no such file in either state: {each.typed}", "paths are relative to the current folder")
    deltas.sort(key=lambda delta: delta.path)
    return deltas


def _differences(repository: pygit2.Repository, question: DiffRequest) -> list[pygit2.DiffDelta]:
    old, new = question.old.tree, question.new.tree
    assert old is not None
    if new is not None:
        diff = old.diff_to_tree(new, flags=_OPTIONS, context_lines=0)
    elif question.new.name == INDEX:
        diff = old.diff_to_index(repository.index, flags=_OPTIONS, context_lines=0)
    else:
        check_walkable(repository)
        flags = _OPTIONS | DiffOption.INCLUDE_UNTRACKED | DiffOption.RECURSE_UNTRACKED_DIRS
        diff = old.diff_to_workdir(flags=flags, context_lines=0)
    diff.find_similar(flags=DiffFind.FIND_RENAMES | DiffFind.FIND_FOR_UNTRACKED, rename_limit=_RENAMES)
    return list(diff.deltas)


@frozen
class _PathFilter:
    """A path as typed: a file, a folder, or a pattern."""

    typed: str
    path: str

    @classmethod
    def read(cls, typed: str, base: Path, root: Path) -> _PathFilter:
        full = Path(os.path.normpath(base / typed))
        try:
            inner = (resolved(full.parent) / full.name).relative_to(root).as_posix()
        except ValueError:
            if resolved(full) == root:
                return cls(typed, "")
            raise Refused(f"{typed} lies outside of the workspace {root}") from None
        return cls(typed, "" if inner == "." else inner)

    def covers(self, delta: Delta) -> bool:
        return any(self._covers(path) for path in (delta.old, delta.new) if path is not None)

    def _covers(self, path: str) -> bool:
        if not self.path or path == self.path or path.startswith(f"{self.path}/"):
            return True
        return any(sign in self.path for sign in "*?[") and fnmatchcase(path, self.path)


class _DeltaReader:
    def __init__(self, repository: pygit2.Repository, worktree: Worktree, prefix: str, *, on_disk: bool) -> None:
        self.repository = repository
        self.worktree = worktree
        self.prefix = prefix
        self.on_disk = on_disk

    def delta(self, found: pygit2.DiffDelta) -> Delta | None:
        """One of git's differences; None when it lies outside of the workspace."""
        fate = _FATES.get(found.status, FileFate.CHANGED)
        old = None if fate is FileFate.ADDED else self._inner(found.old_file.path)
        new = None if fate is FileFate.REMOVED else self._inner(found.new_file.path)
        if old is None and new is None:
            return None
        if fate in {FileFate.CHANGED, FileFate.RENAMED} and (old is None or new is None):
            fate = FileFate.ADDED if old is None else FileFate.REMOVED
        modes = {file.mode for file, path in ((found.old_file, old), (found.new_file, new)) if path is not None}
        nature = None
        if FileMode.COMMIT in modes:
            nature = FileNature.MODULE
        elif FileMode.LINK in modes:
            nature = FileNature.LINK
        elif not modes <= _FILES:
            nature = FileNature.MODULE  # an untracked folder with a repository of its own
        mode = ""
        if fate is FileFate.CHANGED and found.old_file.mode != found.new_file.mode and modes <= _FILES:
            executable = found.new_file.mode == FileMode.BLOB_EXECUTABLE
            mode = "executable" if executable else "not executable"
        return Delta(old, new, fate, self._blob(found.old_file.id), self._newer(found.new_file.id, new), nature, mode)

    def first_files(self, question: DiffRequest) -> Iterator[Delta]:
        if question.new.tree is not None:
            for path, entry in tree_entries(question.new.tree):
                inner = self._inner(path)
                if inner is not None and entry.filemode in _FILES:
                    yield Delta(None, inner, FileFate.ADDED, _nothing, self._blob(entry.id))
        elif question.new.name == INDEX:
            for entry in cast("Iterable[pygit2.IndexEntry]", self.repository.index):
                inner = self._inner(str(entry.path))
                if inner is not None and entry.mode in _FILES:
                    yield Delta(None, inner, FileFate.ADDED, _nothing, self._blob(entry.id))
        else:
            for path in self.worktree.paths():
                yield Delta(None, path, FileFate.ADDED, _nothing, self._file(path))

    def knows(self, path: str, question: DiffRequest) -> bool:
        """True when one of the sides has this file or folder, changed or not."""
        if os.path.lexists(self.worktree.root / path):
            return True
        for side in (question.old, question.new):
            try:
                if side.tree is not None and side.tree[self.prefix + path]:
                    return True
            except KeyError:
                continue
        return False

    def _inner(self, path: str) -> str | None:
        path = path.rstrip("/")
        return path.removeprefix(self.prefix) if path.startswith(self.prefix) else None

    def _newer(self, id: pygit2.Oid, path: str | None) -> Callable[[], bytes | None]:
        if self.on_disk and path is not None:
            return self._file(path)
        return self._blob(id)

    def _file(self, path: str) -> Callable[[], bytes | None]:
        return partial(self.worktree.read, path)

    def _blob(self, id: pygit2.Oid) -> Callable[[], bytes | None]:
        def read() -> bytes | None:
            try:
                blob = self.repository[id]
            except (KeyError, ValueError, pygit2.GitError):
                return None
            if not isinstance(blob, pygit2.Blob):
                return None
            if blob.size > LARGEST_SOURCE:
                raise UnreadableSource("larger than 5 MB")
            return blob.data

        return read


def _nothing() -> bytes | None:
    return None
