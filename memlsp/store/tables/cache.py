"""Histories of symbols, which can be derived again but slowly, and the notes of the store about itself."""

from __future__ import annotations

import zlib

from memlsp.store.core.database import Database, scalar
from memlsp.store.core.rows import clean

KEPT = 5_000

_EPOCH = "forgetting.mark"


def history(connection: Database, key: str) -> str | None:
    """The cached history of a key; None when it was never cached or is gone."""
    blob = connection.execute("SELECT value FROM history WHERE key = ?", (clean(key),)).get
    return zlib.decompress(blob).decode() if isinstance(blob, bytes) else None


def histories(connection: Database) -> int:
    """How many histories are cached."""
    return scalar(connection, "SELECT count(*) FROM history")


def keep_history(connection: Database, key: str, value: str) -> None:
    """Cache a history. The 5,000 that were written last are kept."""
    blob = zlib.compress(clean(value).encode(), 1)
    connection.execute("INSERT OR REPLACE INTO history (key, value) VALUES (?, ?)", (clean(key), blob))
    connection.execute("DELETE FROM history WHERE used <= (SELECT max(used) FROM history) - ?", (KEPT,))


def info(connection: Database, key: str) -> str | None:
    """A note about this store; None when there is none of that name."""
    value = connection.execute("SELECT value FROM info WHERE key = ?", (clean(key),)).get
    return value if isinstance(value, str) else None


def set_info(connection: Database, key: str, value: str) -> None:
    """Write a note about this store."""
    connection.execute("INSERT OR REPLACE INTO info VALUES (?, ?)", (clean(key), clean(value)))


def erasure_epoch(connection: Database) -> str:
    """The erasure epoch, which changes whenever something is erased. Read it before preparing a write and compare it
    inside the transaction: if it is unchanged, nothing prepared has been erased."""
    return info(connection, _EPOCH) or ""


def set_erasure_epoch(connection: Database, epoch: str) -> None:
    """Advance the erasure epoch."""
    set_info(connection, _EPOCH, epoch)
