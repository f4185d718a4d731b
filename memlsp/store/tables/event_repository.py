"""Observed events, and the file baselines against which edits are detected."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from time import time_ns
from typing import Any

from attrs import frozen

from memlsp.model.episode import KeptChange
from memlsp.model.event import Event, EventCount, EventKind, Session, in_time
from memlsp.store.core import rows, spool
from memlsp.store.core.database import Database, Row, Value, delete_rows, placeholders, scalar
from memlsp.store.core.file_lock import turn
from memlsp.store.core.rows import from_milliseconds, milliseconds
from memlsp.store.core.transactions import StoreRepository, read
from memlsp.store.tables import history, journal

_COLUMNS = (
    "e.id, e.key, e.at, e.kind, s.source, s.name, e.text, w.data, o.data, e.body, e.changes, e.episode, t.root"
    " FROM event e JOIN session s ON s.id = e.session LEFT JOIN passage w ON w.id = e.words"
    " LEFT JOIN passage o ON o.id = e.output LEFT JOIN event_tree t ON t.id = e.tree"
)
_NAMING_A_PATH = "SELECT p.event FROM event_path p JOIN event_file f ON f.id = p.file WHERE f.path = ?"
_DAY_MS = 86_400_000

KEPT_BODIES = 30
"""Days for which long texts, outputs and unknown keys of events are kept by default."""

KEPT_EVENTS = 180
"""Days for which events are kept by default. Episodes keep their copies."""


@frozen
class FileBaseline:
    """The state of a file against which the next edit is compared: its git blob id (empty for a deleted file), and its
    redacted text where that is kept."""

    digest: bytes
    text: bytes | None = None


@frozen
class CheckoutProgress:
    """How far a checkout was followed: the base commit of its files ("" for none, None before the first look), and how
    far its git logs were read."""

    base: str | None = None
    mark: str = ""


@frozen
class EventQuery:
    """The conditions that events meet; None sets none. `since` is inclusive, `until` is not; `path` is one that the
    event names."""

    since: datetime | None = None
    until: datetime | None = None
    source: str | None = None
    session: str | None = None
    episode: str | None = None
    path: str | None = None
    kinds: Collection[EventKind] | None = None


_ALL_EVENTS = EventQuery()


class EventRepository(StoreRepository):
    """Events and file baselines."""

    pending = read(journal.pending)

    def turn(self) -> AbstractContextManager[bool]:
        """Hold the lock for processing the events of this store while the block runs; False when another holds it."""
        return turn(f"{self._transactions.path}{journal.SETTLING}")

    def append(
        self,
        records: Iterable[Mapping[str, object]],
        *,
        now: datetime | None = None,
        caps: journal.Caps | None = None,
        drained: bool = False,
    ) -> journal.Counts:
        """Store each record once and count all; durable when this returns. `journal` defines the records."""
        now_ms = time_ns() // 1_000_000 if now is None else milliseconds(now)
        with self._writing() as connection:
            return journal.append(connection, records, now_ms, caps, drained=drained)

    def drain(self, now: datetime) -> int:
        """Store the records that hooks left in the spool; how many there were. Raises OSError."""
        path = str(self._transactions.path)
        return spool.drain(path, lambda records: self.append(records, drained=True), milliseconds(now))

    def unsettled(self, limit: int = 200) -> list[Event]:
        """The events that were not processed yet, in order of arrival, those of sessions in order of their time."""
        with self._reading() as connection:
            return in_time(_events(connection, "WHERE e.settled = 0 ORDER BY e.id LIMIT ?", (limit,)))

    def record_changes(
        self,
        id: int | None,
        changes: Sequence[KeptChange] = (),
        *,
        root: str,
        baselines: Mapping[str, FileBaseline | None] | None = None,
        base: str | None = None,
        now: datetime,
    ) -> None:
        """Store an event's symbol changes and advance the file baselines in one transaction, so no change is reported
        twice.

        Call before marking the event processed. None resets a file to the base commit, which `base` replaces; with
        `id` None only baselines move."""
        with self._writing() as connection:
            if id is not None:
                _set_changes(connection, id, changes)
            tree = journal.tree(connection, rows.clean(root))
            if base is not None:
                connection.execute("UPDATE event_tree SET base = ? WHERE id = ?", (base, tree))
            for path, state in (baselines or {}).items():
                _set_baseline(connection, tree, path, state, milliseconds(now))
            if baselines:
                _drop_oldest_texts(connection, tree)

    def claim_changes(self, edit: Event, paths: Collection[str], within: timedelta) -> tuple[KeptChange, ...]:
        """Move to an edit the symbol changes of these paths that an event of `files` had reported at most `within` of
        it, so that they belong to whoever made the edit. Returns what was moved."""
        moved: list[KeptChange] = []
        first, last = milliseconds(edit.at - within), milliseconds(edit.at + within)
        condition = f"e.kind = ? AND e.at BETWEEN ? AND ? AND e.changes IS NOT NULL AND e.id IN ({_NAMING_A_PATH})"
        with self._writing() as connection:
            for path in sorted(paths):
                values = (EventKind.FILES, first, last, rows.clean(path))
                found = _events(connection, f"WHERE {condition} ORDER BY e.id DESC LIMIT 1", values)
                for seen in (each for each in found if not edit.root or each.root == edit.root):
                    mine = [each for each in seen.changes if path in {one.path for one in (each.old, each.new) if one}]
                    _set_changes(connection, seen.id, [each for each in seen.changes if each not in mine])
                    moved += mine
            if moved:
                _set_changes(connection, edit.id, [*edit.changes, *moved])
        return tuple(moved)

    def settled(self, id: int, *, episode: str | None = None) -> None:
        """Mark an event processed; None leaves its episode as it is."""
        self._run("UPDATE event SET settled = 1, episode = coalesce(?, episode) WHERE id = ?", (episode or None, id))

    def give(self, ids: Collection[int], episode: str) -> None:
        """Assign events to an episode, "" for none, instead of their present one."""
        query = "UPDATE event SET episode = ? WHERE id IN (SELECT value FROM json_each(?))"
        self._run(query, (episode or None, json.dumps(list(ids))))

    def events(self, query: EventQuery = _ALL_EVENTS, *, limit: int | None = None, newest: bool = False) -> list[Event]:
        """The events that meet every condition, in order of arrival; the latest first with `newest`."""
        asked, values = rows.given(
            ("e.at >= ?", query.since and milliseconds(query.since)),
            ("e.at < ?", query.until and milliseconds(query.until)),
            ("s.source = ?", query.source),
            ("s.name = ?", query.session),
            ("e.episode = ?", query.episode),
            (f"e.id IN ({_NAMING_A_PATH})", query.path),
        )
        if query.kinds is not None:
            asked.append(f"e.kind IN ({placeholders(query.kinds)})")
            values.extend(kind.value for kind in query.kinds)
        where = f"WHERE {' AND '.join(asked)}" if asked else ""
        order = "DESC" if newest else "ASC"
        values.append(-1 if limit is None else limit)
        with self._reading() as connection:
            return _events(connection, f"{where} ORDER BY e.id {order} LIMIT ?", values)

    def sessions(self, *, limit: int | None = None) -> list[Session]:
        """The sessions of the kept events, the one with the latest event first."""
        found = self._rows(
            "SELECT source, name, began, last, ended, events FROM session ORDER BY last DESC, id DESC LIMIT ?",
            (-1 if limit is None else limit,),
        )
        return [
            Session(
                *(source, name, from_milliseconds(began), from_milliseconds(last)),
                from_milliseconds(ended) if ended else None,
                n,
            )
            for source, name, began, last, ended, n in found
        ]

    def tallies(self) -> list[EventCount]:
        """How many records were stored, repeated, dropped, drained and so on, by source and reason."""
        found = self._rows("SELECT source, what, reason, number FROM tally ORDER BY what, reason, source")
        return [EventCount(*row) for row in found]

    def counted(self) -> dict[str, int]:
        """How many events, and unprocessed ones."""
        total, unsettled = self._rows("SELECT count(*), total(settled = 0) FROM event")[0]
        return {"events": int(total), "unsettled": int(unsettled)}

    def tree(self, root: str) -> CheckoutProgress:
        """How far a checkout was followed."""
        found = self._rows("SELECT base, mark FROM event_tree WHERE root = ?", (rows.clean(root),))
        return CheckoutProgress(*found[0]) if found else CheckoutProgress()

    def mark_tree(self, root: str, mark: str) -> None:
        """Remember how far the git logs of a checkout were read."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE event_tree SET mark = ? WHERE id = ?", (mark, journal.tree(connection, rows.clean(root)))
            )

    def trees(self) -> list[str]:
        """The checkouts that events were seen in."""
        return self._texts("SELECT root FROM event_tree ORDER BY id")

    def forget_tree(self, root: str) -> None:
        """Delete the baselines of a checkout that is gone."""
        with self._writing() as connection:
            connection.execute(
                "DELETE FROM event_state WHERE tree = (SELECT id FROM event_tree WHERE root = ?)", (rows.clean(root),)
            )
            connection.execute("UPDATE event_tree SET base = NULL, mark = '' WHERE root = ?", (rows.clean(root),))

    def state(self, root: str, path: str) -> FileBaseline | None:
        """The baseline of a file; None when it is the file of the base commit."""
        found = self._rows(
            "SELECT s.digest, s.data FROM event_state s JOIN event_tree t ON t.id = s.tree"
            " WHERE t.root = ? AND s.path = ?",
            (rows.clean(root), rows.clean(path)),
        )
        return FileBaseline(found[0][0], zlib.decompress(found[0][1]) if found[0][1] else None) if found else None

    def states(self, root: str) -> dict[str, bytes]:
        """The files of a checkout that have a baseline of their own, with its digest."""
        found = self._rows(
            "SELECT s.path, s.digest FROM event_state s JOIN event_tree t ON t.id = s.tree WHERE t.root = ?",
            (rows.clean(root),),
        )
        return dict(found)

    def prune(self, *, now: datetime) -> None:
        """Delete processed events older than KEPT_EVENTS days, and long texts, outputs and unknown keys of those older
        than KEPT_BODIES days. Episodes keep their copies."""
        today = milliseconds(now) // _DAY_MS
        with self._writing() as connection:
            first = _first_since(connection, today - KEPT_EVENTS)
            gone = delete_rows(connection, "DELETE FROM event WHERE settled = 1 AND id < ?", (first,))
            old = connection.execute(
                "SELECT id, words, output, body FROM event WHERE settled = 1 AND id < ?"
                " AND (words IS NOT NULL OR output IS NOT NULL OR body IS NOT NULL)",
                (_first_since(connection, today - KEPT_BODIES),),
            ).fetchall()
            for id, words, output, body in old:
                kept = {name: value for name, value in _unpacked(body).items() if name not in "oel"}
                thin = (None, None, journal.packed(kept) if kept else None)
                if thin != (words, output, body):
                    query = "UPDATE event SET words = ?, output = ?, body = ? WHERE id = ?"
                    connection.execute(query, (*thin, id))
            if gone:
                journal.count(connection, "", "aged", "", gone)
            delete_unreferenced(connection)
            connection.execute("DELETE FROM session WHERE id NOT IN (SELECT session FROM event)")
            connection.execute("DELETE FROM event_day WHERE day < ?", (today - KEPT_EVENTS,))


