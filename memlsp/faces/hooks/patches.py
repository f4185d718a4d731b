"""The files that a patch names: the form of `apply_patch` and unified diffs."""

from __future__ import annotations

_FILE = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def is_patch(text: str) -> bool:
    """True for what `apply_patch` takes, also where a command line carries it."""
    return "*** Begin Patch" in text


def touched(text: str) -> list[str]:
    """The paths that a patch changes, adds, deletes or moves to, each once, as they are written there."""
    found: dict[str, None] = {}
    old = ""
    for line in text.splitlines():
        if line.startswith("*** "):
            for mark in _FILE:
                if line.startswith(mark) and line[len(mark) :].strip():
                    found[line[len(mark) :].strip()] = None
        elif line.startswith("--- "):
            old = _side(line)
        elif line.startswith("+++ ") and old:
            new = _side(line)
            for path in {old: None, new: None}:
                if path != "/dev/null":
                    found[path] = None
            old = ""
    return list(found)


def _side(line: str) -> str:
    """The path of one side of a unified diff: without git's `a/` or `b/` and the time behind it."""
    path = line[4:].split("\t", 1)[0].strip().strip('"')
    return path[2:] if path[:2] in {"a/", "b/"} else path
