"""Where `git push` sends to, by the configuration of the repository: no program runs for it."""

from __future__ import annotations

import os

from memlsp.capture.workspace.workspace_cache import git_folder
from memlsp.memory.injection.act_words import parts_of
from memlsp.memory.injection.swept_files import file_start

_LARGEST_CONFIG = 100_000  # bytes


def pushed_to(remote: str, root: str) -> list[str]:
    """The words of the host and the owner to which a push to `remote` goes, "" for the default; none where the
    configuration does not say it."""
    git = git_folder(root)
    shared = file_start(os.path.join(git, "commondir"), 4_096).decode("utf-8", "replace").strip()  # of a worktree
    config = file_start(os.path.join(git, shared, "config"), _LARGEST_CONFIG).decode("utf-8", "replace")
    addresses: dict[str, str] = {}
    section = ""
    for line in map(str.strip, config.split("\n")):
        key, _, value = line.partition("=")
        if line[:1] == "[":
            section = line.removeprefix('[remote "').removesuffix('"]') if line.startswith('[remote "') else ""
        elif section and (key.strip() == "pushurl" or (key.strip() == "url" and section not in addresses)):
            addresses[section] = value.strip()
    only = next(iter(addresses.values())) if len(addresses) == 1 else ""
    address = addresses.get(remote or "origin", "" if remote else only)
    owner = address.rpartition("/")[0]
    place = owner.partition("://")[2] or owner.partition("@")[2]
    host = place.rpartition("@")[2].replace(":", "/").partition("/")[0]
    return [host.lower(), *parts_of(place)] if place else []
