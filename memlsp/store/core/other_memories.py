"""The other memories in the data folder: a glance at one without taking part in it, and one moved to another key."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import apsw
from attrs import frozen

from memlsp.model.errors import StoreUnavailable
from memlsp.store.core.database import connect

ROOTS = "roots"
"""The note of a store (`info`) that lists the folders in which it was used, as JSON."""

_MOST = 2_000


@frozen
class StoreSummary:
    """What lies in one store: `key` is the name of its folder, `roots` the folders in which it was used, `beliefs`
    those that hold, `kept` everything that would be a loss."""

    key: str
    path: Path
    roots: tuple[str, ...]
    beliefs: int
    kept: int


def store_summaries(data: Path) -> Iterator[StoreSummary]:
    """A glance at every workspace's store in the data folder, by key."""
    folder = data / "workspaces"
    with suppress(OSError):
        for each in sorted(folder.iterdir())[:_MOST]:
            found = store_summary(each / "memory.db")
            if found is not None:
                yield found


def store_summary(path: Path) -> StoreSummary | None:
    """What is in a store, read without changing, mending or migrating anything; None where that cannot be done."""
    if path.is_symlink() or not path.is_file():
        return None
    try:
        connection = connect(f"file:{quote(str(path))}?mode=ro", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    except apsw.Error:
        return None
    try:
        connection.set_busy_timeout(200)
        active = connection.execute("SELECT count(*) FROM belief WHERE status = 'active'").get
        kept = connection.execute("SELECT (SELECT count(*) FROM belief) + (SELECT count(*) FROM event)").get
        told = connection.execute("SELECT value FROM info WHERE key = ?", (ROOTS,)).get
        trees = [str(root) for (root,) in connection.execute("SELECT root FROM event_tree ORDER BY id")]
    except apsw.Error:
        return None
    finally:
        connection.close()
    roots = dict.fromkeys((*roots_in(told), *trees))
    return StoreSummary(path.parent.name, path, tuple(roots), int(active or 0), int(kept or 0))


def roots_in(told: object) -> tuple[str, ...]:
    """The folders that the note of a store lists."""
    try:
        value: object = json.loads(told) if isinstance(told, str) else None
    except (ValueError, RecursionError):
        return ()
    return tuple(str(each) for each in value) if isinstance(value, list) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def move_store(former: Path, path: Path) -> Path | None:
    """Let the store at `former`, with all that lies beside it, be the one at `path`, where nothing is remembered yet.

    A store that is there and empty gives way. Where something came into that one at this very moment it is kept; then
    its place is returned. Raises StoreUnavailable when it cannot be moved, and nothing is."""
    aside: Path | None = None
    try:
        path.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.parent.exists():
            now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
            aside = path.parent.with_name(f"{path.parent.name}.empty-{now}-{os.getpid()}")
            path.parent.rename(aside)
        try:
            former.parent.rename(path.parent)
        except OSError:
            if aside is not None:
                aside.rename(path.parent)
            raise
    except OSError as error:
        raise StoreUnavailable(f"{former.parent} cannot be moved: {error.strerror or error}") from error
    if aside is None:
        return None
    left = store_summary(aside / path.name)
    spooled = any((aside / "spool").glob("*.json"))
    if (left is not None and left.kept) or spooled:
        return aside
    shutil.rmtree(aside, ignore_errors=True)
    return None
