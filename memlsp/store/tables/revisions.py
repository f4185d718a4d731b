"""Revisions by who made them or when, so that a session's or import's changes can be undone together. Read only."""

from __future__ import annotations

import json
from datetime import datetime

from attrs import frozen

from memlsp.model.belief import Revision
from memlsp.model.episode import TimelineEntry
from memlsp.store.core import rows
from memlsp.store.core.database import Value, statement
from memlsp.store.core.transactions import StoreRepository


@frozen
class RevisionSession:
    """A session or import that revised beliefs: how often, how many beliefs, and from when to when."""

    session: str
    revisions: int
    beliefs: int
    first: datetime
    last: datetime


class RevisionRepository(StoreRepository):
    """Revisions of all beliefs."""

    def of_session(self, session: str) -> list[Revision]:
        """The revisions of one session or import, in the order of writing; for an import of whole histories, those."""
        written = """
            WHERE r.rowid IN (
                SELECT rowid FROM revision WHERE session = ?1 AND session != ''
                UNION
                SELECT came.rowid FROM brought x JOIN belief y ON y.id = x.belief
                JOIN revision came ON came.belief = y.seq AND came.number BETWEEN x.first AND x.last
                WHERE x.batch = ?1
            ) ORDER BY r.rowid
        """
        return self._found(written, (rows.clean(session),))

    def between(self, since: datetime, until: datetime | None = None) -> list[Revision]:
        """The revisions from `since` on, before `until`; in the order of writing."""
        last = rows.stamp(until) if until else None
        return self._found("WHERE r.at >= ?1 AND (?2 IS NULL OR r.at < ?2) ORDER BY r.rowid", (rows.stamp(since), last))

    def latest(self, limit: int) -> list[Revision]:
        """The latest revisions that somebody made or that memlsp noted, newest first: no proposals, no rollbacks."""
        made = "WHERE r.action NOT IN ('propose', 'rollback') ORDER BY r.rowid DESC LIMIT ?1"
        return self._found(made, (max(limit, 0),))

    def of_statements(
        self, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> list[TimelineEntry]:
        """The latest revisions of beliefs, proposals left out, between two times, newest first. No code is read."""
        found = self._rows(
            "SELECT r.at, b.text, b.id, r.action, r.author,"
            " (SELECT json_group_array(path) FROM anchor a WHERE a.belief = b.seq)"
            " FROM revision r JOIN belief b ON b.seq = r.belief WHERE r.at >= ? AND r.at <= ?"
            " AND b.status != 'proposed' ORDER BY r.at DESC, b.id DESC, r.number DESC LIMIT ?",
            (rows.stamp(since) if since else "", rows.stamp(until) if until else "\U0010ffff", max(limit, 0)),
        )
        return [
            TimelineEntry(rows.moment(at), "belief", text, id, action, who, tuple(dict.fromkeys(json.loads(paths))))
            for at, text, id, action, who, paths in found
        ]

    def per_day(self, since: datetime, until: datetime) -> dict[str, int]:
        """How many revisions, tasks, commits and handoffs each day (UTC, `2026-11-24`) has from `since` on, before
        `until`. A commit that was both observed and read from the history counts once, as the larger of both numbers of
        its day."""
        found = self._rows(
            statement("tables", "per_day"),
            (rows.stamp(since), rows.stamp(until), *map(rows.milliseconds, (since, until))),
        )
        return {str(day): int(number) for day, number in found}

    def sessions(self, limit: int = 50) -> list[RevisionSession]:
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
        return [
            RevisionSession(session, revisions, beliefs, rows.moment(first), rows.moment(last))
            for session, revisions, beliefs, first, last in self._rows(query, (max(limit, 0),))
        ]

    def reported_failed(self) -> list[tuple[str, Revision]]:
        """The active beliefs that were reported to have failed after their last confirmation, each with the latest such
        report."""
        failed = """
            WHERE b.status = 'active' AND r.action = 'failed' AND NOT EXISTS (
                SELECT 1 FROM revision later WHERE later.belief = r.belief AND later.number > r.number
                AND later.action IN ('failed', 'confirm', 'scope', 'reanchor', 'rollback', 'lock')
            ) ORDER BY b.id
        """
        return [(revision.belief_id, revision) for revision in self._found(failed)]

    def _found(self, rest: str, values: tuple[Value, ...] = ()) -> list[Revision]:
        with self._reading() as connection:
            return rows.revisions_of(connection, rest, values)
