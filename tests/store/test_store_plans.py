"""Queries that a question waits for look rows up, and go through no table of beliefs."""

from __future__ import annotations

from pathlib import Path

import apsw

from memlsp.store.core.database import connect, statement
from memlsp.store.store import open_store


def test_the_ids_of_what_is_near_are_looked_up_by_their_rows(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_store(path).close()
    database = connect(path, apsw.SQLITE_OPEN_READONLY)
    query = statement("tables", "ids_of_items")  # the plan of this very text is what counts
    plan = [str(row[3]) for row in database.execute(f"EXPLAIN QUERY PLAN {query}", ("[]",))]
    database.close()
    assert "SEARCH belief USING INTEGER PRIMARY KEY (rowid=?)" in plan
    assert not any("belief_by" in step for step in plan)
