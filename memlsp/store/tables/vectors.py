"""Vectors as rows: one signed byte for each dimension, of one model at a time.

Which rows have no vector, or one of another text, is noted by triggers (schema 0009 and 0015) in the transaction that
changes them, so that nothing has to be searched for and no writer has to know of vectors. What is taken out of a memory
takes its vector along in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager

from attrs import frozen

from memlsp.store.core.database import Database, Result

KINDS = ("belief", "episode", "commit")

_Transaction = Callable[[], AbstractContextManager[Database]]


@frozen
class PendingText:
    """A text that waits for its vector. `turn` says which state of it was read; `named` are its names and paths."""

    turn: int
    kind: str
    item: int
    said: str
    named: str


@frozen
class Vector:
    """A vector of `item`, a row of its kind: `data` holds signed bytes, to be multiplied with `scale`. `turn` is larger
    for what was written later, 0 before it is written."""

    kind: str
    item: int
    digest: bytes
    scale: float
    data: bytes
    turn: int = 0


@frozen
class VectorCounts:
    """`rows` vectors of `model`, the last of which was written in `turn`; `removals` moves when any are taken away or
    replaced; `due` texts wait."""

    model: str
    rows: int
    turn: int
    removals: int
    due: int


class VectorRepository:
    """The part of a store that holds vectors. Each method is one transaction."""

    def __init__(self, reading: _Transaction, writing: _Transaction) -> None:
        self._reading = reading
        self._writing = writing

    def census(self) -> VectorCounts:
        """What is there. Counting costs time with the number of rows."""
        with self._reading() as connection:
            model, removals = _state(connection)
            rows, turn = connection.execute("SELECT count(*), coalesce(max(turn), 0) FROM vector").fetchall()[0]
            due = connection.execute("SELECT count(*) FROM vector_due").get
            return VectorCounts(model, int(rows), int(turn), removals, int(due))

    def state(self) -> tuple[str, int, int]:
        """The model, the turn of the last vector, and a number that moves when any are taken away or replaced."""
        with self._reading() as connection:
            model, removals = _state(connection)
            return model, _last(connection), removals

    def use(self, model: str) -> None:
        """Let the vectors be those of `model`. Those of another go, and their texts wait."""
        with self._reading() as connection:
            if _state(connection)[0] == model:
                return
        with self._writing() as connection:
            if _state(connection)[0] != model:
                connection.execute("DELETE FROM vector")
                connection.execute("UPDATE vector_state SET model = ?", (model,))

    def due(self, limit: int) -> list[PendingText]:
        """At most `limit` texts that wait for a vector, those that were written last first."""
        with self._reading() as connection:
            found: list[PendingText] = []
            for row in connection.execute(_DUE, (limit,)):
                turn, kind, item, said, named = row
                found.append(PendingText(int(turn), str(kind), int(item), str(said), str(named)))
            return found

    def is_due(self) -> bool:
        """True when something waits, be it an entry whose row is gone."""
        with self._reading() as connection:
            return connection.execute("SELECT 1 FROM vector_due LIMIT 1").get is not None

    def sweep(self) -> None:
        """Take out what waits and is there no more."""
        with self._reading() as connection:
            gone = [int(turn) for (turn,) in connection.execute(_GONE)]
        if gone:
            with self._writing() as connection:
                connection.execute(
                    "DELETE FROM vector_due WHERE turn IN (SELECT value FROM json_each(?))", (json.dumps(gone),)
                )

    def write(self, model: str, made: Sequence[tuple[PendingText, Vector]]) -> int:
        """Keep the vectors of texts that still wait as they were read, and of this model; how many those were."""
        kept = 0
        with self._writing() as connection:
            if _state(connection)[0] != model:
                return 0
            for due, vector in made:
                row = (due.turn, due.kind, due.item)
                taken = connection.execute(
                    "DELETE FROM vector_due WHERE turn = ? AND kind = ? AND item = ? RETURNING 1", row
                ).fetchall()
                if not taken:
                    continue  # it was reworded, or forgotten, while it was read
                connection.execute(
                    "INSERT INTO vector (kind, item, digest, scale, data) VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT (kind, item) DO NOTHING",
                    (vector.kind, vector.item, vector.digest, vector.scale, vector.data),
                )
                kept += 1
        return kept

    def since(self, turn: int, *, at_most: int = 50_000) -> list[Vector]:
        """The vectors written after `turn`, at most that many, oldest first."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT kind, item, digest, scale, data, turn FROM vector WHERE turn > ? ORDER BY turn LIMIT ?",
                (turn, at_most),
            )
            return list(_vectors(rows))

    def waiting_since(self, turn: int) -> tuple[int, list[tuple[str, int]]]:
        """What began to wait after that turn of waiting, which is also what went, as (kind, row); and the last turn."""
        with self._reading() as connection:
            found = connection.execute("SELECT turn, kind, item FROM vector_due WHERE turn > ?", (turn,)).fetchall()
        return max((int(row[0]) for row in found), default=turn), [(str(kind), int(item)) for _, kind, item in found]

    def of_turns(self, turns: Collection[int]) -> dict[int, tuple[str, int]]:
        """The (kind, row) of the vectors that were written in these turns and are still there."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT turn, kind, item FROM vector WHERE turn IN (SELECT value FROM json_each(?))",
                (json.dumps(sorted(turns)),),
            ).fetchall()
        return {int(turn): (str(kind), int(item)) for turn, kind, item in found}

    def ids(self, rows: Collection[tuple[str, int]]) -> dict[tuple[str, int], str]:
        """The ids of beliefs that are active, and of episodes and commits (their hashes), by kind and row."""
        wanted = json.dumps([[kind, item] for kind, item in rows])
        with self._reading() as connection:
            found = connection.execute(_IDS, (wanted,)).fetchall()
        return {(str(kind), int(item)): str(id) for kind, item, id in found}

    def rows(self, kind: str, ids: Collection[str]) -> list[tuple[str, int]]:
        """The rows of beliefs, episodes or commits of these ids, as (kind, row)."""
        query = _BELIEF_ROWS if kind == "belief" else _WORK_ROWS
        with self._reading() as connection:
            found = connection.execute(query, (json.dumps(sorted(ids)), kind)).fetchall()
        return [(kind, int(item)) for (item,) in found]

    def drop(self, rows: Collection[tuple[str, int]]) -> int:
        """Take vectors away; how many there were. Their texts wait again, when they are still there."""
        with self._writing() as connection:
            gone = connection.execute(
                "DELETE FROM vector WHERE (kind, item) IN"
                " (SELECT value ->> 0, value ->> 1 FROM json_each(?)) RETURNING 1",
                (json.dumps([[kind, item] for kind, item in rows]),),
            ).fetchall()
        return len(gone)

    def clear(self) -> int:
        """Take all vectors away; how many there were. Their texts wait again."""
        with self._writing() as connection:
            return len(connection.execute("DELETE FROM vector RETURNING 1").fetchall())


def _state(connection: Database) -> tuple[str, int]:
    model, removals = connection.execute("SELECT model, removals FROM vector_state").fetchall()[0]
    return str(model), int(removals)


def _last(connection: Database) -> int:
    turn = connection.execute("SELECT turn FROM vector ORDER BY turn DESC LIMIT 1").get
    return turn if isinstance(turn, int) else 0


def _vectors(rows: Result) -> Iterator[Vector]:
    for kind, item, digest, scale, data, turn in rows:
        yield Vector(str(kind), int(item), bytes(digest), float(scale), bytes(data), int(turn))


_DUE = """
    SELECT due.turn, due.kind, due.item, belief.text, belief.keywords
    FROM vector_due AS due JOIN belief ON belief.seq = due.item AND belief.status = 'active'
    WHERE due.kind = 'belief'
    UNION ALL
    SELECT due.turn, due.kind, due.item, work_search.said, work_search.named
    FROM vector_due AS due
    JOIN work_entry ON work_entry.seq = due.item AND work_entry.kind = due.kind
    JOIN work_search ON work_search.rowid = due.item
    WHERE due.kind <> 'belief'
    ORDER BY 1 DESC LIMIT ?
