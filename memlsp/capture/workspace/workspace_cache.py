"""A cache of the workspaces that folders belong to, for hooks, which have no time to ask git.

`identity.resolve` takes some 150 ms in a fresh process. Its answer is cached in the data folder, in one small file for
each folder, with the stamps of everything that it depends on: each place upwards where a repository or our settings
could be, and each configuration that git would read. It is valid while all stamps match, missing files included.
"""

from __future__ import annotations

import os
from _blake2 import blake2b

from memlsp.capture.private_files import write_private
from memlsp.store.core.hook_connection import private_folder

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LAYOUT = "memlsp whereabouts 3"
_LARGEST = 64 * 1024
_MOST_CACHED = 2_000  # folders
_VARIABLES = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL")  # they locate git's configuration


class KnownWorkspace:
    """The workspace of a folder: the top of the checkout, the key of its memory, and the keys it had before; its name,
    what it is known by, the person of git's configuration, and whether git looks after it."""

    def __init__(
        self, root: str, key: str, former: tuple[str, ...], name: str, basis: str, person: str, *, git: bool
    ) -> None:
        self.root = root
        self.key = key
        self.former = former
        self.name = name
        self.basis = basis
        self.person = person
        self.git = git


def find_workspace(folder: str, data: str) -> KnownWorkspace | None:
    """Return the workspace of an absolute `folder`, cached in the data folder `data`; None when there is none.

    A deleted folder belongs to the repository of the nearest existing folder above it. Never raises for a state of the
    disk.
    """
    try:
        cache_file = _cache_file(folder, data)
        return _read(cache_file) or _resolve(folder, cache_file, data)
    except (OSError, ValueError):
        return None


def is_no_project(folder: str) -> bool:
    """Return True for the home folder and those above it, unless they are in a repository: an agent started there works
    on no project, and following its files would mean reading everything that a person has."""
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


def read_head(root: str) -> tuple[str, str]:
    """Return the branch checked out at `root` and its commit, read without git; "" for what cannot be read."""
    git = git_folder(root)
    try:
        line = _line(os.path.join(git, "HEAD"))
    except OSError:
        return "", ""
    if not line.startswith("ref:"):
        return "", _commit(line)
    name = line[4:].strip()
    branch = name.removeprefix("refs/heads/")
    for place in (git, os.path.join(git, "..", "..")):  # a worktree's git folder lies two below the common one
        try:
            return branch, _commit(_line(os.path.join(place, name)))
        except (OSError, ValueError):
            continue
    return branch, ""  # packed


def git_folder(root: str) -> str:
    """Return the git folder of the checkout at `root`, which a worktree's `.git` file names. It may not exist."""
    git = os.path.join(root, ".git")
    try:
        return os.path.normpath(os.path.join(root, _line(git).removeprefix("gitdir:").strip()))
    except OSError:
        return git  # it is a folder, as in most checkouts


def _commit(line: str) -> str:
    """Return a commit's hash, "" for any other text: HEAD of a foreign folder may lead to any file."""
    return line if len(line) in {40, 64} and not line.strip("0123456789abcdef") else ""


def _line(path: str) -> str:
    if not os.path.isfile(path):
        raise FileNotFoundError(path)  # a pipe would block
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.readline(4096).strip()


