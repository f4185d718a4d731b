"""Delete the memory of one workspace, or everything that memlsp keeps on this machine.

This is for people who stop using memlsp; `forgetting` erases single beliefs with proof. Only files that are known as
memlsp's are deleted.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from memlsp.capture.workspace.identity import resolve
from memlsp.model.errors import StoreUnavailable
from memlsp.store.core.locations import data_folder, store_path

# MEMLSP_DATA_DIR may name a folder with files of other programs
_OWN_NAMES = (
    *("workspaces", "user", "setup", "settings", "whereabouts", "patterns", "capture-off"),
    *("importing", "restoring", "seal-key", "mcp-token", "hook.log"),
)
"""Names in a data folder. They cover names that continue with a dot, such as `hook.log.1` and `capture-off.lock`."""


def clear_workspace(start: Path, data_dir: Path | None = None) -> list[Path]:
    """Delete the memory of the workspace that holds `start`, for all its worktrees, and return the deleted paths.

    Raises NoWorkspace, and StoreUnavailable when a path could not be deleted.
    """
    data = data_dir or data_folder()
    workspace = resolve(start, data=data)
    keys = (workspace.key, *workspace.former)
    return _delete([store_path(key, data).parent for key in keys] + [data / "whereabouts"])


def clear_everything(data_dir: Path | None = None) -> list[Path]:
    """Delete all memories of all workspaces and of the user, with logs and caches, and return the deleted paths.

    Raises StoreUnavailable when a path could not be deleted.
    """
    data = data_dir or data_folder()
    found = sorted(data.iterdir()) if data.is_dir() else []
    ours = tuple(f"{name}." for name in _OWN_NAMES)
    deleted = _delete([place for place in found if f"{place.name}.".startswith(ours)])
    if data.is_dir() and not any(data.iterdir()):
        data.rmdir()
    return deleted


def _delete(places: list[Path]) -> list[Path]:
    deleted: list[Path] = []
    for place in places:
        try:
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            elif place.exists() or place.is_symlink():
                place.unlink()
            else:
                continue
        except OSError as error:
            hint = "close the editors and agents that use it, and run the command again"
            raise StoreUnavailable(f"{place} could not be deleted: {error.strerror}", hint) from error
        deleted.append(place)
    return deleted
