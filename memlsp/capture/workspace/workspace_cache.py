"""Which memory a folder belongs to, as it was found out before: for hooks, which have no time to ask git.

`identity.resolve` decides and takes some 150 ms in a fresh process. Its answer is kept in the data folder, one small
file for each folder that was asked about, together with the stamps of everything that decided: each place up the way
where a repository or settings of ours could be, and each configuration that git would read. It holds while all of these
are the same, those that were missing still missing; otherwise identity is asked again.
"""

from __future__ import annotations

import os
import sys
from _blake2 import blake2b

from memlsp.store.core.hook_connection import private_folder

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LAYOUT = "memlsp whereabouts 1"
_LARGEST = 64 * 1024
_MOST_INCLUDED = 20
_MOST_KEPT = 2_000  # folders
_ASKED = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL")  # what tells where git's configuration lies


class Whereabouts:
    """Where a folder is: the top of its checkout, the key of its memory, and the keys that this had before."""

    __slots__ = ("former", "key", "root")

    def __init__(self, root: str, key: str, former: tuple[str, ...] = ()) -> None:
        self.root = root
        self.key = key
        self.former = former


def found(folder: str, data: str) -> Whereabouts | None:
    """The whereabouts of an absolute `folder`, remembered in the data folder `data`; None when they cannot be told.

    A folder that is gone belongs where the nearest one above it does that is part of a repository. Never raises for
    what is on the disk.
    """
    try:
        place = _place(folder, data)
        kept = _kept(place)
        if kept is not None:
            return kept
        return _asked(folder, place)
    except (OSError, ValueError):
        return None


def is_no_project(folder: str) -> bool:
    """True for the home folder and for those above it, unless they are in a repository: who starts an agent there works
    at nothing in particular, and to follow the files would be to read all that a person has."""
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return False
    home, here = (os.path.normcase(os.path.realpath(path)) for path in (home, folder))
    if here != home and not home.startswith(here.rstrip(os.sep) + os.sep):
        return False
    while not os.path.lexists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return True
        here = above
    return False


def head(root: str) -> tuple[str, str]:
    """The branch that is checked out at `root` ("" for none) and its commit, where these can be read without git."""
    git = os.path.join(root, ".git")
    try:
        pointer = _line(git)
        git = os.path.normpath(os.path.join(root, pointer.removeprefix("gitdir:").strip()))
    except OSError:
        pass  # a folder, as it mostly is
    try:
        told = _line(os.path.join(git, "HEAD"))
    except OSError:
        return "", ""
    if not told.startswith("ref:"):
        return "", _commit(told)
    name = told[4:].strip()
    branch = name.removeprefix("refs/heads/")
    for place in (git, os.path.join(git, "..", "..")):  # a worktree's git folder lies two below the common one
        try:
            return branch, _commit(_line(os.path.join(place, name)))
        except (OSError, ValueError):
            continue
    return branch, ""  # packed


def _commit(told: str) -> str:
    """A commit's name; "" for what is none: who made the folder chose what HEAD leads to, and it may be any file."""
    return told if len(told) in {40, 64} and not told.strip("0123456789abcdef") else ""


def _line(path: str) -> str:
    if not os.path.isfile(path):
        raise FileNotFoundError(path)  # a pipe would block
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.readline(4096).strip()


def data_folder() -> str:
    """The same folder as `store.locations.data_folder`, found without what that needs to be imported. Absolute."""
    chosen = os.environ.get("MEMLSP_DATA_DIR", "").strip()
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    if sys.platform == "linux" and "ANDROID_DATA" not in os.environ:
        base = os.environ.get("XDG_DATA_HOME", "")
        if not base.strip():
            base = os.path.expanduser("~/.local/share")
        return os.path.join(base, "memlsp")
    from memlsp.store.core.locations import data_folder as told  # the other systems have no such short way

    return str(told())


