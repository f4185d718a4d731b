"""Other memories at the sizes of `scale`: the statements of the plain table, learnt and asked in the same run.

A peer is a program that speaks the line protocol of StaleCode, so a question of it pays for a pipe, some tenths of a
millisecond. It learns for as long as it is given. What it reached by then is the size at which it is asked, and stands
beside its figures.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from time import perf_counter

from attrs import frozen

from benchmarks.codememory.peers import Peer
from benchmarks.codememory.records import Note
from benchmarks.speed.scale_words import Asked

LEARNING = 300.0  # seconds that a peer may learn at each size
_ASKING = 120.0  # seconds that it may be asked
BATCH = 250
"""Statements of one request."""
_SERVED = 20
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)


@frozen
class PeerFigures:
    """What a peer did: how many statements it reached, in how many seconds, and milliseconds for each question."""

    reached: int
    seconds: float
    asked: list[float]


def ask_peer(
    start: Callable[[], Peer], plain: Path, questions: Sequence[Asked], *, warm_up: int, learning: float = LEARNING
) -> PeerFigures:
    """Let a peer learn the statements of the table at `plain`, and ask it. Raises BadValue when it ends or errs."""
    with closing(start()) as peer:
        reached, began = 0, perf_counter()
        for notes in _batches(plain):
            peer.learn(notes)
            reached += len(notes)
            if perf_counter() - began > learning:
                break
        learnt = perf_counter()
        asked: list[float] = []
        for question in questions:
            if perf_counter() - learnt > _ASKING:
                break
            before = perf_counter()
            peer.recall(question.text, _SERVED)
            asked.append(1000 * (perf_counter() - before))
        return PeerFigures(reached, learnt - began, asked[warm_up:] or asked)


def ask_peers(
    peers: Mapping[str, Callable[[], Peer]],
    plain: Path,
    questions: Sequence[Asked],
    add: Callable[[str, Sequence[float], str], None],
    *,
    warm_up: int,
) -> None:
    """Ask all of them, one after another, and add their rows. Raises BadValue for one that ends or errs."""
    for name, start in peers.items():
        figures = ask_peer(start, plain, questions, warm_up=warm_up)
        add(f"{name}, statements reached", [figures.reached], "")
        add(f"{name}, learnt a second", [figures.reached / max(figures.seconds, 0.001)], "statements")
        add(name, figures.asked, "ms")


def _batches(plain: Path) -> Iterator[list[Note]]:
    with closing(sqlite3.connect(f"file:{plain}?mode=ro", uri=True)) as connection:
        rows = iter(connection.execute("SELECT id, text FROM plain"))
        number = 0
        while found := list(islice(rows, BATCH)):
            # the number keeps statements of the same words apart, which some memories refuse
            yield [
                Note(str(id), _FIRST + timedelta(seconds=number + at), "", "", f"{text} ({number + at})")
                for at, (id, text) in enumerate(found)
            ]
            number += len(found)
