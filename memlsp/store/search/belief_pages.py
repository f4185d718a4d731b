"""Pages of beliefs that meet conditions, newest first, read by the indexes of age and words."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from memlsp.store.core import rows
from memlsp.store.core.database import Database, Value, scalar

if TYPE_CHECKING:
    from memlsp.model.view import BeliefQuery, ListedBelief

Cursor = tuple[str, str]
"""Where a page ended: the time at which its last belief was made, as stored, and the belief's id."""

_WORD = re.compile(r"\w+")


def outline(connection: Database, query: BeliefQuery, after: Cursor | None, limit: int) -> list[ListedBelief]:
    """The next beliefs after a cursor that meet the conditions, newest first, without the code of their anchors."""
    from memlsp.model.view import ListedBelief  # late: few processes list

    where, values = _conditions(query, after)
    order = "+created_at" if _is_narrow(query) else "created_at"
    places = "(SELECT json_group_array(json_array(path, symbol)) FROM anchor WHERE belief = seq)"
    found = connection.execute(
        f"SELECT id, created_at, text, because_of, {places} FROM belief {where} ORDER BY {order} DESC, id LIMIT ?",
        (*values, limit),
    )
    return [
        ListedBelief(id, at, text, tuple(json.loads(bases)), tuple(map(tuple, json.loads(tied))))
        for id, at, text, bases, tied in found
    ]


def number(connection: Database, query: BeliefQuery, most: int) -> int:
    """How many beliefs meet the conditions, counted up to `most`."""
    where, values = _conditions(query, None)
    return scalar(connection, f"SELECT count(*) FROM (SELECT 1 FROM belief {where} LIMIT ?)", (*values, most))


def _is_narrow(query: BeliefQuery) -> bool:
    """True when the rows that it names are read and sorted, and not the index of age gone through."""
    return bool(query.under) or query.ids is not None


def _conditions(query: BeliefQuery, after: Cursor | None) -> tuple[str, list[Value]]:
    asked: list[str] = []
    values: list[Value] = []
    for condition, value in (
        ("+status = ?" if _is_narrow(query) else "status = ?", query.status),
        ("kind = ?", query.kind),
        ("scope = ?", query.scope),
        ("author = ?", query.author),
        ("created_at >= ?", query.since and rows.stamp(query.since)),
        ("created_at < ?", query.until and rows.stamp(query.until)),
        (
            "seq IN (SELECT belief FROM anchor WHERE active = 1 AND path >= ? AND path < ? || char(1114111))",
            query.under,
        ),
        ("id IN (SELECT value FROM json_each(?))", None if query.ids is None else json.dumps(query.ids)),
    ):
        if value is not None and value != "":
            asked.append(condition)
            values += [rows.clean(str(value))] * condition.count("?")
    if said := rows.clean(query.words.strip()):
        match = " ".join(f'"{word}"*' for word in _WORD.findall(said))
        if query.status == "active" and match:  # nothing else is in the index
            found = "SELECT rowid FROM search WHERE search MATCH ? UNION SELECT seq FROM belief WHERE id = ?"
            asked.append(f"seq IN ({found})")
            values += [match, said]
        else:
            asked.append("(instr(lower(text), lower(?)) OR id = ?)")
            values += [said, said]
    if after is not None:
        asked.append("created_at <= ? AND (created_at < ? OR id > ?)")
        values += [after[0], *after]
    return f"WHERE {' AND '.join(asked) or '1'}", values
