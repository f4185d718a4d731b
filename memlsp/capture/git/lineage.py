"""Branches: which one is checked out, which is the trunk, and whether work has come from one to another.

Ancestry is cached, since it never changes; the tips of branches are looked up every time. Nothing here raises for the
contents of a repository: unreadable objects count as unknown.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from functools import cached_property, wraps
from itertools import islice
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

from attrs import frozen

from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.repository import Repository, entry_id, find_repository, reference_target

TRUNKS = ("main", "master", "trunk", "develop")
"""Names of branches that count as the trunk, besides the default branch of the remote."""

_MOST_FILES = 40  # of a branch that are looked for elsewhere
_MOST_COMMITS = 1_000  # that are looked through for them
_MOST_KEPT = 20_000
_MOST_LINES = 8
_MOST_WALKED = 50_000
_DAY = 86_400  # seconds: clocks differ
_TAIL = 1024 * 1024  # bytes of git's log of HEAD that are read
_OWN = re.compile(r"(?:commit|cherry-pick|revert|am)\b")
_LEFT = re.compile(rb"^([0-9a-f]{40}) [^\t]*\tcheckout: moving from (\S+) to ", re.MULTILINE)

_Key = TypeVar("_Key", bound=Hashable)
_Result = TypeVar("_Result")
_Otherwise = TypeVar("_Otherwise")
_Parameters = ParamSpec("_Parameters")


@frozen
class CheckedOut:
    """What is checked out: `commit` ("" before the first), and `branch` ("" when detached; the branch that is being
    rebased during a rebase)."""

    commit: str
    branch: str


_Question = Callable[Concatenate["Lineage", "pygit2.Repository", _Parameters], _Result]
_Answer = Callable[Concatenate["Lineage", _Parameters], _Result]


def _read(
    *, otherwise: _Otherwise
) -> Callable[[_Question[_Parameters, _Result]], _Answer[_Parameters, _Result | _Otherwise]]:
    """A method that is handed the repository, under the lock; without one, or where git cannot read it, the result is
    `otherwise`."""

    def reading(look: _Question[_Parameters, _Result]) -> _Answer[_Parameters, _Result | _Otherwise]:
        @wraps(look)
        def read(self: Lineage, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result | _Otherwise:
            with self._lock:  # pyright: ignore[reportPrivateUsage] - of the method's own object
                found = self._found  # pyright: ignore[reportPrivateUsage]
                handle = found.handle if found is not None else None
                try:
                    return otherwise if handle is None else look(self, handle, *args, **kwargs)
                except unreadable():
                    return otherwise

        return read

    return reading


class Lineage:
    """The branches of the repository around a folder. Safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.RLock()
        self._within: dict[tuple[str, str], bool | None] = {}
        self._lines: dict[str, _AncestorWalk] = {}
        self._brought: dict[tuple[str, str], bool] = {}
        self._left: tuple[object, dict[str, str]] = (None, {})

    @_read(otherwise=None)
    def present(self, handle: pygit2.Repository) -> CheckedOut | None:
        """What is checked out now; None without a readable repository."""
        target, commit = (reference_target(handle, "HEAD", follow=False), reference_target(handle, "HEAD"))
        if not target:
            return None  # the repository is gone, or nothing of it can be read
        if target.startswith("refs/heads/"):
            return CheckedOut(commit, target.removeprefix("refs/heads/"))
        return CheckedOut(commit, self._rebased())

    @_read(otherwise=())
    def trunks(self, handle: pygit2.Repository) -> tuple[str, ...]:
        """The trunk branches, the remote's default branch first; empty when none is known."""
        target = reference_target(handle, "refs/remotes/origin/HEAD", follow=False)
        named = target.removeprefix("refs/remotes/origin/")
        remotes = _remotes(handle)
        known = [name for name in TRUNKS if _tips(handle, name, remotes)]
        return tuple(dict.fromkeys([*([named] if named else []), *known]))

    @_read(otherwise=())
    def tips(self, handle: pygit2.Repository, branch: str) -> tuple[str, ...]:
        """The commits that a branch points to, here and at the remotes; empty for a branch that is gone."""
        return _tips(handle, branch, _remotes(handle)) if branch else ()

    def last_tip(self, branch: str) -> str:
        """The commit of a branch when it was last left in this checkout; "" when unknown. For branches that are
        gone."""
        with self._lock:
            return self._departures().get(branch, "")

    @_read(otherwise="")
    def named(self, handle: pygit2.Repository, word: str) -> str:
        """The full hash of the commit that a hash, branch or tag names; "" for none."""
        with suppress(TypeError):
            return str(handle.revparse_single(word.strip()).peel(pygit2.Commit).id) if word.strip() else ""
        return ""

    def has_own(self, branch: str) -> bool:
        """False when the reflog of the branch begins with its creation here and has no commit."""
        lines = self._log_of(branch)
        if not lines or not lines[0].startswith("0" * 40) or "refs/remotes/" in lines[0] or "\tclone" in lines[0]:
            return True  # git keeps no log of it, or only the end of one, or others work on it
        return any(_OWN.match(line.partition("\t")[2]) for line in lines)

    def made_on(self, branch: str, commit: str) -> bool:
        """True when the reflog of the branch says that the commit was made on it."""
        return any(line[41:81] == commit and _OWN.match(line.partition("\t")[2]) for line in self._log_of(branch))

    def within(self, commit: str, tip: str) -> bool | None:
        """True when `tip` is the commit or descends from it; None when either is not here."""
        if commit == tip:
            return True
        with self._lock:
            return _cached(self._within, (commit, tip), lambda: self._is_within(commit, tip))

    def brought(self, commit: str, tip: str) -> bool:
        """True when the changes up to `commit` came into the history of `tip` without a merge: squashed, rebased or
        cherry-picked.

        That is so when, at some commit since the merge base, at least half of the changed files were as `commit` left
        them. Files that both lines changed count as different."""
        with self._lock:
            return _cached(self._brought, (commit, tip), lambda: self._is_brought(commit, tip))

    @_read(otherwise=False)
    def is_shallow(self, handle: pygit2.Repository) -> bool:
        """True when the clone does not have all commits."""
        return handle.is_shallow

    @_read(otherwise="")
    def before(self, handle: pygit2.Repository, commit: str, seconds: int) -> str:
        """The latest first-parent ancestor made no later than a moment (seconds since 1970); "" for none."""
        return next((str(each.id) for each in _first_parents(handle, commit) if each.commit_time <= seconds), "")

    @_read(otherwise=None)
    def until(self, handle: pygit2.Repository, commit: str) -> int | None:
        """The time of the first child of a commit, in seconds since 1970; None when no branch has one."""
        origin = pygit2.Oid(hex=commit)
        walker = handle.walk(None)
        for name in handle.references:
            if name.startswith(("refs/heads/", "refs/remotes/")) and (tip := reference_target(handle, name)):
                walker.push(pygit2.Oid(hex=tip))
        if head := reference_target(handle, "HEAD"):
            walker.push(pygit2.Oid(hex=head))
        walker.hide(origin)
        return min((each.commit_time for each in walker if origin in each.parent_ids), default=None)

    @_read(otherwise=False)
    def is_kept(self, handle: pygit2.Repository, commit: str) -> bool:
        """True when a branch, tag or remote leads to the commit, so it was neither rewritten nor discarded."""
        tips = {tip for name in handle.references if (tip := reference_target(handle, name))}
        return any(self.within(commit, tip) for tip in tips)

    @cached_property
    def _found(self) -> Repository | None:
        return find_repository(self._root)

    def _rebased(self) -> str:
        if self._found is None:
            return ""
        for folder in ("rebase-merge", "rebase-apply"):
            try:
                named = (self._found.git_folder / folder / "head-name").read_text("utf-8").strip()
            except (OSError, UnicodeDecodeError):
                continue
            return named.removeprefix("refs/heads/") if named.startswith("refs/heads/") else ""
        return ""

    def _log_of(self, branch: str) -> list[str]:
        if self._found is None or ".." in branch.split("/"):
            return []
        try:
            data = (self._found.common / "logs" / "refs" / "heads" / branch).read_bytes()[-_TAIL:]
        except (OSError, ValueError):
            return []
        return data.decode("utf-8", "replace").splitlines()

    def _departures(self) -> dict[str, str]:
        """From the reflog of HEAD: the commit of each branch when it was last left."""
        if self._found is None:
            return {}
        path = self._found.git_folder / "logs" / "HEAD"
        try:
            status = path.stat()
            state = status.st_mtime_ns, status.st_size
            if state != self._left[0]:
                with path.open("rb") as file:
                    file.seek(max(0, status.st_size - _TAIL))
                    data = file.read(_TAIL)
                left = {found[2].decode("utf-8", "replace"): found[1].decode() for found in _LEFT.finditer(data)}
                self._left = state, left
        except OSError:
            return {}
        return self._left[1]

    @_read(otherwise=None)
    def _is_within(self, handle: pygit2.Repository, commit: str, tip: str) -> bool | None:
        one = handle[pygit2.Oid(hex=commit)].peel(pygit2.Commit)
        line = self._lines.get(tip)
        if line is None:
            if len(self._lines) >= _MOST_LINES:
                self._lines.clear()
            line = self._lines[tip] = _AncestorWalk(handle.walk(pygit2.Oid(hex=tip), pygit2.enums.SortMode.TIME))
        return line.leads_from(one) or handle.descendant_of(pygit2.Oid(hex=tip), one.id)

    @_read(otherwise=False)
    def _is_brought(self, handle: pygit2.Repository, commit: str, tip: str) -> bool:
        # None where there is none, whatever the stub says
        parted = cast("pygit2.Oid | None", handle.merge_base(pygit2.Oid(hex=commit), pygit2.Oid(hex=tip)))
        if parted is None:
            return False
        before = handle[parted].peel(pygit2.Commit).tree
        after = handle[pygit2.Oid(hex=commit)].peel(pygit2.Commit).tree
        wanted: dict[str, pygit2.Oid | None] = {}
        for delta in before.diff_to_tree(after, context_lines=0).deltas:
            if len(wanted) >= _MOST_FILES:
                break
            for path in (delta.old_file.path, delta.new_file.path):
                wanted[path] = entry_id(after, path)
        if not wanted:
            return False
        seen: set[pygit2.Oid] = set()
        for each in islice(_first_parents(handle, tip), _MOST_COMMITS):
            if each.id == parted:
                return False
            if each.tree_id not in seen:
                seen.add(each.tree_id)
                if 2 * sum(entry_id(each.tree, path) == blob for path, blob in wanted.items()) >= len(wanted):
                    return True
        return False


