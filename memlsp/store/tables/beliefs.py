"""Beliefs, their anchors and their revisions, as rows. Every function works inside the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import cast

import apsw

from memlsp.model.belief import AuthorKind, Belief, BeliefKind, BeliefStatus, Revision, ScopeKind
from memlsp.model.errors import NoSuchBelief, Overtaken, Refused
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Value
from memlsp.store.search import index
from memlsp.store.tables import audit

_INSERT = f"""
    INSERT INTO belief ({rows.BELIEF_COLUMNS}, keywords) VALUES ({", ".join("?" * 27)}) RETURNING seq
"""  # noqa: S608 - columns of ours
WIDE = frozenset({ScopeKind.USER, ScopeKind.WORKSPACE, ScopeKind.GLOB})
"""Scopes that reach further than a file."""

_UPDATE = f"""
    UPDATE belief SET ({rows.BELIEF_COLUMNS}, keywords) = ({", ".join("?" * 27)}) WHERE seq = ?
"""  # noqa: S608


def insert(connection: Database, belief: Belief, revision: Revision, keywords: str) -> Revision:
    """Write a new belief with its first revision. Raises Refused when its id was used before."""
    keywords = rows.clean(keywords)
    try:
        seq = connection.execute(_INSERT, (*rows.belief_row(belief), keywords)).get
    except apsw.ConstraintError as error:
        raise Refused(f"a belief {belief.id} is there already", "an id is never used again") from error
    assert isinstance(seq, int)
    _write_anchors(connection, seq, belief)
    _write_mentions(connection, seq, belief)
    _write_bases(connection, seq, belief)
    if belief.status is BeliefStatus.ACTIVE:
        index.enter(connection, seq, rows.clean(belief.text), keywords)
    return _append(connection, seq, belief, revision, None)


def update(
    connection: Database, belief: Belief, revision: Revision, keywords: str, expected: Belief | None = None
) -> Revision:
    """Write the new state of a belief and append the revision, which keeps the state before.

    Empty `keywords` leave those that are there. Raises NoSuchBelief; Refused for what an agent may not do, and when the
    belief is not as `expected` any more: somebody else revised it between being read and being written.
    """
    before = one(connection, belief.id)
    if before is None:
        raise no_such_belief(belief.id)
    _hold_back_agents(before, belief, revision)
    if expected is not None and _state(before) != _state(expected):
        raise Overtaken(f"{belief.id} was revised by somebody else at this moment", "look at it again, then decide")
    seq, known = _seq_and_keywords(connection, belief.id)
    keywords = rows.clean(keywords) or known
    connection.execute(_UPDATE, (*rows.belief_row(belief), keywords, seq))
    if belief.anchors != before.anchors:
        connection.execute("DELETE FROM anchor WHERE belief = ?", (seq,))
        _write_anchors(connection, seq, belief)
    elif belief.status is not before.status:
        connection.execute("UPDATE anchor SET active = ? WHERE belief = ?", (_is_active(belief), seq))
    connection.execute("DELETE FROM mention WHERE belief = ?", (seq,))
    _write_mentions(connection, seq, belief)
    if belief.because_of != before.because_of:
        connection.execute("DELETE FROM rests_on WHERE belief = ?", (seq,))
        _write_bases(connection, seq, belief)
    _index_again(connection, seq, before, belief, known, keywords)
    return _append(connection, seq, belief, revision, before)


def _state(belief: Belief) -> tuple[object, ...]:
    """What tells a state from the next, also where a clock stands still."""
    return belief.updated_at, belief.status, belief.authority, belief.confidence, belief.text


def _hold_back_agents(before: Belief, after: Belief, revision: Revision) -> None:
    """The last line of what only persons do. Above, the same is refused with better words; here it is one transaction
    with the writing, so that neither a race nor a new way in goes round it."""
    if revision.author.kind is not AuthorKind.AGENT:
        return
    who = revision.author.name
    if before.locked:
        raise Refused(
            f"{before.id} is locked by a person, and {who} is an agent", "ask a person to change or unlock it"
        )
    if before.status is BeliefStatus.PROPOSED and after.status is BeliefStatus.ACTIVE:
        raise Refused(f"{before.id} is a proposal, and {who} is an agent", "a person decides about it")
    if after.authority.rank < before.authority.rank:
        raise Refused(f"{who} is an agent and cannot give {before.id} more authority than it has", "ask a person")


def exists(connection: Database, id: str) -> bool:
    """True when a belief has exactly this id."""
    return connection.execute("SELECT 1 FROM belief WHERE id = ?", (id,)).get is not None


def one(connection: Database, id: str) -> Belief | None:
    """The belief of exactly this id."""
    found = _select(connection, "WHERE id = ?", (id,))
    return found[0] if found else None


def several(connection: Database, ids: Sequence[str]) -> list[Belief]:
    """The beliefs of these ids, in their order; those that are not there are left out."""
    found = _select(connection, "WHERE id IN (SELECT value FROM json_each(?))", (_json(ids),))
    known = {belief.id: belief for belief in found}
    return [known[id] for id in dict.fromkeys(ids) if id in known]


def resolve(connection: Database, prefix: str) -> str:
    """The id that starts with `prefix`. Raises NoSuchBelief when none or several do."""
    prefix = rows.clean(prefix)
    if exists(connection, prefix):
        return prefix
    if not prefix:
        raise no_such_belief(prefix)
    found = connection.execute(
        "SELECT id, text FROM belief WHERE id >= ? AND id < ? ORDER BY id LIMIT 6", (prefix, prefix + chr(0x10FFFF))
    ).fetchall()
    if len(found) == 1:
        return str(found[0][0])
    if not found:
        raise no_such_belief(prefix)
    rivals = "; ".join(f"{name} {_short(str(text))}" for name, text in found[:5])
    raise NoSuchBelief(
        f"several beliefs start with {prefix!r}: {rivals}{'; ...' if len(found) > 5 else ''}", "write more of the id"
    )


def no_such_belief(id: str) -> NoSuchBelief:
    """The error for an id that no belief has."""
    return NoSuchBelief(f"no belief {_short(id)!r}", "memlsp beliefs lists them")


Raw = tuple[list[tuple[Value, ...]], dict[int, list[bytes]]]
"""Rows of beliefs, and the blobs of their anchors by the belief's number: read quickly, made into values elsewhere."""


