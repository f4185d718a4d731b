"""Baselines: how other tools judge whether a memory of code is stale, and whether two statements contradict each other.

Each of the first answers `holds`, `stale` or `gone`; none tells changed from contradicted, or current from carried.

- raw hash: the text of the symbol as it was, looked for byte for byte in its file; kinder than a range of lines.
- mtime: stale when the file was written to, gone when it is not there.
- path exists: holds as long as the file is there.
- path exists, of a document: a line is false that quotes a path, or links to one, which the tree does not have.
- grep: holds as long as all names that the statement quotes are in the tree; without such a name, the symbol's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from .grid import Files


class Verdict(StrEnum):
    """What can be said without telling how a statement came to be false."""

    HOLDS = "holds"
    STALE = "stale"
    GONE = "gone"

    @property
    def trusted(self) -> bool:
        """The answer to "should I trust it"."""
        return self is Verdict.HOLDS


Lines = tuple[int, int]
"""The first and the last line of a place before the edit, from 1."""


def verdict_of(standing: str) -> Verdict:
    """A standing in the words that a baseline has."""
    if standing in {"current", "carried"}:
        return Verdict.HOLDS
    return Verdict.GONE if standing == "orphaned" else Verdict.STALE


def raw_hash(path: str, lines: Lines, before: Files, after: Files) -> Verdict:
    """By the text of the symbol."""
    if path not in after:
        return Verdict.GONE
    return Verdict.HOLDS if text_at(before[path], lines) in after[path] else Verdict.STALE


def mtime(path: str, lines: Lines, before: Files, after: Files) -> Verdict:  # noqa: ARG001 - one signature for all
    """By the file's time of modification, taken as moved whenever the content did."""
    if path not in after:
        return Verdict.GONE
    return Verdict.HOLDS if after[path] == before[path] else Verdict.STALE


def path_exists(path: str, lines: Lines, before: Files, after: Files) -> Verdict:  # noqa: ARG001 - one signature for all
    """By the file's being there."""
    return Verdict.HOLDS if path in after else Verdict.GONE


BASELINES: Mapping[str, Callable[[str, Lines, Files, Files], Verdict]] = {
    "raw hash": raw_hash,
    "mtime": mtime,
    "path exists": path_exists,
}


def text_at(text: str, lines: Lines) -> str:
    """The lines of a text from the first to the last, from 1."""
    return "".join(text.splitlines(keepends=True)[lines[0] - 1 : lines[1]])


def names_in(statement: str, symbol: str) -> tuple[str, ...]:
    """What somebody would grep for: the words in backticks, else the last part of the symbol's name."""
    quoted = [name for span in re.findall(r"`([^`]+)`", statement) for name in re.findall(r"[^\W\d]\w+", span)]
    return tuple(quoted) or tuple(filter(None, [re.split(r"[.:]+", symbol)[-1]]))


def grep(statement: str, symbol: str, after: Files) -> Verdict:
    """By the names that the statement quotes, as whole words anywhere in the tree."""
    found = all(
        any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for text in after.values())
        for name in names_in(statement, symbol)
    )
    return Verdict.HOLDS if found else Verdict.STALE


_QUOTED = re.compile(r"`([\w.@-]+(?:/[\w.@-]+)+/?)(?::\d+)?`|\]\(([^)\s#:]+)(?:#[^)]*)?\)")


def missing_path_lines(text: str, file: str, tree: frozenset[str]) -> list[int]:
    """The lines of a document, from 1, that quote or link a path which is neither in the tree, nor beside the document,
    nor the end of a longer path. `tree` has files and folders."""
    beside = file.rpartition("/")[0]

    def there(path: str) -> bool:
        plain = path.removeprefix("./").rstrip("/")
        near = f"{beside}/{plain}".lstrip("/")
        return plain in tree or near in tree or any(each.endswith(f"/{plain}") for each in tree)

    return [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if any(not there(found[1] or found[2]) for found in _QUOTED.finditer(line))
    ]


# --- contradictions: thresholds that do best on the open pairs of develop.toml

OVERLAP, LIKENESS = 0.5, 2 / 3


def word_overlap(first: str, second: str) -> float:
    """The words that two statements share, of all that they have."""
    one, other = _words(first), _words(second)
    return len(one & other) / len(one | other) if one | other else 0.0


def similarity(first: str, second: str) -> float:
    """The cosine of two statements' counts of three signs in a row: a vector without a model."""
    one, other = _signs(first), _signs(second)
    across = sum(number * other.get(signs, 0) for signs, number in one.items())
    lengths = (sum(n * n for n in one.values()) * sum(n * n for n in other.values())) ** 0.5
    return across / lengths if lengths else 0.0


def best_threshold(measured: Sequence[tuple[float, bool]]) -> float:
    """The threshold with the largest difference between what is found and what is false; of (measure, truth)."""
    found = sorted(measured, reverse=True)
    conflicts = sum(truth for _, truth in found)
    best, at = -1.0, 1.0
    hits = alarms = 0
    for value, truth in found:
        hits, alarms = hits + truth, alarms + (not truth)
        gained = hits / max(conflicts, 1) - alarms / max(len(found) - conflicts, 1)
        if gained > best:
            best, at = gained, value
    return at


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _signs(text: str) -> dict[str, int]:
    plain = f" {' '.join(text.lower().split())} "
    counts: dict[str, int] = {}
    for at in range(len(plain) - 2):
        counts[plain[at : at + 3]] = counts.get(plain[at : at + 3], 0) + 1
    return counts
