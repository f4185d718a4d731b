"""The records of recalls. The oldest are deleted when there are too many."""

from __future__ import annotations

import json

from attrs import evolve

from memlsp.model.recall import Omission, Receipt
from memlsp.store.core import rows
from memlsp.store.core.database import Database, insert_row, text_column
from memlsp.store.erase.search_patterns import FORGOTTEN

KEPT = 5_000

_COLUMNS = "at, asker, query, served, left_out, tokens, as_of"


def add(connection: Database, receipt: Receipt) -> int:
    """Write a receipt; its id, which the store assigns."""
    id = insert_row(
        connection,
        f"INSERT INTO receipt ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            rows.stamp(receipt.at),
            rows.clean(receipt.asker),
            rows.clean(receipt.query),
            rows.json_text(receipt.served),
            rows.json_text([(omission.id, omission.reason) for omission in receipt.left_out]),
            receipt.tokens,
            rows.clean(receipt.as_of),
        ),
    )
    connection.execute("DELETE FROM receipt WHERE id <= ?", (id - KEPT,))
    return id


def without_erased(connection: Database, receipt: Receipt) -> Receipt:
    """A receipt without its question, which may be the erased text, and without the ids of erased beliefs."""
    ids = [*receipt.served, *(each.id for each in receipt.left_out)]
    query = "SELECT id FROM forgotten_id WHERE id IN (SELECT value FROM json_each(?))"
    erased = set(text_column(connection, query, (rows.json_text(ids),)))
    return evolve(
        receipt,
        query=FORGOTTEN,
        served=tuple(id for id in receipt.served if id not in erased),
        left_out=tuple(each for each in receipt.left_out if each.id not in erased),
    )


def latest(connection: Database, limit: int = 50, belief: str | None = None) -> list[Receipt]:
    """The latest receipts, newest first; with `belief` (an id) those of the recalls that served it."""
    where = "WHERE ?1 IS NULL OR EXISTS (SELECT 1 FROM json_each(served) WHERE value = ?1)"
    query = f"SELECT id, {_COLUMNS} FROM receipt {where} ORDER BY id DESC LIMIT ?2"
    return [
        Receipt(
            *(id, rows.moment(at), asker, query),
            tuple(json.loads(served)),
            tuple(Omission(name, reason) for name, reason in json.loads(left_out)),
            *(tokens, as_of),
        )
        for id, at, asker, query, served, left_out, tokens, as_of in connection.execute(query, (belief, max(limit, 0)))
    ]
