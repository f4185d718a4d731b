"""Taking rows out for good, with all that was derived from them, and looking whether they are gone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from time import monotonic, sleep

import apsw
from attrs import evolve, frozen

from memlsp.model.audit import Forgotten
from memlsp.model.belief import Author, AuthorKind, Belief
from memlsp.store import audit, beliefs, erasing, erasing_sources, rows
from memlsp.store.database import Database
from memlsp.store.needles import Needles

_Transaction = Callable[[], AbstractContextManager[Database]]

_PATIENCE = 8.0  # seconds for readers of other processes, who may hold the log open for as long as one read takes


class _NothingIsDone(Exception):
    """Takes back what was only tried."""


_NOTHING = Needles(())


@frozen
class Doomed:
    """What is to go: beliefs by id, words wherever they stand, a name in whatever holds it, what is known of a session
    or of a file; or `everything`."""

    ids: frozenset[str] = frozenset()
    needles: Needles = _NOTHING
    name: Needles = _NOTHING
    session: str = ""
    path: str = ""
    everything: bool = False


@frozen
class By:
    """Who forgets, from where, in which session, and when."""

    author: Author
    source: str
    session: str
    at: datetime


def erase(connection: Database, doomed: Doomed, removed: Counter[str]) -> None:
    """Take it out, inside the caller's transaction."""
    if doomed.everything:
        erasing.remove_everything(connection, removed)
        return
    erasing.remove_beliefs(connection, doomed.ids, removed)
    if doomed.session:
        erasing_sources.remove_session(connection, doomed.session, removed)
    if doomed.path:
        erasing_sources.remove_file(connection, doomed.path, removed)
    for needles in (doomed.needles, doomed.name):
        erasing.remove_words(connection, needles, removed)
    erasing_sources.sweep(connection)