"""
_GONE = """
    SELECT due.turn FROM vector_due AS due
    LEFT JOIN belief ON due.kind = 'belief' AND belief.seq = due.item AND belief.status = 'active'
    LEFT JOIN work_entry ON work_entry.seq = due.item AND work_entry.kind = due.kind
    WHERE belief.seq IS NULL AND work_entry.seq IS NULL
"""
# CROSS JOIN keeps the order: the planner would go through all active beliefs for the sake of thirty
_IDS = """
    WITH wanted AS (SELECT value ->> 0 AS kind, value ->> 1 AS item FROM json_each(?))
    SELECT wanted.kind, wanted.item, belief.id FROM wanted
    CROSS JOIN belief ON belief.seq = wanted.item AND belief.status = 'active' WHERE wanted.kind = 'belief'
    UNION ALL
    SELECT wanted.kind, wanted.item, work_entry.id FROM wanted
    CROSS JOIN work_entry ON work_entry.seq = wanted.item AND work_entry.kind = wanted.kind
    WHERE wanted.kind <> 'belief'
"""
_BELIEF_ROWS = "SELECT seq FROM belief WHERE id IN (SELECT value FROM json_each(?1)) AND ?2 = 'belief'"
_WORK_ROWS = "SELECT seq FROM work_entry WHERE id IN (SELECT value FROM json_each(?1)) AND kind = ?2"
