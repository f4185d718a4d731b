"""The lines of a team's exchange, as this machine wrote or read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from enum import StrEnum

from attrs import frozen

from memlsp.store.core import rows
from memlsp.store.core.database import Row, Value
from memlsp.store.core.transactions import StoreRepository


class TeamAct(StrEnum):
    """What a line does."""

    BELIEF = "belief"  # a belief is as its body says
    FORGET = "forget"  # a belief is forgotten everywhere; the line has no text of it
    SEEN = "seen"  # a machine has forgotten it


class LineState(StrEnum):
    """What this machine did with a line."""

    NEW = "new"  # not looked at, or its code is not here yet
    TAKEN = "taken"  # written here, or taken into the memory
    DISPUTED = "disputed"  # it says something else than this memory, and a person was asked


def time_of(clock: str) -> datetime:
    """The time of a hybrid logical clock."""
    return datetime.fromtimestamp(int(clock[:12], 16) / 1000, UTC)


@frozen
class TeamLine:
    """One signed line, never changed. `key` is the digest of what it says, `clock` a hybrid logical clock (12 hex
    digits of milliseconds, 4 of a counter), `writer` the machine that wrote it, `parents` the keys of the lines that
    it follows. `text` is the line as it travels, "" once its belief was forgotten."""

    key: str
    act: TeamAct
    belief: str
    clock: str
    writer: str
    parents: tuple[str, ...]
    author: str = ""
    text: str = ""
    state: LineState = LineState.NEW

    @property
    def at(self) -> datetime:
        """When it was written, by its writer's clock."""
        return time_of(self.clock)


def heads_of(lines: Iterable[TeamLine]) -> list[TeamLine]:
    """The lines about one belief that no other line follows, oldest first; two say that two machines went apart."""
    said = [line for line in lines if line.act is TeamAct.BELIEF]
    followed = {parent for line in said for parent in line.parents}
    return sorted((line for line in said if line.key not in followed), key=lambda line: (line.clock, line.writer))


_COLUMNS = "key, act, belief, clock, writer, parents, author, coalesce(text, ''), state"


class TeamRepository(StoreRepository):
    """Lines by belief, by writer and by state."""

    def add(self, lines: Iterable[TeamLine], instead_of: Sequence[str] = ()) -> int:
        """Write the lines that are not known; how many. The text of a belief that was forgotten here, or by a line that
        is known, is not kept. The lines with the keys `instead_of` go."""
        added, gone = 0, json.dumps(instead_of)
        with self._writing() as connection:
            connection.execute("DELETE FROM team_line WHERE key IN (SELECT value FROM json_each(?))", (gone,))
            for each in lines:
                query = """
                    INSERT OR IGNORE INTO team_line (key, act, belief, clock, writer, parents, author, text, state)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, iif(?2 = 'belief' AND (
                        EXISTS (SELECT 1 FROM forgotten_id WHERE id = ?3)
                        OR EXISTS (SELECT 1 FROM team_line WHERE belief = ?3 AND act = 'forget')
                    ), NULL, ?8), ?9) RETURNING 1
                """
                parents = json.dumps(each.parents)
                values = (each.key, each.act.value, each.belief, each.clock, each.writer, parents)
                text = (rows.clean(each.author), each.text, each.state.value)
                added += len(connection.execute(query, (*values, *text)).fetchall())
        return added

    def unknown(self, keys: Sequence[str]) -> set[str]:
        """Those of these keys that no line has."""
        query = "SELECT value FROM json_each(?) EXCEPT SELECT key FROM team_line"
        return set(self._texts(query, (json.dumps(keys),)))

    def of(self, belief: str) -> list[TeamLine]:
        """The lines about a belief, oldest first."""
        return self._found("WHERE belief = ? ORDER BY clock, writer", (belief,))

    def written(self, writer: str) -> list[TeamLine]:
        """The lines of a writer, oldest first; those of forgotten beliefs have no text."""
        return self._found("WHERE writer = ? ORDER BY clock, key", (writer,))

    def forgettings(self) -> list[TeamLine]:
        """The lines that forget a belief, the latest first."""
        return self._found("WHERE act = 'forget' ORDER BY clock DESC", ())

    def seen(self) -> dict[str, set[str]]:
        """The writers that have forgotten a belief, by the key of the line that forgets it."""
        found: dict[str, set[str]] = {}
        for parents, writer in self._rows("SELECT parents, writer FROM team_line WHERE act = 'seen'"):
            for key in json.loads(parents):
                found.setdefault(key, set()).add(writer)
        return found

    def latest(self, limit: int) -> list[TeamLine]:
        """The latest lines about beliefs, the latest first."""
        return self._found("WHERE act != 'seen' ORDER BY clock DESC LIMIT ?", (limit,))

    def open_beliefs(self, *states: LineState) -> list[str]:
        """The ids of beliefs with a line in one of these states."""
        query = "SELECT DISTINCT belief FROM team_line WHERE state IN (SELECT value FROM json_each(?)) ORDER BY belief"
        return self._texts(query, (json.dumps(states),))

    def unannounced(self) -> list[str]:
        """The ids of beliefs of the exchange that were forgotten here, without a line that says so."""
        return self._texts(
            "SELECT DISTINCT belief FROM team_line l WHERE act = 'belief'"
            " AND EXISTS (SELECT 1 FROM forgotten_id WHERE id = l.belief)"
            " AND NOT EXISTS (SELECT 1 FROM team_line f WHERE f.belief = l.belief AND f.act = 'forget')"
            " ORDER BY belief"
        )

    def writers(self) -> list[tuple[str, str, str, int]]:
        """Each writer with its latest author's name, its latest clock and its number of lines."""
        query = """
            SELECT writer, (SELECT author FROM team_line n WHERE n.writer = l.writer AND author != ''
                            ORDER BY clock DESC LIMIT 1), max(clock), count(*)
            FROM team_line l GROUP BY writer ORDER BY max(clock) DESC
        """
        return [(writer, name or "", clock, number) for writer, name, clock, number in self._rows(query)]

    def last_clock(self, until: str) -> str:
        """The latest clock of all lines that is not after `until`; "" without one."""
        query = "SELECT max(clock) FROM team_line WHERE clock <= ?"
        return next((clock for (clock,) in self._rows(query, (until,)) if clock), "")

    def set_state(self, keys: Sequence[str], state: LineState) -> None:
        """Note what became of lines."""
        query = "UPDATE team_line SET state = ? WHERE key IN (SELECT value FROM json_each(?))"
        self._run(query, (state.value, json.dumps(keys)))

    def forget(self, belief: str) -> int:
        """Take the text of a belief out of its lines and bar its id; how many lines had one."""
        with self._writing() as connection:
            connection.execute("INSERT OR IGNORE INTO forgotten_id VALUES (?)", (belief,))
            query = (
                "UPDATE team_line SET text = NULL, state = 'taken' WHERE belief = ? AND act = 'belief'"
                " AND (text IS NOT NULL OR state != 'taken')"
            )
            return len(connection.execute(f"{query} RETURNING 1", (belief,)).fetchall())

    def _found(self, rest: str, values: Sequence[Value]) -> list[TeamLine]:
        return [_line(row) for row in self._rows(f"SELECT {_COLUMNS} FROM team_line {rest}", values)]


def _line(row: Row) -> TeamLine:
    key, act, belief, clock, writer, parents, author, text, state = row
    at = tuple(json.loads(parents))
    return TeamLine(key, TeamAct(act), belief, clock, writer, at, author, text, LineState(state))
