"""Two pull requests of one author, really interleaved in time, as the stream of work that an observer would have seen.

A commit is one observation: its files, the symbols and identifiers that it changed, its subject as it was written. What
tells where it went later is kept out: branch, parents, pull request, issue numbers, what a merge says of itself. The
gold, which of the two pulls a commit belongs to, lies apart from the stream.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pygit2
from attrs import define, evolve, field, frozen

from memlsp.capture.history.ancestry import Ancestry
from memlsp.capture.history.commits import CommitReader
from memlsp.episodes.base_rates import WINDOW, Background, PastCommit
from memlsp.episodes.drafts import Stretch
from memlsp.episodes.observation import MOST_WORDS, Signs, first_said, names_in, stems
from memlsp.model.episode import KeptChange
from memlsp.model.errors import BadValue

PAIRS = "natural-pairs.json"
MIRRORED = 0.4
"""Share of a pull's commits that the other holds too, from which on they are one pull twice."""

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_MOST_FILES = 400  # of one commit
_MOST_LINES = 6_000
_MOST_NAMES = 2_000
_LONGEST_LINE = 400
_SHORTEST = 3  # letters of an identifier that says something
_MOST_PAST = 5_000  # commits of one repository that are counted
_MOST_PAST_FILES = 100
_MOST_PAST_LINES = 1_500


@frozen
class Pair:
    """Two pulls of one author: what each commit is, by its time and hash. `gold` says which pull, in the same order."""

    repository: str
    pulls: tuple[str, str]
    commits: tuple[tuple[int, str], ...]
    gold: tuple[int, ...]

    @property
    def name(self) -> str:
        """How it is named in a table: `owner/name 12+34`."""
        return f"{self.repository} {'+'.join(self.pulls)}"

    @property
    def part(self) -> str:
        """`develop` or `judge`: by a hash of the repository's name, so that no repository is in both."""
        return part_of(self.repository)


@frozen
class Stream:
    """What is observed of a pair, in order of author time, and what was usual before it began."""

    stretches: tuple[Stretch, ...]
    background: Background
    mirrored: bool = False  # the two pulls hold the same changes


def part_of(repository: str) -> str:
    """`develop` or `judge`, as in the suite of refactorings."""
    return "judge" if blake2b(repository.lower().encode(), digest_size=1).digest()[0] % 2 else "develop"


def read_pairs(path: Path) -> tuple[Pair, ...]:
    """The pairs of a file. Raises BadValue when it does not hold [repository, pull, pull, commits, commits]."""
    try:
        entries = json.loads(path.read_text("utf-8"))
        return tuple(_pair(*entry) for entry in entries)
    except (OSError, ValueError, TypeError) as error:
        raise BadValue(f"cannot read {path}: {error}", "it is a list of natural pairs") from error


def _pair(repository: str, a: str, b: str, of_a: list[list[Any]], of_b: list[list[Any]]) -> Pair:
    return pair_of(
        repository, (str(a), str(b)), [(int(t), str(h)) for t, h in of_a], [(int(t), str(h)) for t, h in of_b]
    )


def pair_of(
    repository: str, pulls: tuple[str, str], of_a: Sequence[tuple[int, str]], of_b: Sequence[tuple[int, str]]
) -> Pair:
    """The commits of two pulls in order of time; those of one second by their hashes, which say nothing of the pull."""
    rows = sorted([(at, commit, 0) for at, commit in of_a] + [(at, commit, 1) for at, commit in of_b])
    return Pair(repository, pulls, tuple(row[:2] for row in rows), tuple(row[2] for row in rows))


@define
class Commits:
    """One repository, every commit read once."""

    repository: pygit2.Repository
    _reader: CommitReader = field(init=False)
    _read: dict[str, _Seen] = field(factory=dict[str, "_Seen"], init=False)
    _past: list[tuple[int, PastCommit]] | None = field(default=None, init=False)
    _backgrounds: dict[int, Background] = field(factory=dict[int, Background], init=False)

    def __attrs_post_init__(self) -> None:
        self._reader = CommitReader(Ancestry(self.repository, ""))

    def missing(self, pair: Pair) -> list[str]:
        """The commits of a pair that are not there."""
        return [commit for _, commit in pair.commits if commit not in self.repository]

    def stream(self, pair: Pair, *, captured: bool = False) -> Stream:
        """What is observed of a pair whose commits are there. With `captured` identifiers are those of the symbol
        changes alone, as they are kept of an editor's edits, not those of the changed lines."""
        seen = [self._seen(commit) for _, commit in pair.commits]
        stretches = tuple(
            _stretch(at, commit, each, captured=captured) for (at, commit), each in zip(pair.commits, seen, strict=True)
        )
        wrote = (
            [one.wrote for one, gold in zip(seen, pair.gold, strict=True) if gold == k and one.wrote] for k in (0, 1)
        )
        return Stream(stretches, self._background(pair.commits[0][0]), _mirrored(*wrote))

    def _seen(self, commit: str) -> _Seen:
        if commit not in self._read:
            found = self.repository[commit]
            assert isinstance(found, pygit2.Commit)
            self._read[commit] = _seen(found, self._reader)
        return self._read[commit]

    def _background(self, before: int) -> Background:
        """What the commits say that were made before a time (seconds since 1970)."""
        if self._past is None:
            self._past = sorted(_past(self.repository), key=lambda entry: entry[0])
        at = bisect_left(self._past, before, key=lambda entry: entry[0])
        if at not in self._backgrounds:
            self._backgrounds[at] = Background(commit for _, commit in self._past[max(0, at - WINDOW) : at])
        return self._backgrounds[at]


