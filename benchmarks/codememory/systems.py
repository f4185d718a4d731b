"""The systems that are asked: what one is, and the baselines, which are given the same words in the same order."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from benchmarks.codememory.records import Note
from memlsp.code.syntax.names import words


@frozen
class Answer:
    """What a system gave back: ids of notes, best first, and the tokens that it served for each; None where it serves
    the whole note."""

    ids: tuple[str, ...]
    tokens: tuple[int, ...] | None = None


class System(Protocol):
    """A memory. It learns notes in the order in which they were made, and is asked in between."""

    @property
    def name(self) -> str:
        """What the table calls it."""
        ...

    def learn(self, notes: Sequence[Note]) -> None:
        """Take in what was done since the last question, oldest first."""
        ...

    def recall(self, text: str, k: int) -> Answer:
        """The notes that a task needs, the best first, at most `k`."""
        ...

    def close(self) -> None:
        """Let go of everything; the history is over."""
        ...


class Newest:
    """What was done last, whatever is asked. Histories have runs of work on one thing, and this shows how much of a
    figure they explain."""

    name = "newest"

    def __init__(self) -> None:
        self._notes: list[str] = []

    def learn(self, notes: Sequence[Note]) -> None:
        """Keep them."""
        self._notes += [note.id for note in notes]

    def recall(self, text: str, k: int) -> Answer:  # noqa: ARG002 - one signature for all
        """The best `k`."""
        return Answer(tuple(self._notes[: -k - 1 : -1]))

    def close(self) -> None:
        """Let go of them."""
        self._notes.clear()


class Grep:
    """`grep -i` for every word of three letters or more: the notes that hold most of them, of equals the newest."""

    name = "grep"

    def __init__(self) -> None:
        self._notes: list[tuple[str, str]] = []

    def learn(self, notes: Sequence[Note]) -> None:
        """Keep them."""
        self._notes += [(note.id, note.text.lower()) for note in notes]

    def recall(self, text: str, k: int) -> Answer:
        """The best `k`."""
        asked = {word.lower() for word in re.findall(r"\w{3,}", text)} - _NOISE
        counts = [(sum(word in content for word in asked), at) for at, (_, content) in enumerate(self._notes)]
        best = sorted((entry for entry in counts if entry[0]), reverse=True)[:k]
        return Answer(tuple(self._notes[at][0] for _, at in best))

    def close(self) -> None:
        """Let go of them."""
        self._notes.clear()


_NOISE = frozenset(
    ["the", "and", "for", "with", "that", "this", "from", "not", "are", "was", "when", "use", "have", "has", "can"]
)
"""What nobody would search for."""


_TABLE = "CREATE VIRTUAL TABLE note USING fts5(id UNINDEXED, text, tokenize='porter unicode61')"


class PlainText:
    """SQLite's FTS5 with its porter stemmer, all words of the question joined by OR, ranked by BM25."""

    name = "FTS5"

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute(
            "CREATE VIRTUAL TABLE note USING fts5(id UNINDEXED, text, tokenize='porter unicode61')"
        )

    def learn(self, notes: Sequence[Note]) -> None:
        """Keep them."""
        self._connection.executemany("INSERT INTO note VALUES (?, ?)", [(n.id, self._content(n.text)) for n in notes])

    def recall(self, text: str, k: int) -> Answer:
        """The best `k`."""
        asked = dict.fromkeys(re.findall(r"[^\W_]+", self._content(text).lower()))
        match = " OR ".join(f'"{word}"' for word in asked)
        if not match:
            return Answer(())
        rows = self._connection.execute("SELECT id FROM note WHERE note MATCH ? ORDER BY rank LIMIT ?", (match, k))
        return Answer(tuple(str(row[0]) for row in rows))

    def close(self) -> None:
        """Let go of them."""
        self._connection.close()

    def _content(self, text: str) -> str:
        return text


class SplitText(PlainText):
    """The same, with identifiers in their parts as well."""

    name = "FTS5, names split"

    def _content(self, text: str) -> str:
        parts = [" ".join(split) for name in re.findall(r"\w+", text) if len(split := words(name)) > 1]
        return f"{text}\n{' '.join(parts)}"
