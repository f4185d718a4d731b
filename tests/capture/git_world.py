"""Git repositories for tests, made with git itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder`, untouched by the settings and the environment of whoever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=kept | _QUIET, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()


def repository(folder: Path, *, origin: str | None = None, files: dict[str, str] | None = None) -> Path:
    """A repository with one commit at `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    write(folder, files or {"app.py": "RATE = 1\n"})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    """Write `files` below `folder`."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
