"""The part of a store that holds task episodes. Each method is one transaction.

What an episode is asked for by (time, symbol, session) has columns; the episode itself is one compressed value. While
it is open a draft lies beside it: what new events are weighed against, of a form that the room `episodes` decides.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memlsp.model.episode import Episode
from memlsp.model.errors import BadValue
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Row, Value
from memlsp.store.search import work_index

if TYPE_CHECKING:
    import cattrs

_Transaction = Callable[[], AbstractContextManager[Database]]
_WRITER = "episodes_by"


class EpisodeRepository:
    """Task episodes. Methods raise what those of the store do."""

    def __init__(self, reading: _Transaction, writing: _Transaction) -> None:
        self._reading = reading
        self._writing = writing

    def save(self, episodes: Iterable[tuple[Episode, object]], *, gone: Sequence[str] = (), writer: str = "") -> None:
        """Write episodes as they are now, each with its draft (a JSON value, None once it is closed).

        Those in `gone` went into others and are taken out. All of it is written, or nothing. `writer` is whoever keeps
        the drafts in memory: when it is another than the last time, they are to be read again.
        """
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO info VALUES (?, ?)", (_WRITER, rows.clean(writer)))
            for id in gone:
                connection.execute("DELETE FROM episode WHERE id = ?", (id,))
                work_index.leave(connection, work_index.EPISODE, id)
            for episode, draft in episodes:
                _write(connection, episode, draft)

    def episode(self, id: str) -> Episode | None:
        """The episode of exactly this id."""
        with self._reading() as connection:
            found = connection.execute("SELECT body FROM episode WHERE id = ?", (id,)).fetchall()
            return episode_of_row(found[0]) if found else None

    def resolve(self, prefix: str) -> str | None:
        """The full id from a unique beginning of it, None when there is none. Raises BadValue for several."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT id FROM episode WHERE id >= ? AND id < ? LIMIT 3", (prefix, prefix + "\U0010ffff")
            ).fetchall()
        ids = [str(row[0]) for row in found]
        if prefix in ids or len(ids) == 1:
            return prefix if prefix in ids else ids[0]
        if ids:
            raise BadValue(f"{prefix!r} is the beginning of several episodes", f"{ids[0]} and {ids[1]} for two")
        return None

    def writer(self) -> str:
        """Who saved last, "" before anybody did."""
        with self._reading() as connection:
            found = connection.execute("SELECT value FROM info WHERE key = ?", (_WRITER,)).get
            return found if isinstance(found, str) else ""

    def drafts(self) -> list[tuple[Episode, Any]]:
        """The open episodes with their drafts, oldest activity first."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT body, draft FROM episode WHERE closed IS NULL ORDER BY last, id"
            ).fetchall()
            return [(episode_of_row(row), _unpacked(row[1]) if row[1] else None) for row in found]

    def episodes(
        self,
        *,
        limit: int = 20,
        open_only: bool = False,
        path: str | None = None,
        symbol: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Episode]:
        """The episodes that fulfil all that is given, latest activity first.

        `path` is a file, or a folder with what is below it; `symbol` (dotted) stands for itself and what it holds;
        `since` and `until` are about when something was last done.
        """
        conditions, values = ["1"], list[Value]()
        if open_only:
            conditions.append("closed IS NULL")
        if since is not None:
            conditions.append("last >= ?")
            values.append(_milliseconds(since))
        if until is not None:
            conditions.append("last <= ?")
            values.append(_milliseconds(until))
        if session is not None:
            conditions.append("id IN (SELECT episode FROM episode_session WHERE session = ?)")
            values.append(rows.clean(session))
        if path is not None:
            place, more = _place(path, symbol)
            conditions.append(f"id IN (SELECT episode FROM episode_symbol WHERE {place})")  # noqa: S608 - words of ours
            values += more
        with self._reading() as connection:
            query = (
                f"SELECT body FROM episode WHERE {' AND '.join(conditions)}"  # noqa: S608 - conditions of ours
                " ORDER BY last DESC, id LIMIT ?"
            )
            return [episode_of_row(row) for row in connection.execute(query, (*values, max(limit, 0)))]

    def touching(self, path: str, symbol: str = "", *, limit: int = 50) -> list[Episode]:
        """The episodes that changed a symbol (dotted), or what it holds; "" for the file. Latest first."""
        return self.episodes(path=path, symbol=symbol or None, limit=limit)

    def number_touching(self, path: str, symbol: str = "") -> int:
        """How many episodes changed a symbol, or what it holds, without reading them."""
        place, values = _place(path, symbol or None)
        with self._reading() as connection:
            query = f"SELECT count(DISTINCT episode) FROM episode_symbol WHERE {place}"  # noqa: S608 - words of ours
            found = connection.execute(query, values).get
            return found if isinstance(found, int) else 0

    def number(self) -> int:
        """How many episodes there are."""
        with self._reading() as connection:
            found = connection.execute("SELECT count(*) FROM episode").get
            return found if isinstance(found, int) else 0

    def clear(self) -> None:
        """Forget all of them."""
        with self._writing() as connection:
            connection.execute("DELETE FROM episode")
            work_index.leave_all(connection, work_index.EPISODE)


def _write(connection: Database, episode: Episode, draft: object) -> None:
    connection.execute(
        "INSERT INTO episode (id, began, last, closed, outcome, title, body, draft) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET began = excluded.began, last = excluded.last, closed = excluded.closed,"
        " outcome = excluded.outcome, title = excluded.title, body = excluded.body, draft = excluded.draft",
        (
            episode.id,
            _milliseconds(episode.began_at),
            _milliseconds(episode.last_at),
            _milliseconds(episode.closed_at) if episode.closed_at else None,
            episode.outcome.value,
            rows.clean(episode.title),
            _packed(_converter().unstructure(episode)),
            None if draft is None else _packed(draft),
        ),
    )
    wanted = {(rows.clean(path), "") for path in episode.paths}
    wanted |= {(rows.clean(path), rows.clean(name)) for path, name in episode.symbols}
    _agree(connection, "episode_symbol", "path, symbol", wanted, episode.id)
    _agree(connection, "episode_session", "session", {(rows.clean(name),) for name in episode.sessions}, episode.id)
    work_index.enter_episode(connection, episode)


def _agree(connection: Database, table: str, columns: str, wanted: set[tuple[str, ...]], id: str) -> None:
    """Make the rows of one episode those that are wanted, writing what differs alone."""
    there = set(connection.execute(f"SELECT {columns} FROM {table} WHERE episode = ?", (id,)))  # noqa: S608 - names of ours
    named = columns.split(", ")
    same = " AND ".join(f"{name} = ?" for name in named)
    for row in sorted(there - wanted):
        connection.execute(f"DELETE FROM {table} WHERE episode = ? AND {same}", (id, *row))  # noqa: S608 - as above
    marks = ", ".join("?" for _ in named)
    for row in sorted(wanted - there):
        connection.execute(f"INSERT INTO {table} ({columns}, episode) VALUES ({marks}, ?)", (*row, id))  # noqa: S608


def _place(path: str, symbol: str | None) -> tuple[str, list[Value]]:
    path = rows.clean(path).rstrip("/")
    if symbol:
        symbol = rows.clean(symbol)
        return (
            "path = ? AND (symbol = ? OR (symbol >= ? AND symbol < ?))",
            [path, symbol, f"{symbol}.", f"{symbol}/"],  # `/` is what comes after `.`
        )
    if path in {"", "."}:
        return "1", []
    return "(path = ? OR (path >= ? AND path < ?))", [path, f"{path}/", f"{path}0"]  # `0` comes after `/`


def episode_of_row(row: Row) -> Episode:
    """The episode of a row that begins with its body."""
    return _converter().structure(_unpacked(row[0]), Episode)


def _milliseconds(time: datetime) -> int:
    return round(time.timestamp() * 1000)


def _packed(value: object) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode("ascii"), 1)  # written while somebody waits


def _unpacked(blob: bytes) -> Any:
    return json.loads(zlib.decompress(blob))


@lru_cache(maxsize=1)
def _converter() -> cattrs.Converter:
    """Unknown keys are passed over, missing ones take their default. Times are milliseconds."""
    import cattrs  # late: a store without episodes needs none

    converter = cattrs.Converter(detailed_validation=False)
    converter.register_unstructure_hook(datetime, _milliseconds)
    converter.register_structure_hook(datetime, lambda value, _: datetime.fromtimestamp(value / 1000, UTC))
    return converter
