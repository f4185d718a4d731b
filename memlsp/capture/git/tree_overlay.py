"""The tree of a state that is not committed: the index, or the files on disk, written to memory and not to git."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.repository import check_walkable
from memlsp.capture.workspace.source_files import LARGEST_SOURCE
from memlsp.model.errors import Refused

if TYPE_CHECKING:
    from pygit2 import Oid, Repository, Tree


def staged_tree(handle: Repository) -> Tree:
    """What would be committed now. Raises Refused while a merge has conflicts."""
    overlay(handle)
    try:
        return handle[handle.index.write_tree()].peel(pygit2.Tree)
    except unreadable() as error:
        raise Refused(f"what is staged cannot be read: {error}", "end the merge first") from error


def disk_tree(handle: Repository) -> Tree:
    """The files on disk, without those that git ignores; a file that cannot be read stays as it was committed."""
    from pygit2.enums import DeltaStatus, DiffOption

    overlay(handle)
    index = pygit2.Index()
    head = handle.head.peel(pygit2.Tree)
    index.read_tree(head)
    flags = DiffOption.INCLUDE_UNTRACKED | DiffOption.RECURSE_UNTRACKED_DIRS | DiffOption.SKIP_BINARY_CHECK
    top = Path(handle.workdir)
    check_walkable(handle)
    for delta in head.diff_to_workdir(flags=flags, context_lines=0).deltas:
        path = delta.new_file.path
        if delta.status == DeltaStatus.DELETED:
            index.remove(path)
            continue
        try:
            full = top / path
            if full.is_symlink() or not full.is_file() or full.stat().st_size > LARGEST_SOURCE:
                continue
            index.add(pygit2.IndexEntry(path, handle.create_blob(full.read_bytes()), pygit2.enums.FileMode.BLOB))
        except unreadable():
            continue
    return handle[index.write_tree(handle)].peel(pygit2.Tree)


def overlay(handle: Repository) -> None:
    """Have what is written through this handle kept in memory: git's own objects are only read."""

    class Overlay(pygit2.OdbBackend):  # here, for libgit2 is loaded late
        def __init__(self) -> None:
            super().__init__()  # pyright: ignore[reportUnknownMemberType]
            self.kept: dict[str, tuple[int, bytes]] = {}

        def read_cb(self, oid: Oid) -> tuple[int, bytes]:
            return self.kept[str(oid)]

        def read_prefix_cb(self, oid: Oid) -> tuple[int, bytes, Oid]:
            return (*self.kept[str(oid)], pygit2.Oid(hex=str(oid)))  # libgit2 asks with whole names, too

        def read_header_cb(self, oid: Oid) -> tuple[int, int]:
            kind, data = self.kept[str(oid)]
            return kind, len(data)

        def write_cb(self, oid: Oid, data: bytes, kind: int) -> None:
            self.kept[str(oid)] = kind, bytes(data)

        def exists_cb(self, oid: Oid) -> bool:
            return str(oid) in self.kept

        def refresh_cb(self) -> None:
            """Nothing changes but through us."""

    handle.odb.add_backend(Overlay(), 100)
