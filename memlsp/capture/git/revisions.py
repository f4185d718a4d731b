"""The two states that `memlsp diff` compares: commits by name, the index, the files on disk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from attrs import frozen

from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.git.repository import Repository, damage_of, find_repository
from memlsp.model.errors import BadValue, NoRepository, NoSuchRevision

WORKING_TREE = "working tree"
INDEX = "index"


@frozen
class DiffSide:
    """One state: a commit with its tree, or by name the index or the working tree. `name` is "" before any commit."""

    name: str
    tree: pygit2.Tree | None = None


@frozen
class DiffRequest:
    """Two states and the paths to look at, as they were typed."""

    old: DiffSide
    new: DiffSide
    paths: tuple[str, ...] = ()


def readable_repository(root: Path) -> tuple[Repository, pygit2.Repository]:
    """The repository around `root`. Raises NoRepository, which says why."""
    found = find_repository(root)
    if found is None or found.handle is None:
        damage = damage_of(root)
        if damage:
            raise NoRepository(f"git's objects cannot be read: {damage}", "memlsp doctor says more")
        raise NoRepository(f"no git repository holds {root}", "memlsp diff compares states that git keeps")
    return found, found.handle


def diff_request(
    found: Repository, words: Sequence[str], paths: Sequence[str] | None, base: Path, *, staged: bool
) -> DiffRequest:
    """Read the words and paths of a command as the two states to compare.

    Without `paths` (None) the words may be revisions and then paths, as git reads them: the first that is no revision
    and names a file begins the paths. Raises NoSuchRevision, BadValue (three revisions, `staged` beside two)."""
    repository = found.handle
    assert repository is not None
    revisions, rest = list(words), list(paths or ())
    if paths is None:
        revisions, rest = _sorted_out(repository, words, base)
    sides = [side for word in revisions for side in _sides(repository, word)]
    if len(sides) > 2:
        raise BadValue("two revisions can be compared, not more", "memlsp diff OLD NEW -- PATH...")
    if staged and len(sides) > 1:
        raise BadValue("what is staged is compared with one revision", "memlsp diff --staged, or --staged REV")
    if len(sides) < 2 and found.bare:
        raise NoRepository("this repository is bare: it has no working tree", "name two revisions: memlsp diff OLD NEW")
    if not sides:
        unborn = repository.head_is_unborn
        sides.append(DiffSide("") if unborn else commit_named(repository, "HEAD"))
    if len(sides) == 1:
        sides.append(DiffSide(INDEX if staged else WORKING_TREE))
    return DiffRequest(sides[0], sides[1], tuple(rest))


def commit_named(repository: pygit2.Repository, word: str) -> DiffSide:
    """The commit of that name. Raises NoSuchRevision."""
    try:
        commit = repository.revparse_single(word or "HEAD").peel(pygit2.Commit)
        return DiffSide(str(commit.id), commit.tree)
    except (KeyError, ValueError, TypeError, pygit2.GitError) as problem:
        raise _unknown(repository, word, problem) from None


def _unknown(repository: pygit2.Repository, word: str, problem: Exception) -> NoSuchRevision:
    shown = word if len(word) <= 80 else word[:79] + "\N{HORIZONTAL ELLIPSIS}"
    if "ambiguous" in str(problem).lower():
        return NoSuchRevision(f"several objects begin with {shown!r}", "write more of the hash")
    if repository.is_shallow:
        return NoSuchRevision(f"no commit {shown!r} here, and the clone is shallow", "git fetch --unshallow brings all")
    if word in {"HEAD", ""} and repository.head_is_unborn:
        return NoSuchRevision("there is no commit yet", "memlsp diff without a revision tells of all files")
    return NoSuchRevision(
        f"no commit {shown!r}", "a branch, tag, hash or HEAD~2; for a file of that name write it after --"
    )


def _sides(repository: pygit2.Repository, word: str) -> tuple[DiffSide, ...]:
    """One side, or two for `OLD..NEW`, `OLD...NEW` (since they parted) and `REV^!` (what that commit did)."""
    if word.endswith("^!"):
        new = commit_named(repository, word[:-2])
        try:
            parents = repository[new.name].peel(pygit2.Commit).parent_ids
        except (KeyError, ValueError, pygit2.GitError) as problem:
            raise _unknown(repository, word, problem) from None
        return (commit_named(repository, str(parents[0])) if parents else DiffSide(""), new)
    if "..." in word:
        old, _, new = word.partition("...")
        sides = commit_named(repository, old), commit_named(repository, new)
        # None where there is none, whatever the stub says
        tips = (pygit2.Oid(hex=side.name) for side in sides)
        base = cast("pygit2.Oid | None", repository.merge_base(*tips))
        if base is None:
            raise NoSuchRevision(f"{old or 'HEAD'} and {new or 'HEAD'} have no commit in common", "write OLD..NEW")
        return commit_named(repository, str(base)), sides[1]
    if ".." in word:
        old, _, new = word.partition("..")
        return commit_named(repository, old), commit_named(repository, new)
    return (commit_named(repository, word),)


def _sorted_out(repository: pygit2.Repository, words: Sequence[str], base: Path) -> tuple[list[str], list[str]]:
    for index, word in enumerate(words):
        try:
            _sides(repository, word)
        except NoSuchRevision:
            if not os.path.lexists(base / word):
                raise
            return list(words[:index]), list(words[index:])
    return list(words), []
