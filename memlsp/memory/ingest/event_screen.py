"""What is noted of files that nobody said anything of, and what may be noted at all."""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.capture.redaction.event_filter import Screen
from memlsp.memory.context import Premises
from memlsp.model.event import EventKind

MANY = 40
"""Files of one event from which on they are only named: a code generator, a formatter, an installation."""

MOST_NAMED = 200
"""Files that an event names."""


def screen_of(premises: Premises) -> Screen:
    """What may come in now."""
    return Screen(str(premises.worktree.root), str(premises.store.path.parents[2]))


def files_record(paths: Sequence[str], root: str, at: float) -> dict[str, object]:
    """What is noted of files that changed on disk, nobody knows by whom. `at` in seconds since 1970."""
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