def listed(
    connection: Database,
    *,
    status: Sequence[BeliefStatus] | None,
    kinds: Sequence[BeliefKind] | None,
    scopes: Sequence[ScopeKind] | None,
    paths: Sequence[str] | None,
    limit: int | None,
) -> Raw:
    """The beliefs that fulfil all that is given, newest first. None asks for nothing, () fits nothing."""
    conditions: list[str] = []
    values: list[Value] = []
    for column, wanted in (("status", status), ("kind", kinds), ("scope", scopes)):
        if wanted is not None:
            conditions.append(f"{column} IN ({_marks(wanted)})")
            values += wanted
    if paths is not None:
        conditions.append("seq IN (SELECT belief FROM anchor WHERE path IN (SELECT value FROM json_each(?)))")
        values.append(_json(paths))
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    values.append(-1 if limit is None else max(limit, 0))
    return _raw(connection, f"{where}ORDER BY created_at DESC, id LIMIT ?", tuple(values))


def anchored_at(connection: Database, path: str) -> list[Belief]:
    """The active beliefs with an anchor in a file, oldest first."""
    where = "WHERE seq IN (SELECT belief FROM anchor WHERE path = ? AND active = 1) ORDER BY seq"
    return _select(connection, where, (rows.clean(path),))


def anchored_paths(connection: Database) -> dict[str, int]:
    """Each file that an active belief is anchored in, with how many."""
    query = "SELECT path, count(DISTINCT belief) FROM anchor WHERE active = 1 GROUP BY path ORDER BY path"
    return dict(connection.execute(query).fetchall())


def anchored_outside(connection: Database, path: str) -> bool:
    """True when an active belief is anchored in another file."""
    query = "SELECT 1 FROM anchor WHERE active = 1 AND (path < ?1 OR path > ?1) LIMIT 1"
    return connection.execute(query, (rows.clean(path),)).get is not None