class _AncestorWalk:
    """The ancestors of a commit, walked from the newest as far back as was asked."""

    def __init__(self, walker: Iterator[pygit2.Commit]) -> None:
        self._walker = walker
        self._seen: set[pygit2.Oid] = set()
        self._time: int | None = None

    def leads_from(self, commit: pygit2.Commit) -> bool:
        """True when the commit is an ancestor; False when it was not met by its commit time."""
        while commit.id not in self._seen and (self._time is None or self._time >= commit.commit_time - _DAY):
            each = next(self._walker, None)
            if each is None or len(self._seen) >= _MOST_WALKED:
                break
            self._seen.add(each.id)
            self._time = each.commit_time
        return commit.id in self._seen


def _first_parents(handle: pygit2.Repository, commit: str) -> Iterator[pygit2.Commit]:
    each = handle[pygit2.Oid(hex=commit)].peel(pygit2.Commit)
    while True:
        yield each
        if not each.parent_ids:
            return
        each = handle[each.parent_ids[0]].peel(pygit2.Commit)


def _remotes(handle: pygit2.Repository) -> tuple[str, ...]:
    """The names of the remotes. Reads git's configuration, so call it once."""
    try:
        return tuple(name for name in handle.remotes.names() if name)
    except unreadable():
        return ("origin",)


def _tips(handle: pygit2.Repository, branch: str, remotes: tuple[str, ...]) -> tuple[str, ...]:
    names = (f"refs/heads/{branch}", *(f"refs/remotes/{remote}/{branch}" for remote in remotes))
    return tuple(dict.fromkeys(tip for name in names if (tip := reference_target(handle, name))))


def _cached(cache: dict[_Key, _Result], key: _Key, make: Callable[[], _Result]) -> _Result:
    if key not in cache:
        if len(cache) >= _MOST_KEPT:
            cache.clear()
        cache[key] = make()
    return cache[key]
