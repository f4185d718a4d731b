"""The other stores in the data folder: summaries of them, and moving one to another key."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import apsw
from attrs import frozen

from memlsp.model.errors import StoreUnavailable
from memlsp.store.core import migrations
from memlsp.store.core.database import connect_read_only, scalar, text_column
from memlsp.store.core.locations import user_store_path
from memlsp.store.core.sqlite_errors import store_errors

ROOTS = "roots"
"""The note of a store (`info`) that lists the folders in which it was used, as JSON."""

COMMITS = "commits"
"""The note that lists commits of the repositories in which it was used, as JSON."""

_MOST = 2_000
_HASH = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")


@frozen
class StoreSummary:
    """A store: the name of its folder, the folders in which it was used, some commits of theirs, the number of active
    beliefs, and of all beliefs and events."""

    key: str
    path: Path
    roots: tuple[str, ...]
    beliefs: int
    kept: int
    commits: tuple[str, ...] = ()


def store_summaries(data: Path) -> Iterator[StoreSummary]:
    """The summary of every workspace's store in the data folder, by key."""
    folder = data / "workspaces"
    with suppress(OSError):
        for each in sorted(folder.iterdir())[:_MOST]:
            found = store_summary(each / "memory.db")
            if found is not None:
                yield found


def store_summary(path: Path) -> StoreSummary | None:
    """The summary of a store, which is only read; None when it cannot be."""
    if path.is_symlink() or not path.is_file():
        return None
    try:
        with closing(connect_read_only(path)) as connection:
            connection.set_busy_timeout(200)
            active = scalar(connection, "SELECT count(*) FROM belief WHERE status = 'active'")
            kept = scalar(connection, "SELECT (SELECT count(*) FROM belief) + (SELECT count(*) FROM event)")
            roots, commits = (
                connection.execute("SELECT value FROM info WHERE key = ?", (key,)).get for key in (ROOTS, COMMITS)
            )
            trees = text_column(connection, "SELECT root FROM event_tree ORDER BY id")
    except apsw.Error:
        return None
    used = tuple(dict.fromkeys((*listed(roots), *trees)))
    hashes = tuple(each for each in listed(commits) if _HASH.fullmatch(each))
    return StoreSummary(path.parent.name, path, used, active, kept, hashes)


def store_paths(data: Path) -> Iterator[Path]:
    """The file of every store in the data folder: the user's, then each workspace's by its key."""
    found = [user_store_path(data)]
    with suppress(OSError):
        found += [each / found[0].name for each in sorted((data / "workspaces").iterdir())]
    for path in found:
        if path.is_file() and not path.is_symlink():
            yield path


def layout_and_writer(path: Path) -> tuple[int, str]:
    """The layout of a store, which is only read, and the version of memlsp that last brought it up to date. Raises
    StoreError."""
    with store_errors(path), closing(connect_read_only(path)) as connection:
        return migrations.layout_of(connection), migrations.writer_of(connection)


def listed(note: object) -> tuple[str, ...]:
    """The texts that a note of a store lists."""
    try:
        value: object = json.loads(note) if isinstance(note, str) else None
    except (ValueError, RecursionError):
        return ()
    return tuple(str(each) for each in value) if isinstance(value, list) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def move_store(former: Path, path: Path) -> Path | None:
    """Move the folder of the store at `former` to `path`, in place of an empty store.

    The folder of the empty store is deleted, or kept and returned when something was written to it meanwhile. Raises
    StoreUnavailable when nothing can be moved."""
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
