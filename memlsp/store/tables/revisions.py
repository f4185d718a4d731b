"""Revisions asked for by who made them or when, for what is taken back as a whole. Read only."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from attrs import frozen

from memlsp.model.belief import Revision
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Value

_Transaction = Callable[[], AbstractContextManager[Database]]


@frozen
class RevisionSession:
    """One session or import that revised something: how often, how many beliefs, and from when to when."""

    session: str
    revisions: int
    beliefs: int
    first: datetime
    last: datetime


class RevisionRepository:
    """The part of a store that finds revisions across beliefs. Each method is one transaction."""

    def __init__(self, reading: _Transaction) -> None:
        self._reading = reading

    def of_session(self, session: str) -> list[Revision]:
        """What one session or import did, in the order in which it was written; of an import that brought whole
        histories, these."""
        did = """
            r.rowid IN (
                SELECT rowid FROM revision WHERE session = ?1 AND session != ''
                UNION
                SELECT came.rowid FROM brought x JOIN belief y ON y.id = x.belief
                JOIN revision came ON came.belief = y.seq AND came.number BETWEEN x.first AND x.last
                WHERE x.batch = ?1
            )
        """
        return self._found(did, (rows.clean(session),))

    def between(self, since: datetime, until: datetime | None = None) -> list[Revision]:
        """What was done from `since` on, before `until`; in the order in which it was written."""
        if until is None:
            return self._found("r.at >= ?", (rows.stamp(since),))
        return self._found("r.at >= ? AND r.at < ?", (rows.stamp(since), rows.stamp(until)))

    def sittings(self, limit: int = 50) -> list[RevisionSession]:
        """The sessions and imports that revised something, the latest first."""
        query = """
            SELECT session, sum(revisions), max(beliefs), min(first), max(last) FROM (
                SELECT session, count(*) AS revisions, count(DISTINCT belief) AS beliefs,
                    min(at) AS first, max(at) AS last
                FROM revision WHERE session != '' GROUP BY session
                UNION ALL
                SELECT batch, sum(last - first + 1), count(*), min(at), max(at) FROM brought GROUP BY batch
            ) GROUP BY session ORDER BY max(last) DESC, session LIMIT ?
        """
        with self._reading() as connection:
            return [
                RevisionSession(session, revisions, beliefs, rows.moment(first), rows.moment(last))
                for session, revisions, beliefs, first, last in connection.execute(query, (max(limit, 0),))
            ]

    def reported_failed(self) -> list[tuple[str, Revision]]:
        """The active beliefs of which somebody reported, after their last confirmation, that they did not hold: each
        with the latest such report."""
        query = f"""
            SELECT b.id, {", ".join(f"r.{name}" for name in rows.REVISION_COLUMNS.split(", "))}
            FROM revision r JOIN belief b ON b.seq = r.belief
            WHERE b.status = 'active' AND r.action = 'failed' AND NOT EXISTS (
                SELECT 1 FROM revision later WHERE later.belief = r.belief AND later.number > r.number
                AND later.action IN ('failed', 'confirm', 'scope', 'reanchor', 'rollback', 'lock')
            ) ORDER BY b.id
        """  # noqa: S608 - columns of ours
        with self._reading() as connection:
            return [(row[0], rows.revision_of(row[0], row[1:])) for row in connection.execute(query)]

    def _found(self, condition: str, values: tuple[Value, ...]) -> list[Revision]:
        query = f"""
            SELECT b.id, {", ".join(f"r.{name}" for name in rows.REVISION_COLUMNS.split(", "))}
            FROM revision r JOIN belief b ON b.seq = r.belief WHERE {condition} ORDER BY r.rowid
        """  # noqa: S608 - conditions of ours, what was asked is bound
        with self._reading() as connection:
            return [rows.revision_of(row[0], row[1:]) for row in connection.execute(query, values)]
