"""Conflicts between beliefs, and the decisions about them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from attrs import evolve, frozen

from memlsp.model.audit import AuditEntry
from memlsp.model.belief import Author, Belief, Revision
from memlsp.model.review import Conflict, Settlement
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Row
from memlsp.store.core.transactions import StoreRepository
from memlsp.store.tables import audit, beliefs
from memlsp.store.tables.acts import FoundBy

_COLUMNS = "first, second, found_at, said, settlement, body"


@frozen
class KeptConflict:
    """A conflict with the digest of what both sides said when it was found or settled."""

    conflict: Conflict
    said: bytes


class ConflictRepository(StoreRepository):
    """Conflicts, open and settled."""

    def record(self, id: str, looked: bytes, found: Sequence[KeptConflict]) -> list[Conflict]:
        """Write the conflicts that a belief has now; returns those that are new or changed.

        A settled conflict stays settled while both sides say the same. Open conflicts of the belief that were not found
        again are deleted. `looked` is the digest of the belief's text when it was compared."""
        known = {_key(each): each for each in self.of(id)}
        fresh = [each for each in found if (old := known.get(_key(each))) is None or old.said != each.said]
        gone = [
            key
            for key, each in known.items()
            if each.conflict.settlement is None and key not in {_key(one) for one in found}
        ]
        with (self._changing if fresh or gone else self._writing)() as connection:
            for first, second in gone:
                connection.execute("DELETE FROM conflict WHERE first = ? AND second = ?", (first, second))
            for each in fresh:
                _write(connection, each)
            connection.execute(
                "INSERT OR REPLACE INTO conflict_looked SELECT seq, ? FROM belief WHERE id = ?", (looked, id)
            )
        return [each.conflict for each in fresh]

    def settle(
        self,
        kept: KeptConflict,
        author: Author,
        source: str,
        session: str = "",
        changes: Sequence[tuple[Belief, Revision, FoundBy]] = (),
        expected: Sequence[Belief] = (),
    ) -> None:
        """Write the decision about a conflict, and in the same transaction its changes of beliefs, as
        `Store.change_all` does."""
        conflict = kept.conflict
        assert conflict.settlement is not None
        assert conflict.settled_at is not None
        before = {belief.id: belief for belief in expected}
        with self._changing() as connection:
            for belief, revision, found_by in changes:
                beliefs.update(connection, belief, revision, found_by, before.get(belief.id))
            _write(connection, kept)
            decision, at = conflict.settlement.value, conflict.settled_at
            audit.append(connection, _entry(conflict, "settle", at, author, source, session, decision))

    def reopen(self, kept: KeptConflict, author: Author, source: str, session: str, at: datetime) -> None:
        """Take back the decision about a conflict: it is open again."""
        conflict = evolve(kept.conflict, settlement=None, settled_by="", settled_at=None, note="")
        with self._changing() as connection:
            _write(connection, evolve(kept, conflict=conflict))
            audit.append(connection, _entry(conflict, "reopen", at, author, source, session))

    def all(self) -> list[KeptConflict]:
        """Every conflict, settled ones too, in order of their ids."""
        return self._select("ORDER BY first, second")

    def unsettled(self) -> list[KeptConflict]:
        """The conflicts between active beliefs that are open, or were settled by giving up a side that was brought back
        since; in order of their ids. A side that another store holds counts as active."""
        return self._select(_UNSETTLED)

    def of(self, *ids: str) -> list[KeptConflict]:
        """Every conflict of these beliefs, settled ones too, once each, in order of their ids."""
        asked = "(SELECT value FROM json_each(?1))"
        where = f"WHERE first IN {asked} OR second IN {asked} ORDER BY first, second"
        return self._select(where, (json.dumps([rows.clean(id) for id in ids]),))

    def get(self, first: str, second: str) -> KeptConflict | None:
        """The conflict of two beliefs, the smaller id first."""
        found = self._select("WHERE first = ? AND second = ?", (rows.clean(first), rows.clean(second)))
        return found[0] if found else None

    def looked(self) -> dict[str, bytes]:
        """The active beliefs that were compared with the others, with the digest of their text then."""
        query = """
            SELECT b.id, looked.said FROM conflict_looked looked JOIN belief b ON b.seq = looked.belief
            WHERE b.status = 'active'
        """
        return {str(id): bytes(said) for id, said in self._rows(query)}

    def take(self, conflicts: Iterable[KeptConflict]) -> None:
        """Write the conflicts of another memory, where none is known between the same two beliefs."""
        with self._changing() as connection:
            for each in conflicts:
                _write(connection, each, "OR IGNORE")

    def _select(self, rest: str, values: Sequence[str] = ()) -> list[KeptConflict]:
        return [_kept(row) for row in self._rows(f"SELECT {_COLUMNS} FROM conflict {rest}", values)]


_UNSETTLED = """
    WHERE (settlement IS NULL OR settlement IN ('retired', 'superseded'))
    AND NOT EXISTS (SELECT 1 FROM belief WHERE id IN (first, second) AND status != 'active')
    ORDER BY first, second
"""


def _key(kept: KeptConflict) -> tuple[str, str]:
    return kept.conflict.first, kept.conflict.second


def _entry(
    conflict: Conflict, action: str, at: datetime, author: Author, source: str, session: str, note: str = ""
) -> AuditEntry:
    return AuditEntry(0, at, action, author, source, session, (conflict.first, conflict.second), note)


def _write(connection: Database, kept: KeptConflict, otherwise: str = "OR REPLACE") -> None:
    conflict = kept.conflict
    body = {
        "subject": conflict.subject,
        "predicate": conflict.predicate,
        "values": list(conflict.values),
        "reason": conflict.reason,
        "by": conflict.settled_by,
        "at": rows.stamp(conflict.settled_at) if conflict.settled_at else "",
        "note": conflict.note,
    }
    connection.execute(
        f"INSERT {otherwise} INTO conflict ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        (
            rows.clean(conflict.first),
            rows.clean(conflict.second),
            rows.stamp(conflict.found_at),
            kept.said,
            conflict.settlement.value if conflict.settlement else None,
            rows.clean(json.dumps(body, ensure_ascii=False)),
        ),
    )


def _kept(row: Row) -> KeptConflict:
    body = json.loads(row[5])
    values = [str(value) for value in body["values"]]
    conflict = Conflict(
        first=row[0],
        second=row[1],
        subject=body["subject"],
        predicate=body["predicate"],
        values=(values[0], values[1]),
        reason=body["reason"],
        found_at=rows.moment(row[2]),
        settlement=Settlement(row[4]) if row[4] else None,
        settled_by=body["by"],
        settled_at=rows.moment(body["at"]) if body["at"] else None,
        note=body["note"],
    )
    return KeptConflict(conflict, bytes(row[3]))
