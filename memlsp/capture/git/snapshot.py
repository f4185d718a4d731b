"""The files of one commit, with the reading methods of a worktree, for judging beliefs at a past moment."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pygit2.enums import FileMode

from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.repository import blob_text, find_repository, tree_entries
from memlsp.capture.history.ancestry import LARGEST

if TYPE_CHECKING:
    from memlsp.code.syntax.outline import Outline

_MOST_PATHS = 200_000
_MOST_READ = 2_000
"""Files that one search reads."""


class Snapshot:
    """The regular files of a commit below the workspace's folder, cached when read. Not thread-safe. Unreadable files
    (of a partial clone) are treated as absent."""

    def __init__(self, tree: pygit2.Tree, root: Path, commit: str) -> None:
        self.root = Path(f"{root}@{commit}")
        """The name of no folder: a key for caches, different for each commit."""
        self._tree = tree
        self._commit = commit
        self._data: dict[str, bytes | None] = {}
        self._outlines: dict[str, Outline | None] = {}

    @classmethod
    def of(cls, root: Path, commit: str) -> Snapshot | None:
        """The files that lie below `root` in a commit (full hash); None where git does not have them."""
        found = find_repository(root)
        if found is None or found.handle is None:
            return None
        try:
            tree = found.handle[pygit2.Oid(hex=commit)].peel(pygit2.Tree)
            if prefix := found.prefix(root):
                below = tree[prefix.rstrip("/")]
                if not isinstance(below, pygit2.Tree):
                    return None
                tree = below
        except unreadable():
            return None
        return cls(tree, root, commit)

    def paths(self) -> tuple[str, ...]:
        """The files, sorted."""
        return self._paths

    def exists(self, path: str) -> bool:
        """True when there is such a file or folder."""
        try:
            self._tree[path.strip("/")]
        except (KeyError, ValueError, pygit2.GitError):
            return False
        return True

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None when there is none, or it is binary or larger than 5 MB."""
        if path not in self._data:
            self._data[path] = self._read(path)
        return self._data[path]

    def outline(self, path: str) -> Outline | None:
        """The symbols of a file; None when it is absent or no text."""
        if path not in self._outlines:
            data = self.read(path)
            if data is None:
                self._outlines[path] = None
            else:
                from memlsp.code.syntax.outline import outline  # late: the grammars take a while to load

                self._outlines[path] = outline(path, data)
        return self._outlines[path]

    def containing(
        self,
        texts: Sequence[bytes],
        *,
        suffixes: Sequence[str] = (),
        limit: int = 200,
        near: str = "",  # noqa: ARG002 - the first are looked through
    ) -> list[str]:
        """The files that contain all `texts`, in order of path; at most 2,000 are looked through."""
        ends = tuple(suffixes)
        found: list[str] = []
        looked_at = 0
        for path in self.paths():
            if ends and not path.endswith(ends):
                continue
            looked_at += 1
            if looked_at > _MOST_READ or len(found) >= limit:
                break
            data = self._read(path)  # not kept: most hold nothing that matters
            if data is not None and all(text in data for text in texts):
                found.append(path)
        return found

    def head(self) -> str | None:
        """The commit."""
        return self._commit

    def _read(self, path: str) -> bytes | None:
        with suppress(*unreadable()):
            return blob_text(self._tree[path], LARGEST)
        return None

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        entries = tree_entries(self._tree)
        files = (name for name, each in entries if isinstance(each, pygit2.Blob) and each.filemode != FileMode.LINK)
        return tuple(sorted(islice(files, _MOST_PATHS)))
