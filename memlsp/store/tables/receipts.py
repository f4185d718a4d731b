"""The records of recalls. The oldest go when there are too many."""

from __future__ import annotations

import json

from attrs import evolve

from memlsp.model.recall import Receipt
from memlsp.store.core import rows
from memlsp.store.core.database import Database
from memlsp.store.erase.search_patterns import FORGOTTEN

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


def unforgotten(connection: Database, receipt: Receipt) -> Receipt:
    """A receipt as it may be written when something was forgotten since the question was asked: without its words,
    which may be those, and without what is gone."""
    ids = [*receipt.served, *(each.id for each in receipt.left_out)]
    query = "SELECT id FROM forgotten_id WHERE id IN (SELECT value FROM json_each(?))"
    gone = {str(id) for (id,) in connection.execute(query, (json.dumps([rows.clean(id) for id in ids]),))}
    return evolve(
        receipt,
        query=FORGOTTEN,
        served=tuple(id for id in receipt.served if id not in gone),
        left_out=tuple(each for each in receipt.left_out if each.id not in gone),
    )


def latest(connection: Database, limit: int, belief: str | None = None) -> list[Receipt]:
    """The latest receipts, newest first; with `belief` those of the recalls that served it."""
    among = "" if belief is None else "WHERE EXISTS (SELECT 1 FROM json_each(served) WHERE value = ?)"
    values = (max(limit, 0),) if belief is None else (belief, max(limit, 0))
    query = (
        "SELECT id, at, asker, query, served, left_out, tokens, as_of FROM receipt"  # noqa: S608 - words of ours
        f" {among} ORDER BY id DESC LIMIT ?"
    )
    return [rows.receipt_of(row) for row in connection.execute(query, values)]
