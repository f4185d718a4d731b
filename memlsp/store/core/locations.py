"""The paths of stores on this machine."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

DATA_DIR_VARIABLE = "MEMLSP_DATA_DIR"

_FILE_NAME = "memory.db"
# lower case only, so that two keys stay two folders on a file system that ignores case
_SAFE_KEY = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def data_folder() -> Path:
    """`$MEMLSP_DATA_DIR`, else the platform's folder for a user's data. Absolute; may not exist yet."""
    chosen = os.environ.get(DATA_DIR_VARIABLE, "").strip()
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs  # late: not needed where the variable is set

    return platformdirs.user_data_path("memlsp", appauthor=False)


def store_path(workspace_key: str, folder: Path | None = None) -> Path:
    """The file of one workspace's memory, under `folder` (default: `data_folder()`)."""
    return (folder or data_folder()) / "workspaces" / _safe(workspace_key) / _FILE_NAME


def inherit(path: Path, former: Path) -> bool:
    """Rename the folder of the store at `former` when `path` has none; True when it was renamed. A repository that is
    given a remote changes its key. Open files stay open."""
    if path.exists() or not former.exists():
        return False
    try:
        former.parent.rename(path.parent)
    except OSError:  # another process was quicker, or the folder cannot be written
        return False
    return True


def exchange_folder(store: Path) -> Path:
    """What the team's exchange keeps beside a store. It may be deleted at any time."""
    return store.parent / "team.git"


def user_store_path(folder: Path | None = None) -> Path:
    """The file of the beliefs that hold in every workspace of this user."""
    return (folder or data_folder()) / "user" / _FILE_NAME


def _safe(key: str) -> str:
    """The key as a file name on every platform; two different keys never share one."""
    if _SAFE_KEY.fullmatch(key) and not _RESERVED.fullmatch(key) and not key.endswith("."):
        return key
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    readable = re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")[:48]
    return f"{readable}~{digest}" if readable else f"~{digest}"
