"""Record which copies of a memory were written where, and who made or took them in."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memlsp.memory.context import Context
from memlsp.model.audit import AuditEntry
from memlsp.model.belief import Author
from memlsp.model.copy import CopyKind
from memlsp.model.errors import MemlspError, StoreUnavailable
from memlsp.store import Store


class CopyRegister:
    """The register of copies and the audit log, as exports, vaults, backups and imports write them."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.data_dir = context.data_dir

    def now(self) -> datetime:
        """The time, by the memory's clock."""
        return self._context.clock()

    def add(self, store: Store, path: Path, kind: CopyKind) -> None:
        """Register a copy. Where nothing can be written, the copy may be made all the same."""
        with suppress(StoreUnavailable):
            store.copies.add(path, kind, self._context.clock())

    def audit(
        self, store: Store, action: str, author: Author | None, via: str, note: str, targets: tuple[str, ...] = ()
    ) -> None:
        """Log who did it. An action stays done when it cannot be logged."""
        with suppress(MemlspError):
            person = author or self._context.person()
            store.audit.note(AuditEntry(0, self._context.clock(), action, person, via, "", targets, note))