def anchored_elsewhere(
    connection: Database, path: str, names: Collection[str], meanings: Collection[str], most: int
) -> list[tuple[str, str, str, str]]:
    """(id, path, symbol, meaning) of active anchors in other files that share a simple name or a meaning."""
    query = """
        SELECT DISTINCT b.id, a.path, a.symbol, a.meaning FROM anchor a JOIN belief b ON b.seq = a.belief
        WHERE a.active = 1 AND a.path != ?1 AND a.rowid IN (
            SELECT rowid FROM anchor
            WHERE active = 1 AND simple != '' AND simple IN (SELECT value FROM json_each(?2))
            UNION
            SELECT rowid FROM anchor WHERE active = 1 AND meaning IN (SELECT value FROM json_each(?3))
        )
        ORDER BY a.path, a.symbol, b.id LIMIT ?4
        """
    texts = json.dumps([rows.clean(name) for name in sorted(names)]), json.dumps(sorted(meanings))
    found = connection.execute(query, (rows.clean(path), *texts, most))
    return [(str(known), str(place), str(symbol), str(meaning)) for known, place, symbol, meaning in found]


def count_at(connection: Database, path: str) -> list[tuple[str, int]]:
    """Each symbol of a file that active beliefs are anchored at, with how many."""
    query = """
        SELECT symbol, count(DISTINCT belief) FROM anchor
        WHERE path = ? AND active = 1 GROUP BY symbol ORDER BY symbol
    """
    return connection.execute(query, (rows.clean(path),)).fetchall()


def scoped(connection: Database, kinds: Sequence[ScopeKind]) -> list[Belief]:
    """The active beliefs of these scopes, newest first."""
    if not kinds:
        return []
    where = """
        INDEXED BY belief_by_scope
        WHERE status = 'active' AND scope IN ({}) ORDER BY created_at DESC, id
    """  # without being told, SQLite reads all active beliefs for the sake of their order
    return _select(connection, where.format(_marks(kinds)), tuple(kinds))


def patterns(connection: Database) -> list[str]:
    """The path globs of active beliefs, each once."""
    query = """
        SELECT DISTINCT pattern FROM belief INDEXED BY belief_by_scope
        WHERE status = 'active' AND scope = 'glob' ORDER BY pattern
    """
    return [str(pattern) for (pattern,) in connection.execute(query)]


def guarded(connection: Database, kinds: Sequence[ScopeKind]) -> list[Belief]:
    """The active beliefs of these scopes that carry a guard, oldest first."""
    where = f"""
        INDEXED BY belief_by_guard
        WHERE status = 'active' AND guards != '[]' AND scope IN ({_marks(kinds)}) ORDER BY seq
    """
    return _select(connection, where, tuple(kinds))


def wide(connection: Database, patterns: Sequence[str], name: str) -> list[Belief]:
    """The active beliefs of one of these path globs, and those of any wide scope that mention a name, oldest first."""
    where = """
        WHERE seq IN (
            SELECT seq FROM belief INDEXED BY belief_by_scope
            WHERE status = 'active' AND scope = 'glob' AND pattern IN (SELECT value FROM json_each(?1))
            UNION
            SELECT belief FROM mention WHERE name = ?2 AND name != ''
        ) ORDER BY seq
    """
    return _select(connection, where, (_json(patterns), rows.clean(name)))


def resting_on(connection: Database, id: str) -> list[Belief]:
    """The active beliefs that rest on this one, oldest first."""
    where = "WHERE status = 'active' AND seq IN (SELECT belief FROM rests_on WHERE base = ?) ORDER BY seq"
    return _select(connection, where, (rows.clean(id),))


def replaced_by(connection: Database, id: str) -> list[Belief]:
    """The beliefs whose place this one took, oldest first."""
    return _select(connection, "WHERE status = 'superseded' AND superseded_by = ? ORDER BY seq", (rows.clean(id),))


def revisions(connection: Database, id: str) -> list[Revision]:
    """What was done to a belief, oldest first."""
    query = f"""
        SELECT {rows.REVISION_COLUMNS} FROM revision
        WHERE belief = (SELECT seq FROM belief WHERE id = ?) ORDER BY number
    """  # noqa: S608
    return [rows.revision_of(id, row) for row in connection.execute(query, (id,))]


def state_before(connection: Database, id: str, number: int) -> Belief | None:
    """The belief as it was before a revision; None when it did not exist then. Raises NoSuchBelief."""
    query = """
        SELECT former FROM revision WHERE belief = (SELECT seq FROM belief WHERE id = ?) AND number = ?
    """
    found = connection.execute(query, (id, number)).fetchall()
    if not found:
        if exists(connection, id):
            raise NoSuchBelief(
                f"belief {id} has no revision {number}", "memlsp beliefs --json lists ids; revisions count from 1"
            )
        raise no_such_belief(id)
    blob = found[0][0]
    return rows.belief_of_blob(blob) if isinstance(blob, bytes) else None


