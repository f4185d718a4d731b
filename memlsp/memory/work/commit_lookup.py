"""What one commit did, for whoever is asked why."""

from __future__ import annotations

import pygit2

from memlsp.capture.git.revisions import commit_named, readable_repository
from memlsp.capture.git.semantic_diff import difference
from memlsp.capture.history.commits import episode_of
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.view import CommitDone


def committed(worktree: Worktree, name: str) -> CommitDone:
    """See `Memory.commit`."""
    _, repository = readable_repository(worktree.root)
    commit = repository[commit_named(repository, name).name].peel(pygit2.Commit)
    found = difference(worktree, [f"{commit.id}^!"], (), base=worktree.root)
    return CommitDone(str(commit.id), episode_of(commit).subject, found)
