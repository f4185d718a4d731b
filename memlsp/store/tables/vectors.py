"""Vectors as rows: one signed byte for each dimension, of one model at a time.

Triggers (schema 0009 and 0015) queue the rows that lack a vector, or have one of another text, in the transaction that
changes them, and delete the vectors of deleted rows. So no writer has to know of vectors.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from attrs import frozen

from memlsp.store.core.database import Database, delete_rows, scalar, statement
from memlsp.store.core.transactions import StoreRepository

KINDS = ("belief", "episode", "commit")


@frozen
class PendingText:
    """A text that waits for its vector. `turn` tells its states apart; `named` are its names and paths."""

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
    """The number of vectors, and of texts that wait for one."""

    rows: int
    due: int


class VectorRepository(StoreRepository):
    """Vectors, and the queue of texts that wait for one."""

    def census(self) -> VectorCounts:
        """The counts of vectors. Costs time with the number of rows."""
        found = self._rows("SELECT (SELECT count(*) FROM vector), (SELECT count(*) FROM vector_due)")
        return VectorCounts(*found[0])

    def state(self) -> tuple[str, int, int]:
        """The model, the turn of the last vector, and a number that moves when any are taken away or replaced."""
        with self._reading() as connection:
            model, removals = _state(connection)
            return model, scalar(connection, "SELECT turn FROM vector ORDER BY turn DESC LIMIT 1"), removals

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
        return [PendingText(*row) for row in self._rows(statement("tables", "due_texts"), (limit,))]

    def is_due(self) -> bool:
        """True when something waits, even an entry whose row is gone."""
        return bool(self._rows("SELECT 1 FROM vector_due LIMIT 1"))

    def sweep(self) -> None:
        """Remove from the queue what was deleted."""
        gone = [int(turn) for (turn,) in self._rows(statement("tables", "due_of_gone"))]
        if gone:
            self._run("DELETE FROM vector_due WHERE turn IN (SELECT value FROM json_each(?))", (json.dumps(gone),))

    def write(self, model: str, made: Sequence[tuple[PendingText, Vector]]) -> int:
        """Write the vectors of texts that still wait and were not changed since they were read; how many those were."""
        kept = 0
        with self._writing() as connection:
            if _state(connection)[0] != model:
                return 0
            for due, vector in made:
                row = (due.turn, due.kind, due.item)
                if not delete_rows(connection, "DELETE FROM vector_due WHERE turn = ? AND kind = ? AND item = ?", row):
                    continue  # it was reworded, or erased, while it was read
                connection.execute(
                    "INSERT INTO vector (kind, item, digest, scale, data) VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT (kind, item) DO NOTHING",
                    (vector.kind, vector.item, vector.digest, vector.scale, vector.data),
                )
                kept += 1
        return kept

    def since(self, turn: int, *, at_most: int = 50_000) -> list[Vector]:
        """The vectors written after `turn`, at most that many, oldest first."""
        query = "SELECT kind, item, digest, scale, data, turn FROM vector WHERE turn > ? ORDER BY turn LIMIT ?"
        return [Vector(*row) for row in self._rows(query, (turn, at_most))]

    def waiting_since(self, turn: int) -> tuple[int, list[tuple[str, int]]]:
        """The last turn of the queue, and the (kind, row) of texts queued after `turn`; their old vectors are gone."""
        found = self._rows("SELECT turn, kind, item FROM vector_due WHERE turn > ?", (turn,))
        return max((int(row[0]) for row in found), default=turn), [(str(kind), int(item)) for _, kind, item in found]

    def of_turns(self, turns: Collection[int]) -> dict[int, tuple[str, int]]:
        """The (kind, row) of the vectors that were written in these turns and are still there."""
        found = self._rows(
            "SELECT turn, kind, item FROM vector WHERE turn IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(turns)),),
        )
        return {int(turn): (str(kind), int(item)) for turn, kind, item in found}

    def ids(self, rows: Collection[tuple[str, int]]) -> dict[tuple[str, int], str]:
        """The ids of beliefs that are active, and of episodes and commits (their hashes), by kind and row."""
        wanted = json.dumps([[kind, item] for kind, item in rows])
        found = self._rows(statement("tables", "ids_of_items"), (wanted,))
        return {(str(kind), int(item)): str(id) for kind, item, id in found}

    def rows(self, kind: str, ids: Collection[str]) -> list[tuple[str, int]]:
        """The rows of beliefs, episodes or commits of these ids, as (kind, row)."""
        query = _BELIEF_ROWS if kind == "belief" else _WORK_ROWS
        found = self._rows(query, (json.dumps(sorted(ids)), kind))
        return [(kind, int(item)) for (item,) in found]

    def drop(self, rows: Collection[tuple[str, int]]) -> int:
        """Delete vectors; how many there were. Texts that still exist wait again."""
        which = "(kind, item) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))"
        with self._writing() as connection:
            return delete_rows(connection, f"DELETE FROM vector WHERE {which}", (json.dumps(list(rows)),))

    def clear(self) -> int:
        """Delete all vectors; how many there were. Their texts wait again."""
        with self._writing() as connection:
            return delete_rows(connection, "DELETE FROM vector")


def _state(connection: Database) -> tuple[str, int]:
    model, removals = connection.execute("SELECT model, removals FROM vector_state").fetchall()[0]
    return str(model), int(removals)


_BELIEF_ROWS = "SELECT seq FROM belief WHERE id IN (SELECT value FROM json_each(?1)) AND ?2 = 'belief'"
_WORK_ROWS = "SELECT seq FROM work_entry WHERE id IN (SELECT value FROM json_each(?1)) AND kind = ?2"
