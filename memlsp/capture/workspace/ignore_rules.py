"""Rules for the files that belong to a workspace: git's own in a repository, ignore files in a plain folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.git.repository import has_blocking_rules

if TYPE_CHECKING:
    import pathspec

# Never source text of a project, whether or not somebody remembered to ignore them.
_CACHES = frozenset({".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"})
_DERIVED = _CACHES | {".hg", ".svn", ".venv", ".tox", ".nox", "node_modules"}
# A plain folder has no rules for generated files, so these names stand for them; in a repository they may be tracked.
_BUILT = frozenset({"target", "dist", "build"})
_IGNORE_FILES = (".gitignore", ".ignore")  # the second has the last word, as in ripgrep


class GitRules:
    """Includes files that are tracked, or untracked and not ignored. Paths are relative to the root with posix
    separators."""

    def __init__(self, root: Path, repository: pygit2.Repository) -> None:
        self._root = root
        self._repository = repository
        self._tracked: set[str] = set()
        self._submodules: set[str] = set()
        self._tracked_folders: set[str] = set()
        self._blocking: dict[str, bool] = {}
        for entry in cast("Iterable[pygit2.IndexEntry]", repository.index):
            path = os.fspath(entry.path)
            if entry.mode == pygit2.enums.FileMode.COMMIT:
                self._submodules.add(path)
                continue
            self._tracked.add(path)
            folder = path.rpartition("/")[0]
            while folder and folder not in self._tracked_folders:
                self._tracked_folders.add(folder)
                folder = folder.rpartition("/")[0]

    def skips(self, path: str, *, folder: bool) -> bool:
        """Skip untracked files that git ignores, submodules, and repositories inside this one."""
        if folder:
            if path in self._tracked_folders:
                return False
            if path in self._submodules or _is_foreign(self._root, path):
                return True
            return self._is_ignored(path + "/")
        return path not in self._tracked and self._is_ignored(path)

    def _is_ignored(self, path: str) -> bool:
        """What git says; True below a folder at whose rules it would wait for ever."""
        return self._blocks(path.rstrip("/").rpartition("/")[0]) or self._repository.path_is_ignored(path)

    def _blocks(self, folder: str) -> bool:
        if folder not in self._blocking:
            above = bool(folder) and self._blocks(folder.rpartition("/")[0])
            self._blocking[folder] = above or has_blocking_rules(str(self._root / folder))
        return self._blocking[folder]

    def decisive_files(self) -> Iterator[Path]:
        """Yield the index, the exclude files of the repository and of the user, and the configurations that name the
        latter: they lie outside the walked folders, and when one changes the rules have to be made again."""
        git_folder, home = Path(self._repository.path), Path(os.path.expanduser("~"))  # noqa: PTH111  never raises
        yield from (git_folder / "index", git_folder / "info" / "exclude", git_folder / "config", home / ".gitconfig")
        named = os.path.join(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "git", "ignore")  # noqa: PTH118
        with suppress(pygit2.GitError, KeyError, ValueError, OSError):
            named = str(self._repository.config["core.excludesfile"])
        yield Path(os.path.expanduser(named))  # noqa: PTH111


class PlainRules:
    """Includes files that no `.gitignore` or `.ignore` excludes; the one nearest to a file decides."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._specs: dict[str, pathspec.GitIgnoreSpec | None] = {}

    def skips(self, path: str, *, folder: bool) -> bool:
        """Skip files that an ignore file excludes, build output, and repositories inside this folder."""
        if folder and (path.rpartition("/")[2] in _BUILT or _is_foreign(self._root, path)):
            return True
        where = path
        while where:
            where = where.rpartition("/")[0]
            spec = self._spec(where)
            if spec is not None:
                inner = path[len(where) + 1 :] if where else path
                verdict = spec.check_file(inner + "/" if folder else inner).include
                if verdict is not None:
                    return verdict
        return False

    def decisive_files(self) -> Iterator[Path]:
        """Yield nothing: ignore files lie in the folders that are walked."""
        return iter(())

    def _spec(self, folder: str) -> pathspec.GitIgnoreSpec | None:
        if folder not in self._specs:
            lines = [line for name in _IGNORE_FILES for line in _lines(self._root / folder / name)]
            self._specs[folder] = _spec_of(lines) if lines else None
        return self._specs[folder]


IgnoreRules = GitRules | PlainRules


def is_ignore_file(name: str) -> bool:
    """Return True for the name of an ignore file."""
    return name in _IGNORE_FILES


def _is_foreign(root: Path, path: str) -> bool:
    return (
        path.rpartition("/")[2] in _DERIVED
        or os.path.lexists(root / path / ".git")
        or os.path.lexists(root / path / "pyvenv.cfg")
    )


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", errors="replace").splitlines() if path.is_file() else []
    except OSError:
        return []


def _spec_of(lines: list[str]) -> pathspec.GitIgnoreSpec:
    import pathspec  # late: git knows the rules of its repositories itself

    try:
        return pathspec.GitIgnoreSpec.from_lines(lines)
    except ValueError:  # skip the lines that are no patterns
        return pathspec.GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    import pathspec  # late, as above

    try:
        pathspec.GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