def made(raw: Raw) -> list[Belief]:
    """The values of what was read. It takes much longer than to read it, and needs no connection."""
    found, anchors = raw
    return [
        rows.belief_of(row, tuple(rows.anchor_of(blob) for blob in anchors.get(int(cast("int", row[-1])), ())))
        for row in found
    ]


def _select(connection: Database, rest: str, values: tuple[Value, ...]) -> list[Belief]:
    return made(_raw(connection, rest, values))


def _raw(connection: Database, rest: str, values: tuple[Value, ...]) -> Raw:
    query = f"SELECT {rows.BELIEF_COLUMNS}, seq FROM belief {rest}"  # noqa: S608 - `rest` is ours, what was asked is bound
    found = connection.execute(query, values).fetchall()
    return found, _anchors(connection, [int(row[-1]) for row in found])


def _anchors(connection: Database, seqs: list[int]) -> dict[int, list[bytes]]:
    if not seqs:
        return {}
    result: dict[int, list[bytes]] = {}
    query = (
        "SELECT belief, value FROM anchor WHERE belief IN (SELECT value FROM json_each(?)) ORDER BY belief, position"
    )
    for seq, blob in connection.execute(query, (json.dumps(seqs),)):
        assert isinstance(blob, bytes)
        result.setdefault(int(seq), []).append(blob)
    return result


def _write_anchors(connection: Database, seq: int, belief: Belief) -> None:
    active = _is_active(belief)
    for position, anchor in enumerate(belief.anchors):
        connection.execute(
            "INSERT INTO anchor (belief, position, active, path, symbol, simple, meaning, value) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                seq,
                position,
                active,
                rows.clean(anchor.path),
                rows.clean(anchor.symbol),
                rows.clean(anchor.symbol.rpartition(".")[2]),
                anchor.verified.fingerprint.meaning,
                rows.anchor_blob(anchor),
            ),
        )


def _write_mentions(connection: Database, seq: int, belief: Belief) -> None:
    if belief.status is not BeliefStatus.ACTIVE or belief.scope.kind not in WIDE:
        return
    for name in sorted({rows.clean(reference.simple_name) for reference in belief.references}):
        connection.execute("INSERT INTO mention (name, belief) VALUES (?, ?)", (name, seq))


def _write_bases(connection: Database, seq: int, belief: Belief) -> None:
    for base in dict.fromkeys(belief.because_of):
        connection.execute("INSERT INTO rests_on (base, belief) VALUES (?, ?)", (rows.clean(base), seq))


def _index_again(
    connection: Database, seq: int, before: Belief, after: Belief, old_keywords: str, keywords: str
) -> None:
    was, now = _is_active(before), _is_active(after)
    if was and now and before.text == after.text and old_keywords == keywords:
        return
    if was:
        index.leave(connection, seq)
    if now:
        index.enter(connection, seq, rows.clean(after.text), keywords)


def _append(
    connection: Database,
    seq: int,
    belief: Belief,
    revision: Revision,
    before: Belief | None,
) -> Revision:
    query = "SELECT coalesce(max(number), 0) + 1 FROM revision WHERE belief = ?"
    number = connection.execute(query, (seq,)).get
    assert isinstance(number, int)
    columns = rows.revision_row(revision, number)
    connection.execute(
        f"INSERT INTO revision (belief, {rows.REVISION_COLUMNS}, former) VALUES ({', '.join('?' * 11)})",  # noqa: S608
        (seq, *columns, rows.belief_blob(before) if before else None),
    )
    audit.revised(connection, revision, number, belief)
    return rows.revision_of(belief.id, columns)


def _seq_and_keywords(connection: Database, id: str) -> tuple[int, str]:
    seq, keywords = connection.execute("SELECT seq, keywords FROM belief WHERE id = ?", (id,)).fetchall()[0]
    return int(seq), str(keywords)


def _is_active(belief: Belief) -> int:
    return int(belief.status is BeliefStatus.ACTIVE)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _json(values: Iterable[str]) -> str:
    return json.dumps([rows.clean(str(value)) for value in values])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"
