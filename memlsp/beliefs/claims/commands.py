"""The commands that a project defines for itself: make targets, package scripts, just recipes, entry points."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, cast

from memlsp.beliefs.claims.stems import listed
from memlsp.beliefs.standing.files import Files
from memlsp.model.errors import MemlspError

_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")
_PACKAGE = "package.json"
_PROJECT = "pyproject.toml"
_TARGET = re.compile(r"^(?P<names>[A-Za-z0-9_.%/ -]+?)\s*::?(?!=)", re.MULTILINE)
_RECIPE = re.compile(r"^@?(?P<name>[A-Za-z_][\w-]*)[^\n:=]*:(?!=)", re.MULTILINE)
# Words that the package managers define themselves, which need no script.
_BUILT_IN = listed("install ci add remove init publish update upgrade login link audit exec create dlx")
_SCRIPT_TABLES = (
    ("project", "scripts"),
    ("project", "gui-scripts"),
    ("tool", "poetry", "scripts"),
    ("tool", "pdm", "scripts"),
    ("tool", "rye", "scripts"),
    ("tool", "poe", "tasks"),
    ("tool", "hatch", "envs", "default", "scripts"),
)


def command_source(command: str, worktree: Files) -> str | None:
    """The file that defines a command such as `make test`, `npm run build`, `just lint`, `uv run serve`; else None."""
    parts = command.split()
    if len(parts) < 2:
        return None
    runner, name = parts[0], parts[-1]
    if runner == "make":
        return _first_defining(worktree, _MAKEFILES, _TARGET, name)
    if runner == "just":
        return _first_defining(worktree, _JUSTFILES, _RECIPE, name)
    if runner in {"npm", "pnpm", "yarn", "bun"}:
        if name in _BUILT_IN and len(parts) == 2:
            return None
        return _PACKAGE if name in _keys(_json(worktree, _PACKAGE), ("scripts",)) else None
    project = _toml(worktree, _PROJECT)
    return _PROJECT if any(name in _keys(project, table) for table in _SCRIPT_TABLES) else None


def _first_defining(worktree: Files, paths: tuple[str, ...], pattern: re.Pattern[str], name: str) -> str | None:
    for path in paths:
        for found in pattern.finditer(text_of(worktree, path) or ""):
            if name in found[1].split():
                return path
    return None


def text_of(worktree: Files, path: str) -> str | None:
    """The file's text, None when it is absent or not to be read."""
    try:
        data = worktree.read(path)
    except (MemlspError, OSError):
        return None
    return None if data is None else data.decode("utf-8", errors="replace")


def _json(worktree: Files, path: str) -> dict[str, Any]:
    try:
        loaded: object = json.loads(text_of(worktree, path) or "{}")
    except ValueError:
        return {}
    return cast("dict[str, Any]", loaded) if isinstance(loaded, dict) else {}


def _toml(worktree: Files, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text_of(worktree, path) or "")
    except tomllib.TOMLDecodeError:
        return {}


def _keys(table: dict[str, Any], path: tuple[str, ...]) -> frozenset[str]:
    for key in path:
        inner = table.get(key)
        if not isinstance(inner, dict):
            return frozenset()
        table = cast("dict[str, Any]", inner)
    return frozenset(table)
