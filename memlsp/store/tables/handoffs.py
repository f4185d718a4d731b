"""Handoffs, and the notes, remedies and briefings that hooks say.

The latter are derived: the process that settles events writes them here, and `hook_notes` reads them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from attrs import evolve, frozen

from memlsp.model.belief import Belief
from memlsp.model.errors import BadValue
from memlsp.model.handoff import Handoff
from memlsp.store.core import rows
from memlsp.store.core.database import Row, Value
from memlsp.store.core.rows import milliseconds
from memlsp.store.core.transactions import StoreRepository, read, write
from memlsp.store.tables import hook_beliefs, hook_notes

KEPT = timedelta(days=180)
"""How long handoffs are kept that nobody can take any more."""

MOST_REMEDIES = 2_000

_SAID_FOR = timedelta(days=30)


@frozen
class KeptNote:
    """A sentence about a file, for an agent that is about to read or change it. A session is told each `mark` once. The
    note is valid until the belief (an id) is revised again. `lines` are the first and last of its symbol, from 1; (0,
    0) for the whole file."""

    sentence: str
    mark: str
    belief: str
    revised_at: datetime
    lines: tuple[int, int] = (0, 0)


@frozen
class KeptRemedy:
    """A sentence about what helped when this program failed with this digest."""

    program: str
    failure: str
    sentence: str
    at: datetime


class HandoffRepository(StoreRepository):
    """Handoffs, notes, remedies and briefings."""

    notes_at = read(hook_notes.notes_at)
    remedy_for = read(hook_notes.remedy_for)

    def keep(self, handoff: Handoff) -> bool:
        """Write a handoff in place of the one with its id, as the successor of the others of its session. False, and
        nothing is written, when it was claimed meanwhile: a claimed handoff stays as it was read."""
        session = hook_notes.session_key(handoff.source, handoff.session)
        with self._writing() as connection:
            known = connection.execute("SELECT claimed FROM handoff WHERE id = ?", (handoff.id,)).fetchall()
            if known and known[0][0] is not None:
                return False
            claimed = None if handoff.claimed_at is None else milliseconds(handoff.claimed_at)
            times = (milliseconds(handoff.created_at), milliseconds(handoff.expires_at), claimed)
            connection.execute(
                "INSERT OR REPLACE INTO handoff (id, created, expires, claimed, successor, session, body)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (handoff.id, *times, handoff.successor or None, rows.clean(session), _body(handoff)),
            )
            if session and not handoff.successor:
                connection.execute(
                    "UPDATE handoff SET successor = ? WHERE session = ? AND id != ? AND successor IS NULL",
                    (handoff.id, rows.clean(session), handoff.id),
                )
        return True

    def drop(self, id: str) -> None:
        """Delete a handoff, as one made from events that turned out to be about nothing."""
        self._run("DELETE FROM handoff WHERE id = ?", (id,))

    def handoff(self, id: str) -> Handoff | None:
        """The handoff of exactly this id."""
        return next(iter(self._found("WHERE id = ?", (id,))), None)

    def resolve(self, prefix: str) -> str | None:
        """The full id from a unique beginning of it, None when there is none. Raises BadValue for several."""
        query = "SELECT id FROM handoff WHERE id >= ? AND id < ? LIMIT 2"
        found = self._texts(query, (rows.clean(prefix), rows.clean(prefix) + "\U0010ffff"))
        if len(found) > 1:
            raise BadValue(f"{prefix!r} is the beginning of several handoffs", "write more of it")
        return found[0] if found else None

    def handoffs(self) -> list[Handoff]:
        """The stored handoffs, the latest first."""
        return self._found("ORDER BY created DESC, id")

    def waiting(self, now: datetime) -> list[Handoff]:
        """The handoffs without a successor that have not expired, the latest first; claimed ones too."""
        return self._found("WHERE successor IS NULL AND expires > ? ORDER BY created DESC, id", (milliseconds(now),))

    def of_session(self, source: str, session: str) -> list[Handoff]:
        """The handoffs of a session, the latest first; of two of the same time the one without a successor first."""
        return self._found(
            "WHERE session = ? ORDER BY created DESC, successor IS NOT NULL, id",
            (rows.clean(hook_notes.session_key(source, session)),),
        )

    def claim(self, id: str, by: str, at: datetime) -> Handoff | None:
        """Claim a handoff, unless somebody else has; the handoff as it is then, None when there is none of this id."""
        with self._writing() as connection:
            found = connection.execute(f"SELECT {_COLUMNS} FROM handoff WHERE id = ?", (id,)).fetchall()
            if not found:
                return None
            handoff = _handoff(found[0])
            if handoff.is_claimed:
                return handoff
            taken = evolve(handoff, claimed_by=rows.clean(by), claimed_at=at)
            connection.execute(
                "UPDATE handoff SET claimed = ?, body = ? WHERE id = ?", (milliseconds(at), _body(taken), id)
            )
            return taken

    def _found(self, rest: str, values: tuple[Value, ...] = ()) -> list[Handoff]:
        found = self._rows(f"SELECT {_COLUMNS} FROM handoff {rest}", values)
        return [_handoff(row) for row in found]

    def keep_notes(
        self, path: str, stamp: str, beliefs: str, notes: Sequence[KeptNote], leans_on: Collection[str] = ()
    ) -> None:
        """Write the notes of a file, in order. `beliefs` is the state of its beliefs, as `tied` gives it. The notes
        depend on the files in `leans_on` as well."""
        with self._writing() as connection:
            file = rows.clean(path)
            connection.execute("INSERT OR REPLACE INTO noted VALUES (?, ?, ?)", (file, stamp, beliefs))
            connection.execute("DELETE FROM note WHERE path = ?", (file,))
            connection.execute("DELETE FROM note_leans WHERE path = ?", (file,))
            for position, each in enumerate(notes):
                sentence, mark, revised = rows.clean(each.sentence), rows.clean(each.mark), rows.stamp(each.revised_at)
                connection.execute(
                    "INSERT INTO note VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (file, position, sentence, mark, stamp, each.belief, revised, *each.lines),
                )
            for source in set(leans_on) - {path}:
                connection.execute("INSERT OR IGNORE INTO note_leans VALUES (?, ?)", (rows.clean(source), file))

    def noted(self) -> dict[str, tuple[str, str]]:
        """The files for which notes were written (also none), each with its stamp and the state of its beliefs then."""
        return {path: (stamp, beliefs) for path, stamp, beliefs in self._rows("SELECT * FROM noted")}

    def leaning_on(self, sources: Iterable[str]) -> set[str]:
        """The files whose notes depend on one of these."""
        query = "SELECT path FROM note_leans WHERE source IN (SELECT value FROM json_each(?))"
        return set(self._texts(query, (rows.json_text(list(sources)),)))

    def tied(self) -> dict[str, str]:
        """Each file that active beliefs are tied to, with the number and latest revision of those beliefs."""
        query = (
            "SELECT a.path, count(*), max(b.updated_at) FROM anchor a JOIN belief b ON b.seq = a.belief"
            " WHERE a.active = 1 GROUP BY a.path"
        )
        return {path: f"{number} {latest}" for path, number, latest in self._rows(query)}

    def due_judgements(self, touched: Iterable[str], limit: int) -> list[str]:
        """The ids of beliefs that a hook wants to have judged, and of judged ones that depend on a touched file."""
        query = (
            "SELECT b.id FROM judgement j JOIN belief b ON b.seq = j.belief WHERE j.standing = '' OR EXISTS ("
            "SELECT 1 FROM json_each(?1) WHERE instr(char(10) || j.files, char(10) || value || char(31)))"
            " ORDER BY j.standing LIMIT ?2"
        )
        return self._texts(query, (rows.json_text([rows.clean(path) for path in touched]), limit))

    def keep_judgement(self, belief: Belief, standing: str, reason: str, files: Mapping[str, str]) -> None:
        """Write the standing of a belief, valid until it is revised again or one of `files` has another stamp."""
        listed = "\n".join(f"{rows.clean(path)}\x1f{stamp}" for path, stamp in sorted(files.items()))
        self._run(
            "INSERT OR REPLACE INTO judgement SELECT seq, ?, ?, ?, ? FROM belief WHERE id = ?",
            (rows.stamp(belief.updated_at), standing, rows.clean(reason), listed, belief.id),
        )

    def keep_remedies(self, remedies: Iterable[KeptRemedy]) -> None:
        """Write remedies; a later one for the same failure takes the place of the earlier. The latest 2,000 stay."""
        with self._writing() as connection:
            for each in remedies:
                connection.execute(
                    "INSERT INTO remedy VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET sentence = excluded.sentence,"
                    " at = excluded.at WHERE excluded.at >= at",
                    (rows.clean(each.program), each.failure, rows.clean(each.sentence), milliseconds(each.at)),
                )
            connection.execute(
                "DELETE FROM remedy WHERE (program, failure) IN"
                " (SELECT program, failure FROM remedy ORDER BY at DESC, program, failure LIMIT -1 OFFSET ?)",
                (MOST_REMEDIES,),
            )

    put_notice = write(hook_beliefs.put_notice)

    def keep_briefings(self, briefings: Mapping[tuple[str, str], str], at: datetime) -> None:
        """Write the briefings for the starts of sessions, by session and branch, in place of all earlier ones."""
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
                        (*map(rows.clean, place), milliseconds(at), rows.clean(parts)),
                    )

    def briefing(self, session: str, branch: str, root: str, now: datetime) -> str:
        """The briefing that a hook gives a session (its key, "" for a new one) at its start."""
        with self._reading() as connection:
            return hook_notes.briefing(connection, session, branch, root, milliseconds(now)) or ""

    def prune(self, now: datetime) -> None:
        """Delete handoffs that expired long ago, and the record of what was said to sessions long ago."""
        with self._writing() as connection:
            connection.execute("DELETE FROM handoff WHERE expires < ?", (milliseconds(now - KEPT),))
            connection.execute("DELETE FROM said WHERE at < ?", (milliseconds(now - _SAID_FOR),))


_COLUMNS = "claimed, successor, body"


def _body(handoff: Handoff) -> bytes:
    return rows.pack_clean(rows.converter().unstructure(handoff))


def _handoff(row: Row) -> Handoff:
    _, successor, body = row
    return evolve(rows.converter().structure(rows.unpack(body), Handoff), successor=successor or "")
