"""`memlsp upgrade`: every store of this machine gets the present layout, each after a backup of it.

Opening a store brings it up to date too, without a backup; this does all of them, while a person looks on.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from attrs import evolve, frozen

from memlsp.memory.transfer.backups import aside_path, write_backup
from memlsp.model.caller import Progress
from memlsp.model.copy import CopyKind
from memlsp.model.errors import MemlspError, StoreUnavailable
from memlsp.store.core.locations import data_folder
from memlsp.store.core.migrations import LATEST, WRITER
from memlsp.store.core.other_memories import layout_and_writer, store_paths
from memlsp.store.store import open_store
from memlsp.version import VERSION

LAYOUT = LATEST
"""The number of the layout that this memlsp writes."""


class UpgradeState(StrEnum):
    """How a store stands to this memlsp."""

    CURRENT = "current"  # up to date
    DUE = "due"
    UPGRADED = "upgraded"
    NEWER = "newer"  # written by a later memlsp, and left alone
    FAILED = "failed"  # left as it was


@frozen
class StoreUpgrade:
    """A store with its former layout, and the version of memlsp that made it so, "" where it is not known. `backup`
    holds what was there before the layout changed; `problem` is one line."""

    path: Path
    layout: int
    memlsp: str
    state: UpgradeState
    backup: Path | None = None
    problem: str = ""

    @property
    def name(self) -> str:
        """The workspace's key, or `user`."""
        return self.path.parent.name


def release_number(version: str) -> tuple[int, ...]:
    """A version as a value that sorts; () for a text that is none."""
    parts = version.split(".")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else ()


def stores(data: Path | None = None) -> Iterator[StoreUpgrade]:
    """Every store of this machine as it is now, which is only read."""
    for path in store_paths(data or data_folder()):
        try:
            layout, writer = layout_and_writer(path)
        except MemlspError as error:
            yield StoreUpgrade(path, 0, "", UpgradeState.FAILED, problem=str(error))
            continue
        if layout > LAYOUT:
            by = f"memlsp {writer}" if writer else "a later memlsp"
            problem = f"written by {by} (layout {layout}, and this memlsp knows {LAYOUT})"
            yield StoreUpgrade(path, layout, writer, UpgradeState.NEWER, problem=problem)
        elif layout:  # else nothing was written to it yet
            due = layout < LAYOUT or release_number(writer) < release_number(VERSION)
            yield StoreUpgrade(path, layout, writer, UpgradeState.DUE if due else UpgradeState.CURRENT)


def upgrade(found: StoreUpgrade, data: Path | None = None, progress: Progress | None = None) -> StoreUpgrade:
    """Bring a store that is due up to date, after a backup of it where its layout changes; what was done. A store that
    cannot be copied whole is left as it is. Each step is one transaction, so the store is whole whenever this ends."""
    if found.state is not UpgradeState.DUE:
        return found
    now, backup = datetime.now(UTC), None
    try:
        if found.layout < LAYOUT:
            backup = aside_path(found.path, now)
            try:
                write_backup(found.path, backup, data or data_folder(), now, progress)
            except OSError as error:
                raise StoreUnavailable(f"no backup can be written: {error.strerror or error}") from error
        with open_store(found.path, read_only_ok=False) as store:
            if backup is not None:
                store.copies.add(backup, CopyKind.BACKUP, now)  # so that what is forgotten leaves it too
            store.set_info(WRITER, VERSION)
    except MemlspError as error:
        return evolve(found, state=UpgradeState.FAILED, backup=backup, problem=str(error))
    return evolve(found, state=UpgradeState.UPGRADED, backup=backup)