_MOST_STATES = 300  # texts of files of one checkout
_MOST_STATE_BYTES = 4_000_000  # of them together, compressed
_LARGEST_STATE = 400_000  # bytes of one text


def _set_baseline(connection: Database, tree: int, path: str, state: FileBaseline | None, at: int) -> None:
    if state is None:
        connection.execute("DELETE FROM event_state WHERE tree = ? AND path = ?", (tree, rows.clean(path)))
        return
    text = state.text if state.text is not None and len(state.text) <= _LARGEST_STATE else None
    data = None if text is None else zlib.compress(text, 6)
    connection.execute(
        "INSERT OR REPLACE INTO event_state VALUES (?, ?, ?, ?, ?)", (tree, rows.clean(path), state.digest, at, data)
    )


def _drop_oldest_texts(connection: Database, tree: int) -> None:
    """Delete the oldest texts of baselines when there are too many; their digests stay."""
    taken = 0
    kept = connection.execute(
        "SELECT path, length(data) FROM event_state WHERE tree = ? AND data IS NOT NULL ORDER BY at DESC, path", (tree,)
    ).fetchall()
    for number, (path, size) in enumerate(kept):
        taken += size
        if number >= _MOST_STATES or taken > _MOST_STATE_BYTES:
            connection.execute("UPDATE event_state SET data = NULL WHERE tree = ? AND path = ?", (tree, path))