def _place(folder: str, data: str) -> str:
    """The file that keeps what was found for a folder: nothing of the folder can lead out of `data`."""
    asked = "\0".join([_LAYOUT, folder, *(os.environ.get(name, "") for name in _ASKED)])
    digest = blake2b(asked.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return os.path.join(data, "whereabouts", digest)


def _kept(place: str) -> Whereabouts | None:
    """What the file says, if it is whole and everything that decided is as it was."""
    try:
        with open(place, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            lines = file.read(_LARGEST).split("\n")
    except OSError:
        return None
    if len(lines) < 6 or lines[0] != _LAYOUT or lines[-1] != "end":
        return None
    root, key, former = lines[1:4]
    for line in lines[4:-1]:
        stamp, _, path = line.partition(" ")
        if _stamp(path) != stamp:
            return None
    return Whereabouts(root, key, tuple(former.split()))


def _stamp(path: str) -> str:
    """What changes when what a path says of identity does: of a folder that it is one, of a file its time and size."""
    try:
        seen = os.stat(path)
    except (OSError, ValueError):
        return "-"
    if seen.st_mode & 0o170000 == 0o040000:
        return "folder"  # what is in a git folder changes with every commit, and decides nothing
    return f"{seen.st_mtime_ns}:{seen.st_size}:{seen.st_ino}"


def _asked(folder: str, place: str) -> Whereabouts | None:
    from pathlib import Path

    from memlsp.capture.workspace.identity import resolve  # late: this is what is too slow for every hook
    from memlsp.model.errors import MemlspError

    start = Path(folder)
    gone = not start.is_dir()
    while not start.is_dir() and start != start.parent:
        start = start.parent
    stamps = _decisive(start, Path(folder))  # before it is asked, so that a change meanwhile is seen
    try:
        workspace = resolve(start)
    except MemlspError:
        return None
    if gone and not workspace.git:
        return None  # some folder far above, which nobody meant
    where = Whereabouts(str(workspace.root), workspace.key, workspace.former)
    _keep(place, where, stamps)
    return where


def _keep(place: str, where: Whereabouts, stamps: Iterable[tuple[str, str]]) -> None:
    lines = [_LAYOUT, where.root, where.key, " ".join(where.former)]
    lines += [f"{stamp} {path}" for path, stamp in stamps]
    lines.append("end")
    if any("\n" in line or "\r" in line for line in lines):
        return  # a path with a line break is asked about each time
    data = "\n".join(lines).encode("utf-8", "surrogateescape")
    if len(data) > _LARGEST:
        return
    beside = f"{place}.{os.getpid()}"
    try:
        _make_room(os.path.dirname(place))
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        handle = os.open(beside, flags, 0o600)
        try:
            os.write(handle, data)
        finally:
            os.close(handle)
        os.replace(beside, place)
    except OSError:
        try:
            os.unlink(beside)
        except OSError:
            pass


def _make_room(folder: str) -> None:
    private_folder(folder)
    names = os.listdir(folder)
    if len(names) > _MOST_KEPT:  # folders come and go; those in use are asked about again
        for name in names:
            os.unlink(os.path.join(folder, name))


def _decisive(start: Path, folder: Path) -> list[tuple[str, str]]:
    """Everything that decides what `start` belongs to, with its stamp: the places where a repository or settings of
    ours could be, git's configurations with what they include, and the same of a local folder that it is a clone of."""
    from pathlib import Path

    paths: dict[str, None] = {}
    for each in (folder, Path(os.path.realpath(start))):
        for here in (each, *each.parents):
            paths[str(here / ".git")] = None
            paths[str(here / ".memlsp")] = None
    paths[str(folder)] = None
    _of_repository(start, paths, depth=4)
    for path in _global_configurations():
        _of_configuration(path, paths)
    return [(path, _stamp(path)) for path in paths]


def _of_repository(start: Path, paths: dict[str, None], depth: int) -> None:
    from pathlib import Path

    from memlsp.capture.git.remote import local_path
    from memlsp.capture.git.repository import config_values, find_repository

    repository = find_repository(Path(os.path.realpath(start)))
    if repository is None:
        settled = next((path for path in paths if path.endswith(".memlsp") and os.path.isdir(path)), "")
        paths[os.path.join(settled or str(start / ".memlsp"), "config.toml")] = None
        return
    paths[str(repository.top / ".memlsp" / "config.toml")] = None
    paths[str(repository.git_folder / "commondir")] = None
    paths[str(repository.git_folder / "config.worktree")] = None
    _of_configuration(str(repository.common / "config"), paths)
    for name, url in config_values(repository):
        if depth and name.startswith("remote.") and name.endswith(".url"):
            origin = local_path(url, repository.top)
            if origin is None:
                continue
            for candidate in (origin, origin.with_name(origin.name + ".git")):
                paths[str(candidate)] = None
                paths[str(candidate / ".git")] = None
                if candidate.is_dir():
                    _of_repository(candidate, paths, depth - 1)


def _global_configurations() -> list[str]:
    named = os.environ.get("GIT_CONFIG_GLOBAL", "")
    home = os.path.expanduser("~")
    xdg = os.environ.get("XDG_CONFIG_HOME", "") or os.path.join(home, ".config")
    found = [os.path.join(home, ".gitconfig"), os.path.join(xdg, "git", "config"), "/etc/gitconfig"]
    return [named, *found] if named else found


def _of_configuration(path: str, paths: dict[str, None]) -> None:
    """A configuration and what it includes."""
    if path in paths or len(paths) > 400:
        return
    paths[path] = None
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(1 << 20)
    except OSError:
        return
    if "[include" not in text.lower():
        return
    included = 0
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name.strip().lower() == "path" and included < _MOST_INCLUDED:
            included += 1
            other = os.path.expanduser(value.strip().strip('"'))
            _of_configuration(os.path.normpath(os.path.join(os.path.dirname(path), other)), paths)
