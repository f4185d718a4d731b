"""Commits and files of a git repository, for the walk through the history of a symbol. Read only."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import frozen
from pygit2.enums import DeltaStatus, DiffOption, FileMode, ObjectType

from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.repository import blob_text, check_walkable, find_repository, resolved
from memlsp.model.errors import Refused

Check = Callable[[], None]  # called before anything slow; raises to end the walk
LARGEST = 5_000_000  # bytes; larger blobs are not read
_REGULAR = (FileMode.BLOB, FileMode.BLOB_EXECUTABLE)


@frozen
class Stop:
    """A commit that touched a file (it differs from all parents, or there are none), with the number of commits passed
    over on the way to it. `cut` when history is cut off there."""

    commit: pygit2.Commit
    parents: tuple[pygit2.Commit, ...]
    passed: int
    cut: bool = False


@frozen
class FileChange:
    """One file of a commit against a parent, without rename detection; None stands for absent."""

    path: str
    before: pygit2.Oid | None
    after: pygit2.Oid | None


class Ancestry:
    """One repository, opened for one question. Not thread-safe."""

    def __init__(self, repository: pygit2.Repository, prefix: str) -> None:
        self._repository = repository
        self.prefix = prefix  # of the workspace inside the repository, "" or "some/folder/"
        self._passed: dict[str, dict[bytes, tuple[bytes, int]]] = {}  # by path, commits that left it alone
        self._entries: dict[tuple[pygit2.Oid, str], pygit2.Oid | None] = {}
        self._cut = _shallow_commits(Path(repository.path))

    @classmethod
    def at(cls, root: Path) -> Ancestry | None:
        """The repository that has `root` in its work tree; None when there is none that can be read."""
        root = resolved(root)
        found = find_repository(root)
        if found is None or found.handle is None or found.bare or not root.is_relative_to(found.top):
            return None
        return cls(found.handle, found.prefix(root))

    def head(self) -> pygit2.Commit | None:
        """The commit that is checked out; None before the first one."""
        try:
            return self._repository.head.peel(pygit2.Commit)
        except (pygit2.GitError, KeyError, ValueError):
            return None

    def commit(self, name: str) -> pygit2.Commit | None:
        """The commit that a hash, branch or tag names; None when there is none."""
        try:
            return self._repository.revparse_single(name).peel(pygit2.Commit)
        except (pygit2.GitError, KeyError, ValueError):
            return None

    def parents(self, commit: pygit2.Commit) -> tuple[list[pygit2.Commit], bool]:
        """The parents that are here, and whether history is cut off at this commit (a shallow or partial clone)."""
        if commit.id in self._cut:
            return [], True
        found: list[pygit2.Commit] = []
        missing = False
        for parent_id in commit.parent_ids:
            try:
                found.append(self._repository[parent_id].peel(pygit2.Commit))
            except (KeyError, ValueError, pygit2.GitError):
                missing = True
        return found, missing

    def stop(self, commit: pygit2.Commit, path: str, trail: dict[bytes, tuple[bytes, int]], check: Check) -> Stop:
        """The first commit, backwards from `commit`, that touched a file, following the parent that has the same file.
        `trail` is the cache of that file (from a commit to its stop, by raw ids), and is added to."""
        begin = commit
        near = self._passed.setdefault(path, {})
        on_the_way: list[bytes] = []
        passed = 0
        while True:
            check()
            known = trail.get(commit.id.raw) or near.get(commit.id.raw)
            there = self.commit_of(known[0]) if known else None
            if known and there is not None:
                commit, passed = there, passed + known[1]
            parents, cut = self.parents(commit)
            here = self.blob_id(commit, path)
            same = next((parent for parent in parents if self.blob_id(parent, path) == here), None)
            if same is None:
                break
            on_the_way.append(commit.id.raw)
            commit = same
            passed += 1
        near.update((raw, (commit.id.raw, passed - count)) for count, raw in enumerate(on_the_way))
        if not cut and commit.id != begin.id:
            trail[begin.id.raw] = commit.id.raw, passed
        return Stop(commit, tuple(parents), passed, cut)

    def commit_of(self, raw: bytes) -> pygit2.Commit | None:
        """The commit of a raw id; None when it is not here."""
        try:
            return self._repository[pygit2.Oid(raw=raw)].peel(pygit2.Commit)
        except (KeyError, ValueError, pygit2.GitError):
            return None

    def blob_id(self, commit: pygit2.Commit, path: str) -> pygit2.Oid | None:
        """The id of the regular file at `path`; None when there is no such file, or it is a link or a submodule."""
        try:
            return self._entry(commit.tree_id, path)
        except (KeyError, pygit2.GitError):
            return None

    def _entry(self, tree_id: pygit2.Oid, path: str) -> pygit2.Oid | None:
        # Most commits leave most folders alone, so that a folder's id answers for all that lies below it.
        key = (tree_id, path)
        if key in self._entries:
            return self._entries[key]
        first, _, rest = path.partition("/")
        tree = self._repository[tree_id]
        found: pygit2.Oid | None = None
        if isinstance(tree, pygit2.Tree) and first in tree:
            entry = tree[first]
            if rest:
                found = self._entry(entry.id, rest) if entry.type == ObjectType.TREE else None
            elif entry.filemode in _REGULAR:
                found = entry.id
        self._entries[key] = found
        return found

    def data(self, blob_id: pygit2.Oid | None) -> bytes | None:
        """The bytes of a file; None when there is none, or they are missing, binary or more than 5 MB."""
        if blob_id is None:
            return None
        try:
            return blob_text(self._repository[blob_id], LARGEST)
        except (KeyError, pygit2.GitError):
            return None

    def newest(self, most: int) -> Iterator[pygit2.Commit]:
        """The commit that is checked out and its ancestors, newest first, at most `most`."""
        head = self.head()
        waiting: list[tuple[int, int, pygit2.Commit]] = [] if head is None else [(-head.commit_time, 0, head)]
        seen = {commit.id for _, _, commit in waiting}
        while waiting and most > 0:
            most -= 1
            commit = heapq.heappop(waiting)[2]
            yield commit
            for parent in self.parents(commit)[0]:
                if parent.id not in seen:
                    seen.add(parent.id)
                    heapq.heappush(waiting, (-parent.commit_time, len(seen), parent))

    def is_ancestor(self, commit: pygit2.Commit | None, later: pygit2.Commit | None) -> bool:
        """True when `later` was made on top of `commit`; False for the same commit and where one is not here."""
        if commit is None or later is None:
            return False
        try:
            return self._repository.descendant_of(later.id, commit.id)
        except (KeyError, pygit2.GitError):
            return False

    def dirty(self, most: int) -> list[str]:
        """The changed, new and deleted files of the work tree, without ignored ones; at most `most`."""
        try:
            check_walkable(self._repository)
            found = self._repository.status(untracked_files="all", ignored=False)
        except (Refused, *unreadable()):
            return []
        inside = (path[len(self.prefix) :] for path in found if path.startswith(self.prefix))
        return sorted(inside)[:most]

    def holds(self, blob_id: pygit2.Oid) -> bool:
        """False when an object is missing: a damaged repository, or a partial clone."""
        return blob_id in self._repository

    def changed(self, parent: pygit2.Commit | None, commit: pygit2.Commit) -> Iterator[FileChange]:
        """The regular files that differ between a parent (None: nothing at all) and the commit, in path order."""
        try:
            if parent is None:
                diff = commit.tree.diff_to_tree(swap=True, flags=DiffOption.NORMAL, context_lines=0)
            else:
                diff = parent.tree.diff_to_tree(commit.tree, flags=DiffOption.NORMAL, context_lines=0)
            deltas = list(diff.deltas)
        except (KeyError, pygit2.GitError):
            return
        for delta in deltas:
            before = delta.old_file.id if delta.status != DeltaStatus.ADDED else None
            after = delta.new_file.id if delta.status != DeltaStatus.DELETED else None
            if delta.old_file.mode not in _REGULAR:
                before = None
            if delta.new_file.mode not in _REGULAR:
                after = None
            if before != after:
                yield FileChange(delta.new_file.path or delta.old_file.path, before, after)


def _shallow_commits(git_folder: Path) -> frozenset[pygit2.Oid]:
    """The commits at which a shallow clone was cut off. A linked worktree keeps the list in the shared folder."""
    try:
        shared = git_folder / "commondir"
        folder = git_folder / shared.read_text("utf-8").strip() if shared.exists() else git_folder
        listed = (folder / "shallow").read_text("ascii").split()
        return frozenset(pygit2.Oid(hex=line) for line in listed)
    except (OSError, ValueError):
        return frozenset()
