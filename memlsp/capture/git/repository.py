"""The git repository around a folder, opened in one way everywhere: its state, its configuration, its user.

libgit2 does not look at `GIT_DIR` and its relatives unless it is asked to, so a git hook that sets them cannot
mislead us.
"""

from __future__ import annotations

import getpass
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from attrs import frozen

from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.model.belief import Author
from memlsp.model.errors import Refused

_BINARY_HEAD = 8 * 1024  # bytes in which a zero shows that a file is no text, as for git
_LARGEST_POINTER = 64 * 1024  # bytes of a file that names a folder
_LARGEST_CONFIGURATION = 1 << 20  # bytes
_MOST_CONFIGURATIONS = 400
_OPENED = ("packed-refs", "shallow", "objects/info/alternates", "info/exclude", "info/attributes")
_RULES = frozenset({"excludesfile", "attributesfile"})  # settings that name a file of rules
_MOST_OBJECTS = 100_000  # that are looked at
_LONGEST_NAME = 100  # characters of the user's name


@frozen
class Repository:
    """The folders of a repository. `top` is the top of this checkout (the git folder when bare); `common` is shared by
    all worktrees; `handle` is None when libgit2 cannot open what it found (an extension that it does not know)."""

    top: Path
    git_folder: Path
    common: Path
    bare: bool
    handle: pygit2.Repository | None

    def names(self, folder: Path) -> bool:
        """True when this repository knows the checkout in which `folder` (resolved) lies: the git folder is the
        checkout's own, or it names the checkout as linked worktrees and submodules do.

        Anybody can write a `.git` file, a link or a `commondir` that leads to the repository of somebody else."""
        if not folder.is_relative_to(self.top):
            return False
        if self.git_folder in {self.top, self.top / ".git"}:
            return self.common == self.git_folder
        if self.git_folder.parent == self.common / "worktrees":
            named = _small_text(self.git_folder / "gitdir")
            return bool(named) and resolved(self.git_folder / named) == self.top / ".git"
        named = config_value(self, "core.worktree") or ""
        return bool(named) and self.common == self.git_folder and resolved(self.git_folder / named) == self.top

    def prefix(self, root: Path) -> str:
        """The path of `root` inside the repository, "" or "some/folder/"."""
        inside = not self.bare and root.is_relative_to(self.top)
        return f"{root.relative_to(self.top).as_posix()}/" if inside and root != self.top else ""


def find_repository(folder: Path) -> Repository | None:
    """The repository that holds `folder` (an existing, resolved folder), or None. Never raises for a damaged one."""
    # not `discover_repository`: where it finds nothing it returns None without owning it (pygit2 1.21), and a process
    # that asks often enough dies of that
    found = _unopened(folder)
    if found is not None and _would_block(found):
        return found
    try:
        handle = pygit2.Repository(str(folder), pygit2.enums.RepositoryOpenFlag.DEFAULT)
    except unreadable():
        return found
    git_folder = resolved(handle.path)
    common = _common_folder(git_folder)
    workdir: str | None = handle.workdir
    top = resolved(workdir) if workdir else git_folder
    if top == git_folder.parent and git_folder.name != ".git" and not os.path.exists(top / ".git"):  # noqa: PTH110
        top = git_folder  # bare, but its configuration does not say so
    return Repository(top, git_folder, common, bare=top == git_folder, handle=handle)


def _unopened(folder: Path) -> Repository | None:
    """The repository around a folder, found without libgit2; None without one."""
    for here in (folder, *folder.parents):
        marker = here / ".git"
        for git_folder in (_link_target(marker) if os.path.isfile(marker) else marker, here):  # noqa: PTH113
            if git_folder is not None and _is_git_folder(git_folder):
                found = resolved(str(git_folder))
                top = here if git_folder != here else found
                return Repository(top, found, _common_folder(found), bare=top == found, handle=None)
    return None


def _would_block(repository: Repository) -> bool:
    """True when a file that libgit2 opens at once is a pipe or a device, at which it would wait."""
    own, common = repository.git_folder, repository.common
    head = _small_text(own / "HEAD").removeprefix("ref:").strip()
    named = [own / name for name in ("HEAD", "commondir", "gitdir", "index", "config.worktree")]
    named += [common / name for name in (*_OPENED, head or "HEAD")]
    return any(_is_pipe(path) for path in (*named, *_files_named(str(common / "config")))) or _has_pipes(common)


def _has_pipes(common: Path) -> bool:
    """True when an object or a pack of a repository is a pipe or a device."""
    changed: list[tuple[str, int]] = []
    with suppress(OSError), os.scandir(common / "objects") as folders:
        changed += ((each.path, each.stat().st_mtime_ns) for each in folders if each.is_dir())
    return _pipe_among(tuple(sorted(changed)))


