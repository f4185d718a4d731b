"""The records of recalls. The oldest go when there are too many."""

from __future__ import annotations

from memlsp.model.recall import Receipt
from memlsp.store import rows
from memlsp.store.database import Database

KEPT = 5_000


def add(connection: Database, receipt: Receipt) -> int:
    """Write a receipt; its id, which the store assigns."""
    number = connection.execute(
        "INSERT INTO receipt (at, asker, query, served, left_out, tokens) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
        rows.receipt_row(receipt),
    ).get
    assert isinstance(number, int)
    connection.execute("DELETE FROM receipt WHERE id <= ?", (number - KEPT,))
    return number


def latest(connection: Database, limit: int) -> list[Receipt]:
    """The latest receipts, newest first."""
    query = "SELECT id, at, asker, query, served, left_out, tokens FROM receipt ORDER BY id DESC LIMIT ?"
    return [rows.receipt_of(row) for row in connection.execute(query, (max(limit, 0),))]
