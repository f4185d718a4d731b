"""The audit log: who did what to which ids, and never the text of a belief. Entries are only added.

Triggers of the schema refuse every change and removal, except that erasure may empty a name, a source, a session or a
note.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from memlsp.model.belief import Author, AuthorKind, Belief, Revision, RevisionAction
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Row, insert_row
from memlsp.store.core.transactions import StoreRepository, write

if TYPE_CHECKING:
    from memlsp.model.audit import AuditEntry

MOST_TARGETS = 1_000
"""Ids that one entry names; its note says how many more there were."""

_COLUMNS = "at, action, author, author_kind, source, session, targets, note"


def append(connection: Database, entry: AuditEntry) -> int:
    """Write an entry; its id, which the store assigns. The note may hold no text of a belief."""
    targets, note = entry.targets, entry.note
    if len(targets) > MOST_TARGETS:
        note = f"{note}; and {len(targets) - MOST_TARGETS} more".lstrip("; ")
    return insert_row(
        connection,
        f"INSERT INTO audit ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            rows.stamp(entry.at),
            rows.clean(entry.action),
            rows.clean(entry.author.name),
            entry.author.kind.value,
            rows.clean(entry.source),
            rows.clean(entry.session),
            rows.clean(json.dumps(targets[:MOST_TARGETS], ensure_ascii=False)),
            rows.clean(note),
        ),
    )


def append_revision(connection: Database, revision: Revision, number: int, after: Belief) -> None:
    """Write the entry of a revision in the transaction that writes the revision. A revision's own note is a person's
    text and stays with the belief; the entry holds ids only."""
    from memlsp.model.audit import AuditEntry  # late: most processes only read beliefs

    note = f"revision {number}"
    if revision.undoes is not None:
        note = f"{note}, takes back revision {revision.undoes}"
    elif revision.action is RevisionAction.SUPERSEDE and after.superseded_by:
        note = f"{note}, replaced by {after.superseded_by}"
    action, targets = revision.action.value, (revision.belief_id,)
    entry = AuditEntry(0, revision.at, action, revision.author, revision.source, revision.session, targets, note)
    append(connection, entry)


class AuditRepository(StoreRepository):
    """The audit log."""

    note = write(append)

    def last_id(self) -> int:
        """The id of the latest entry; 0 without one."""
        return self._number("SELECT coalesce(max(id), 0) FROM audit")

    def targets_since(self, id: int) -> list[str]:
        """What the entries after `id` name, in the order of writing."""
        return self._texts("SELECT value FROM audit a, json_each(targets) WHERE a.id > ? ORDER BY a.id", (id,))

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
        """The entries that meet every condition, newest first; None sets none. `since` is inclusive, `until` not."""
        asked, values = rows.given(
            ("action = ?", action),
            ("author = ?", author),
            ("session = ?", session),
            ("at >= ?", since and rows.stamp(since)),
            ("at < ?", until and rows.stamp(until)),
            ("EXISTS (SELECT 1 FROM json_each(targets) WHERE value = ?)", target),
        )
        where = f"WHERE {' AND '.join(asked)} " if asked else ""
        values.append(-1 if limit is None else max(limit, 0))
        query = f"SELECT id, {_COLUMNS} FROM audit {where}ORDER BY id DESC LIMIT ?"
        return [_entry_of(row) for row in self._rows(query, values)]


def _entry_of(row: Row) -> AuditEntry:
    from memlsp.model.audit import AuditEntry  # late, as above

    id, at, action, author, author_kind, source, session, targets, note = row
    person = Author(author, AuthorKind(author_kind))
    return AuditEntry(id, rows.moment(at), action, person, source, session, tuple(json.loads(targets)), note)
