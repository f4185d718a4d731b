"""Committed files: as HEAD has them, and before and after one commit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.repository import blob_text, find_repository
from memlsp.capture.workspace.source_files import LARGEST_SOURCE


@frozen
class CommittedFile:
    """A file before and after a commit: its paths and contents. A content is None when there was no text file."""

    old_path: str
    new_path: str
    before: bytes | None
    after: bytes | None


class Committed:
    """Reads committed files of the workspace at `root`; paths are relative to it, posix. Unreadable files (no
    repository, damage, a shallow clone) are treated as absent."""

    def __init__(self, root: Path) -> None:
        found = find_repository(root)
        self._handle = found.handle if found else None
        self._prefix = found.prefix(root) if found else ""

    @property
    def exists(self) -> bool:
        """True in a repository that can be read."""
        return self._handle is not None

    def at_head(self, path: str) -> bytes | None:
        """The file as HEAD has it."""
        try:
            handle = self._handle
            if handle is None or handle.head_is_unborn:
                return None
            return blob_text(handle.head.peel(pygit2.Commit).tree[self._prefix + path], LARGEST_SOURCE)
        except unreadable():
            return None

    def changed_by(self, commit: str, *, most: int) -> tuple[CommittedFile, ...]:
        """The files that a commit changed; none for a merge, an unreadable commit or one that changed more than
        `most`."""
        try:
            return tuple(self._changed(commit, most))
        except unreadable():
            return ()

    def _changed(self, commit: str, most: int) -> Iterator[CommittedFile]:
        handle = self._handle
        if handle is None or not commit:
            return
        found = handle[commit].peel(pygit2.Commit)
        if len(found.parents) > 1:
            return
        if found.parents:
            diff = found.parents[0].tree.diff_to_tree(found.tree, context_lines=0)
        else:
            diff = found.tree.diff_to_tree(swap=True, context_lines=0)
        diff.find_similar()
        deltas: list[pygit2.DiffDelta] = list(diff.deltas)
        if len(deltas) > most:
            return
        for delta in deltas:
            old, new = delta.old_file, delta.new_file
            if not (old.path.startswith(self._prefix) and new.path.startswith(self._prefix)):
                continue
            yield CommittedFile(
                old.path[len(self._prefix) :],
                new.path[len(self._prefix) :],
                blob_text(handle.get(old.id), LARGEST_SOURCE),
                blob_text(handle.get(new.id), LARGEST_SOURCE),
            )
