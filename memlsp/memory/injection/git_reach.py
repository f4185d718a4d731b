"""What a command of git reaches without being told: the files that `git add .` and `git commit -a` take, and the place
that `git push` sends to. No program runs for it."""

from __future__ import annotations

import os

from memlsp.capture.workspace.workspace_cache import git_folder
from memlsp.memory.injection.act_words import is_path, parts_of

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memlsp.memory.injection.command_lines import SimpleCommand

_MOST_FILES = 2_000  # of a folder
_LARGEST_INDEX = 30_000_000  # bytes
_LARGEST_CONFIG = 100_000  # bytes
_HERE = frozenset((".", "./", "*"))


def sweeps(command: SimpleCommand) -> bool:
    """True for a command that takes all files there are: `git add .`, `git commit -a`."""
    if command.program != "git" or not command.arguments:
        return False
    sub, *rest = command.arguments
    if sub in {"add", "stage"}:
        whole = not rest and not command.flags.isdisjoint(("-A", "--all", "-u", "--update"))
        return whole or any(each in _HERE or each == ":/" or "." not in each[1:] for each in rest)
    return sub == "commit" and _only_changed(command)


def takes(pattern: str, command: SimpleCommand, root: str, folder: str) -> bool:
    """True when a command that `sweeps` in this folder takes a file of this pattern: one that lies where it looks and
    that no line of a .gitignore names, and of those that git follows only one that changed."""
    base = os.path.join(folder, command.folder) if command.folder else folder
    git = git_folder(root)
    index: bytes | None = None  # some megabytes in a large project: read once, and only where a name fits
    untracked = not (_only_changed(command) and os.path.isdir(git))
    head, _, name = pattern.rstrip("/").rpartition("/")
    head = "" if "*" in head else head
    for reached in _reached(command, root, base):
        for place in sorted({os.path.normpath(os.path.join(each, head)) for each in (root, reached)}):
            if not f"{place}/".startswith(f"{reached}/"):
                continue
            for each in _names(place):
                path = os.path.relpath(os.path.join(place, each), root)
                if not is_path(each, name):
                    continue
                index = _file_start(os.path.join(git, "index"), _LARGEST_INDEX) if index is None else index
                changed = _changed(path, root, index)
                if changed or (changed is None and untracked and not _ignored(path, {place, root})):
                    return True
    return False


def _only_changed(command: SimpleCommand) -> bool:
    """True when it leaves out what git does not follow yet."""
    flags = ("-u", "--update") if command.arguments[0] in {"add", "stage"} else ("-a", "--all")
    return not command.flags.isdisjoint(flags)


def _reached(command: SimpleCommand, root: str, base: str) -> list[str]:
    """The folders in which the command looks."""
    named = command.arguments[1:] if command.arguments[0] != "commit" else []
    if not named:
        return [root]
    found = [root if each == ":/" else base if each in _HERE else os.path.join(base, each) for each in named]
    return [os.path.normpath(each) for each in found if os.path.isdir(each)]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)[:_MOST_FILES]
    except OSError:
        return []


def _changed(path: str, root: str, index: bytes) -> bool | None:
    """True when a file that git follows is another than at the last look of git, by the bytes of its index; None for
    one that it does not follow, or where nobody can tell. See gitformat-index, of which versions 2 and 3 are read."""
    name = os.fsencode(path)
    try:
        known = os.stat(os.path.join(root, path))
    except (OSError, ValueError):
        return None
    at = index.find(name + b"\0")
    while at >= 0:
        for start in (at - 62, at - 64):  # the longer one has more flags
            length = int.from_bytes(index[start + 60 : start + 62], "big") & 0xFFF
            if start > 0 and length == min(len(name), 0xFFF):
                second, part, size = (
                    int.from_bytes(index[start + off : start + off + 4], "big") for off in (8, 12, 36)
                )
                same = second == known.st_mtime_ns // 10**9 and part in {0, known.st_mtime_ns % 10**9}
                return not (same and size == known.st_size & 0xFFFFFFFF)
        at = index.find(name + b"\0", at + 1)
    return None


def _file_start(path: str, most: int) -> bytes:
    """The beginning of a regular file; b"" for one that cannot be read, and for a pipe, at which a hook would wait."""
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:
        return b""


def _ignored(path: str, folders: Iterable[str]) -> bool:
    for folder in folders:
        ignored = False
        for line in _file_start(os.path.join(folder, ".gitignore"), 100_000).decode("utf-8", "replace").split("\n"):
            rule = line.strip()
            if rule and rule[0] != "#" and is_path(path, rule.lstrip("!").lstrip("/")):
                ignored = rule[0] != "!"
        if ignored:
            return True
    return False


def pushed_to(remote: str, root: str) -> list[str]:
    """The words of the host and the owner to which a push to `remote` goes, "" for the default; none where the
    configuration does not say it."""
    git = git_folder(root)
    shared = _file_start(os.path.join(git, "commondir"), 4_096).decode("utf-8", "replace").strip()  # of a worktree
    config = _file_start(os.path.join(git, shared, "config"), _LARGEST_CONFIG).decode("utf-8", "replace")
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
