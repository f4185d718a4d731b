"""The beliefs that an erasure selects: by session, author, file, or their words. Every function works inside the
caller's transaction, on a store or a backup."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator

from attrs import evolve, frozen

from memlsp.model.belief import Belief
from memlsp.store.core import rows
from memlsp.store.core.database import Database, text_column
from memlsp.store.erase import source_erasure
from memlsp.store.erase.search_patterns import PIECE, SearchPatterns, leaves, plain
from memlsp.store.tables import beliefs

_NOTHING = SearchPatterns(())
_LONG_NOTE = 20  # characters
_UNDECIDED = """
    (authority = 'proposed' OR (
        EXISTS (SELECT 1 FROM json_each(evidence) e WHERE json_extract(e.value, '$.kind') = 'prompt')
        AND NOT EXISTS (SELECT 1 FROM revision r WHERE r.belief = belief.seq AND r.action IN ('admit', 'confirm'))
    ))
"""
"""Beliefs that memlsp made of what it saw and that nobody decided about: proposals, and what it caught in a prompt."""

_DERIVED = f"(authority = 'mined' OR {_UNDECIDED})"
"""Beliefs that were derived, possibly from what is erased, and that nobody stated to memlsp."""


@frozen
class ErasureScope:
    """What a person or agent asked to be erased.

    `ids` are chosen beliefs. Beliefs of `session` or `author`, beliefs tied to the file at `path` and those that match
    `query` are erased too, with all that is known of that session or file. `first` is the belief that was asked for;
    its supersession chain goes as far as it carries its words. `patterns` are removed wherever they occur, `name` is
    cut out of the texts that hold it. `everything` empties the store."""

    ids: frozenset[str] = frozenset()
    patterns: SearchPatterns = _NOTHING
    name: SearchPatterns = _NOTHING
    query: SearchPatterns = _NOTHING
    first: str = ""
    session: str = ""
    author: str = ""
    path: str = ""
    everything: bool = False


def chosen(connection: Database, scope: ErasureScope) -> list[str]:
    """The ids of the beliefs that the scope erases, oldest first."""
    query = (
        "SELECT id FROM belief WHERE ?1 OR id IN (SELECT value FROM json_each(?2))"
        " OR (?3 != '' AND session = ?3) OR (?4 != '' AND author = ?4)"
        " OR (?5 != '' AND (pattern = ?5 OR seq IN (SELECT belief FROM anchor WHERE path = ?5)))"
    )
    named = map(rows.clean, (scope.session, scope.author, scope.path))
    found = set(text_column(connection, query, (int(scope.everything), json.dumps(sorted(scope.ids)), *named)))
    if scope.query:
        found |= _containing(connection, scope.query)
    found |= {id for id, undecided in with_same_text(connection, found) if undecided}
    return present(connection, found)


def present(connection: Database, ids: Collection[str]) -> list[str]:
    """The ids whose beliefs exist, oldest first."""
    query = "SELECT id FROM belief WHERE id IN (SELECT value FROM json_each(?)) ORDER BY created_at, id"
    return text_column(connection, query, (json.dumps(sorted(ids)),))


def at_erasure(connection: Database, scope: ErasureScope, may: Callable[[Belief], bool]) -> ErasureScope:
    """The scope at the time of erasing: with beliefs that were added since it was planned and that `may` be erased, and
    without the patterns that surviving records hold.

    A stated belief that shares words with the erased ones is a statement of its own. A derived one that was added since
    may be drawn from them, so it is erased when it holds the patterns."""
    came = set(chosen(connection, scope))
    if scope.first:
        came |= set(_chain_with_words(connection, scope.first))
    ids = scope.ids | _allowed(may, connection, came - scope.ids)
    patterns = scope.patterns.excluding(surviving_texts(connection, evolve(scope, ids=ids)))
    ids |= _allowed(may, connection, _derived_with(connection, patterns) - ids)
    if ids != scope.ids:
        more = patterns.joined(texts(connection, ids - scope.ids))
        patterns = more.excluding(surviving_texts(connection, evolve(scope, ids=ids)))
    return evolve(scope, ids=ids, patterns=patterns)


def surviving_texts(connection: Database, scope: ErasureScope) -> Iterator[str]:
    """The stated texts that survive: of other beliefs, and of other sessions when a session is erased."""
    query = f"SELECT text FROM belief WHERE id NOT IN (SELECT value FROM json_each(?)) AND NOT {_DERIVED}"
    yield from text_column(connection, query, (json.dumps(sorted(scope.ids)),))
    if scope.session:
        yield from source_erasure.event_texts(connection, scope.session)[1]


def _chain_with_words(connection: Database, id: str) -> list[str]:
    belief = beliefs.one(connection, id)
    if belief is None:
        return []
    words = SearchPatterns([belief.text])
    return [other.id for other in chain(connection, id) if words.in_text(other.text)]


def _derived_with(connection: Database, patterns: SearchPatterns) -> set[str]:
    found = connection.execute(f"SELECT id, text FROM belief WHERE {_DERIVED}")
    return {str(id) for id, text in found if patterns.in_text(str(text))}


def _allowed(may: Callable[[Belief], bool], connection: Database, ids: Collection[str]) -> frozenset[str]:
    found = (beliefs.one(connection, id) for id in ids)
    return frozenset(belief.id for belief in found if belief is not None and may(belief))


def with_same_text(connection: Database, ids: Collection[str]) -> list[tuple[str, bool]]:
    """The other beliefs that hold the whole text of one of these, by id, each with whether it was derived and nobody
    decided about it."""
    query = "SELECT text FROM belief WHERE id IN (SELECT value FROM json_each(?))"
    said = {plain(text) for text in text_column(connection, query, (json.dumps(sorted(ids)),))}
    said = {text for text in said if len(text) > PIECE}
    if not said:
        return []
    shortest = min(map(len, said))
    query = (
        f"SELECT id, {_UNDECIDED}, text, evidence FROM belief"
        " WHERE id NOT IN (SELECT value FROM json_each(?)) ORDER BY id"
    )
    found: list[tuple[str, bool]] = []
    for id, undecided, *values in connection.execute(query, (json.dumps(sorted(ids)),)):
        texts = [plain(text) for value in values for text in leaves(value) if len(text) + 2 >= shortest]
        if any(text in said or any(each in text for each in said) for text in texts):
            found.append((str(id), bool(undecided)))
    return found


def _containing(connection: Database, patterns: SearchPatterns) -> set[str]:
    """The beliefs that hold the patterns in their present or former text, a note, their evidence, or their conditions;
    not those whose code alone holds them."""
    found: set[str] = set()
    for id, *values in connection.execute("SELECT id, text, keywords, evidence, conditions FROM belief"):
        if any(patterns.in_value(value) for value in values):
            found.add(str(id))
    query = "SELECT b.id, r.note, r.former FROM revision r JOIN belief b ON b.seq = r.belief"
    for id, note, former in connection.execute(query):
        if id in found:
            continue
        if patterns.in_value(note) or (former and patterns.in_value(former) and _says(former, patterns)):
            found.add(str(id))
    return found


def _says(former: bytes, patterns: SearchPatterns) -> bool:
    """True when a former state holds the patterns where it is no code."""
    state = rows.belief_of_blob(former)
    evidence = (text for each in state.evidence for text in (each.quote, each.path))
    return any(patterns.in_text(text) for text in (state.text, *evidence, *map("=".join, state.conditions)))


def chain(connection: Database, id: str) -> list[Belief]:
    """The beliefs that this one superseded and was superseded by, near ones first."""
    query = (
        "SELECT id FROM belief WHERE superseded_by = ?1"
        " UNION SELECT superseded_by FROM belief WHERE id = ?1 AND superseded_by IS NOT NULL"
    )
    seen, due, found = {id}, [id], list[Belief]()
    while due:
        for (other,) in connection.execute(query, (due.pop(0),)).fetchall():
            known = beliefs.one(connection, str(other))
            if str(other) not in seen and known is not None:
                seen.add(str(other))
                due.append(str(other))
                found.append(known)
    return found


def texts(connection: Database, ids: Collection[str]) -> list[str]:
    """The present and former texts of beliefs, with the notes of their revisions and the quotes of their evidence."""
    found: dict[str, None] = {}
    for id in ids:
        state = beliefs.one(connection, id)
        if state is None:
            continue
        former = connection.execute(
            "SELECT former FROM revision WHERE former IS NOT NULL AND belief = (SELECT seq FROM belief WHERE id = ?)",
            (id,),
        ).fetchall()
        for each in (state, *(rows.belief_of_blob(blob) for (blob,) in former)):
            found |= dict.fromkeys((each.text, *(evidence.quote for evidence in each.evidence)))
        notes = (revision.note for revision in beliefs.revisions(connection, id))
        found |= dict.fromkeys(note for note in notes if len(note) > _LONG_NOTE)
    return [text for text in found if text]


def other_texts(connection: Database, ids: Collection[str]) -> list[str]:
    """The texts of all other beliefs."""
    query = "SELECT text FROM belief WHERE id NOT IN (SELECT value FROM json_each(?))"
    return text_column(connection, query, (json.dumps(sorted(ids)),))
