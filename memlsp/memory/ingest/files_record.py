"""The event that is recorded for files which changed on disk without a known cause."""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.model.event import EventKind

MANY = 40
"""From this number of files on, an event only names them: a code generator, a formatter, an installation."""

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
