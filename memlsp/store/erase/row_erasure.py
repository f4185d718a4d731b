"""Taking rows out for good, and the words of what was forgotten out of all other rows. Every function works inside the
caller's transaction, on the present layout, also that of a backup."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator

from memlsp.store.core.database import Database, Row, Value
from memlsp.store.erase.register import REGISTER, ErasureRule
from memlsp.store.erase.search_patterns import FORGOTTEN, SearchPatterns, edited
from memlsp.store.search import index

NOUNS = {
    "belief": "beliefs",
    "revision": "revisions",
    "anchor": "anchors",
    "receipt": "receipts",
    "history": "symbol histories",
    "commit_episode": "commits",
    "event": "events",
    "passage": "passages",
    "event_state": "file states",
    "episode": "episodes",
    "thread": "threads",
    "thread_lost": "threads",
    "thread_stood": "threads",
    "handoff": "handoffs",
    "note": "notes",
    "briefing": "briefings",
    "remedy": "remedies",
    "conflict": "conflicts",
    "vector": "vectors",
    "work_search": "search entries",
    "audit": "audit entries",
}
"""How what was taken out is counted for a person; the rest goes without being counted."""

_READ = 500  # rows at once


def layout(connection: Database) -> dict[str, list[str]]:
    """Every table with its columns, as they are in this file; insides of search indexes too."""
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    return {
        str(table): [str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        for (table,) in tables
    }


def seqs_of(connection: Database, ids: Collection[str]) -> dict[int, str]:
    """The rows of beliefs by id."""
    found = connection.execute(
        "SELECT seq, id FROM belief WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(sorted(ids)),)
    )
    return {int(seq): str(id) for seq, id in found}


def remove_beliefs(connection: Database, ids: Collection[str], removed: Counter[str]) -> None:
    """Take out beliefs with all that is tied to them by their ids, and see to it that the ids do not come back."""
    rows = seqs_of(connection, ids)
    for seq in rows:
        for table in ("revision", "anchor"):
            removed[NOUNS[table]] += _number(connection, f"SELECT count(*) FROM {table} WHERE belief = ?", (seq,))  # noqa: S608
        index.leave(connection, seq)
        removed["vectors"] += _gone(connection, "DELETE FROM vector WHERE kind = 'belief' AND item = ?", (seq,))
        removed["beliefs"] += _gone(connection, "DELETE FROM belief WHERE seq = ?", (seq,))
    for id in sorted(ids):
        connection.execute("INSERT OR IGNORE INTO forgotten_id VALUES (?)", (id,))
        removed["conflicts"] += _gone(connection, "DELETE FROM conflict WHERE ? IN (first, second)", (id,))
        for (path,) in connection.execute("SELECT DISTINCT path FROM note WHERE belief = ?", (id,)).fetchall():
            connection.execute("DELETE FROM noted WHERE path = ?", (path,))  # looked at again, without it
        removed["notes"] += _gone(connection, "DELETE FROM note WHERE belief = ?", (id,))
        connection.execute("DELETE FROM said WHERE substr(mark, 1, ?) = ?", (len(id) + 1, f"{id} "))
        connection.execute("DELETE FROM briefing WHERE instr(parts, ?)", (id,))
        removed["receipts"] += _out_of_receipts(connection, id)


def _out_of_receipts(connection: Database, id: str) -> int:
    """Take an id out of what recalls served and left out; what was asked goes too where it was answered with it."""
    quoted = json.dumps(id)
    found = connection.execute(
        "SELECT id, served, left_out FROM receipt WHERE instr(served, ?1) OR instr(left_out, ?1)", (quoted,)
    ).fetchall()
    for number, served, left_out in found:
        without = _spelled([each for each in json.loads(served) if each != id])
        kept = _spelled([each for each in json.loads(left_out) if each[0] != id])
        connection.execute(
            "UPDATE receipt SET served = ?, left_out = ?, query = iif(?, ?, query) WHERE id = ?",
            (without, kept, without != served, FORGOTTEN, number),
        )
    return len(found)


def _spelled(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def remove_words(connection: Database, patterns: SearchPatterns, removed: Counter[str]) -> None:
    """Take the words out of every row that holds them still, each by the remedy of its column."""
    if not patterns:
        return
    present = layout(connection)
    for table, columns in REGISTER.items():
        if table not in present:
            continue
        wanted = {name: columns[name] for name in columns if name in present[table] and columns[name] in _SWEPT}
        if not wanted:
            continue
        key = _key_of(connection, table)
        touched = 0
        for row in list(_holding(connection, table, key, wanted, patterns)):
            touched += 1
            _mend(connection, table, key, row, wanted, patterns)
        if touched and table in NOUNS:
            removed[NOUNS[table]] += touched
    _thin_drafts(connection, patterns)
    _let_go_of_loose_ends(connection)


def _thin_drafts(connection: Database, patterns: SearchPatterns) -> None:
    """What open episodes are weighed by are the words of their events, each for itself."""
    for id, draft in connection.execute("SELECT id, draft FROM episode WHERE draft IS NOT NULL").fetchall():
        after = edited(draft, patterns.without_words)
        if after != draft:
            connection.execute("UPDATE episode SET draft = ? WHERE id = ?", (after, id))


_SWEPT = frozenset(ErasureRule) - {ErasureRule.NONE, ErasureRule.INDEX}
_SAID_BY_SOMEBODY = frozenset({"thread"})
"""Rows that stay without a name that stands in them."""


def remove_everything(connection: Database, removed: Counter[str]) -> None:
    """Empty every table but those that say who did what and what may not come back."""
    for id in [str(id) for (id,) in connection.execute("SELECT id FROM belief").fetchall()]:
        connection.execute("INSERT OR IGNORE INTO forgotten_id VALUES (?)", (id,))
    connection.execute("PRAGMA defer_foreign_keys = ON")
    for table in layout(connection):
        remedies = set(REGISTER.get(table, {}).values())
        if table in _STAYS or not remedies or ErasureRule.INDEX in remedies:
            continue
        number = _number(connection, f"SELECT count(*) FROM {_quoted(table)}", ())  # noqa: S608 - names of ours
        which = " WHERE key != 'memlsp'" if table == "info" else ""  # who wrote the file last
        connection.execute(f"DELETE FROM {_quoted(table)}{which}")  # noqa: S608
        if table in NOUNS:
            removed[NOUNS[table]] += number
    connection.execute("UPDATE audit SET source = '', session = '', note = ''")
    _let_go_of_loose_ends(connection)


_STAYS = frozenset(
    {"audit", "forgotten", "forgotten_id", "copy", "generation", "thread_generation", "vector_state", "sqlite_sequence"}
)


def holding(connection: Database, patterns: SearchPatterns) -> Counter[str]:
    """How many rows of each table hold the words, whatever the register says of them; insides of indexes are read
    through what they index."""
    found: Counter[str] = Counter()
    for table, columns in layout(connection).items() if patterns else ():
        if ErasureRule.INDEX in REGISTER.get(table, {}).values():
            continue
        for row in connection.execute(f"SELECT {', '.join(map(_quoted, columns))} FROM {_quoted(table)}"):  # noqa: S608
            if any(patterns.in_value(value) for value in row if isinstance(value, (str, bytes))):
                found[table] += 1
    return found


def _holding(
    connection: Database, table: str, key: list[str], wanted: dict[str, ErasureRule], patterns: SearchPatterns
) -> Iterator[tuple[Row, Row]]:
    """The rows of a table that hold the words: what names a row, and the columns that were looked at."""
    columns = ", ".join(map(_quoted, [*key, *wanted]))
    for row in connection.execute(f"SELECT {columns} FROM {_quoted(table)}"):  # noqa: S608 - names of ours
        values = row[len(key) :]
        if any(patterns.in_value(value) for value in values if isinstance(value, (str, bytes))):
            yield row[: len(key)], values


def _mend(
    connection: Database,
    table: str,
    key: list[str],
    found: tuple[Row, Row],
    wanted: dict[str, ErasureRule],
    patterns: SearchPatterns,
) -> None:
    name, values = found
    where = " AND ".join(f"{_quoted(column)} IS ?" for column in key)
    hit = {
        column: (remedy, value)
        for (column, remedy), value in zip(wanted.items(), values, strict=True)
        if isinstance(value, (str, bytes)) and patterns.in_value(value)
    }
    if table == "passage":
        for column in ("words", "output"):
            mark = ", text = ?" if column == "words" else ""
            marked = (FORGOTTEN,) if mark else ()
            connection.execute(f"UPDATE event SET {column} = NULL{mark} WHERE {column} = ?", (*marked, *name))  # noqa: S608
    goes = {ErasureRule.ROW, ErasureRule.PASSAGE}
    if patterns.within and table in _SAID_BY_SOMEBODY:
        goes = {ErasureRule.PASSAGE}
    if any(remedy in goes for remedy, _ in hit.values()):
        _leave(connection, table, name)
        connection.execute(f"DELETE FROM {_quoted(table)} WHERE {where}", name)  # noqa: S608
        return
    for column, (remedy, value) in hit.items():
        after: Value = edited(value, patterns.without)
        if remedy in {ErasureRule.CLEAR, ErasureRule.EMPTY}:
            after = "" if remedy is ErasureRule.CLEAR else None
        elif remedy is ErasureRule.NAME:
            after = f"{FORGOTTEN} {name[0]}"
        connection.execute(f"UPDATE {_quoted(table)} SET {_quoted(column)} = ? WHERE {where}", (after, *name))  # noqa: S608
    if table == "belief":
        _find_anew(connection, int(name[0]))


def _find_anew(connection: Database, seq: int) -> None:
    """A belief that says something else now is found by that."""
    query = "SELECT status, text, keywords FROM belief WHERE seq = ?"
    for status, text, keywords in connection.execute(query, (seq,)).fetchall():
        index.leave(connection, seq)
        if status == "active":
            index.enter(connection, seq, str(text), str(keywords))


def _leave(connection: Database, table: str, name: Row) -> None:
    """What is known of a row elsewhere goes with it."""
    if table == "work_search":
        connection.execute("DELETE FROM work_entry WHERE seq = ?", name)


def _let_go_of_loose_ends(connection: Database) -> None:
    """What is in memory elsewhere was read before: whoever keeps it reads again."""
    connection.execute("UPDATE thread_generation SET number = number + 1")
    connection.execute("INSERT OR REPLACE INTO info VALUES ('episodes_by', 'forgetting')")


def _key_of(connection: Database, table: str) -> list[str]:
    """The columns that name a row."""
    found = connection.execute("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (table,)).fetchall()
    return [str(name) for (name,) in found] or ["rowid"]


def _gone(connection: Database, statement: str, values: tuple[Value, ...]) -> int:
    return len(connection.execute(f"{statement} RETURNING 1", values).fetchall())


def _number(connection: Database, query: str, values: tuple[Value, ...]) -> int:
    found = connection.execute(query, values).get
    return found if isinstance(found, int) else 0


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
