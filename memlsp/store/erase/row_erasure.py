"""Erasing the rows of beliefs, and the patterns of what was erased from all other rows. Every function works inside the
caller's transaction, on a store or backup of the present schema.

`register.txt` has a rule for every column of every table; a test fails for a column that is missing there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from enum import StrEnum
from pathlib import Path

from memlsp.store.core.database import Database, Row, Value, columns_of, delete_rows, quoted, scalar, text_column
from memlsp.store.core.rows import json_text
from memlsp.store.erase.search_patterns import FORGOTTEN, SearchPatterns, edited
from memlsp.store.search import index


class ErasureRule(StrEnum):
    """How erasure treats a column whose value holds the patterns."""

    NONE = "none"  # never holds them: numbers, times, ids, digests and words of ours
    BELIEF = "belief"  # the row is deleted with its belief; in rows of other beliefs the texts are blanked
    BLANK = "blank"  # every text in it that holds them is replaced by a mark
    NAME = "name"  # other rows refer to it: it is replaced by a mark with its number
    EMPTY = "empty"  # it becomes null
    CLEAR = "clear"  # it becomes "": the audit log allows nothing else
    ROW = "row"  # the row is deleted: it is derived, or says nothing without the words
    PASSAGE = "passage"  # a shared text: the row is deleted, and references to it become null
    INDEX = "index"  # part of a search index, which drops it with its entry


REGISTER: dict[str, dict[str, ErasureRule]] = {}
"""The rules by table and column."""

NOUNS: dict[str, str] = {}
"""The nouns by which erased rows are counted for a person, by table; rows of other tables are not counted."""


def _read() -> None:
    columns: dict[str, ErasureRule] = {}
    for line in Path(__file__).with_name("register.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            rule, *names = line.split()
            columns.update(dict.fromkeys(names, ErasureRule(rule)))
        elif not line.startswith("#"):
            table, _, noun = line.partition(": ")
            columns = REGISTER[table] = {}
            if noun:
                NOUNS[table] = noun


_read()


def layout(connection: Database) -> dict[str, list[str]]:
    """Every table of this file with its columns, the tables inside search indexes too."""
    tables = text_column(connection, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return {table: columns_of(connection, table) for table in tables}


def seqs_of(connection: Database, ids: Collection[str]) -> dict[int, str]:
    """The rows of beliefs, with their ids."""
    found = connection.execute(
        "SELECT seq, id FROM belief WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(sorted(ids)),)
    )
    return {int(seq): str(id) for seq, id in found}


def remove_beliefs(connection: Database, ids: Collection[str], removed: Counter[str]) -> None:
    """Delete beliefs with everything tied to their ids, and bar the ids from coming back."""
    rows = seqs_of(connection, ids)
    for seq in rows:
        for table in ("revision", "anchor"):
            removed[NOUNS[table]] += scalar(connection, f"SELECT count(*) FROM {table} WHERE belief = ?", (seq,))
        index.leave(connection, seq)
        removed["vectors"] += delete_rows(connection, "DELETE FROM vector WHERE kind = 'belief' AND item = ?", (seq,))
        removed["beliefs"] += delete_rows(connection, "DELETE FROM belief WHERE seq = ?", (seq,))
    for id in sorted(ids):
        connection.execute("INSERT OR IGNORE INTO forgotten_id VALUES (?)", (id,))
        removed["conflicts"] += delete_rows(connection, "DELETE FROM conflict WHERE ? IN (first, second)", (id,))
        for (path,) in connection.execute("SELECT DISTINCT path FROM note WHERE belief = ?", (id,)).fetchall():
            connection.execute("DELETE FROM noted WHERE path = ?", (path,))  # looked at again, without it
        removed["notes"] += delete_rows(connection, "DELETE FROM note WHERE belief = ?", (id,))
        query = (
            "UPDATE team_line SET text = NULL, state = 'taken' WHERE belief = ? AND act = 'belief'"
            " AND (text IS NOT NULL OR state != 'taken')"
        )
        removed["team lines"] += delete_rows(connection, query, (id,))
        removed["notices"] += delete_rows(connection, "DELETE FROM notice WHERE belief = ?", (id,))
        connection.execute("DELETE FROM said WHERE substr(mark, 1, ?) = ?", (len(id) + 1, f"{id} "))
        connection.execute("DELETE FROM briefing WHERE instr(parts, ?)", (id,))
        removed["receipts"] += _out_of_receipts(connection, id)


def _out_of_receipts(connection: Database, id: str) -> int:
    """Remove an id from receipts, and the question of the recalls that served it; how many receipts changed."""
    quoted = json.dumps(id)
    found = connection.execute(
        "SELECT id, served, left_out FROM receipt WHERE instr(served, ?1) OR instr(left_out, ?1)", (quoted,)
    ).fetchall()
    for number, served, left_out in found:
        without = json_text([each for each in json.loads(served) if each != id])
        kept = json_text([each for each in json.loads(left_out) if each[0] != id])
        connection.execute(
            "UPDATE receipt SET served = ?, left_out = ?, query = iif(?, ?, query) WHERE id = ?",
            (without, kept, without != served, FORGOTTEN, number),
        )
    return len(found)


def remove_words(connection: Database, patterns: SearchPatterns, removed: Counter[str]) -> None:
    """Erase the patterns from every row that still holds them, by the rules of its columns."""
    if not patterns:
        return
    present = layout(connection)
    for table, columns in REGISTER.items():
        if table not in present:
            continue
        wanted = {name: columns[name] for name in columns if name in present[table] and columns[name] in _SWEPT}
        if not wanted:
            continue
        query = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
        key = text_column(connection, query, (table,)) or ["rowid"]
        touched = 0
        for row in list(_holding(connection, table, key, wanted, patterns)):
            touched += 1
            _mend(connection, table, key, row, wanted, patterns)
        if touched and table in NOUNS:
            removed[NOUNS[table]] += touched
    _thin_drafts(connection, patterns)
    _advance_generations(connection)


def _thin_drafts(connection: Database, patterns: SearchPatterns) -> None:
    """Remove the single words of erased texts from the drafts of open episodes."""
    for id, draft in connection.execute("SELECT id, draft FROM episode WHERE draft IS NOT NULL").fetchall():
        after = edited(draft, patterns.without_words)
        if after != draft:
            connection.execute("UPDATE episode SET draft = ? WHERE id = ?", (after, id))


_SWEPT = frozenset(ErasureRule) - {ErasureRule.NONE, ErasureRule.INDEX}
_SAID_BY_SOMEBODY = frozenset({"thread"})
"""Tables whose rows stay when only a name in them is erased."""


def remove_everything(connection: Database, removed: Counter[str]) -> None:
    """Empty every table except the audit log, the receipts of erasures and the barred ids."""
    for id in text_column(connection, "SELECT id FROM belief"):
        connection.execute("INSERT OR IGNORE INTO forgotten_id VALUES (?)", (id,))
    connection.execute("PRAGMA defer_foreign_keys = ON")
    for table in layout(connection):
        rules = set(REGISTER.get(table, {}).values())
        if table in _STAYS or not rules or ErasureRule.INDEX in rules:
            continue
        number = scalar(connection, f"SELECT count(*) FROM {quoted(table)}", ())
        which = " WHERE key != 'memlsp'" if table == "info" else ""  # who wrote the file last
        connection.execute(f"DELETE FROM {quoted(table)}{which}")
        if table in NOUNS:
            removed[NOUNS[table]] += number
    connection.execute("UPDATE audit SET source = '', session = '', note = ''")
    _advance_generations(connection)


_STAYS = frozenset(
    {"audit", "forgotten", "forgotten_id", "copy", "generation", "thread_generation", "vector_state", "sqlite_sequence"}
)


def holding(connection: Database, patterns: SearchPatterns) -> Counter[str]:
    """How many rows of each table hold the patterns, whatever the register says. Search indexes are read through the
    rows that they index."""
    found: Counter[str] = Counter()
    for table, columns in layout(connection).items() if patterns else ():
        if ErasureRule.INDEX in REGISTER.get(table, {}).values():
            continue
        for row in connection.execute(f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(table)}"):
            if any(patterns.in_value(value) for value in row if isinstance(value, (str, bytes))):
                found[table] += 1
    return found


def _holding(
    connection: Database, table: str, key: list[str], wanted: dict[str, ErasureRule], patterns: SearchPatterns
) -> Iterator[tuple[Row, Row]]:
    columns = ", ".join(map(quoted, [*key, *wanted]))
    for row in connection.execute(f"SELECT {columns} FROM {quoted(table)}"):
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
    where = " AND ".join(f"{quoted(column)} IS ?" for column in key)
    hit = {
        column: (rule, value)
        for (column, rule), value in zip(wanted.items(), values, strict=True)
        if isinstance(value, (str, bytes)) and patterns.in_value(value)
    }
    if table == "passage":
        for column in ("words", "output"):
            mark = ", text = ?" if column == "words" else ""
            marked = (FORGOTTEN,) if mark else ()
            connection.execute(f"UPDATE event SET {column} = NULL{mark} WHERE {column} = ?", (*marked, *name))
    goes = {ErasureRule.ROW, ErasureRule.PASSAGE}
    if patterns.within and table in _SAID_BY_SOMEBODY:
        goes = {ErasureRule.PASSAGE}
    if any(rule in goes for rule, _ in hit.values()):
        if table == "work_search":
            connection.execute("DELETE FROM work_entry WHERE seq = ?", name)
        connection.execute(f"DELETE FROM {quoted(table)} WHERE {where}", name)
        return
    for column, (rule, value) in hit.items():
        after: Value = edited(value, patterns.without)
        if rule in {ErasureRule.CLEAR, ErasureRule.EMPTY}:
            after = "" if rule is ErasureRule.CLEAR else None
        elif rule is ErasureRule.NAME:
            after = f"{FORGOTTEN} {name[0]}"
        connection.execute(f"UPDATE {quoted(table)} SET {quoted(column)} = ? WHERE {where}", (after, *name))
    if table == "belief":
        _find_anew(connection, int(name[0]))


def _find_anew(connection: Database, seq: int) -> None:
    query = "SELECT status, text, keywords FROM belief WHERE seq = ?"
    for status, text, keywords in connection.execute(query, (seq,)).fetchall():
        index.leave(connection, seq)
        if status == "active":
            index.enter(connection, seq, str(text), str(keywords))


def _advance_generations(connection: Database) -> None:
    """Make other processes read threads and drafts again."""
    connection.execute("UPDATE thread_generation SET number = number + 1")
    connection.execute("INSERT OR REPLACE INTO info VALUES ('episodes_by', 'forgetting')")
