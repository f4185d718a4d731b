"""The past of each line of a document: the versions that it had, and the commits that brought them.

Follows the first parents, for what came by a merge was true of the trunk from there on. A line is the same line after a
change when the two are alike; one that moved within its file, or with it, keeps its past.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from itertools import islice

from attrs import frozen
from pygit2.enums import DiffFind, SortMode

from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.repository import blob_text, entry_id
from memlsp.capture.workspace.source_files import LARGEST_SOURCE

_ALIKE = 0.6  # ratio of two lines that are one before and after
_MOST_PAIRED = 40  # removed lines of a hunk that are looked at for each added one
_MOST_COMMITS = 50_000
_MOST_VERSIONS = 400  # of a document
_LONGEST = 300  # characters of a line that are compared


@frozen
class LineVersion:
    """A line as a commit brought it."""

    commit: str
    text: str


def line_births(
    handle: pygit2.Repository, head: str, paths: Iterable[str]
) -> Mapping[str, tuple[tuple[LineVersion, ...], ...]]:
    """For each document the versions of each of its lines, the newest first. At the end of a shallow clone a line
    counts as brought by the last commit that is there."""
    return {
        path: tuple(tuple(each) for each in _lines_of(handle, versions))
        for path, versions in _versions_of(handle, head, paths).items()
    }


def removed_paths(handle: pygit2.Repository, head: str) -> Mapping[str, str]:
    """The files and folders that were removed on the way to `head`, each with the last commit that had it."""
    found: dict[str, str] = {}
    for commit, parent in _first_parents(handle, head):
        if parent is None:
            break
        if parent.tree_id != commit.tree_id:
            for path in _gone(parent.tree, commit.tree, ""):
                found.setdefault(path, str(parent.id))
    return found


def _first_parents(handle: pygit2.Repository, head: str) -> Iterator[tuple[pygit2.Commit, pygit2.Commit | None]]:
    """The commits from `head` on along the first parents, each with its own; None at the end, and where it is not
    here."""
    walker = handle.walk(pygit2.Oid(hex=head), SortMode.NONE)
    walker.simplify_first_parent()
    for commit in islice(walker, _MOST_COMMITS):
        try:
            parent = commit.parents[0] if commit.parents else None
        except unreadable():
            parent = None
        yield commit, parent


def _gone(before: pygit2.Tree, after: pygit2.Tree | None, folder: str) -> Iterator[str]:
    """What a tree has that another has not: by hand, for a diff of git's takes ten times as long."""
    there = {entry.name: entry for entry in after} if after is not None else {}
    for entry in before:
        other = there.get(entry.name)
        if other is None or other.id != entry.id:
            if isinstance(entry, pygit2.Tree):
                yield from _gone(entry, other if isinstance(other, pygit2.Tree) else None, f"{folder}{entry.name}/")
            if other is None:
                yield f"{folder}{entry.name}"


def _versions_of(handle: pygit2.Repository, head: str, paths: Iterable[str]) -> dict[str, list[tuple[str, pygit2.Oid]]]:
    """The contents that each document had, the newest first, through renames."""
    live = {path: path for path in paths}  # the document, and its path at the commit that is looked at
    found: dict[str, list[tuple[str, pygit2.Oid]]] = {path: [] for path in live}
    for commit, parent in _first_parents(handle, head):
        if not live:
            break
        if parent is not None and parent.tree_id == commit.tree_id:
            continue
        before = parent.tree if parent is not None else None
        for path, here in list(live.items()):
            now = entry_id(commit.tree, here)
            was = entry_id(before, here) if before is not None else None
            if now is None:
                del live[path]
            elif now != was:
                found[path].append((str(commit.id), now))
                if was is None:
                    former = _renamed_from(before, commit.tree, here) if before is not None else ""
                    live.pop(path)
                    if former:
                        live[path] = former
                elif len(found[path]) >= _MOST_VERSIONS:
                    del live[path]
    return found


