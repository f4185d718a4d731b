"""What git tells of branches: which is checked out, which is the trunk, and whether work has come from one to another.

Ancestry is a fact about commits and is kept once it was found; where branches point is looked up every time. Nothing
here raises for what a repository holds: what cannot be read is not known.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pygit2
from attrs import frozen
from pygit2.enums import SortMode

from memlsp.capture.git.repository import Repository, find_repository

TRUNKS = ("main", "master", "trunk", "develop")
"""Branches that are taken for the trunk by their name, besides the one that the remote names."""

_MOST_FILES = 40  # of a branch that are looked for elsewhere
_MOST_COMMITS = 1_000  # that are looked through for them
_MOST_KEPT = 20_000
_MOST_LINES = 8
_MOST_WALKED = 50_000
_DAY = 86_400  # seconds: clocks differ
_TAIL = 1024 * 1024  # bytes of git's log of HEAD that are read
_OWN = re.compile(r"(?:commit|cherry-pick|revert|am)\b")
_LEFT = re.compile(rb"^([0-9a-f]{40}) [^\t]*\tcheckout: moving from (\S+) to ", re.MULTILINE)


@frozen
class CheckedOut:
    """What is checked out: `commit` ("" before the first one), and `branch`, "" when it is detached. During a rebase
    that is the branch that is being rebased."""

    commit: str
    branch: str


class Lineage:
    """The branches of the repository around a folder. Safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.RLock()
        self._found: Repository | None = None
        self._looked = False
        self._within: dict[tuple[str, str], bool | None] = {}
        self._lines: dict[str, _AncestorWalk] = {}
        self._brought: dict[tuple[str, str], bool] = {}
        self._left: tuple[object, dict[str, str]] = (None, {})

    def present(self) -> CheckedOut | None:
        """What is checked out now; None without a repository that can be read."""
        with self._lock:
            handle = self._handle()
            if handle is None:
                return None
            try:
                head = handle.lookup_reference("HEAD")
                target = head.target
                commit = str(head.resolve().target)
            except (pygit2.GitError, KeyError, ValueError, OSError):
                target, commit = self._unborn(handle), ""
                if not target:
                    return None  # the repository is gone, or nothing of it can be read
            if isinstance(target, str) and target.startswith("refs/heads/"):
                return CheckedOut(commit, target.removeprefix("refs/heads/"))
            return CheckedOut(commit, self._rebased())

    def trunks(self) -> tuple[str, ...]:
        """The branches that all others come from and go to, the first first; empty where none can be told."""
        with self._lock:
            handle = self._handle()
            if handle is None:
                return ()
            named = _target(handle, "refs/remotes/origin/HEAD", follow=False).removeprefix("refs/remotes/origin/")
            remotes = _remotes(handle)
            known = [name for name in TRUNKS if _tips(handle, name, remotes)]
            return tuple(dict.fromkeys([*([named] if named else []), *known]))

    def tips(self, branch: str) -> tuple[str, ...]:
        """Where a branch points, here and at the remotes; empty for one that is gone."""
        with self._lock:
            handle = self._handle()
            if handle is None or not branch:
                return ()
            return _tips(handle, branch, _remotes(handle))

    def last_tip(self, branch: str) -> str:
        """Where a branch that is gone pointed when it was last left in this checkout; "" where that is not known."""
        with self._lock:
            return self._departures().get(branch, "")

    def named(self, word: str) -> str:
        """The full hash of the commit that a hash, branch or tag names; "" for none."""
        with self._lock:
            handle = self._handle()
            if handle is None or not word.strip():
                return ""
            try:
                return str(handle.revparse_single(word.strip()).peel(pygit2.Commit).id)
            except (pygit2.GitError, KeyError, ValueError, TypeError, OSError):
                return ""

    def has_own(self, branch: str) -> bool:
        """False when git's log of the branch begins with its making here and tells of no commit on it."""
        lines = self._log_of(branch)
        if not lines or not lines[0].startswith("0" * 40) or "refs/remotes/" in lines[0] or "\tclone" in lines[0]:
            return True  # git keeps no log of it, or only the end of one, or others work on it
        return any(_OWN.match(line.partition("\t")[2]) for line in lines)

    def made_on(self, branch: str, commit: str) -> bool:
        """True when git's log of the branch says that the commit was made on it."""
        return any(line[41:81] == commit and _OWN.match(line.partition("\t")[2]) for line in self._log_of(branch))

    def within(self, commit: str, tip: str) -> bool | None:
        """True when `tip` is the commit or descends from it; None when either is not here."""
        if commit == tip:
            return True
        with self._lock:
            key = commit, tip
            if key not in self._within:
                if len(self._within) >= _MOST_KEPT:
                    self._within.clear()
                self._within[key] = self._is_within(commit, tip)
            return self._within[key]

    def brought(self, commit: str, tip: str) -> bool:
        """True when what a line of work changed up to `commit` stands in the history of `tip` without being merged: it
        was squashed, rebased or picked.

        That is so when at some commit since they parted half of the files that the line changed, or more, were as it
        left them. Of a file that both changed this tells nothing.
        """
        with self._lock:
            key = commit, tip
            if key not in self._brought:
                if len(self._brought) >= _MOST_KEPT:
                    self._brought.clear()
                try:
                    self._brought[key] = self._is_brought(commit, tip)
                except (pygit2.GitError, KeyError, ValueError, OSError):
                    self._brought[key] = False
            return self._brought[key]

    def is_shallow(self) -> bool:
        """True when the clone does not have all commits."""
        with self._lock:
            handle = self._handle()
            return handle is not None and handle.is_shallow

    def before(self, commit: str, seconds: int) -> str:
        """The latest commit by first parents that was made no later than a moment (seconds since 1970); "" for none."""
        with self._lock:
            for each in self._first_parents(commit):
                if each.commit_time <= seconds:
                    return str(each.id)
            return ""

    def until(self, commit: str) -> int | None:
        """When the work went on from a commit: the time of the first that has it for a parent, in seconds since 1970.

        None when there is no such commit on any branch.
        """
        with self._lock:
            handle = self._handle()
            if handle is None:
                return None
            try:
                origin = pygit2.Oid(hex=commit)
                walker = handle.walk(None)
                for name in handle.references:
                    if name.startswith(("refs/heads/", "refs/remotes/")) and (tip := _target(handle, name)):
                        walker.push(pygit2.Oid(hex=tip))
                if head := _target(handle, "HEAD"):
                    walker.push(pygit2.Oid(hex=head))
                walker.hide(origin)
                times = [each.commit_time for each in walker if origin in each.parent_ids]
            except (pygit2.GitError, KeyError, ValueError, OSError):
                return None
            return min(times, default=None)

    def is_kept(self, commit: str) -> bool:
        """True when a branch, tag or remote leads to the commit: it was not rewritten or thrown away."""
        with self._lock:
            handle = self._handle()
            if handle is None:
                return False
            try:
                tips = {tip for name in handle.references if (tip := _target(handle, name))}
            except (pygit2.GitError, KeyError, ValueError, OSError):
                return False
            return any(self.within(commit, tip) for tip in tips)

    # -- inside ---------------------------------------------------------------------------------------------------

    def _handle(self) -> pygit2.Repository | None:
        if not self._looked:
            self._found, self._looked = find_repository(self._root), True
        return self._found.handle if self._found is not None else None

    def _unborn(self, handle: pygit2.Repository) -> str:
        try:
            return str(handle.lookup_reference("HEAD").target)
        except (pygit2.GitError, KeyError, ValueError, OSError):
            return ""

    def _rebased(self) -> str:
        """The branch that a rebase under way is about."""
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
        """From git's log of HEAD: where each branch pointed when it was last left."""
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

    def _is_within(self, commit: str, tip: str) -> bool | None:
        handle = self._handle()
        if handle is None:
            return None
        try:
            one = handle[pygit2.Oid(hex=commit)].peel(pygit2.Commit)
            line = self._lines.get(tip)
            if line is None:
                if len(self._lines) >= _MOST_LINES:
                    self._lines.clear()
                line = self._lines[tip] = _AncestorWalk(handle.walk(pygit2.Oid(hex=tip), SortMode.TIME))
            return line.leads_from(one) or handle.descendant_of(pygit2.Oid(hex=tip), one.id)
        except (pygit2.GitError, KeyError, ValueError, OSError):
            return None

    def _is_brought(self, commit: str, tip: str) -> bool:
        handle = self._handle()
        if handle is None:
            return False
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
                wanted[path] = _blob(after, path)
        if not wanted:
            return False
        seen: dict[tuple[pygit2.Oid, ...], bool] = {}
        for number, each in enumerate(self._first_parents(tip)):
            if each.id == parted or number >= _MOST_COMMITS:
                return False
            tree = each.tree
            key = (tree.id,)
            if key not in seen:
                same = sum(_blob(tree, path) == blob for path, blob in wanted.items())
                seen[key] = 2 * same >= len(wanted)
            if seen[key]:
                return True
        return False

    def _first_parents(self, commit: str) -> Iterator[pygit2.Commit]:
        handle = self._handle()
        if handle is None:
            return
        try:
            each = handle[pygit2.Oid(hex=commit)].peel(pygit2.Commit)
            while True:
                yield each
                if not each.parent_ids:
                    return
                each = handle[each.parent_ids[0]].peel(pygit2.Commit)
        except (pygit2.GitError, KeyError, ValueError, OSError):
            return


