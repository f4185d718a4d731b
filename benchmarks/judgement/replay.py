"""One statement and one edit, replayed in a repository of its own through `Memory` alone."""

from __future__ import annotations

import tempfile
from os import W_OK, access
from pathlib import Path

import pygit2
from attrs import frozen

from benchmarks.stalecode.grid import Files
from memlsp.memory import Memory
from memlsp.model.belief import Author, BeliefKind
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.standing import Judgement, Standing

_AUTHOR = Author("Grid")


@frozen
class Replay:
    """The judgement after an edit. `fresh` is the standing in a memory that was opened afterwards, `born` the one that
    the statement had before the edit."""

    judgement: Judgement
    fresh: Standing
    born: Standing


def judged_after(before: Files, after: Files, at: Place, belief: str, kind: BeliefKind | None = None) -> Replay:
    """Remember `belief` in the state `before`, make the edit, and ask. Raises what `Memory` raises."""
    with tempfile.TemporaryDirectory(prefix="memlsp-edits-", dir=_in_memory()) as name:
        root, data = Path(name, "project"), Path(name, "data")
        _commit(root, before)
        with Memory.open(root, data_dir=data) as memory:
            made = memory.remember(belief, at=[at], kind=kind, by=Caller(author=_AUTHOR, folder=root))
            _apply(root, before, after)
            memory.files_changed(None)
            seen = memory.belief(made.belief.id)
        with Memory.open(root, data_dir=data) as memory:
            fresh = memory.belief(made.belief.id).standing
        return Replay(seen, fresh, made.standing)


def _in_memory() -> Path | None:
    """A file system in memory where there is one: thirty folders a case are made and removed."""
    folder = Path("/dev/shm")  # noqa: S108 - a unique folder with mode 0700 is made in it
    return folder if folder.is_dir() and access(folder, W_OK) else None


def _commit(root: Path, files: Files) -> None:
    repository = pygit2.init_repository(str(root), initial_head="main")
    _apply(root, {}, files)
    repository.index.add_all()
    repository.index.write()
    someone = pygit2.Signature("Grid", "grid@example.org", 1_700_000_000, 0)
    repository.create_commit("HEAD", someone, someone, "Lay the base", repository.index.write_tree(), [])
    repository.free()


def _apply(root: Path, before: Files, after: Files) -> None:
    for path in before.keys() - after.keys():
        (root / path).unlink()
    for path, text in after.items():
        if before.get(path) != text:
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
