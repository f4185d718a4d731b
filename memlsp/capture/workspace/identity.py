"""Decides which memory a folder belongs to: explicit id > normalised remote > git common folder > folder.

Reads the disk at every call. Nothing in a repository can choose what is executed or lead out of the data folder: an id
is a name, and the key made from it is a safe file name. A path that a folder names counts where the other side confirms
it: a repository knows its checkouts, and a clone of a local folder has its commits. Else the folder is itself.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path

import pygit2
from attrs import evolve, frozen

from memlsp.capture.git.remote import address_of, local_path
from memlsp.capture.git.repository import (
    Repository,
    config_value,
    config_values,
    find_repository,
    reference_target,
    resolved,
)
from memlsp.model.errors import NoWorkspace
from memlsp.model.place import Workspace
from memlsp.store.core.locations import store_path
from memlsp.store.core.other_memories import store_summary

SETTINGS_FOLDER = ".memlsp"
_LONGEST_NAME = 40
_MOST_TIPS = 200  # branches that are looked up to see whether two repositories share a commit
_LARGEST_SETTINGS = 64 * 1024


@frozen
class _Identity:
    basis: str
    subject: str  # hashed: folders with the same subject share a memory
    name: str


def resolve(start: Path, explicit: str | None = None, data: Path | None = None) -> Workspace:
    """Return the workspace of `start`, a folder or a file in it, relative to the working folder.

    `explicit` is an id given by the user; without it `git config memlsp.workspace` and then `workspace = "..."` in
    `.memlsp/config.toml` at the top count. Without git the nearest folder counts that has a `.memlsp` or remembers
    something in the data folder `data` (default: the user's). Raises NoWorkspace when `start` does not exist.
    """
    folder = _existing_folder(start)
    repository = find_repository(folder)
    if repository is not None and not repository.names(folder):
        root = next((here for here in (folder, *folder.parents) if os.path.lexists(here / ".git")), folder)
        identity = _named(explicit) or _by_folder(root)
        return Workspace(root, _key(identity), identity.name, identity.basis, git=True)
    if repository is not None:
        identity = (
            _named(explicit)
            or _named(config_value(repository, "memlsp.workspace"))
            or _named(_id_in_settings(repository.top))
            or _by_git(repository, frozenset())
        )
        key, former = _key(identity), _key(_by_folder(repository.common))
        return Workspace(
            repository.top, key, identity.name, identity.basis, git=True, former=(former,) if former != key else ()
        )
    root = next((here for here in plain_ancestors(folder) if _is_top(here, data)), folder)
    # a plain folder has the key that it would have as a repository, so its memory survives `git init`
    identity = _named(explicit) or _named(_id_in_settings(root)) or evolve(_by_folder(root), basis="folder")
    return Workspace(root, _key(identity), identity.name, identity.basis, git=False)


def _existing_folder(start: Path) -> Path:
    try:
        # realpath needs the working folder, which may be deleted
        folder = Path(os.path.realpath(start, strict=True))
        return folder if folder.is_dir() else folder.parent
    except FileNotFoundError:
        gone = not start.is_absolute() and not _working_folder_exists()
        message = "the working folder no longer exists" if gone else f"no such folder: {start}"
    except (OSError, ValueError) as problem:
        message = f"cannot use {str(start)!r} as a workspace: {getattr(problem, 'strerror', None) or problem}"
    raise NoWorkspace(message, "name a folder that exists")


def _working_folder_exists() -> bool:
    try:
        return Path.cwd().exists()
    except OSError:
        return False


def _named(text: str | None) -> _Identity | None:
    name = " ".join(_printable(text or "").split())
    return _Identity("id", name, name) if name else None


def _id_in_settings(root: Path) -> str | None:
    try:
        path = root / SETTINGS_FOLDER / "config.toml"
        if not path.is_file():  # a pipe would block
            return None
        import tomllib  # late: few workspaces have settings

        with path.open("rb") as file:
            settings = tomllib.loads(file.read(_LARGEST_SETTINGS).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # the reader of all settings reports it; identity must not fail over it
    workspace = settings.get("workspace")
    return workspace if isinstance(workspace, str) else None


def _by_git(repository: Repository, seen: frozenset[Path]) -> _Identity:
    url = _remote_url(repository)
    address = address_of(url)
    if address is not None:
        return _Identity("remote", str(address), address.name)
    origin = local_path(url, repository.top)
    if origin is None:
        return _by_folder(repository.common)
    # a clone of a local folder shares the memory of that folder, whatever its identity is
    source = _at_local_path(origin)
    if source is None:  # gone: its clones still share
        return _by_folder(repository.common if os.path.lexists(origin) else resolved(origin))
    if not _is_clone(repository, source):
        return _by_folder(repository.common)
    if source.common in seen | {repository.common}:
        return _by_folder(min(source.common, repository.common))
    return _by_git(source, seen | {repository.common})


def _is_clone(repository: Repository, source: Repository) -> bool:
    """True when one of the two has a commit of the other: of its branches, or as it was last fetched."""
    return any(
        target in here
        for here, there in ((source.handle, repository.handle), (repository.handle, source.handle))
        if here is not None and there is not None
        for target in islice(_tips(there), _MOST_TIPS)
    )


def _tips(handle: pygit2.Repository) -> Iterator[pygit2.Oid]:
    for name in handle.references:
        if name.startswith(("refs/heads/", "refs/remotes/")) and (found := reference_target(handle, name)):
            yield pygit2.Oid(hex=found)


def _by_folder(folder: Path) -> _Identity:
    home = folder.parent if folder.name == ".git" else folder
    subject = home.as_posix().removesuffix(".git").rstrip("/") or "/"
    return _Identity("git", os.path.normcase(subject), Path(subject).name or "root")


def _at_local_path(origin: Path) -> Repository | None:
    for candidate in (origin, origin.with_name(origin.name + ".git")):
        if candidate.is_dir():
            folder = resolved(candidate)
            found = find_repository(folder)
            # a folder inside another repository is not the remote
            return found if found is not None and folder in {found.top, found.git_folder} else None
    return None


def _remote_url(repository: Repository) -> str:
    urls: dict[str, str] = {}
    for name, value in config_values(repository):
        if name.startswith("remote.") and name.endswith(".url"):
            urls.setdefault(name[len("remote.") : -len(".url")], value)
    if not urls:
        return ""
    chosen = "origin" if "origin" in urls else next(iter(urls))
    if repository.handle is not None:
        try:
            return repository.handle.remotes[chosen].url or urls[chosen]  # with the user's insteadOf applied
        except (KeyError, ValueError, OSError):
            pass
    return urls[chosen]


def plain_ancestors(folder: Path) -> Iterator[Path]:
    """The folders without git that may be the top of `folder`, the nearest first: itself, and those above it that lie
    below the home folder."""
    home = resolved(Path("~").expanduser())
    return takewhile(lambda here: here not in (home, here.parent), (folder, *folder.parents))


def plain_store(folder: Path, data: Path | None) -> Path:
    """The store of a folder without git and settings, which may not exist."""
    return store_path(_key(_by_folder(folder)), data)


def _is_top(folder: Path, data: Path | None) -> bool:
    """True where somebody put our settings, or where this user remembers something: no file in a folder that came from
    elsewhere makes it a part of another memory, or another folder a part of its own."""
    if (folder / SETTINGS_FOLDER).is_dir():
        return True
    found = store_summary(plain_store(folder, data))
    return found is not None and found.kept > 0


def _key(identity: _Identity) -> str:
    """Make a key, `readable-0123456789`: lower-case letters, digits and hyphens; never longer than 51 characters."""
    plain = unicodedata.normalize("NFKD", identity.name).encode("ascii", "ignore").decode().lower()
    readable = re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST_NAME].strip("-") or "workspace"
    basis = "git" if identity.basis == "folder" else identity.basis
    subject = f"{basis}\0{identity.subject}".encode("utf-8", "surrogatepass")
    return f"{readable}-{hashlib.blake2b(subject, digest_size=5).hexdigest()}"


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)[:200]


def keys_for(text: str) -> tuple[str, ...]:
    """Return the keys that a workspace of this name may have: a folder (perhaps deleted), a remote's address, or an id.
    The data folder says which of them exists."""
    found: list[_Identity] = []
    folder = Path(text).expanduser()
    if folder.is_absolute() or "/" in text or text in {".", ".."}:
        # the folder may be deleted, so only its parents are resolved
        found.append(_by_folder(Path(os.path.realpath(folder))))
    address = address_of(text)
    if address is not None:
        found.append(_Identity("remote", str(address), address.name))
    named = _named(text)
    if named is not None:
        found.append(named)
    return tuple(dict.fromkeys(_key(each) for each in found))
