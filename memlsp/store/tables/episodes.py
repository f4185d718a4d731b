"""Task episodes. Time, symbols and sessions have columns, for queries; the episode itself is one compressed value.

An open episode has a draft beside it, with which new events are compared; the `episodes` package defines its form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from memlsp.model.episode import Episode
from memlsp.model.errors import BadValue
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Row, Value
from memlsp.store.core.transactions import StoreRepository
from memlsp.store.search import work_index
from memlsp.store.tables import cache

_WRITER = "episodes_by"


class EpisodeRepository(StoreRepository):
    """Task episodes."""

    def save(self, episodes: Iterable[tuple[Episode, object]], *, gone: Sequence[str] = (), writer: str = "") -> None:
        """Write episodes, each with its draft (a JSON value, None once it is closed), and delete those in `gone`, which
        were merged into others. `writer` names the process that keeps the drafts in memory: when it is not the one of
        the last call, drafts in memory are out of date."""
        with self._writing() as connection:
            cache.set_info(connection, _WRITER, writer)
            for id in gone:
                connection.execute("DELETE FROM episode WHERE id = ?", (id,))
                work_index.leave(connection, work_index.EPISODE, id)
            for episode, draft in episodes:
                _write(connection, episode, draft)

    def episode(self, id: str) -> Episode | None:
        """The episode of exactly this id."""
        found = self._rows("SELECT body FROM episode WHERE id = ?", (id,))
        return episode_of_row(found[0]) if found else None

    def resolve(self, prefix: str) -> str | None:
        """The full id from a unique beginning of it, None when there is none. Raises BadValue for several."""
        query = "SELECT id FROM episode WHERE id >= ? AND id < ? LIMIT 3"
        ids = self._texts(query, (prefix, prefix + "\U0010ffff"))
        if prefix in ids or len(ids) == 1:
            return prefix if prefix in ids else ids[0]
        if ids:
            raise BadValue(f"{prefix!r} is the beginning of several episodes", f"{ids[0]} and {ids[1]} for two")
        return None

    def writer(self) -> str:
        """The `writer` of the last `save`; "" before the first."""
        with self._reading() as connection:
            return cache.info(connection, _WRITER) or ""

    def drafts(self) -> list[tuple[Episode, Any]]:
        """The open episodes with their drafts, oldest activity first."""
        found = self._rows("SELECT body, draft FROM episode WHERE closed IS NULL ORDER BY last, id")
        return [(episode_of_row(row), rows.unpack(row[1]) if row[1] else None) for row in found]

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
        """The episodes that meet every condition, latest activity first. `path` is a file or a folder; `symbol`
        (dotted) includes its members; those are found that were at work between `since` and
        `until`."""
        conditions, values = rows.given(
            ("last >= ?", since and rows.milliseconds(since)),
            ("began <= ?", until and rows.milliseconds(until)),
            ("id IN (SELECT episode FROM episode_session WHERE session = ?)", session),
        )
        conditions.append("closed IS NULL" if open_only else "1")
        if path is not None:
            place, more = _place(path, symbol)
            conditions.append(f"id IN (SELECT episode FROM episode_symbol WHERE {place})")
            values += more
        query = f"SELECT body FROM episode WHERE {' AND '.join(conditions)} ORDER BY last DESC, id LIMIT ?"
        return [episode_of_row(row) for row in self._rows(query, (*values, max(limit, 0)))]

    def touching(self, path: str, symbol: str = "", *, limit: int = 50) -> list[Episode]:
        """The episodes that changed a symbol (dotted), or what it holds; "" for the file. Latest first."""
        return self.episodes(path=path, symbol=symbol or None, limit=limit)

    def number_touching(self, path: str, symbol: str = "") -> int:
        """How many episodes changed a symbol, or what it holds, without reading them."""
        place, values = _place(path, symbol or None)
        return self._number(f"SELECT count(DISTINCT episode) FROM episode_symbol WHERE {place}", values)


def _write(connection: Database, episode: Episode, draft: object) -> None:
    connection.execute(
        "INSERT INTO episode (id, began, last, closed, outcome, title, body, draft) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET began = excluded.began, last = excluded.last, closed = excluded.closed,"
        " outcome = excluded.outcome, title = excluded.title, body = excluded.body, draft = excluded.draft",
        (
            episode.id,
            rows.milliseconds(episode.began_at),
            rows.milliseconds(episode.last_at),
            rows.milliseconds(episode.closed_at) if episode.closed_at else None,
            episode.outcome.value,
            rows.clean(episode.title),
            rows.pack(rows.converter(in_milliseconds=True).unstructure(episode)),
            None if draft is None else rows.pack(draft),
        ),
    )
    wanted = {(rows.clean(path), "") for path in episode.paths}
    wanted |= {(rows.clean(path), rows.clean(name)) for path, name in episode.symbols}
    _update_rows(connection, "episode_symbol", "path, symbol", wanted, episode.id)
    _update_rows(
        connection, "episode_session", "session", {(rows.clean(name),) for name in episode.sessions}, episode.id
    )
    work_index.enter_episode(connection, episode)


def _update_rows(connection: Database, table: str, columns: str, wanted: set[tuple[str, ...]], id: str) -> None:
    """Make the rows of an episode the wanted ones, writing the differences only."""
    there = set(connection.execute(f"SELECT {columns} FROM {table} WHERE episode = ?", (id,)))
    named = columns.split(", ")
    same = " AND ".join(f"{name} = ?" for name in named)
    for row in sorted(there - wanted):
        connection.execute(f"DELETE FROM {table} WHERE episode = ? AND {same}", (id, *row))
    marks = ", ".join("?" for _ in named)
    for row in sorted(wanted - there):
        connection.execute(f"INSERT INTO {table} ({columns}, episode) VALUES ({marks}, ?)", (*row, id))


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
    return rows.converter(in_milliseconds=True).structure(rows.unpack(row[0]), Episode)
