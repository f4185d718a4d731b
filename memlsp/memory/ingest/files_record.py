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
    now = round(at * 1000)
    return {
        "key": f"files:{root}:{now}:{paths[0] if paths else ''}:{len(paths)}",
        "at": now,
        "kind": EventKind.FILES.value,
        "source": "files",
        "text": "" if len(paths) <= MANY else f"{len(paths)} files",
        "paths": list(paths[:MOST_NAMED]),
        "root": root,
    }


def git_record(kind: EventKind, paths: Sequence[str], root: str, at: float, commit: str = "") -> dict[str, object]:
    """The record of files whose reported edits git took back (RESET), into the `commit` of a stash (STASH), or brought
    back from one (STASH without a commit). `at` in seconds since 1970."""
    now = round(at * 1000)
    return {
        "key": f"{kind.value}:{root}:{now}:{paths[0]}:{len(paths)}:{commit}",
        "at": now,
        "kind": kind.value,
        "source": "git",
        "paths": list(paths[:MOST_NAMED]),
        "commit": commit,
        "root": root,
    }
