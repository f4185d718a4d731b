"""The workspace as seen by beliefs, and a snapshot that looks at each file once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.errors import MemlspError

if TYPE_CHECKING:
    from memlsp.capture.git.snapshot import Snapshot
    from memlsp.code.syntax.outline import Outline


class FileSnapshot:
    """A worktree that looks at each file once. It is made for one answer (a hundred beliefs of a file, say) and thrown
    away with it, so nothing in it gets old. Not to be shared by threads."""

    def __init__(self, worktree: Worktree) -> None:
        self._worktree = worktree
        self._sources: dict[str, bytes | MemlspError | OSError | None] = {}
        self._found: dict[tuple[tuple[bytes, ...], tuple[str, ...], int, str], list[str]] = {}
        self._outlines: dict[str, Outline | None] = {}
        self._paths: tuple[str, ...] | None = None

    @property
    def root(self) -> Path:
        """The top of the checkout."""
        return self._worktree.root

    def read(self, path: str) -> bytes | None:
        """The bytes as they are now; raises what the worktree raises."""
        if path not in self._sources:
            try:
                self._sources[path] = self._worktree.read(path)
            except (MemlspError, OSError) as problem:
                self._sources[path] = problem
        kept = self._sources[path]
        if isinstance(kept, (MemlspError, OSError)):
            raise kept
        return kept

    def containing(
        self, texts: Sequence[bytes], *, suffixes: Sequence[str] = (), limit: int = 200, near: str = ""
    ) -> list[str]:
        """The files that hold all the texts."""
        key = (tuple(texts), tuple(suffixes), limit, near)
        if key not in self._found:
            self._found[key] = self._worktree.containing(texts, suffixes=suffixes, limit=limit, near=near)
        return self._found[key]

    # methods, not attributes of the instance: the cache of standings overrides them to record what is read

    def paths(self) -> tuple[str, ...]:
        """The files of the workspace, sorted."""
        if self._paths is None:
            self._paths = self._worktree.paths()
        return self._paths

    def outline(self, path: str, /) -> Outline | None:
        """The symbols as they are now; None when absent or unreadable."""
        if path not in self._outlines:
            self._outlines[path] = self._worktree.outline(path)
        return self._outlines[path]

    def exists(self, path: str, /) -> bool:
        """True when there is such a file or folder."""
        return self._worktree.exists(path)

    def head(self) -> str | None:
        """The commit that is checked out."""
        return self._worktree.head()


Files: TypeAlias = "Worktree | Snapshot | FileSnapshot"
"""The workspace as judging reads it: as it is now, as it was at a commit, or as one answer sees it."""