class Forgetting:
    """The part of a store that forgets. Each method is one transaction unless it says otherwise."""

    def __init__(self, reading: _Transaction, writing: _Transaction, alone: _Transaction) -> None:
        """`alone` gives the connection with no transaction open."""
        self._reading = reading
        self._writing = writing
        self._alone = alone

    # -- choosing -----------------------------------------------------------------------------------------------------

    def ids(self) -> list[str]:
        """The ids that may not come back."""
        with self._reading() as connection:
            return [str(id) for (id,) in connection.execute("SELECT id FROM forgotten_id ORDER BY id")]

    def bar(self, ids: Iterable[str]) -> None:
        """Let these ids not come back either: what was forgotten in a store that this one takes the place of."""
        with self._writing() as connection:
            for id in ids:
                connection.execute("INSERT OR IGNORE INTO forgotten_id VALUES (?)", (rows.clean(id),))

    def of_session(self, name: str) -> list[Belief]:
        """The beliefs that a session taught, oldest first, whatever became of them."""
        return self._beliefs("SELECT id FROM belief WHERE session = ? ORDER BY created_at, id", name)

    def of_author(self, name: str) -> list[Belief]:
        """The beliefs that somebody said, oldest first."""
        return self._beliefs("SELECT id FROM belief WHERE author = ? ORDER BY created_at, id", name)

    def of_file(self, path: str) -> list[Belief]:
        """The beliefs that are tied to a file, and those of a glob that is nothing but this file; oldest first."""
        return self._beliefs(
            "SELECT id FROM belief WHERE seq IN (SELECT belief FROM anchor WHERE path = ?1) OR pattern = ?1"
            " ORDER BY created_at, id",
            path,
        )

    def everything(self) -> list[Belief]:
        """Every belief, oldest first."""
        return self._beliefs("SELECT id FROM belief WHERE '' = ? ORDER BY created_at, id", "")

    def saying(self, needles: Needles) -> list[Belief]:
        """The beliefs that hold the words: in what they say or said, in a note, or in what they were found in; oldest
        first."""
        with self._reading() as connection:
            seqs = {
                int(row[0])
                for row in connection.execute("SELECT seq, text, keywords, evidence, conditions FROM belief")
                if any(needles.in_value(value) for value in row[1:])
            }
            for seq, note, former in connection.execute("SELECT belief, note, former FROM revision"):
                if seq not in seqs and (needles.in_value(note) or (former and needles.in_value(former))):
                    seqs.add(int(seq))
            query = "SELECT id FROM belief WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY created_at, id"
            ids = [str(id) for (id,) in connection.execute(query, (json.dumps(sorted(seqs)),))]
            return [found for id in ids if (found := beliefs.one(connection, id)) is not None]

    def chain(self, id: str) -> list[Belief]:
        """The beliefs that this one took the place of and that took its place, near ones first."""
        with self._reading() as connection:
            seen, due, found = {id}, [id], list[Belief]()
            while due:
                here = due.pop(0)
                query = (
                    "SELECT id FROM belief WHERE superseded_by = ?1 UNION SELECT superseded_by FROM belief"
                    " WHERE id = ?1 AND superseded_by IS NOT NULL"
                )
                for (other,) in connection.execute(query, (here,)).fetchall():
                    known = beliefs.one(connection, str(other))
                    if str(other) in seen or known is None:
                        continue
                    seen.add(str(other))
                    due.append(str(other))
                    found.append(known)
            return found

    def texts(self, ids: Collection[str]) -> list[str]:
        """All that beliefs say and said, with the notes of their revisions and the quotes that they were found by."""
        found: list[str] = []
        with self._reading() as connection:
            for id in ids:
                state = beliefs.one(connection, id)
                if state is None:
                    continue
                former = (
                    rows.belief_of_blob(blob)
                    for (blob,) in connection.execute(
                        "SELECT former FROM revision WHERE former IS NOT NULL"
                        " AND belief = (SELECT seq FROM belief WHERE id = ?)",
                        (id,),
                    )
                )
                for each in (state, *former):
                    found += [each.text, *(evidence.quote for evidence in each.evidence)]
                found += [revision.note for revision in beliefs.revisions(connection, id) if len(revision.note) > 20]
        return list(dict.fromkeys(text for text in found if text))

    def other_texts(self, ids: Collection[str]) -> list[str]:
        """What all other beliefs say."""
        with self._reading() as connection:
            query = "SELECT text FROM belief WHERE id NOT IN (SELECT value FROM json_each(?))"
            return [str(text) for (text,) in connection.execute(query, (json.dumps(sorted(ids)),))]

    def events_of(self, session: str) -> tuple[list[str], list[str]]:
        """The long texts of a session's events, and those of all others."""
        with self._reading() as connection:
            return erasing_sources.event_texts(connection, session)

    # -- forgetting ---------------------------------------------------------------------------------------------------

    def erase(self, doomed: Doomed, by: By, *, dry: bool = False) -> Counter[str]:
        """Take out beliefs with all that is tied to them, what is known of a session or a file, and the words in all
        other rows; how many of what. With `dry` it is tried and taken back."""
        removed: Counter[str] = Counter()
        with suppress(_NothingIsDone), self._writing() as connection:
            erase(connection, doomed, removed)
            if dry:
                raise _NothingIsDone
            audit.append(
                connection,
                at=by.at,
                action="forget",
                author=by.author,
                source=by.source,
                session=by.session,
                targets=sorted(doomed.ids),
            )
        return +removed

    def compact(self) -> bool:
        """Leave nothing of what was taken out in the file or its log: write it anew, and empty the log. Not one
        transaction. False where another process kept the log open all the while."""
        with self._alone() as connection:
            self._emptied(connection)
            with suppress(apsw.FullError, apsw.BusyError):
                connection.execute("VACUUM")
            return self._emptied(connection)

    def _emptied(self, connection: Database) -> bool:
        until = monotonic() + _PATIENCE
        while True:
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
            if not busy or monotonic() > until:
                return not busy
            sleep(0.05)

    def holding(self, needles: Needles) -> Counter[str]:
        """How many rows of each table hold the words still, read through whatever they are packed in."""
        with self._reading() as connection:
            return erasing.holding(connection, needles)

    # -- receipts -----------------------------------------------------------------------------------------------------

    def record(self, receipt: Forgotten) -> Forgotten:
        """Write a receipt; it comes back with its number."""
        with self._writing() as connection:
            number = connection.execute(
                "INSERT INTO forgotten (at, author, author_kind, selector, removed, searched, left_over)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (
                    rows.stamp(receipt.at),
                    rows.clean(receipt.author.name),
                    receipt.author.kind.value,
                    receipt.selector,
                    json.dumps(receipt.removed),
                    receipt.searched,
                    rows.clean(json.dumps(receipt.left, ensure_ascii=False)),
                ),
            ).get
        assert isinstance(number, int)
        return evolve(receipt, id=number)

    def receipts(self, limit: int = 50) -> list[Forgotten]:
        """What was forgotten, the latest first, without what it was."""
        query = (
            "SELECT id, at, author, author_kind, selector, removed, searched, left_over FROM forgotten"
            " ORDER BY id DESC LIMIT ?"
        )
        with self._reading() as connection:
            return [
                Forgotten(
                    id=row[0],
                    at=rows.moment(row[1]),
                    author=Author(row[2], AuthorKind(row[3])),
                    selector=row[4],
                    removed=tuple((str(what), int(number)) for what, number in json.loads(row[5])),
                    searched=row[6],
                    left=tuple(json.loads(row[7])),
                )
                for row in connection.execute(query, (max(limit, 0),))
            ]

    def _beliefs(self, query: str, value: str) -> list[Belief]:
        with self._reading() as connection:
            ids: Sequence[str] = [str(id) for (id,) in connection.execute(query, (rows.clean(value),)).fetchall()]
            return [found for id in ids if (found := beliefs.one(connection, id)) is not None]
