"""The person who works in a checkout."""

from __future__ import annotations

import getpass
from pathlib import Path

import pygit2

from memlsp.capture.git.repository import UNREADABLE, config_value, find_repository, resolved
from memlsp.model.belief import Author

_NOBODY = "someone"
_LONGEST = 100


def git_author(root: Path) -> Author:
    """The person by git's `user.name` (of the repository at `root`, else of the user), else by login name, else
    "someone". Never raises."""
    return Author(_tidy(_git_name(root)) or _tidy(_login_name()) or _NOBODY)


def _git_name(root: Path) -> str:
    try:
        repository = find_repository(resolved(root))
        if repository is not None:
            return config_value(repository, "user.name") or ""
        return pygit2.Config.get_global_config()["user.name"] or ""
    except UNREADABLE:
        return ""


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user: a container with a bare number
        return ""


def _tidy(name: str) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(printable.split())[:_LONGEST]