def _first_since(connection: Database, day: int) -> int:
    """The id from which on events came on that day (since 1970) or later."""
    return scalar(connection, "SELECT ifnull(min(first), 1 << 62) FROM event_day WHERE day >= ?", (day,))


def delete_unreferenced(connection: Database) -> None:
    """Delete the passages and files that no event refers to any more."""
    connection.execute(
        "DELETE FROM passage WHERE id NOT IN (SELECT words FROM event WHERE words IS NOT NULL"
        " UNION SELECT output FROM event WHERE output IS NOT NULL)"
    )
    connection.execute("DELETE FROM event_file WHERE id NOT IN (SELECT file FROM event_path)")


def _set_changes(connection: Database, id: int, changes: Sequence[KeptChange]) -> None:
    connection.execute("UPDATE event SET changes = ? WHERE id = ?", (history.packed(changes) if changes else None, id))


def _events(connection: Database, where: str, values: Sequence[Value]) -> list[Event]:
    found = connection.execute(f"SELECT {_COLUMNS} {where}", values).fetchall()
    bodies = [_unpacked(row[9]) for row in found]
    paths = _paths(connection, {file for body in bodies for file in body.get("p", ())})
    return [_event(row, body, paths) for row, body in zip(found, bodies, strict=True)]


def _event(row: Row, body: Mapping[str, Any], paths: Mapping[int, str]) -> Event:
    id, key, at, kind, source, session, text, words, output, _, changes, episode, root = row
    ok = body.get("k")
    return Event(
        id=id,
        key=key.hex(),
        at=from_milliseconds(at),
        kind=EventKind(kind),
        source=source,
        session=session,
        text=zlib.decompress(words).decode() if words else text or "",
        output=zlib.decompress(output).decode() if output else body.get("o", ""),
        paths=tuple(paths[file] for file in body.get("p", ()) if file in paths),
        ok=None if ok is None else bool(ok),
        exit_code=body.get("x"),
        tool=body.get("t", ""),
        milliseconds=body.get("m"),
        folder=body.get("f", ""),
        branch=body.get("b", ""),
        commit=body.get("c", ""),
        changes=history.unpacked(changes) if changes else (),
        extra=tuple((name, rows.json_text(value)) for name, value in body.get("e", {}).items()),
        found=tuple(body.get("s", ())),
        cut=body.get("u", 0),
        episode=episode or "",
        plan=tuple((item, status) for item, status in body.get("l", ())),
        root=root or "",
    )


def _paths(connection: Database, files: set[int]) -> dict[int, str]:
    query = "SELECT id, path FROM event_file WHERE id IN (SELECT value FROM json_each(?))"
    return dict(connection.execute(query, (json.dumps(list(files)),)).fetchall())


def _unpacked(data: bytes | None) -> dict[str, Any]:
    """The mapping of `journal.packed`: JSON, which never begins like a zlib stream, or such a stream."""
    if not data:
        return {}
    return json.loads(data if data[:1] == b"{" else zlib.decompress(data))