class _AncestorWalk:
    """The commits that lead to one, walked from the newest as far back as was asked."""

    def __init__(self, walker: Iterator[pygit2.Commit]) -> None:
        self._walker = walker
        self._seen: set[pygit2.Oid] = set()
        self._time: int | None = None

    def leads_from(self, commit: pygit2.Commit) -> bool:
        """True when the commit is among them; False when it was not met where its time says that it should be."""
        while commit.id not in self._seen and (self._time is None or self._time >= commit.commit_time - _DAY):
            each = next(self._walker, None)
            if each is None or len(self._seen) >= _MOST_WALKED:
                break
            self._seen.add(each.id)
            self._time = each.commit_time
        return commit.id in self._seen


def _remotes(handle: pygit2.Repository) -> tuple[str, ...]:
    """The names of the remotes: git's settings are read for that, so it is asked for once."""
    try:
        return tuple(name for name in handle.remotes.names() if name)
    except (pygit2.GitError, KeyError, ValueError, OSError):
        return ("origin",)


def _tips(handle: pygit2.Repository, branch: str, remotes: tuple[str, ...]) -> tuple[str, ...]:
    names = (f"refs/heads/{branch}", *(f"refs/remotes/{remote}/{branch}" for remote in remotes))
    return tuple(dict.fromkeys(tip for name in names if (tip := _target(handle, name))))


def _target(handle: pygit2.Repository, name: str, *, follow: bool = True) -> str:
    try:
        reference = handle.lookup_reference(name)
        return str((reference.resolve() if follow else reference).target)
    except (pygit2.GitError, KeyError, ValueError, OSError):
        return ""


def _blob(tree: pygit2.Tree, path: str) -> pygit2.Oid | None:
    try:
        return tree[path].id
    except KeyError:
        return None