def _cache_file(folder: str, data: str) -> str:
    """Return the cache file of a folder; its name is a digest, so no folder can lead out of `data`."""
    subject = "\0".join([_LAYOUT, folder, *(os.environ.get(name, "") for name in _VARIABLES)])
    digest = blake2b(subject.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return os.path.join(data, "whereabouts", digest)


def _read(cache_file: str) -> KnownWorkspace | None:
    """Return the cached workspace, if the file is whole and all stamps match."""
    try:
        with open(cache_file, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            lines = file.read(_LARGEST).split("\n")
    except OSError:
        return None
    if len(lines) < 10 or lines[0] != _LAYOUT or lines[-1] != "end":
        return None
    root, key, former, name, basis, person, git = lines[1:8]
    for line in lines[8:-1]:
        stamp, _, path = line.partition(" ")
        if _stamp(path) != stamp:
            return None
    return KnownWorkspace(root, key, tuple(former.split()), name, basis, person, git=git == "git")


def _stamp(path: str) -> str:
    """Return text that differs when a dependency does: a file by time and size, a folder only by being one."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return "-"
    if status.st_mode & 0o170000 == 0o040000:
        return "folder"  # the content of a git folder changes with every commit and does not matter
    return f"{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def _resolve(folder: str, cache_file: str, data: str) -> KnownWorkspace | None:
    from pathlib import Path

    from memlsp.capture.git.repository import git_name
    from memlsp.capture.workspace.identity import resolve  # late: too slow for every hook
    from memlsp.model.errors import MemlspError

    start = Path(folder)
    gone = not start.is_dir()
    while not start.is_dir() and start != start.parent:
        start = start.parent
    stamps = _dependencies(start, Path(folder), Path(data))  # taken first, so that a change meanwhile is noticed
    try:
        workspace = resolve(start, data=Path(data))
    except MemlspError:
        return None
    if gone and not workspace.git:
        return None  # some folder far above, not meant
    basis = "" if workspace.refused else workspace.basis  # what it may not share can be shown to be its own any time
    named = workspace.key, workspace.former, workspace.name, basis, git_name(workspace.root)
    known = KnownWorkspace(str(workspace.root), *named, git=workspace.git)
    _write(cache_file, known, stamps)
    return known


def _write(cache_file: str, known: KnownWorkspace, stamps: Iterable[tuple[str, str]]) -> None:
    lines = [_LAYOUT, known.root, known.key, " ".join(known.former), known.name, known.basis, known.person]
    lines.append("git" if known.git else "")
    lines += [f"{stamp} {path}" for path, stamp in stamps]
    lines.append("end")
    data = "\n".join(lines).encode("utf-8", "surrogateescape")
    if len(data) > _LARGEST or any("\n" in line or "\r" in line for line in lines):
        return  # a path with a line break is resolved each time
    try:
        _make_room(os.path.dirname(cache_file))
        write_private(cache_file, data)
    except OSError:
        return


def _make_room(folder: str) -> None:
    private_folder(folder)
    names = os.listdir(folder)
    if len(names) > _MOST_CACHED:  # folders come and go; those in use are resolved again
        for name in names:
            os.unlink(os.path.join(folder, name))


def _dependencies(start: Path, folder: Path, data: Path) -> list[tuple[str, str]]:
    """Return every path that the workspace of `start` depends on, with its stamp: places where a repository or our
    settings could be, a memory of a folder without git, git's configurations with their includes, and the same for a
    local folder that it was cloned from."""
    from pathlib import Path

    from memlsp.capture.git.repository import configuration_files
    from memlsp.capture.workspace.confirmed_names import names_file
    from memlsp.capture.workspace.identity import plain_ancestors, plain_store

    paths: dict[str, None] = {}
    for each in (folder, Path(os.path.realpath(start))):
        for here in (each, *each.parents):
            paths[str(here / ".git")] = None
            paths[str(here / ".memlsp")] = None
    paths[str(folder)] = None
    paths[str(names_file(data))] = None
    paths.update((str(plain_store(here, data).parent), None) for here in plain_ancestors(Path(os.path.realpath(start))))
    _add_repository(start, paths, depth=4)
    for path in _global_configurations():
        paths.update(dict.fromkeys(configuration_files(path)))
    return [(path, _stamp(path)) for path in paths]


def _add_repository(start: Path, paths: dict[str, None], depth: int) -> None:
    from pathlib import Path

    from memlsp.capture.git.remote import local_path
    from memlsp.capture.git.repository import config_values, configuration_files, find_repository

    repository = find_repository(Path(os.path.realpath(start)))
    if repository is None:
        settled = next((path for path in paths if path.endswith(".memlsp") and os.path.isdir(path)), "")
        paths[os.path.join(settled or str(start / ".memlsp"), "config.toml")] = None
        return
    paths[str(repository.top / ".memlsp" / "config.toml")] = None
    paths[str(repository.git_folder / "commondir")] = None
    paths[str(repository.git_folder / "gitdir")] = None
    paths[str(repository.git_folder / "config.worktree")] = None
    paths.update(dict.fromkeys(configuration_files(str(repository.common / "config"))))
    for name, url in config_values(repository):
        if depth and name.startswith("remote.") and name.endswith(".url"):
            origin = local_path(url, repository.top)
            if origin is None:
                continue
            for candidate in (origin, origin.with_name(origin.name + ".git")):
                paths[str(candidate)] = None
                paths[str(candidate / ".git")] = None
                if candidate.is_dir():
                    _add_repository(candidate, paths, depth - 1)


def _global_configurations() -> list[str]:
    named = os.environ.get("GIT_CONFIG_GLOBAL", "")
    home = os.path.expanduser("~")
    xdg = os.environ.get("XDG_CONFIG_HOME", "") or os.path.join(home, ".config")
    found = [os.path.join(home, ".gitconfig"), os.path.join(xdg, "git", "config"), "/etc/gitconfig"]
    return [named, *found] if named else found
