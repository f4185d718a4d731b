"""The records of recalls. The oldest go when there are too many."""

from __future__ import annotations

from memlsp.model.recall import Receipt
from memlsp.store import rows
from memlsp.store.database import Database

KEPT = 5_000


def add(connection: Database, receipt: Receipt) -> int:
    """Write a receipt; its id, which the store assigns."""
    number = connection.execute(
        "INSERT INTO receipt (at, asker, query, served, left_out, tokens, as_of)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        rows.receipt_row(receipt),
    ).get
    assert isinstance(number, int)
    connection.execute("DELETE FROM receipt WHERE id <= ?", (number - KEPT,))
    return number


def latest(connection: Database, limit: int, belief: str | None = None) -> list[Receipt]:
    """The latest receipts, newest first; with `belief` those of the recalls that served it."""
    among = "" if belief is None else "WHERE EXISTS (SELECT 1 FROM json_each(served) WHERE value = ?)"
    values = (max(limit, 0),) if belief is None else (belief, max(limit, 0))
    query = (
        "SELECT id, at, asker, query, served, left_out, tokens, as_of FROM receipt"  # noqa: S608 - words of ours
        f" {among} ORDER BY id DESC LIMIT ?"
    )
    return [rows.receipt_of(row) for row in connection.execute(query, values)]
