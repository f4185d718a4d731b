"""Receipts: the record of every telling, and their sums."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from attrs import evolve

from memlsp.model.belief import Authority
from memlsp.store.core import rows
from memlsp.store.core.database import Database, insert_row, scalar, text_column
from memlsp.store.tables import cache

if TYPE_CHECKING:
    from memlsp.model.recall import Omission, Receipt, TellingSummary

KEPT = 5_000
_COLUMNS = "at, asker, query, served, left_out, tokens, as_of, surface, session"
_MOST_DAYS = 14


def add(connection: Database, receipt: Receipt, epoch: str | None = None) -> int:
    """Write a receipt; its id. The latest 5,000 are kept. Of a question that was asked before the erasure `epoch` ended
    only the ids are kept that still exist."""
    if epoch is not None and epoch != cache.erasure_epoch(connection):
        from memlsp.store.erase.search_patterns import FORGOTTEN  # late: it seldom comes to that

        receipt = evolve(receipt, query=FORGOTTEN)
    served, left_out = _without_erased(connection, receipt)
    id = insert_row(
        connection,
        f"INSERT INTO receipt ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            rows.stamp(receipt.at),
            rows.clean(receipt.asker),
            rows.clean(receipt.query),
            rows.json_text(served),
            rows.json_text([(omission.id, omission.reason) for omission in left_out]),
            receipt.tokens,
            rows.clean(receipt.as_of),
            receipt.surface,
            rows.clean(receipt.session),
        ),
    )
    connection.execute("DELETE FROM receipt WHERE id <= ?", (id - KEPT,))
    return id


def _without_erased(connection: Database, receipt: Receipt) -> tuple[list[str], list[Omission]]:
    ids = [*receipt.served, *(each.id for each in receipt.left_out)]
    query = "SELECT id FROM forgotten_id WHERE id IN (SELECT value FROM json_each(?))"
    erased = set(text_column(connection, query, (rows.json_text(ids),)))
    return [id for id in receipt.served if id not in erased], [o for o in receipt.left_out if o.id not in erased]


def latest(connection: Database, limit: int = 50, belief: str | None = None) -> list[Receipt]:
    """The latest receipts, newest first; with `belief` (an id) those of the tellings that served it."""
    from memlsp.model.recall import Omission, Receipt  # late: most processes only write receipts

    where = "WHERE ?1 IS NULL OR EXISTS (SELECT 1 FROM json_each(served) WHERE value = ?1)"
    query = f"SELECT id, {_COLUMNS} FROM receipt {where} ORDER BY id DESC LIMIT ?2"
    return [
        Receipt(
            *(id, rows.moment(at), asker, query),
            tuple(json.loads(served)),
            tuple(Omission(name, reason) for name, reason in json.loads(left_out)),
            *(tokens, as_of, surface, session),
        )
        for id, at, asker, query, served, left_out, tokens, as_of, surface, session in connection.execute(
            query, (belief, max(limit, 0))
        )
    ]


def summary(connection: Database) -> TellingSummary:
    """The kept receipts in numbers; the days are the latest 14 with any."""
    from memlsp.model.event import source_of
    from memlsp.model.recall import TellingDay, TellingSummary  # late, as above

    days: dict[tuple[str, str], tuple[int, int]] = {}
    query = (
        "SELECT substr(at, 1, 10), asker, count(*), sum(tokens) FROM receipt WHERE surface NOT IN ('again', 'done')"
        " GROUP BY 1, 2 ORDER BY 1 DESC, 2"
    )
    for day, asker, times, tokens in connection.execute(query):
        place = (day, source_of(asker.removeprefix("mcp:")))  # over MCP an agent has the name that it gives itself
        before = days.get(place, (0, 0))
        days[place] = (before[0] + times, before[1] + tokens)
    shown = sorted({day for day, _ in days}, reverse=True)[:_MOST_DAYS]
    ordered = sorted(days.items(), key=lambda item: (item[0][0], item[1][1], item[0][1]), reverse=True)
    latest_session = text_column(connection, "SELECT session FROM receipt WHERE session != '' ORDER BY id DESC LIMIT 1")
    told = set(
        text_column(
            connection,
            "SELECT DISTINCT value FROM receipt, json_each(receipt.served) WHERE session = ? AND session != ''",
            ("".join(latest_session),),
        )
    )
    people = [authority.value for authority in Authority if authority.rank <= Authority.PERSON.rank]
    corrections = scalar(
        connection,
        "SELECT count(*) FROM belief WHERE id IN (SELECT value FROM json_each(?))"
        " AND authority IN (SELECT value FROM json_each(?))",
        (rows.json_text(sorted(told)), rows.json_text(people)),
    )
    obeyed, broken, unknown = _outcomes(connection)
    return TellingSummary(
        tuple(TellingDay(*place, *number) for place, number in ordered if place[0] in shown),
        scalar(connection, "SELECT count(DISTINCT session) FROM receipt WHERE session != ''"),
        "".join(latest_session),
        len(told),
        corrections,
        obeyed,
        broken,
        unknown,
    )


def _outcomes(connection: Database) -> tuple[int, int, int]:
    """Of the acts that sessions were told of, how many they left and how many they did after that, and of how many
    nothing is known: where no call of a tool is kept that came later."""
    told = connection.execute(
        "SELECT session, min(CASE surface WHEN 'act' THEN at END), max(surface = 'done')"
        " FROM receipt, json_each(receipt.served)"
        " WHERE surface IN ('act', 'done') AND session != '' GROUP BY session, value"
    ).fetchall()
    last = dict(
        connection.execute(
            "SELECT s.source || ' ' || s.name, max(e.at) FROM session s JOIN event e ON e.session = s.id"
            " WHERE e.kind IN ('command', 'edit', 'read', 'tool') GROUP BY s.id"
        )
    )
    broken = sum(bool(done) for _, _, done in told)
    left = [(session, at) for session, at, done in told if at is not None and not done]
    known = sum(last.get(session, 0) > rows.moment(at).timestamp() * 1_000 for session, at in left)
    return known, broken, len(left) - known
