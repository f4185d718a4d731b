"""Clones of public repositories: where they are, and a working tree of one at a commit."""

from __future__ import annotations

import subprocess
from pathlib import Path


def clones_in(data: Path) -> dict[str, Path]:
    """The git folders in `data` by OWNER/NAME."""
    found: dict[str, Path] = {}
    for folder in sorted(each for each in data.iterdir() if "+" in each.name):
        for place in (folder / "repo", folder / ".git", folder):
            if (place / "objects").is_dir():
                found[folder.name.replace("+", "/", 1)] = place
                break
    return found


def checked_out(tree: Path, clone: Path, commit: str) -> Path:
    """A clone of a clone in the folder `tree`, at a commit and clean. What the first one has lost, such as large files,
    is missing there."""
    if not tree.exists():
        _git(clone, "clone", "--quiet", "--shared", "--no-checkout", str(clone), str(tree))
    _git(tree, "checkout", "--quiet", "--force", "--detach", commit)
    _git(tree, "clean", "--quiet", "-d", "-x", "--force")
    return tree


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=False, capture_output=True)
