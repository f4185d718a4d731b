"""The state of a checkout, and whether git is changing it."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from memlsp.capture.git.repository import find_repository, reference_target


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
    return GitState(
        reference_target(handle, "HEAD", follow=False),
        reference_target(handle, "HEAD"),
        reference_target(handle, "refs/stash", follow=False),
    )


def is_writing(git_folder: Path) -> bool:
    """True while git holds the lock on the index: files come and go until it lets go."""
    return (git_folder / "index.lock").exists()


def is_rebasing(git_folder: Path) -> bool:
    """True from the first to the last commit of a rebase, also while it waits for a person."""
    return (git_folder / "rebase-merge").exists() or (git_folder / "rebase-apply").exists()
