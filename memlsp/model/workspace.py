"""One project: a repository with all its worktrees and clones on this machine, or a plain folder."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen


@frozen
class Workspace:
    """Which memory a folder belongs to.

    `key` names the memory and is the same in every worktree and clone; `basis` says what decided it: `id` (an explicit
    one), `remote`, `git` (the common git folder) or `folder`. `root` is the top of this checkout.
    """

    root: Path
    key: str
    name: str
    basis: str
    git: bool
    former: tuple[str, ...] = ()  # keys that it had before it was given a remote or an id
