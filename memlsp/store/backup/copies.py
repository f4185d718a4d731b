"""Copies of a memory, as rows: where they were written, whole beliefs out, whole beliefs in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

from memlsp.model.copy import BeliefRecord, Copy, CopyKind
from memlsp.model.errors import Refused
from memlsp.store.core import rows
from memlsp.store.core.database import Database
from memlsp.store.tables import beliefs

_Transaction = Callable[[], AbstractContextManager[Database]]


class CopyRepository:
    """The part of a store that knows where copies of it were written, and by which beliefs come and go whole."""

    def __init__(self, reading: _Transaction, writing: _Transaction, changing: _Transaction | None = None) -> None:
        self._reading = reading
        self._writing = writing
        self._changing = changing or writing

    # -- the register ---------------------------------------------------------------------------------------------

    def add(self, path: str | Path, kind: CopyKind | str, at: datetime) -> None:
        """Note that a copy lies at `path` now. One that was there before is the same copy, written again."""
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO copy VALUES (?, ?, ?)",
                (rows.clean(str(Path(path).absolute())), CopyKind(kind).value, rows.stamp(at)),
            )

    def all(self) -> list[Copy]:
        """Every copy that was ever written and not struck out, by path; whether it is still there is for the disk to
        say."""
        with self._reading() as connection:
            found = connection.execute("SELECT path, kind, at FROM copy ORDER BY path").fetchall()
        return [Copy(Path(path), CopyKind(kind), rows.moment(at)) for path, kind, at in found]

    def strike(self, path: str | Path) -> bool:
        """Take one out of the register, since it is no more. True when it was in it."""
        with self._writing() as connection:
            struck = "DELETE FROM copy WHERE path = ? RETURNING 1"
            return connection.execute(struck, (rows.clean(str(Path(path).absolute())),)).get is not None

    # -- whole beliefs --------------------------------------------------------------------------------------------

    def wholes(self) -> Iterator[BeliefRecord]:
        """Every belief, proposal and past one with its history, oldest first, equals by id; one state of the store,
        read as it is asked for. The store is not to be written through this object before the last is read."""
        with self._reading() as connection:
            ids = connection.execute("SELECT id FROM belief ORDER BY created_at, id").fetchall()
            for (id,) in ids:
                yield _whole(connection, str(id))

    def ids(self) -> list[str]:
        """The id of every belief, proposal and past one, oldest first, equals by id."""
        with self._reading() as connection:
            return [str(id) for (id,) in connection.execute("SELECT id FROM belief ORDER BY created_at, id").fetchall()]

    def whole(self, id: str) -> BeliefRecord | None:
        """One belief of exactly this id with its history."""
        with self._reading() as connection:
            return _whole(connection, id) if beliefs.exists(connection, id) else None

    def put(
        self, wholes: Iterable[tuple[BeliefRecord, str]], batch: str = "", at: datetime | None = None
    ) -> tuple[list[str], list[str]]:
        """Write whole beliefs, each with its keywords, in one transaction; (ids that are new, ids that went on).

        Of one that is there, the revisions that it lacks are appended and its state becomes the one given; that its
        history is a beginning of the one given is for the caller to know, and is looked at again here: Refused when it
        is not, or when the id was forgotten. `batch` names what brought them, `at` says when.
        """
        added: list[str] = []
        advanced: list[str] = []
        with self._changing() as connection:
            for whole, keywords in wholes:
                id = whole.belief.id
                if _forgotten(connection, id):
                    raise Refused(f"{id} was forgotten", "what was forgotten does not come back")
                present = beliefs.revisions(connection, id)
                if tuple(present) != whole.history[: len(present)]:
                    raise Refused(f"{id} was changed meanwhile", "run it again")
                _play(connection, whole, keywords, len(present))
                (advanced if present else added).append(id)
                # a revision of the import's own is found by its session; what came along keeps that of its own time
                came = [each.number for each in whole.history[len(present) :] if each.session != batch]
                if batch and came:
                    connection.execute(
                        "INSERT OR REPLACE INTO brought VALUES (?, ?, ?, ?, ?)",
                        (rows.clean(batch), id, came[0], came[-1], rows.stamp(at or whole.belief.updated_at)),
                    )
        return added, advanced

    def brought(self, batch: str) -> list[str]:
        """The ids of the beliefs that an import or merge brought, in order of id. By its whole name or a unique
        beginning of it."""
        with self._reading() as connection:
            query = "SELECT DISTINCT batch FROM brought WHERE batch = ?1 OR substr(batch, 1, length(?1)) = ?1"
            names = [str(name) for (name,) in connection.execute(query, (rows.clean(batch),))]
            chosen = batch if batch in names else names[0] if len(names) == 1 and batch else None
            if chosen is None:
                return []
            found = connection.execute("SELECT belief FROM brought WHERE batch = ? ORDER BY belief", (chosen,))
            return [str(id) for (id,) in found]

    def batches(self) -> list[tuple[str, int]]:
        """Each import or merge with how many beliefs it brought, by name, which begins with its time."""
        with self._reading() as connection:
            found = connection.execute("SELECT batch, count(*) FROM brought GROUP BY batch ORDER BY batch")
            return [(str(name), int(number)) for name, number in found]

    def forgotten(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that were forgotten."""
        with self._reading() as connection:
            return {id for id in ids if _forgotten(connection, id)}


def _forgotten(connection: Database, id: str) -> bool:
    return connection.execute("SELECT 1 FROM forgotten_id WHERE id = ?", (rows.clean(id),)).get is not None


def _whole(connection: Database, id: str) -> BeliefRecord:
    belief = beliefs.one(connection, id)
    assert belief is not None
    query = """
        SELECT former FROM revision WHERE belief = (SELECT seq FROM belief WHERE id = ?) ORDER BY number
    """
    former = tuple(
        rows.belief_of_blob(blob) if isinstance(blob, bytes) else None for (blob,) in connection.execute(query, (id,))
    )
    return BeliefRecord(belief, tuple(beliefs.revisions(connection, id)), former)


def _play(connection: Database, whole: BeliefRecord, keywords: str, known: int) -> None:
    """Write the revisions from number `known` + 1 on, one after the other, by the store's one way of doing so: what an
    agent may not do is refused in a history as it is in life."""
    states = (*whole.former[1:], whole.belief)
    for revision, after in list(zip(whole.history, states, strict=True))[known:]:
        assert after is not None
        if revision.number == 1:
            beliefs.insert(connection, after, revision, keywords)
        else:
            beliefs.update(connection, after, revision, keywords)
