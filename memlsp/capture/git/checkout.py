"""What git has checked out, and whether it is busy changing that."""

from __future__ import annotations

from pathlib import Path

import pygit2
from attrs import frozen

from memlsp.capture.git.repository import find_repository


@frozen
class GitState:
    """Equal before and after an edit; different after a commit, a branch switch, a rebase or a stash."""

    head: str = ""
    commit: str = ""
    stash: str = ""


def git_state(root: Path) -> GitState:
    """The state of the repository at `root`; the empty state without one, or when it cannot be read."""
    repository = find_repository(root)
    if repository is None or repository.handle is None:
        return GitState()
    handle = repository.handle
    commit = _target(handle, "HEAD", follow=True)
    return GitState(_target(handle, "HEAD"), commit, _target(handle, "refs/stash"))


def is_writing(git_folder: Path) -> bool:
    """True while git holds the lock on the index: files come and go until it lets go."""
    return (git_folder / "index.lock").exists()


def is_rebasing(git_folder: Path) -> bool:
    """True from the first to the last commit of a rebase, also while it waits for a person."""
    return (git_folder / "rebase-merge").exists() or (git_folder / "rebase-apply").exists()


def _target(handle: pygit2.Repository, name: str, *, follow: bool = False) -> str:
    try:
        reference = handle.lookup_reference(name)
        return str((reference.resolve() if follow else reference).target)
    except (pygit2.GitError, KeyError, ValueError, OSError):
        return ""
