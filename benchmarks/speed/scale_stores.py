"""Stores of 1,000 to 1,000,000 memories, made once by the store's own code and kept for the next run.

Beside each lies the baseline: the same statements in a plain FTS5 table, with nothing of ours.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from time import perf_counter
from typing import Any, Self

import apsw
from attrs import asdict, frozen

from benchmarks.speed.scale_words import ScaleWords
from benchmarks.speed.stores import Generated, Spot, generate
from memlsp.model.belief import Belief
from memlsp.store.core.database import connect

_TRANSACTION = 20_000  # beliefs of one transaction
_WORD = re.compile(r"\w+")


@frozen
class Kept:
    """A store that is there. `plain` is the baseline's file, `seconds` what writing it took when it was made."""

    generated: Generated
    plain: Path
    seconds: float


def kept_store(cache: Path, size: int) -> Kept:
    """The store of this size in the folder `cache`, made when there is none, when the layout of stores is another, and
    when the folder was moved.

    Making a million takes a quarter of an hour and three gigabytes.
    """
    folder = cache / f"scale-{size}"
    note = folder / "made.json"
    # a workspace without a remote is known by its folder
    layout, place = _layout(), str(folder.resolve())
    if note.is_file():
        made = json.loads(note.read_text(encoding="utf-8"))
        if (made["layout"], made["place"]) == (layout, place):
            return _read(folder, made)
        changed = "the layout of stores has changed" if made["place"] == place else "its folder was moved"
        print(f"{size:,}: {changed}, so it is made again", flush=True)
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    began = perf_counter()
    with _Plain(folder / "plain.db") as plain:
        generated = generate(folder, size, None, words=ScaleWords(cache), batch=_TRANSACTION, told=plain.add)
        seconds = perf_counter() - began - plain.seconds
    made: dict[str, Any] = {
        "layout": layout,
        "place": place,
        "edited": generated.edited,
        "spots": [asdict(spot) for spot in generated.spots],
        "beliefs": generated.beliefs,
        "seconds": round(seconds, 1),
    }
    note.write_text(json.dumps(made), encoding="utf-8")
    return _read(folder, made)


def _read(folder: Path, made: dict[str, Any]) -> Kept:
    root, edited = folder / "project", made["edited"]
    text = (root / edited).read_text(encoding="utf-8")
    found = tuple(Spot(**spot) for spot in made["spots"])
    generated = Generated(root, folder / "data", edited, text, found, made["beliefs"])
    return Kept(generated, folder / "plain.db", made["seconds"])


def _layout() -> str:
    """A digest of the store's migrations: a store of another layout would be measured with half of its tables."""
    digest = blake2b(digest_size=8)
    for each in sorted(resources.files("memlsp.store.core").joinpath("schema").iterdir(), key=lambda path: path.name):
        if each.name.endswith(".sql"):
            digest.update(each.read_bytes())
    return digest.hexdigest()


class _Plain:
    """The baseline as it is filled. `seconds` is what that took, which is no part of making the store."""

    def __init__(self, path: Path) -> None:
        self._connection = connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        self._connection.execute("PRAGMA journal_mode = off; PRAGMA synchronous = off")
        self._connection.execute(
            "CREATE VIRTUAL TABLE plain USING fts5(text, id UNINDEXED, tokenize = 'porter unicode61')"
        )
        self.seconds = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add(self, beliefs: Sequence[Belief]) -> None:
        """Write the statements of one transaction."""
        began = perf_counter()
        self._connection.execute("BEGIN")
        for belief in beliefs:
            self._connection.execute("INSERT INTO plain (text, id) VALUES (?, ?)", (belief.text, belief.id))
        self._connection.execute("COMMIT")
        self.seconds += perf_counter() - began


class PlainSearch:
    """The baseline as it is asked: all words of a question, each quoted, joined with OR, the best 20 by bm25."""

    def __init__(self, path: Path) -> None:
        self._connection = connect(path, apsw.SQLITE_OPEN_READONLY)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, question: str) -> list[str]:
        """The ids of what answers, best first."""
        words = dict.fromkeys(_WORD.findall(question))
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        found = self._connection.execute("SELECT id FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 20", (match,))
        return [str(id) for (id,) in found]
