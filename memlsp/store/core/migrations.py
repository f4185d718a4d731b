"""The migrations from an empty file to the present layout. They are appended, never edited."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import apsw

from memlsp.model.errors import StoreTooNew
from memlsp.store.core.database import Database, transaction
from memlsp.version import VERSION

_SCHEMA = Path(__file__).parent / "schema"

STEPS = tuple(sorted(path.name for path in _SCHEMA.glob("[0-9]*.sql")))
"""File names in `schema/`; the version of a layout is the number of steps taken."""

LATEST = len(STEPS)

WRITER = "memlsp"
"""The note of a store (`info`) that names the version of memlsp that last brought it up to date."""


def layout_of(connection: Database) -> int:
    """The layout's version; 0 for an empty file."""
    version = connection.pragma("user_version")
    return version if isinstance(version, int) else 0


def writer_of(connection: Database) -> str:
    """The version of memlsp that last brought the store up to date; "" where that is not known."""
    try:
        writer = connection.execute(f"SELECT value FROM info WHERE key = '{WRITER}'").get
    except apsw.SQLError:
        return ""  # a layout to come may have no such table
    return writer if isinstance(writer, str) else ""


def refuse_newer(connection: Database, path: Path) -> None:
    """Raise StoreTooNew when a newer memlsp has been here."""
    layout = layout_of(connection)
    if layout <= LATEST:
        return
    by = f"memlsp {writer}" if (writer := writer_of(connection)) else "a newer memlsp"
    raise StoreTooNew(
        f"{path} was written by {by} (layout {layout}); this is memlsp {VERSION} (layout {LATEST})",
        "update memlsp here, or set MEMLSP_DATA_DIR to another folder",
    )


@cache
def step(number: int) -> str:
    """The SQL of one step, from 0."""
    return (_SCHEMA / STEPS[number]).read_text(encoding="utf-8")


def migrate(connection: Database, path: Path) -> None:
    """Bring the store to the present layout, each step in a transaction of its own. Safe when several processes do it
    at once. Raises StoreTooNew when a newer memlsp has been here."""
    refuse_newer(connection, path)
    while layout_of(connection) < LATEST:
        with transaction(connection):
            taken = layout_of(connection)  # again: another process may have been first
            if taken < LATEST:
                connection.execute(step(taken)).fetchall()
                connection.pragma("user_version", taken + 1)
                if taken + 1 == LATEST:
                    connection.execute("INSERT OR REPLACE INTO info VALUES (?, ?)", (WRITER, VERSION))
