"""Register the copies of a memory, and log who made or imported them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from memlsp.memory.context import Context
from memlsp.model.audit import AuditEntry
from memlsp.model.belief import Author
from memlsp.model.copy import CopyKind
from memlsp.model.errors import MemlspError, StoreUnavailable
from memlsp.store.store import Store


def register(context: Context, store: Store, path: Path, kind: CopyKind) -> None:
    """Register a copy. A read-only store is ignored: the copy may be made all the same."""
    with suppress(StoreUnavailable):
        store.copies.add(path, kind, context.clock())


def log_copy(
    context: Context, store: Store, action: str, author: Author | None, via: str, note: str, ids: tuple[str, ...] = ()
) -> None:
    """Log an export, backup or import with its author, and the beliefs that came in. An error of the log does not undo
    the action."""
    with suppress(MemlspError):
        person = author or context.person()
        store.audit.note(AuditEntry(0, context.clock(), action, person, via, "", ids, note))
