"""What was usual before: which files, names and words are rare in a project, and which files change together.

Made of the commits before the work that is weighed, so that nothing in it comes from the future.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import log

from attrs import frozen

WINDOW = 1_000
"""Commits that are looked at: the newest."""
_MOST_TOGETHER = 25  # files of one commit that say something of each other

_MOST_ASKED = 40


@frozen
class PastCommit:
    """What is counted of a commit."""

    paths: Collection[str]
    names: Collection[str]
    words: Collection[str]


class Background:
    """Counts over past commits. Without any, everything is equally rare and nothing goes together."""

    def __init__(self, commits: Iterable[PastCommit] = ()) -> None:
        self._number = 0
        self._paths = Counter[str]()
        self._names = Counter[str]()
        self._words = Counter[str]()
        self._beside: dict[str, Counter[str]] = {}
        for commit in commits:
            self._number += 1
            paths = sorted(set(commit.paths))
            self._paths.update(paths)
            self._names.update(set(commit.names))
            self._words.update(set(commit.words))
            if len(paths) <= _MOST_TOGETHER:
                for path in paths:
                    beside = self._beside.setdefault(path, Counter())
                    beside.update(other for other in paths if other != path)
        self._scale = log(self._number + 2)

    def path(self, path: str) -> float:
        """How rare it is that a commit changes this file, 0..1."""
        return self._rarity(self._paths[path])

    def name(self, name: str) -> float:
        """How rare an identifier is in what commits change, 0..1."""
        return self._rarity(self._names[name])

    def word(self, stem: str) -> float:
        """How rare a word is in what commits are called, 0..1."""
        return self._rarity(self._words[stem])

    def together(self, paths: Collection[str], others: Counter[str]) -> float:
        """How regularly one of these files changed in one commit with one of the others, 0..1: the highest share."""
        best = 0.0
        for path in sorted(paths)[:_MOST_ASKED]:
            beside = self._beside.get(path)
            if beside is None:
                continue
            for other in beside.keys() & others.keys():
                best = max(best, beside[other] / (min(self._paths[path], self._paths[other]) + 2))
        return best

    def _rarity(self, number: int) -> float:
        return log((self._number + 2) / (number + 1)) / self._scale
