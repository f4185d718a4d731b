"""Commit messages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path

from attrs import frozen
from pygit2.enums import SortMode

from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.repository import find_repository, moment_of

_LONGEST = 20_000  # characters of a message; what is longer was pasted


@frozen
class CommitMessage:
    """One commit's message, not redacted. `hash` is whole; `at` is the author's time, in UTC."""

    hash: str
    message: str
    author: str
    at: datetime


def messages(root: Path, most: int) -> Iterator[CommitMessage]:
    """The messages of at most `most` commits from HEAD, newest first, without merges. Ends early in a damaged or
    shallow repository; empty without one."""
    try:
        found = find_repository(root)
        if found is None or found.handle is None:
            return
        walker = found.handle.walk(found.handle.head.target, SortMode.TIME)
        yield from islice((_message(commit) for commit in walker if len(commit.parent_ids) < 2), most)
    except unreadable():
        return


def message_of(root: Path, revision: str) -> CommitMessage | None:
    """The message of one commit by its hash; None when it cannot be read, or for a merge."""
    try:
        repository = find_repository(root)
        found = repository.handle.get(revision) if repository is not None and repository.handle is not None else None
        commit = found.peel(pygit2.Commit) if found is not None else None
    except unreadable():
        return None
    return None if commit is None or len(commit.parent_ids) > 1 else _message(commit)


def _message(commit: pygit2.Commit) -> CommitMessage:
    text = commit.raw_message[:_LONGEST].decode("utf-8", "replace").replace("\r\n", "\n")
    return CommitMessage(
        str(commit.id), text, commit.author.raw_name.decode("utf-8", "replace"), moment_of(commit.author.time)
    )
