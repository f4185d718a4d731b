"""Base rates from a project's past: how rare files, names and words are, and which files change together.

They count only the commits before the work that is assigned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import log

from attrs import frozen

WINDOW = 1_000
"""The newest commits, which are counted."""
_MOST_TOGETHER = 25  # files of one commit that say something of each other

_MOST_ASKED = 40


@frozen
class PastCommit:
    """The counted parts of a commit."""

    paths: Collection[str]
    names: Collection[str]
    words: Collection[str]


class Background:
    """Counts over past commits. Without commits everything is equally rare and unrelated."""

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
        """The rarity of commits that change this file, 0..1."""
        return self._rarity(self._paths[path])

    def name(self, name: str) -> float:
        """The rarity of an identifier in the changes of commits, 0..1."""
        return self._rarity(self._names[name])

    def word(self, stem: str) -> float:
        """The rarity of a word in the subjects of commits, 0..1."""
        return self._rarity(self._words[stem])

    def together(self, paths: Collection[str], others: Counter[str]) -> float:
        """The highest share (0..1) of commits that changed one of these files and one of the others."""
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
