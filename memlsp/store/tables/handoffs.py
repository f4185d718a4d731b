"""The part of a store that holds handoffs, and what a hook may say at once. Each method is one transaction.

Notes, remedies and briefings are derived: `store/tables/hook_notes.py` reads them, and the settler writes them here.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

from attrs import asdict, evolve, fields, frozen

from memlsp.model.belief import Revision
from memlsp.model.errors import BadValue
from memlsp.model.handoff import Handoff
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Row
from memlsp.store.tables import hook_notes

_Transaction = Callable[[], AbstractContextManager[Database]]

KEPT = timedelta(days=180)
"""How long handoffs are kept that nobody can take any more."""

MOST_REMEDIES = 2_000

_SAID_FOR = timedelta(days=30)
_FIELDS = tuple(field.name for field in fields(Handoff))
_TIMES = frozenset({"created_at", "expires_at", "claimed_at"})


@frozen
class KeptNote:
    """What is said of a file before it is read or changed. `mark` is what it is said under once in a session; it stands
    until the belief, by its id, is revised again."""

    sentence: str
    mark: str
    belief: str
    revised_at: datetime


@frozen
class KeptRemedy:
    """What helped when this program failed with this digest."""

    program: str
    failure: str
    sentence: str
    at: datetime


class HandoffRepository:
    """Handoffs, notes, remedies and briefings. Methods raise what those of the store do."""

    def __init__(self, reading: _Transaction, writing: _Transaction) -> None:
        self._reading = reading
        self._writing = writing

    # -- handoffs -------------------------------------------------------------------------------------------------

    def keep(self, handoff: Handoff) -> bool:
        """Write a handoff; one with its id is replaced, and others of its session have it as their successor. False,
        and nothing is written, when somebody took it meanwhile: what was taken stays as it was read."""
        session = hook_notes.session_key(handoff.source, handoff.session)
        with self._writing() as connection:
            known = connection.execute("SELECT claimed FROM handoff WHERE id = ?", (handoff.id,)).fetchall()
            if known and known[0][0] is not None:
                return False
            connection.execute(
                "INSERT OR REPLACE INTO handoff (id, created, expires, claimed, successor, session, body)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    handoff.id,
                    _milliseconds(handoff.created_at),
                    _milliseconds(handoff.expires_at),
                    None if handoff.claimed_at is None else _milliseconds(handoff.claimed_at),
                    handoff.successor or None,
                    rows.clean(session),
                    _body(handoff),
                ),
            )
            if session and not handoff.successor:
                connection.execute(
                    "UPDATE handoff SET successor = ? WHERE session = ? AND id != ? AND successor IS NULL",
                    (handoff.id, rows.clean(session), handoff.id),
                )
        return True

    def drop(self, id: str) -> None:
        """Take out a handoff that was made from what was observed and has turned out to be about nothing."""
        with self._writing() as connection:
            connection.execute("DELETE FROM handoff WHERE id = ?", (id,))

    def handoff(self, id: str) -> Handoff | None:
        """The handoff of exactly this id."""
        with self._reading() as connection:
            found = connection.execute(f"SELECT {_COLUMNS} FROM handoff WHERE id = ?", (id,)).fetchall()  # noqa: S608
            return _handoff(found[0]) if found else None

    def resolve(self, prefix: str) -> str | None:
        """The full id from a unique beginning of it, None when there is none. Raises BadValue for several."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT id FROM handoff WHERE id >= ? AND id < ? LIMIT 2",
                (rows.clean(prefix), rows.clean(prefix) + "\U0010ffff"),
            ).fetchall()
        if len(found) > 1:
            raise BadValue(f"{prefix!r} is the beginning of several handoffs", "write more of it")
        return str(found[0][0]) if found else None

    def handoffs(self, *, limit: int | None = None) -> list[Handoff]:
        """All that are kept, the latest first."""
        with self._reading() as connection:
            found = connection.execute(
                f"SELECT {_COLUMNS} FROM handoff ORDER BY created DESC, id LIMIT ?",  # noqa: S608
                (-1 if limit is None else limit,),
            )
            return [_handoff(row) for row in found]

    def waiting(self, now: datetime) -> list[Handoff]:
        """Those that no other took the place of and that have not expired, the latest first; claimed ones too."""
        with self._reading() as connection:
            found = connection.execute(
                f"SELECT {_COLUMNS} FROM handoff WHERE successor IS NULL AND expires > ? ORDER BY created DESC, id",  # noqa: S608
                (_milliseconds(now),),
            )
            return [_handoff(row) for row in found]

    def of_session(self, source: str, session: str) -> list[Handoff]:
        """The handoffs of a session, the latest first; of two of the same time that which took the other's place."""
        with self._reading() as connection:
            found = connection.execute(
                f"SELECT {_COLUMNS} FROM handoff WHERE session = ?"  # noqa: S608
                " ORDER BY created DESC, successor IS NOT NULL, id",
                (rows.clean(hook_notes.session_key(source, session)),),
            )
            return [_handoff(row) for row in found]

    def claim(self, id: str, by: str, at: datetime) -> Handoff | None:
        """Take a handoff, unless somebody else has; the handoff as it is then, None when there is none of this id."""
        with self._writing() as connection:
            found = connection.execute(f"SELECT {_COLUMNS} FROM handoff WHERE id = ?", (id,)).fetchall()  # noqa: S608
            if not found:
                return None
            handoff = _handoff(found[0])
            if handoff.is_claimed:
                return handoff
            taken = evolve(handoff, claimed_by=rows.clean(by), claimed_at=at)
            connection.execute(
                "UPDATE handoff SET claimed = ?, body = ? WHERE id = ?", (_milliseconds(at), _body(taken), id)
            )
            return taken

    # -- what a hook may say --------------------------------------------------------------------------------------

    def keep_notes(
        self,
        path: str,
        stamp: str,
        beliefs: str,
        told: Sequence[KeptNote],
        leans_on: Collection[str] = (),
    ) -> None:
        """Write what is said of a file, in order. `beliefs` is the state of what is tied to it, as `tied` gives it;
        the notes depend on the files in `leans_on` as well."""
        with self._writing() as connection:
            file = rows.clean(path)
            connection.execute("INSERT OR REPLACE INTO noted VALUES (?, ?, ?)", (file, stamp, beliefs))
            connection.execute("DELETE FROM note WHERE path = ?", (file,))
            connection.execute("DELETE FROM note_leans WHERE path = ?", (file,))
            for position, each in enumerate(told):
                sentence, mark, revised = rows.clean(each.sentence), rows.clean(each.mark), rows.stamp(each.revised_at)
                connection.execute(
                    "INSERT INTO note VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (file, position, sentence, mark, stamp, each.belief, revised),
                )
            for source in set(leans_on) - {path}:
                connection.execute("INSERT OR IGNORE INTO note_leans VALUES (?, ?)", (rows.clean(source), file))

    def noted(self) -> dict[str, tuple[str, str]]:
        """The files that were looked at, each with its stamp and the state of its beliefs then."""
        with self._reading() as connection:
            return {path: (stamp, beliefs) for path, stamp, beliefs in connection.execute("SELECT * FROM noted")}

    def leaning_on(self, sources: Iterable[str]) -> set[str]:
        """The files whose notes depend on one of these."""
        with self._reading() as connection:
            return {
                row[0]
                for source in sources
                for row in connection.execute("SELECT path FROM note_leans WHERE source = ?", (rows.clean(source),))
            }

    def tied(self) -> dict[str, str]:
        """Each file that active beliefs are tied to, with what moves when they do: their number and latest revision."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT a.path, count(*), max(b.updated_at) FROM anchor a JOIN belief b ON b.seq = a.belief"
                " WHERE a.active = 1 GROUP BY a.path"
            )
            return {path: f"{number} {latest}" for path, number, latest in found}

    def spanned(self) -> dict[str, str]:
        """Each path glob of active beliefs, with what moves when they do."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT pattern, count(*), max(updated_at) FROM belief INDEXED BY belief_by_scope"
                " WHERE status = 'active' AND scope = 'glob' GROUP BY pattern"
            )
            return {pattern: f"{number} {latest}" for pattern, number, latest in found}

    def notes_at(self, path: str, stamp: str) -> list[hook_notes.Note]:
        """What a hook would say of a file that has this stamp."""
        with self._reading() as connection:
            return hook_notes.notes_at(connection, path, stamp)

    def keep_remedies(self, remedies: Iterable[KeptRemedy]) -> None:
        """Write remedies; a later one for the same failure takes the place of the earlier. The latest 2,000 stay."""
        with self._writing() as connection:
            for each in remedies:
                connection.execute(
                    "INSERT INTO remedy VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET sentence = excluded.sentence,"
                    " at = excluded.at WHERE excluded.at >= at",
                    (rows.clean(each.program), each.failure, rows.clean(each.sentence), _milliseconds(each.at)),
                )
            connection.execute(
                "DELETE FROM remedy WHERE (program, failure) IN"
                " (SELECT program, failure FROM remedy ORDER BY at DESC, program, failure LIMIT -1 OFFSET ?)",
                (MOST_REMEDIES,),
            )

    def remedy_for(self, skeleton: str, failure: str) -> hook_notes.Note | None:
        """What a hook would say after such a failure."""
        with self._reading() as connection:
            return hook_notes.remedy_for(connection, skeleton, failure)

    def keep_briefings(self, briefings: Mapping[tuple[str, str], str], at: datetime) -> None:
        """Write what is told at the start of sessions, by session and branch, in place of all that was there."""
        with self._writing() as connection:
            known: dict[tuple[str, str], str] = {
                (session, branch): parts
                for session, branch, parts in connection.execute("SELECT session, branch, parts FROM briefing")
            }
            for place in known.keys() - briefings.keys():
                connection.execute("DELETE FROM briefing WHERE session = ? AND branch = ?", place)
            for place, parts in briefings.items():
                if known.get(place) != parts:
                    connection.execute(
                        "INSERT OR REPLACE INTO briefing VALUES (?, ?, ?, ?)",
                        (*map(rows.clean, place), _milliseconds(at), rows.clean(parts)),
                    )

    def briefing(self, session: str, branch: str, root: str, now: datetime) -> str:
        """What a hook would tell a session (its key, "" for a new one) at its start."""
        with self._reading() as connection:
            return hook_notes.briefing(connection, session, branch, root, _milliseconds(now))

    def prune(self, now: datetime) -> None:
        """Let go of handoffs that expired long ago, and of what was said to sessions that are over."""
        with self._writing() as connection:
            connection.execute("DELETE FROM handoff WHERE expires < ?", (_milliseconds(now - KEPT),))
            connection.execute("DELETE FROM said WHERE at < ?", (_milliseconds(now - _SAID_FOR),))

    def clear(self) -> None:
        """Forget all handoffs and all that was derived."""
        with self._writing() as connection:
            for table in ("handoff", "note", "noted", "note_leans", "remedy", "briefing", "said"):
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours

    # -- catching up ----------------------------------------------------------------------------------------------

    def revised_since(self, since: datetime) -> list[Revision]:
        """What was done to beliefs from this time on, in order."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT b.id, r.number, r.action, r.author, r.author_kind, r.source, r.at, r.note, r.undoes, r.session"
                " FROM revision r JOIN belief b ON b.seq = r.belief WHERE r.at >= ? ORDER BY r.at, b.id, r.number",
                (rows.stamp(since),),
            )
            return [rows.revision_of(row[0], row[1:]) for row in found]

    def revised_latest(
        self, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> list[Revision]:
        """The latest things that were done to beliefs between two times, newest first."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT b.id, r.number, r.action, r.author, r.author_kind, r.source, r.at, r.note, r.undoes, r.session"
                " FROM revision r JOIN belief b ON b.seq = r.belief"
                " WHERE r.at >= ? AND r.at <= ? AND b.status != 'proposed'"
                " ORDER BY r.at DESC, b.id DESC, r.number DESC LIMIT ?",
                (rows.stamp(since) if since else "", rows.stamp(until) if until else "\U0010ffff", max(limit, 0)),
            )
            return [rows.revision_of(row[0], row[1:]) for row in found]


_COLUMNS = "claimed, successor, body"


def _body(handoff: Handoff) -> bytes:
    value = asdict(handoff)
    for name in _TIMES:
        value[name] = None if value[name] is None else rows.stamp(value[name])
    return zlib.compress(rows.clean(json.dumps(value, ensure_ascii=False, separators=(",", ":"))).encode(), 6)


def _handoff(row: Row) -> Handoff:
    """Unknown keys are passed over and missing ones take their default, so that a neighbouring version can be read."""
    _, successor, body = row
    value: dict[str, Any] = {
        name: tuple(each) if isinstance(each, list) else each  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - texts
        for name, each in json.loads(zlib.decompress(body)).items()
        if name in _FIELDS
    }
    for name in _TIMES & value.keys():
        value[name] = None if value[name] is None else rows.moment(value[name])
    value["successor"] = successor or ""
    return Handoff(**value)


def _milliseconds(at: datetime) -> int:
    return int(at.astimezone(UTC).timestamp() * 1000)
