"""The register of copies of a memory, and the export and import of beliefs with their histories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from memlsp.model.copy import BeliefRecord, Copy, CopyKind
from memlsp.model.errors import Refused
from memlsp.store.core import rows
from memlsp.store.core.database import Database, delete_rows, text_column
from memlsp.store.core.transactions import StoreRepository
from memlsp.store.tables import beliefs
from memlsp.store.tables.acts import FoundBy

_OLDEST_FIRST = "SELECT id FROM belief ORDER BY created_at, id"


class CopyRepository(StoreRepository):
    """Where copies of the store were written, and its beliefs with their whole histories."""

    def add(self, path: str | Path, kind: CopyKind | str, at: datetime) -> None:
        """Register a copy at `path`, in place of a former one there."""
        self._run(
            "INSERT OR REPLACE INTO copy VALUES (?, ?, ?)",
            (rows.clean(str(Path(path).absolute())), CopyKind(kind).value, rows.stamp(at)),
        )

    def all(self) -> list[Copy]:
        """Every registered copy, by path; its file may be gone."""
        found = self._rows("SELECT path, kind, at FROM copy ORDER BY path")
        return [Copy(Path(path), CopyKind(kind), rows.moment(at)) for path, kind, at in found]

    def strike(self, path: str | Path) -> bool:
        """Remove a copy from the register. True when it was in it."""
        with self._writing() as connection:
            name = rows.clean(str(Path(path).absolute()))
            return bool(delete_rows(connection, "DELETE FROM copy WHERE path = ?", (name,)))

    def records(self) -> Iterator[BeliefRecord]:
        """Every belief, whatever its status, with its history; oldest first, ties by id. One state of the store, read
        lazily: do not write through this object before the last is read."""
        with self._reading() as connection:
            for id in text_column(connection, _OLDEST_FIRST):
                yield _whole(connection, id)

    def ids(self) -> list[str]:
        """The id of every belief, whatever its status, oldest first, ties by id."""
        return self._texts(_OLDEST_FIRST)

    def record(self, id: str) -> BeliefRecord | None:
        """One belief of exactly this id with its history."""
        with self._reading() as connection:
            return _whole(connection, id) if beliefs.exists(connection, id) else None

    def put(
        self, records: Iterable[tuple[BeliefRecord, FoundBy]], batch: str = "", at: datetime | None = None
    ) -> tuple[list[str], list[str]]:
        """Write whole beliefs, each with what it is found by, in one transaction; (new ids, ids whose history went on).

        To a belief that exists the missing revisions are appended. Raises Refused when its history is not a beginning
        of the given one, or when the id was forgotten. `batch` names the import, `at` is its time."""
        added: list[str] = []
        advanced: list[str] = []
        with self._changing() as connection:
            for record, found_by in records:
                id = record.belief.id
                if _forgotten(connection, id):
                    raise Refused(f"{id} was forgotten", "what was forgotten does not come back")
                present = beliefs.revisions(connection, id)
                if tuple(present) != record.history[: len(present)]:
                    raise Refused(f"{id} was changed meanwhile", "run it again")
                _replay(connection, record, found_by, len(present))
                (advanced if present else added).append(id)
                # a revision of the import itself is found by its session; imported ones keep their own session
                came = [each.number for each in record.history[len(present) :] if each.session != batch]
                if batch and came:
                    connection.execute(
                        "INSERT OR REPLACE INTO brought VALUES (?, ?, ?, ?, ?)",
                        (rows.clean(batch), id, came[0], came[-1], rows.stamp(at or record.belief.updated_at)),
                    )
        return added, advanced

    def forgotten(self, ids: Sequence[str]) -> set[str]:
        """The forgotten ones of these ids."""
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


def _replay(connection: Database, record: BeliefRecord, found_by: FoundBy, known: int) -> None:
    """Write the revisions from number `known` + 1 on, each as if it were made now, so that the acts that agents may not
    do are refused in an imported history too."""
    states = (*record.former[1:], record.belief)
    for revision, after in list(zip(record.history, states, strict=True))[known:]:
        assert after is not None
        if revision.number == 1:
            beliefs.insert(connection, after, revision, found_by)
        else:
            beliefs.update(connection, after, revision, found_by)
