"""What can be derived again and is slow to: the histories of symbols. Small key-value notes too."""

from __future__ import annotations

import zlib

from memlsp.store.core import rows
from memlsp.store.core.database import Database

KEPT = 5_000


def history(connection: Database, key: str) -> str | None:
    """What was kept under a key, or None."""
    blob = connection.execute("SELECT value FROM history WHERE key = ?", (rows.clean(key),)).get
    return zlib.decompress(blob).decode() if isinstance(blob, bytes) else None


def histories(connection: Database) -> int:
    """How many histories are kept."""
    count = connection.execute("SELECT count(*) FROM history").get
    return count if isinstance(count, int) else 0


def keep_history(connection: Database, key: str, value: str) -> None:
    """Keep a value under a key; the least recently written go when there are too many."""
    blob = zlib.compress(rows.clean(value).encode(), 1)
    connection.execute("INSERT OR REPLACE INTO history (key, value) VALUES (?, ?)", (rows.clean(key), blob))
    connection.execute("DELETE FROM history WHERE used <= (SELECT max(used) FROM history) - ?", (KEPT,))


def info(connection: Database, key: str) -> str | None:
    """A note about this store, or None."""
    value = connection.execute("SELECT value FROM info WHERE key = ?", (rows.clean(key),)).get
    return value if isinstance(value, str) else None


def set_info(connection: Database, key: str, value: str) -> None:
    """Write a note about this store."""
    connection.execute("INSERT OR REPLACE INTO info VALUES (?, ?)", (rows.clean(key), rows.clean(value)))
