"""The audit log as rows, which are only ever added: who did what to which ids, and never what a belief said.

Triggers of the schema refuse every change and removal; the one exception is that forgetting may empty a name, a source,
a session or a note.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from memlsp.model.audit import AuditEntry
from memlsp.model.belief import Author, AuthorKind, Belief, Revision, RevisionAction
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Row, Value

_Transaction = Callable[[], AbstractContextManager[Database]]

MOST_TARGETS = 1_000
"""Ids that one entry names; how many more there were is said in its note."""

_COLUMNS = "id, at, action, author, author_kind, source, session, targets, note"


def append(
    connection: Database,
    *,
    at: datetime,
    action: str,
    author: Author,
    source: str,
    session: str = "",
    targets: Sequence[str] = (),
    note: str = "",
) -> int:
    """Write one entry inside the caller's transaction; its id. `note` may hold no text of a belief."""
    if len(targets) > MOST_TARGETS:
        note = f"{note}; and {len(targets) - MOST_TARGETS} more".lstrip("; ")
        targets = targets[:MOST_TARGETS]
    number = connection.execute(
        "INSERT INTO audit (at, action, author, author_kind, source, session, targets, note) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            rows.stamp(at),
            rows.clean(action),
            rows.clean(author.name),
            author.kind.value,
            rows.clean(source),
            rows.clean(session),
            rows.clean(json.dumps(list(targets), ensure_ascii=False)),
            rows.clean(note),
        ),
    ).get
    assert isinstance(number, int)
    return number


def revised(connection: Database, revision: Revision, number: int, after: Belief | None = None) -> None:
    """Write the entry of a revision, inside the transaction that writes the revision itself.

    A revision's own note is a person's text, so it stays with the belief; here is said only what can be said in ids.
    """
    note = f"revision {number}"
    if revision.undoes is not None:
        note = f"{note}, takes back revision {revision.undoes}"
    elif revision.action is RevisionAction.SUPERSEDE and after is not None and after.superseded_by:
        note = f"{note}, replaced by {after.superseded_by}"
    append(
        connection,
        at=revision.at,
        action=revision.action.value,
        author=revision.author,
        source=revision.source,
        session=revision.session,
        targets=(revision.belief_id,),
        note=note,
    )


class AuditRepository:
    """The part of a store that says who changed what. Each method is one transaction."""

    def __init__(self, reading: _Transaction, writing: _Transaction) -> None:
        self._reading = reading
        self._writing = writing

    def note(
        self,
        *,
        at: datetime,
        action: str,
        author: Author,
        source: str,
        session: str = "",
        targets: Sequence[str] = (),
        note: str = "",
    ) -> int:
        """Write one entry about what has no transaction of its own (an export, a backup); its id."""
        with self._writing() as connection:
            return append(
                connection,
                at=at,
                action=action,
                author=author,
                source=source,
                session=session,
                targets=targets,
                note=note,
            )

    def entries(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        action: str | None = None,
        author: str | None = None,
        session: str | None = None,
        target: str | None = None,
        limit: int | None = None,
    ) -> list[AuditEntry]:
        """The entries that fulfil all that is given, newest first; None asks for nothing. `since` is inclusive, `until`
        is not."""
        conditions: list[str] = []
        values: list[Value] = []
        for column, wanted in (("action", action), ("author", author), ("session", session)):
            if wanted is not None:
                conditions.append(f"{column} = ?")
                values.append(rows.clean(wanted))
        for comparison, moment in ((">=", since), ("<", until)):
            if moment is not None:
                conditions.append(f"at {comparison} ?")
                values.append(rows.stamp(moment))
        if target is not None:
            conditions.append("EXISTS (SELECT 1 FROM json_each(targets) WHERE value = ?)")
            values.append(rows.clean(target))
        where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
        values.append(-1 if limit is None else max(limit, 0))
        query = f"SELECT {_COLUMNS} FROM audit {where}ORDER BY id DESC LIMIT ?"  # noqa: S608 - columns of ours
        with self._reading() as connection:
            return [_entry_of(row) for row in connection.execute(query, values)]

    def forget_author(self, name: str) -> int:
        """Empty the name of somebody who is forgotten wherever the log has it; in how many entries."""
        with self._writing() as connection:
            return forget_author(connection, name)


def forget_author(connection: Database, name: str) -> int:
    """The same, inside the caller's transaction."""
    found = connection.execute("UPDATE audit SET author = '' WHERE author = ? RETURNING id", (rows.clean(name),))
    return len(found.fetchall())


def _entry_of(row: Row) -> AuditEntry:
    return AuditEntry(
        id=row[0],
        at=rows.moment(row[1]),
        action=row[2],
        author=Author(row[3], AuthorKind(row[4])),
        source=row[5],
        session=row[6],
        targets=tuple(json.loads(row[7])),
        note=row[8],
    )
