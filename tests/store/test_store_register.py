"""The register of where words can stand is complete: what nobody thought of fails here."""

from __future__ import annotations

from pathlib import Path

from memlsp.store.core.database import connect
from memlsp.store.erase.row_erasure import REGISTER, layout
from memlsp.store.store import open_store

READ_ONLY = 1  # SQLITE_OPEN_READONLY


def test_every_column_of_every_table_says_what_forgetting_does_there(tmp_path: Path) -> None:
    open_store(tmp_path / "memory.db").close()
    connection = connect(tmp_path / "memory.db", READ_ONLY)
    found = {(table, column) for table, columns in layout(connection).items() for column in columns}
    connection.close()
    named = {(table, column) for table, columns in REGISTER.items() for column in columns}
    assert found - named == set(), (
        "decide in store/erase/register.txt what becomes of these when something is forgotten"
    )
    assert named - found == set(), "these are in store/erase/register.txt and not in the layout"
