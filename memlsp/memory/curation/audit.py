"""The audit log of the workspace and the user: author, action, time and ids of each change. It holds no statement: its
reader looks up those that are still remembered."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from memlsp.memory.context import Context
from memlsp.model.audit import AuditEntry
from memlsp.model.belief import Belief
from memlsp.model.errors import BadValue


class AuditLog:
    """Reads the audit log. The store writes an entry in the transaction of the change that it records."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def list(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        action: str | None = None,
        author: str | None = None,
        session: str | None = None,
        target: str | None = None,
        limit: int | None = 100,
    ) -> tuple[AuditEntry, ...]:
        """The entries that match every given filter, newest first, at most `limit` (None for all).

        `target` is a whole id. Entries of the workspace and of the user are numbered separately. Raises BadValue for a
        span that ends before it begins.
        """
        if since is not None and until is not None and until <= since:
            raise BadValue("it ends before it begins", "give the earlier moment first")
        found: list[AuditEntry] = []
        for store in self._context.stores:
            found += store.audit.entries(
                since=since, until=until, action=action, author=author, session=session, target=target, limit=limit
            )
        found.sort(key=lambda entry: entry.at, reverse=True)  # stable: of one moment the workspace's come first
        return tuple(found if limit is None else found[: max(limit, 0)])

    def beliefs(self, entries: Iterable[AuditEntry]) -> dict[str, Belief]:
        """The beliefs of any status that the entries are about, by id, without those that were forgotten."""
        ids = [id for entry in entries for id in entry.targets]
        return {belief.id: belief for store in self._context.stores for belief in store.several(ids)}