@frozen
class _Seen:
    """What one commit shows."""

    subject: str
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # of changed lines, the most frequent first
    changes: tuple[KeptChange, ...] = ()
    wrote: str = ""  # digest of the lines that were added


def _seen(commit: pygit2.Commit, reader: CommitReader) -> _Seen:
    subject = first_said(commit.message)
    if len(commit.parents) > 1:
        return _Seen(subject)  # what it brings was made elsewhere
    names, added, paths = Counter[str](), list[str](), list[str]()
    for path, lines in _changed(commit, _MOST_FILES, _MOST_LINES):
        paths.append(path)
        for origin, line in lines:
            names.update(name for name in _IDENTIFIER.findall(line) if len(name) >= _SHORTEST)
            if origin == "+":
                added.append(line.strip())
    ordered = sorted(names, key=lambda name: (-names[name], name))[:_MOST_NAMES]
    digest = blake2b("\n".join(sorted(added)).encode("utf-8", "replace"), digest_size=12).hexdigest() if added else ""
    return _Seen(subject, tuple(paths), tuple(ordered), reader.read(commit).changes, digest)


def _changed(commit: pygit2.Commit, most_files: int, most_lines: int) -> list[tuple[str, list[tuple[str, str]]]]:
    """The files of a commit with the lines that it added and took away; nothing of a commit that is larger."""
    if commit.parents:
        difference = commit.parents[0].tree.diff_to_tree(commit.tree, context_lines=0)
    else:
        difference = commit.tree.diff_to_tree(swap=True, context_lines=0)
    if len(difference) > most_files:
        return []
    found: list[tuple[str, list[tuple[str, str]]]] = []
    left = most_lines
    for number, delta in enumerate(difference.deltas):
        lines: list[tuple[str, str]] = []
        try:
            patch = difference[number] if left > 0 else None
        except (KeyError, pygit2.GitError):  # a partial clone lacks its largest files
            patch = None
        if isinstance(patch, pygit2.Patch) and not patch.delta.is_binary:
            rows = ((row.origin, row.content) for hunk in patch.hunks for row in hunk.lines)
            lines = [(origin, text) for origin, text in rows if origin in "+-" and len(text) < _LONGEST_LINE][:left]
            left -= len(lines)
        found.append((delta.new_file.path, lines))
    return found


def _stretch(at: int, commit: str, seen: _Seen, *, captured: bool) -> Stretch:
    refs = [ref for change in seen.changes for ref in (change.old, change.new) if ref is not None]
    names: Sequence[str] = seen.names
    if captured:
        told = [name for change in seen.changes for name in names_in(change.sentence)]
        names = [
            name for name in (*told, *(part for ref in refs for part in ref.name.split("."))) if len(name) >= _SHORTEST
        ]
    signs = Signs(
        words=list(stems(seen.subject))[:MOST_WORDS],
        paths=seen.paths,
        symbols=[f"{ref.path}#{ref.name}" for ref in refs],
        names=names,
    )
    return Stretch(commit, at * 1_000, at * 1_000, "git", signs=signs, subject=seen.subject, number=1)


def _mirrored(a: Sequence[str], b: Sequence[str]) -> bool:
    if not a or not b:
        return False
    return max(sum(each in b for each in a) / len(a), sum(each in a for each in b) / len(b)) > MIRRORED


def _past(repository: pygit2.Repository) -> list[tuple[int, PastCommit]]:
    found: list[tuple[int, PastCommit]] = []
    if repository.head_is_unborn:
        return found
    read = 0
    for commit in repository.walk(repository.head.target, pygit2.enums.SortMode.TIME):
        if len(commit.parents) != 1:
            continue
        changed = _changed(commit, _MOST_PAST_FILES, _MOST_PAST_LINES)
        names = {name for _, lines in changed for _, line in lines for name in _IDENTIFIER.findall(line)}
        if changed:
            words = frozenset(stems(first_said(commit.message)))
            found.append((commit.commit_time, PastCommit([path for path, _ in changed], names, words)))
        read += 1
        if read >= _MOST_PAST:
            break
    return found


def without(stream: Stream, *kinds: str) -> Stream:
    """The stream as it is when some signs are not seen: `words`, `names`, `symbols`."""
    hidden: Mapping[str, frozenset[str]] = dict.fromkeys(kinds, frozenset())
    stretches = tuple(
        evolve(each, signs=evolve(each.signs, **hidden), subject="-" if "words" in kinds else each.subject)
        for each in stream.stretches
    )
    return evolve(stream, stretches=stretches)
