"""Repositories that tests write commit by commit, and what a history says of them."""

from __future__ import annotations

from pathlib import Path

import pygit2
from pygit2.enums import ResetMode

from memlsp.model.episode import SymbolHistory

START = 1_700_000_000


class Repository:
    """A repository that is written commit by commit, one minute apart."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git = pygit2.init_repository(str(root), initial_head="main")
        self.minutes = 0

    def commit(self, subject: str, files: dict[str, str | bytes | None], *, merging: pygit2.Oid | None = None) -> str:
        """Write the files (None removes one), commit everything, and return the hash."""
        index = self.git.index
        for path, content in files.items():
            place = self.root / path
            if content is None:
                place.unlink()
                index.remove(path)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content if isinstance(content, bytes) else content.encode())
                index.add(path)
        index.write()
        self.minutes += 1
        who = pygit2.Signature("Ada Byron", "ada@example.org", START + 60 * self.minutes, 0)
        parents: list[pygit2.Oid] = [] if self.git.head_is_unborn else [self.git.head.peel(pygit2.Commit).id]
        if merging is not None:
            parents.append(merging)
        return str(self.git.create_commit("HEAD", who, who, subject, index.write_tree(), parents))

    def switch(self, name: str, *, create: bool = False) -> None:
        if create:
            self.git.branches.local.create(name, self.git.head.peel(pygit2.Commit))
        self.git.set_head(f"refs/heads/{name}")
        self.git.reset(self.tip(name), ResetMode.HARD)

    def tip(self, name: str) -> pygit2.Oid:
        return self.git.branches.local[name].peel(pygit2.Commit).id


def said(history: SymbolHistory) -> list[tuple[str, str]]:
    return [(change.subject, change.change) for change in history.changes]


def subjects(history: SymbolHistory) -> list[str]:
    return [change.subject for change in history.changes]