def _renamed_from(before: pygit2.Tree, after: pygit2.Tree, path: str) -> str:
    """The path that a file had before the commit that added it; "" for a new one."""
    diff = before.diff_to_tree(after, context_lines=0)
    if len(list(diff.deltas)) > 2_000:
        return ""
    try:
        diff.find_similar(flags=DiffFind.FIND_RENAMES | DiffFind.FIND_COPIES, rename_limit=400)
    except unreadable():  # it looks into every file, and a clone may lack some
        return ""
    return next((d.old_file.path for d in diff.deltas if d.new_file.path == path and d.old_file.path != path), "")


def _lines_of(handle: pygit2.Repository, versions: list[tuple[str, pygit2.Oid]]) -> list[list[LineVersion]]:
    if not versions:
        return []
    data = (blob_text(handle.get(blob), LARGEST_SOURCE) or b"" for _, blob in versions)
    texts = [each.decode("utf-8", "replace").split("\n") for each in data]
    past: list[list[LineVersion]] = [[LineVersion(versions[0][0], line)] for line in texts[0]]
    here: dict[int, int] = {number: number for number in range(len(past))}  # in the version looked at: the line today
    for index in range(1, len(versions)):
        older = _traced(texts[index - 1], texts[index], handle, versions[index - 1][1], versions[index][1])
        moved: dict[int, int] = {}
        for number, today in here.items():
            before = older.get(number)
            if before is None or before in moved:
                continue
            moved[before] = today
            line = texts[index][before]
            if past[today][-1].text == line:
                past[today][-1] = LineVersion(versions[index][0], line)
            else:
                past[today].append(LineVersion(versions[index][0], line))
        here = moved
        if not here:
            break
    return past


def _traced(
    newer: list[str], older: list[str], handle: pygit2.Repository, new: pygit2.Oid, old: pygit2.Oid
) -> dict[int, int]:
    """The older line of each newer one that has one; lines are from 0."""
    before, after = handle[old], handle[new]
    assert isinstance(before, pygit2.Blob)
    assert isinstance(after, pygit2.Blob)
    patch = before.diff(after)
    traced: dict[int, int] = {}
    added: list[int] = []
    removed: list[int] = []
    new_at, old_at = 0, 0
    for hunk in patch.hunks:
        start = hunk.new_start - 1 if hunk.new_lines else hunk.new_start
        while new_at < start:
            traced[new_at] = old_at
            new_at, old_at = new_at + 1, old_at + 1
        lines = hunk.lines
        traced |= {line.new_lineno - 1: line.old_lineno - 1 for line in lines if line.origin == " "}
        come = [line.new_lineno - 1 for line in lines if line.origin == "+"]
        gone = [line.old_lineno - 1 for line in lines if line.origin == "-"]
        new_at = hunk.new_start - 1 + hunk.new_lines if hunk.new_lines else hunk.new_start
        old_at = hunk.old_start - 1 + hunk.old_lines if hunk.old_lines else hunk.old_start
        _pair(newer, older, come, gone, traced)
        added += [each for each in come if each not in traced]
        removed += gone
    while new_at < len(newer) and old_at < len(older):
        traced[new_at] = old_at
        new_at, old_at = new_at + 1, old_at + 1
    _follow(newer, older, added, removed, traced)
    return traced


def _follow(newer: list[str], older: list[str], added: list[int], removed: list[int], traced: dict[int, int]) -> None:
    """Tie the lines that moved within the file."""
    taken = set(traced.values())
    left = {older[each]: each for each in removed if each not in taken and older[each].strip()}
    for each in added:
        if newer[each] in left:
            traced[each] = left.pop(newer[each])


def _pair(newer: list[str], older: list[str], come: list[int], gone: list[int], traced: dict[int, int]) -> None:
    """Tie the added lines of a hunk to the removed ones that are most like them, in order."""
    free = list(gone)
    for each in come:
        matcher = SequenceMatcher(None, "", newer[each][:_LONGEST], autojunk=False)
        best, ratio = None, _ALIKE
        for other in free[:_MOST_PAIRED]:
            matcher.set_seq1(older[other][:_LONGEST])
            if matcher.real_quick_ratio() > ratio and matcher.quick_ratio() > ratio and matcher.ratio() > ratio:
                best, ratio = other, matcher.ratio()
        if best is not None and newer[each].strip():
            traced[each] = best
            free.remove(best)
