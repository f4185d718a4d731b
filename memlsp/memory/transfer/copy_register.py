"""Register the copies of a memory, and log who made or imported them."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memlsp.memory.context import Context
from memlsp.model.audit import AuditEntry
from memlsp.model.belief import Author
from memlsp.model.copy import CopyKind
from memlsp.model.errors import MemlspError, StoreUnavailable
from memlsp.store.store import Store


class CopyRegister:
    """Writes to the register of copies and to the audit log for exports, backups and imports."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.data_dir = context.data_dir

    def now(self) -> datetime:
        """The time of the memory's clock."""
        return self._context.clock()

    def add(self, store: Store, path: Path, kind: CopyKind) -> None:
        """Register a copy. A read-only store is ignored: the copy may be made all the same."""
        with suppress(StoreUnavailable):
            store.copies.add(path, kind, self._context.clock())

    def audit(
        self, store: Store, action: str, author: Author | None, via: str, note: str, targets: tuple[str, ...] = ()
    ) -> None:
        """Log an action with its author. An error of the log does not undo the action."""
        with suppress(MemlspError):
            person = author or self._context.person()
            store.audit.note(AuditEntry(0, self._context.clock(), action, person, via, "", targets, note))