@lru_cache(maxsize=16)
def _pipe_among(folders: tuple[tuple[str, int], ...]) -> bool:
    """True when one of the first files of folders, each with when it changed, is a pipe or a device; none is opened."""
    looked = 0
    for folder, _ in folders:
        with suppress(OSError), os.scandir(folder) as entries:
            for each in entries:
                looked += 1
                regular = each.is_file(follow_symlinks=False) or each.is_dir(follow_symlinks=False)
                if not regular and _is_pipe(each.path):
                    return True
        if looked > _MOST_OBJECTS:
            break
    return False


def check_walkable(handle: pygit2.Repository) -> None:
    """Raise Refused where a file of rules in the work tree is a pipe or a device: libgit2 would wait at it for ever.
    Folders that git ignores are left out, as it does."""
    top = str(handle.workdir)
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        if has_blocking_rules(top + folder):
            raise Refused(f"git would wait at a pipe or a device among the rules of {folder or top}", "remove it")
        with suppress(OSError), os.scandir(top + folder) as entries:
            inner = [f"{folder}{each.name}/" for each in entries if each.is_dir(follow_symlinks=False)]
            waiting += [each for each in inner if each != ".git/" and not handle.path_is_ignored(each)]


def has_blocking_rules(folder: str) -> bool:
    """True where `.gitignore` or `.gitattributes` of a folder is a pipe or a device."""
    return any(_is_pipe(os.path.join(folder, name)) for name in (".gitignore", ".gitattributes"))  # noqa: PTH118


def configuration_files(path: str) -> list[str]:
    """The configuration file at `path` and those that it includes, on any condition, also missing ones; at most 400."""
    return [each for each, is_configuration in _files_named(path).items() if is_configuration]


def _files_named(path: str) -> dict[str, bool]:
    """The configuration file at `path`, with True, those that it includes, and with False the files of rules that they
    name."""
    found: dict[str, bool] = {}
    waiting = [path]
    while waiting and len(found) < _MOST_CONFIGURATIONS:
        path = waiting.pop()
        if found.get(path):
            continue
        found[path] = True
        text = _small_text(Path(path), _LARGEST_CONFIGURATION)
        pairs = [(name.strip().lower().split(" ")[-1], value) for name, _, value in _settings(text)]
        if "[include" in text.lower():
            waiting += [_absolute(value, path) for name, value in pairs if name == "path"][:20]
        for rules in [_absolute(value, path) for name, value in pairs if name in _RULES][:20]:
            found.setdefault(rules, False)
    return found


def _settings(text: str) -> Iterator[tuple[str, str, str]]:
    """The lines of a configuration file that give a value; one may stand behind the head of its section."""
    return (line.rpartition("]")[2].partition("=") for line in text.splitlines() if "=" in line)


def _absolute(value: str, configuration: str) -> str:
    """A path of a configuration file; `expanduser` of a Path would raise for an unknown user."""
    named = os.path.expanduser(value.strip().strip('"'))  # noqa: PTH111
    return os.path.normpath(Path(configuration).parent / named)


def _is_pipe(path: str | Path) -> bool:
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) and str(path) != os.devnull


def _is_git_folder(path: Path) -> bool:
    common = _common_folder(path)
    return all((folder / part).exists() for folder, part in ((path, "HEAD"), (common, "objects"), (common, "refs")))


def _link_target(marker: Path) -> Path | None:
    """The folder that a `.git` file of a linked worktree or submodule names."""
    kind, _, written = _small_text(marker).partition(": ")
    return marker.parent / written if kind == "gitdir" and written else None


def damage_of(folder: Path) -> str | None:
    """The reason why the history of the repository around `folder` cannot be read, as one clause; None when it can,
    also without a repository and before its first commit."""
    marked = next((here for here in (folder, *folder.parents) if os.path.lexists(here / ".git")), None)
    repository = find_repository(folder)
    if repository is None or (marked is not None and not repository.top.is_relative_to(marked)):
        return f"{marked / '.git'} leads to no repository" if marked is not None else None
    handle = repository.handle
    if handle is None and _would_block(repository):
        return f"a file of {repository.git_folder}, or one that its configuration includes, is a pipe or a device"
    if handle is None:
        return f"{repository.git_folder} cannot be opened as a repository"
    try:
        if not handle.head_is_unborn:
            handle.revparse_single("HEAD").peel(pygit2.Tree)
    except unreadable() as error:
        return f"the commit that is checked out cannot be read: {error}"
    return None


def stranger_of(folder: Path) -> Path | None:
    """The git folder to which `folder` leads and which does not know it; None without one."""
    repository = find_repository(folder)
    return repository.git_folder if repository is not None and not repository.names(folder) else None


def config_value(repository: Repository, name: str) -> str | None:
    """The value that git would use for `name` (`section.key`), or None."""
    for config in _configs(repository):
        try:
            return config[name]
        except (KeyError, pygit2.GitError, ValueError, OSError):
            continue
    return None


