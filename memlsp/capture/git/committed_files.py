"""Files as git has them: in the commit that is checked out, and on both sides of one commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pygit2
from attrs import frozen

from memlsp.capture.git.repository import find_repository
from memlsp.capture.workspace.source_files import LARGEST_SOURCE

_BINARY_HEAD = 8 * 1024


@frozen
class CommittedFile:
    """A file on both sides of a commit: path and content before, path and content after. None where it was not, or is
    no text."""

    old_path: str
    new_path: str
    before: bytes | None
    after: bytes | None


class Committed:
    """Reads committed files of the workspace at `root`; paths are relative to it with posix separators.

    What cannot be read (no repository, damage, a shallow end) is not there.
    """

    def __init__(self, root: Path) -> None:
        found = find_repository(root)
        self._handle = found.handle if found else None
        self._prefix = ""
        if found is not None and not found.bare and root != found.top:
            with suppress(ValueError):
                self._prefix = f"{root.relative_to(found.top).as_posix()}/"

    @property
    def exists(self) -> bool:
        """True in a repository that can be read."""
        return self._handle is not None

    def at_head(self, path: str) -> bytes | None:
        """The file as the commit has it that is checked out."""
        try:
            handle = self._handle
            if handle is None or handle.head_is_unborn:
                return None
            return _text(handle.head.peel(pygit2.Commit).tree[self._prefix + path])
        except (pygit2.GitError, KeyError, ValueError, OSError):
            return None

    def changed_by(self, commit: str, *, most: int) -> tuple[CommittedFile, ...]:
        """The files that a commit changed beside its first parent; nothing for one that changed more than `most`, for
        a merge, and for what cannot be read."""
        try:
            return tuple(self._changed(commit, most))
        except (pygit2.GitError, KeyError, ValueError, OSError):
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
                _text(handle.get(old.id)),
                _text(handle.get(new.id)),
            )


def _text(found: object) -> bytes | None:
    if not isinstance(found, pygit2.Blob) or found.size > LARGEST_SOURCE:
        return None
    data = found.data
    return None if b"\0" in data[:_BINARY_HEAD] else data
