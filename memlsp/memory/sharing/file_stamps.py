"""Whether the files of `.memlsp/beliefs` are as they were last seen: every command asks, so that it loads nothing."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from memlsp.model.belief import FOLDER

STATE = "shared beliefs"
"""The note of a store: who let the files in, and what of each was last seen."""

_MOST_FILES = 10_000


def file_names(root: Path) -> list[str]:
    """The names of the files, sorted, at most 10,000; none for a folder that leads out of the workspace."""
    with suppress(OSError):
        folder = root / FOLDER
        if folder.resolve().is_relative_to(root.resolve()):
            return sorted(each.name for each in folder.iterdir() if each.suffix == ".md")[:_MOST_FILES]
    return []


def stamps_of(root: Path, head: str | None) -> str:
    """A hash (hex) that changes when a file or the commit does, and has none of their words."""
    found = hashlib.blake2b((head or "").encode(), digest_size=16)
    for name in file_names(root):
        with suppress(OSError):
            stat = (root / FOLDER / name).lstat()
            found.update(f"{name} {stat.st_size} {stat.st_mtime_ns}\n".encode("utf-8", "replace"))
    return found.hexdigest()