def config_values(repository: Repository) -> Iterator[tuple[str, str]]:
    """Names and values in file order: the repository's own file first, then those of the user and the machine."""
    for config in _configs(repository):
        try:
            entries = [(entry.name, entry.value, entry.level) for entry in config]
        except (pygit2.GitError, ValueError, OSError):
            continue
        local = {pygit2.enums.ConfigLevel.LOCAL, pygit2.enums.ConfigLevel.WORKTREE}
        for own in (True, False):
            yield from ((name, value or "") for name, value, level in entries if (level in local) is own)
        return


def reference_target(handle: pygit2.Repository, name: str, *, follow: bool = True) -> str:
    """The commit or, unless followed, the reference that a reference points to; "" when it cannot be read."""
    try:
        reference = handle.lookup_reference(name)
        return str((reference.resolve() if follow else reference).target)
    except unreadable():
        return ""


def is_binary(data: bytes | None) -> bool:
    """True for bytes that git would take for binary."""
    return data is not None and b"\0" in data[:_BINARY_HEAD]


def blob_text(found: object, largest: int) -> bytes | None:
    """The bytes of a git object; None unless it is a text file of at most `largest` bytes."""
    if not isinstance(found, pygit2.Blob) or found.size > largest:
        return None
    data = found.data
    return None if is_binary(data) else data


def moment_of(seconds: int) -> datetime:
    """A time that a commit has, in UTC; the beginning of 1970 for one that no clock shows."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC)


def entry_id(tree: pygit2.Tree, path: str) -> pygit2.Oid | None:
    """The id of the file or folder at `path` in a tree; None without one, and where a part of it cannot be read."""
    try:
        return tree[path].id
    except unreadable():
        return None


def tree_entries(tree: pygit2.Tree) -> Iterator[tuple[str, pygit2.Object]]:
    """All that lies in a tree but its folders, each with its path, in no order."""
    waiting = [("", tree)]
    while waiting:
        folder, here = waiting.pop()
        for entry in here:
            if isinstance(entry, pygit2.Tree):
                waiting.append((f"{folder}{entry.name}/", entry))
            else:
                yield f"{folder}{entry.name}", entry


def resolved(path: str | os.PathLike[str]) -> Path:
    """The absolute path with symbolic links followed as far as they lead."""
    return Path(os.path.realpath(path))


def _configs(repository: Repository) -> Iterator[pygit2.Config]:
    if repository.handle is not None:
        yield repository.handle.config
    elif _would_block(repository):
        return
    try:
        yield pygit2.Config(str(repository.common / "config"))
    except (pygit2.GitError, ValueError, OSError):
        return


def _common_folder(git_folder: Path) -> Path:
    written = _small_text(git_folder / "commondir")
    return resolved(git_folder / written) if written else git_folder


def _small_text(path: Path, largest: int = _LARGEST_POINTER) -> str:
    """The stripped text of a regular file of at most so many bytes; "" for anything else, such as a pipe, which would
    block."""
    try:
        if not path.is_file() or path.stat().st_size > largest:
            return ""
        return path.read_text("utf-8", "surrogateescape").strip()  # most hold paths
    except (OSError, ValueError):
        return ""


def git_state(root: Path) -> tuple[str, ...]:
    """The head, the commit and the stash of the repository at `root`; () without one, or when it cannot be read. Equal
    before and after an edit; different after a commit, a branch switch, a rebase or a stash."""
    repository = find_repository(root)
    if repository is None or repository.handle is None:
        return ()
    handle = repository.handle
    head, stash = (reference_target(handle, name, follow=False) for name in ("HEAD", "refs/stash"))
    return head, reference_target(handle, "HEAD"), stash


def is_writing(git_folder: Path) -> bool:
    """True while git holds the lock on the index: files come and go until it lets go."""
    return (git_folder / "index.lock").exists()


def is_rebasing(git_folder: Path) -> bool:
    """True from the first to the last commit of a rebase, also while it waits for a person."""
    return (git_folder / "rebase-merge").exists() or (git_folder / "rebase-apply").exists()


def git_author(root: Path) -> Author:
    """The person by git's `user.name` (of the repository at `root`, else of the user), else by login name, else
    "someone". Never raises."""
    return Author(git_name(root) or _tidy(_login_name()) or "someone")


def git_name(root: Path) -> str:
    """The `user.name` of git, "" without one. Never raises."""
    try:
        repository = find_repository(resolved(root))
        if repository is not None:
            return _tidy(config_value(repository, "user.name") or "")
        return _tidy(pygit2.Config.get_global_config()["user.name"] or "")
    except unreadable():
        return ""


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user: a container with a bare number
        return ""


def _tidy(name: str) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(printable.split())[:_LONGEST_NAME]
