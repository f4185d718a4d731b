"""Decides which memory a folder belongs to: explicit id > normalised remote > git common folder > folder.

Reads the disk at every call. Nothing in a repository can choose what is executed or lead out of the data folder: an id
is a name, and the key made from it is a safe file name. A path that a folder names counts where the other side confirms
it: a repository knows its checkouts, and a clone of a local folder has its commits. An id or a remote that leads to a
memory which others use counts where the folder has a commit of theirs, or a person agreed. Else the folder is itself.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple

from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.remote import address_of, local_path
from memlsp.capture.git.repository import (
    Repository,
    config_value,
    config_values,
    find_repository,
    reference_target,
    resolved,
)
from memlsp.capture.workspace.confirmed_names import confirm_name, confirmed_name
from memlsp.model.errors import BadValue, NoWorkspace
from memlsp.model.place import Workspace
from memlsp.store.core.locations import store_path
from memlsp.store.core.other_memories import store_summary

SETTINGS_FOLDER = ".memlsp"
_LONGEST_NAME = 40
_MOST_TIPS = 200  # branches that are looked up to see whether two repositories share a commit
_FARTHEST_COMMIT = 1 << 12
_LARGEST_SETTINGS = 64 * 1024


class _Identity(NamedTuple):
    """A memory as `confirmed_names` keeps it."""

    basis: str
    subject: str  # hashed: folders with the same subject share a memory
    name: str


def resolve(start: Path, explicit: str | None = None, data: Path | None = None) -> Workspace:
    """Return the workspace of `start`, a folder or a file in it, relative to the working folder.

    `explicit` is an id given by the user; without it the memory counts that a person chose for the folder, and then
    `git config memlsp.workspace` and `workspace = "..."` in `.memlsp/config.toml` at the top, where it is shown to be
    the same project. Without git the nearest folder counts that has a `.memlsp` or remembers something in the data
    folder `data` (default: the user's). Raises NoWorkspace when `start` does not exist.
    """
    return _resolve(start, explicit, data)[0]


def _resolve(start: Path, explicit: str | None, data: Path | None) -> tuple[Workspace, Path, _Identity | None]:
    """The workspace, the folder for which a person can choose a memory, and the memory that it names and may not
    share."""
    folder = _existing_folder(start)
    repository = find_repository(folder)
    if repository is not None and not repository.names(folder):
        return _unknown_to_git(folder, explicit)
    home, asked, own = _by_itself(folder, repository, data)
    root = repository.top if repository is not None else home
    identity, refused = own, None
    confirmed = confirmed_name(home, data)
    named = None if explicit or confirmed else _named(asked)
    if chosen := _named(explicit) or (_Identity(*confirmed) if confirmed else None):
        identity = chosen
    elif named and _is_shown(named, root, repository, data):
        identity = named
    elif own.basis == "remote" and not _is_shown(own, root, repository, data):
        identity, refused = _by_folder(home), own
    if named and named != identity:
        refused = named
    key, former, git = _key(identity), _key(_by_folder(home)), repository is not None
    keys = (former,) if git and former != key else ()
    subject = refused.subject if refused is not None else ""
    return Workspace(root, key, identity.name, identity.basis, git, keys, subject), home, refused


def _unknown_to_git(folder: Path, explicit: str | None) -> tuple[Workspace, Path, _Identity | None]:
    """The same of a checkout that the repository to which its `.git` leads knows nothing of."""
    root = next((here for here in (folder, *folder.parents) if os.path.lexists(here / ".git")), folder)
    identity = _named(explicit) or _by_folder(root)
    return Workspace(root, _key(identity), identity.name, identity.basis, git=True), root, None


def _by_itself(folder: Path, repository: Repository | None, data: Path | None) -> tuple[Path, str | None, _Identity]:
    """The folder for which a person can choose a memory, the id that it asks for, and what it is known by without."""
    if repository is not None:
        asked = config_value(repository, "memlsp.workspace") or _id_in_settings(repository.top)
        return repository.common, asked, _by_git(repository, frozenset())
    home = next((here for here in plain_ancestors(folder) if _is_top(here, data)), folder)
    # a plain folder has the key that it would have as a repository, so its memory survives `git init`
    return home, _id_in_settings(home), _by_folder(home)._replace(basis="folder")


def choose_name(start: Path, name: str | None, data: Path | None, *, leave: bool = False) -> None:
    """Let the folder of `start` share the memory `name` from now on, an id or a remote's address; None for the one that
    it names. With `leave`, take the former choice back. Raises NoWorkspace, BadValue when it names none, and OSError
    when the choice cannot be kept."""
    workspace, home, refused = _resolve(start, None, data)
    if leave:
        confirm_name(home, None, data)
        if _resolve(start, None, data)[0].key == workspace.key:  # it was used there, so it would be let in again
            confirm_name(home, _by_folder(home), data)
        return
    address = address_of(name or "")
    chosen = _Identity("remote", str(address), address.name) if address is not None else _named(name) or refused
    if chosen is None:
        raise BadValue(f"{workspace.root} asks for no other memory", 'name one: memlsp join "team/project"')
    confirm_name(home, chosen, data)


def keep_name(workspace: Workspace, data: Path) -> None:
    """Let a folder keep the id by which its memory was found, on branches without it too. Raises OSError."""
    repository = find_repository(workspace.root)
    home = repository.common if repository is not None else workspace.root
    if confirmed_name(home, data) is None:
        confirm_name(home, ("id", workspace.name, workspace.name), data)


def _is_shown(identity: _Identity, root: Path, repository: Repository | None, data: Path | None) -> bool:
    """True when a folder may share the memory that it names: it has been used there before, or has a commit of the
    project. A remote whose memory is empty, or of which nothing is left to compare with, is nobody's secret."""
    memory = store_summary(store_path(_key(identity), data))
    if memory is not None and str(root) in memory.roots:
        return True
    if memory is None or not memory.kept:
        return identity.basis == "remote"
    if repository is not None and repository.handle is not None:
        if any(pygit2.Oid(hex=commit) in repository.handle for commit in memory.commits):
            return True
        others = [find_repository(Path(each)) for each in memory.roots if Path(each).is_dir()]
        if any(each is not None and _is_clone(repository, each) for each in others):
            return True
        return identity.basis == "remote" and not others and not memory.commits
    # libgit2 cannot open it, so no commit can be looked up
    return identity.basis == "remote" and repository is not None


def sample_commits(root: Path) -> list[str]:
    """Some commits by which a clone of the repository at `root` is known, the newest first: those checked out 0, 1, 3,
    7, ... commits ago along the first parents. Empty without git or commits."""
    repository = find_repository(resolved(root))
    handle = repository.handle if repository is not None else None
    head = reference_target(handle, "HEAD") if handle is not None else None
    if handle is None or not head:
        return []
    try:
        walk = handle.walk(pygit2.Oid(hex=head))
        walk.simplify_first_parent()
        found = [str(commit.id) for commit in islice(walk, _FARTHEST_COMMIT)]
    except unreadable():
        return []
    return [found[2**step - 1] for step in range(len(found).bit_length()) if 2**step <= len(found)]


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
    printable = "".join(letter if letter.isprintable() else " " for letter in text or "")[:200]
    name = " ".join(printable.split())
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
