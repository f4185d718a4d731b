"""The workspace as seen by beliefs, and a snapshot that looks at each file once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.errors import MemlspError

if TYPE_CHECKING:
    from memlsp.capture.git.snapshot import Snapshot
    from memlsp.code.syntax.outline import Outline

_Seen = TypeVar("_Seen")


class FileSnapshot:
    """A worktree that looks at each file once, and records for each belief which files were used.

    It is made for one answer (a hundred beliefs of a file, say) and thrown away with it, so nothing in it gets old. A
    state is taken before its file is read, so a change in between is noticed at the next listing. Not to be shared by
    threads.
    """

    def __init__(self, worktree: Worktree) -> None:
        self._worktree = worktree
        self._sources: dict[str, bytes | MemlspError | OSError | None] = {}
        self._found: dict[tuple[tuple[bytes, ...], tuple[str, ...], int, str], list[str]] = {}
        self._outlines: dict[str, Outline | None] = {}
        self._paths: tuple[str, ...] | None = None
        self._states: dict[str, object] = {}
        self.listing = ""  # the digest of the list of files, once it is known
        self.begin()

    def begin(self) -> None:
        """Start recording for another belief."""
        self.paths_seen: set[str] = set()
        self.present: set[str] = set()  # of them, those that were there
        self.asked: dict[str, bool] = {}  # names, and whether there was such a file or folder
        self.is_wide = False
        self.searched = False

    @property
    def root(self) -> Path:
        """The top of the checkout."""
        return self._worktree.root

    def state(self, path: str) -> object:
        """A value that differs for every content of the file; None where there is no such value."""
        if path not in self._states:
            self._states[path] = self._worktree.state(path)
        return self._states[path]

    def read(self, path: str) -> bytes | None:
        """The bytes as they are now; raises what the worktree raises."""
        self._see(path)
        if path not in self._sources:
            try:
                self._sources[path] = self._worktree.read(path)
            except (MemlspError, OSError) as problem:
                self._sources[path] = problem
        kept = self._sources[path]
        if isinstance(kept, (MemlspError, OSError)):
            raise kept
        return self._noted(path, kept)

    def outline(self, path: str, /) -> Outline | None:
        """The symbols as they are now; None when absent or unreadable."""
        self._see(path)
        if path not in self._outlines:
            self._outlines[path] = self._worktree.outline(path)
        return self._noted(path, self._outlines[path])

    def paths(self) -> tuple[str, ...]:
        """The files of the workspace, sorted."""
        self.is_wide = True
        if self._paths is None:
            self._paths = self._worktree.paths()
        return self._paths

    def exists(self, path: str, /) -> bool:
        """True when there is such a file or folder."""
        self.is_wide = True
        found = self.asked[path] = self._worktree.exists(path)
        return found

    def containing(
        self, texts: Sequence[bytes], *, suffixes: Sequence[str] = (), limit: int = 200, near: str = ""
    ) -> list[str]:
        """The files that hold all the texts."""
        self.is_wide = self.searched = True
        key = (tuple(texts), tuple(suffixes), limit, near)
        if key not in self._found:
            self._found[key] = self._worktree.containing(texts, suffixes=suffixes, limit=limit, near=near)
        return self._found[key]

    def head(self) -> str | None:
        """The commit that is checked out."""
        self.is_wide = self.searched = True
        return self._worktree.head()

    def _see(self, path: str) -> None:
        self.state(path)
        self.paths_seen.add(path)

    def _noted(self, path: str, found: _Seen | None) -> _Seen | None:
        if found is not None:
            self.present.add(path)
        return found


Files: TypeAlias = "Worktree | Snapshot | FileSnapshot"
"""The workspace as judging reads it: as it is now, as it was at a commit, or as one answer sees it."""
