"""Paths inside a workspace as text: posix separators, relative to the root, never above it."""

from __future__ import annotations


def folder(path: str) -> str:
    """The folder a file lies in, "" for the root."""
    return path.rpartition("/")[0]


def join(*parts: str) -> str | None:
    """The parts as one normalised path, or None when it leaves the workspace."""
    out: list[str] = []
    for part in "/".join(each for each in parts if each).split("/"):
        if part == "..":
            if not out:
                return None
            out.pop()
        elif part not in ("", "."):
            out.append(part)
    return "/".join(out)


def ancestors(path: str) -> list[str]:
    """The folders around a file, innermost first, the root ("") last."""
    out: list[str] = []
    at = path
    while at:
        at = folder(at)
        out.append(at)
    return out or [""]
