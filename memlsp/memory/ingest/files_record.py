"""The events that are recorded for files which changed on disk without one."""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.model.event import EventKind

MANY = 40
"""From this number of files on, an event only names them: a code generator, a formatter, an installation."""

TAKING = (EventKind.RESET, EventKind.STASH)
"""The kinds of git's operations that, with paths, say whose edits it took back or brought back."""

MOST_NAMED = 200
"""The most files that an event names."""


def files_record(paths: Sequence[str], root: str, at: float) -> dict[str, object]:
    """The record of files that changed on disk, nobody knows by whom. `at` in seconds since 1970."""
    text = "" if len(paths) <= MANY else f"{len(paths)} files"
    return _record(EventKind.FILES, paths, root, at, source="files", text=text)


def git_record(kind: EventKind, paths: Sequence[str], root: str, at: float, commit: str = "") -> dict[str, object]:
    """The record of files whose reported edits git took back (RESET), into the `commit` of a stash (STASH), or brought
    back from one (STASH without a commit). `at` in seconds since 1970."""
    record = _record(kind, paths, root, at, source="git", commit=commit)
    return record | {"key": f"{record['key']}:{commit}"}


def _record(kind: EventKind, paths: Sequence[str], root: str, at: float, **more: str) -> dict[str, object]:
    now = round(at * 1000)
    key = f"{kind.value}:{root}:{now}:{paths[0] if paths else ''}:{len(paths)}"
    return {"key": key, "at": now, "kind": kind.value, "paths": list(paths[:MOST_NAMED]), "root": root, **more}
