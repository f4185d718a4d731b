"""Beliefs, their anchors and their revisions, as rows. Every function works inside the caller's transaction."""

from __future__ import annotations

import json
from _blake2 import blake2b
from collections.abc import Collection, Iterable, Sequence
from typing import cast

import apsw
from attrs import evolve, frozen

from memlsp.model.belief import Authority, AuthorKind, Belief, BeliefKind, BeliefStatus, Revision, ScopeKind
from memlsp.model.errors import NoSuchBelief, Overtaken, Refused
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Value, insert_row, placeholders, scalar, text_column
from memlsp.store.search import index
from memlsp.store.tables import acts, audit
from memlsp.store.tables.acts import FoundBy

_INSERT = f"""
    INSERT INTO belief ({rows.BELIEF_COLUMNS}, keywords) VALUES ({", ".join("?" * 27)}) RETURNING seq
"""
_UPDATE = f"""
    UPDATE belief SET ({rows.BELIEF_COLUMNS}, keywords) = ({", ".join("?" * 27)}) WHERE seq = ?
"""

_BY_TEXT = FoundBy()


@frozen
class BranchOrigin:
    """Branch and commit where a belief was recorded, with the fields that override branch visibility."""

    id: str
    branch: str
    commit: str
    scope: ScopeKind
    authority: Authority
    conditions: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, belief: Belief) -> BranchOrigin:
        """The branch origin of a belief that was read."""
        return cls(belief.id, belief.branch, belief.commit, belief.scope.kind, belief.authority, belief.conditions)

    @classmethod
    def of_work(cls, id: str, branch: str, commit: str) -> BranchOrigin:
        """The branch origin of a commit or episode, whose scope is its workspace."""
        return cls(id, branch, commit, ScopeKind.WORKSPACE, Authority.AGENT)


def insert(connection: Database, belief: Belief, revision: Revision, found_by: FoundBy = _BY_TEXT) -> Revision:
    """Write a new belief with its first revision; its text and `found_by` find it. Raises Refused when its id was used
    before."""
    keywords = rows.clean(found_by.words)
    try:
        seq = insert_row(connection, _INSERT, (*rows.belief_row(belief), keywords))
    except apsw.ConstraintError as error:
        raise Refused(f"a belief {belief.id} is there already", "an id is never used again") from error
    _write_anchors(connection, seq, belief)
    _write_mentions(connection, seq, belief)
    _write_bases(connection, seq, belief)
    acts.add(connection, seq, belief, found_by.acts)
    if belief.status is BeliefStatus.ACTIVE:
        index.enter(connection, seq, rows.clean(belief.text), keywords)
    return _append(connection, seq, belief, revision, None)


def update(
    connection: Database,
    belief: Belief,
    revision: Revision,
    found_by: FoundBy = _BY_TEXT,
    expected: Belief | None = None,
    *,
    anew: bool = False,
) -> Revision:
    """Write the new state of a belief and append the revision, numbered here, which keeps the former state. `anew` says
    that memlsp itself verified it again when the code arrived, which a locked belief takes too; nothing but the state
    of the code may differ, at the same places. No face says so.

    Empty words leave the present ones. Raises NoSuchBelief; Refused for an act that an agent may not do; and
    Overtaken when the belief differs from `expected`, because somebody revised it after it was read."""
    before = one(connection, belief.id)
    if before is None:
        raise no_such_belief(belief.id)
    _hold_back_agents(before, belief, revision, anew=anew)
    if expected is not None and _state(before) != _state(expected):
        raise Overtaken(f"{belief.id} was revised by somebody else at this moment", "look at it again, then decide")
    seq, known = connection.execute("SELECT seq, keywords FROM belief WHERE id = ?", (belief.id,)).fetchall()[0]
    keywords = rows.clean(found_by.words) or known
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
    acts.write(connection, seq, belief, found_by.acts)
    _index_again(connection, seq, before, belief, known, keywords)
    return _append(connection, seq, belief, revision, before)


def _state(belief: Belief) -> tuple[object, ...]:
    """Fields that tell two revisions apart: at least one differs, even when the clock did not move."""
    return belief.updated_at, belief.status, belief.authority, belief.confidence, belief.text


def _hold_back_agents(before: Belief, after: Belief, revision: Revision, *, anew: bool) -> None:
    """Refuse agents the acts of persons. The callers refuse them earlier and say more; here the check is in the writing
    transaction, so neither a race nor a new caller gets around it."""
    if revision.author.kind is not AuthorKind.AGENT:
        return
    who = revision.author.name
    if before.locked and not (anew and _is_same_but_for_code(before, after)):
        raise Refused(
            f"{before.id} is locked by a person, and {who} is an agent", "ask a person to change or unlock it"
        )
    if before.status is BeliefStatus.PROPOSED and after.status is BeliefStatus.ACTIVE:
        raise Refused(f"{before.id} is a proposal, and {who} is an agent", "a person decides about it")
    if after.authority.rank < before.authority.rank:
        raise Refused(f"{who} is an agent and cannot give {before.id} more authority than it has", "ask a person")


def _is_same_but_for_code(before: Belief, after: Belief) -> bool:
    """True where nothing changes but the state of the code in which the belief was verified, at the same places."""
    places = [[(anchor.path, anchor.symbol) for anchor in each.anchors] for each in (before, after)]
    return places[0] == places[1] and evolve(after, anchors=before.anchors, updated_at=before.updated_at) == before


def exists(connection: Database, id: str) -> bool:
    """True when a belief has exactly this id."""
    return connection.execute("SELECT 1 FROM belief WHERE id = ?", (id,)).get is not None


def one(connection: Database, id: str) -> Belief | None:
    """The belief of exactly this id."""
    found = _select(connection, "WHERE id = ?", (id,))
    return found[0] if found else None


def several(connection: Database, ids: Sequence[str]) -> list[Belief]:
    """The beliefs of these ids, in their order, whatever their status; unknown ids are left out."""
    found = _select(connection, "WHERE id IN (SELECT value FROM json_each(?))", (_json(ids),))
    known = {belief.id: belief for belief in found}
    return [known[id] for id in dict.fromkeys(ids) if id in known]


def resolve(connection: Database, prefix: str) -> str:
    """The full id that starts with `prefix`. Raises NoSuchBelief when none or several do, naming the candidates."""
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


def branch_origins(connection: Database, ids: Sequence[str]) -> list[BranchOrigin]:
    """The branch origins of the beliefs for which a branch, a commit or a condition is known."""
    query = """
        SELECT id, branch, commit_hash, scope, authority, conditions FROM belief
        WHERE id IN (SELECT value FROM json_each(?))
        AND (branch != '' OR commit_hash != '' OR conditions != '[]')
    """
    return [
        BranchOrigin(
            *(id, branch, commit), ScopeKind(scope), Authority(authority), tuple(map(tuple, json.loads(conditions)))
        )
        for id, branch, commit, scope, authority, conditions in connection.execute(query, (json.dumps(list(ids)),))
    ]


BeliefRows = tuple[list[tuple[Value, ...]], dict[int, list[bytes]]]
"""Rows of beliefs, and the blobs of their anchors by the belief's number."""


def listed(
    connection: Database,
    *,
    status: Sequence[BeliefStatus] | None,
    kinds: Sequence[BeliefKind] | None,
    scopes: Sequence[ScopeKind] | None,
    limit: int | None,
) -> BeliefRows:
    """The rows of the beliefs that meet every condition, newest first. None sets no condition, () fits none."""
    conditions: list[str] = []
    values: list[Value] = []
    for column, wanted in (("status", status), ("kind", kinds), ("scope", scopes)):
        if wanted is not None:
            conditions.append(f"{column} IN ({placeholders(wanted)})")
            values += wanted
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    values.append(-1 if limit is None else max(limit, 0))
    return _rows(connection, f"{where}ORDER BY created_at DESC, id LIMIT ?", tuple(values))


def anchored_at(connection: Database, path: str) -> list[Belief]:
    """The active beliefs with an anchor in a file, oldest first."""
    where = "WHERE seq IN (SELECT belief FROM anchor WHERE path = ? AND active = 1) ORDER BY seq"
    return _select(connection, where, (rows.clean(path),))


def with_words(connection: Database, words: Sequence[str], path: str) -> list[tuple[str, str]]:
    """Id and text of the active beliefs that hold all of some words, with an anchor in a file unless `path` is
    empty; the most trusted first."""
    query = """
        SELECT b.id, b.text FROM search JOIN belief b ON b.seq = search.rowid WHERE search MATCH ?1
        AND (?2 = '' OR EXISTS (SELECT 1 FROM anchor WHERE belief = b.seq AND path = ?2))
        ORDER BY b.authority_rank, b.id
    """
    match = " AND ".join(f'"{word}"' for word in words)
    return connection.execute(query, (match, rows.clean(path))).fetchall() if match else []


def anchored_paths(connection: Database) -> dict[str, int]:
    """Each file that an active belief is anchored in, with how many."""
    query = "SELECT path, count(DISTINCT belief) FROM anchor WHERE active = 1 GROUP BY path ORDER BY path"
    return dict(connection.execute(query).fetchall())


def anchored_outside(connection: Database, path: str) -> bool:
    """True when an active belief is anchored in another file."""
    query = "SELECT 1 FROM anchor WHERE active = 1 AND (path < ?1 OR path > ?1) LIMIT 1"
    return connection.execute(query, (rows.clean(path),)).get is not None


def anchored_elsewhere(
    connection: Database, path: str, names: Collection[str], meanings: Collection[str], *, most: int = 2_000
) -> list[tuple[str, str, str, str]]:
    """The active anchors in other files whose symbol may have moved to `path`, at most `most`.

    They have one of these simple names, or had one of these meanings (digests) when they were verified; each as (id of
    the belief, path, symbol, meaning)."""
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


def scoped(connection: Database, kinds: Sequence[ScopeKind]) -> list[Belief]:
    """The active beliefs of these scopes, newest first."""
    if not kinds:
        return []
    where = """
        INDEXED BY belief_by_scope
        WHERE status = 'active' AND scope IN ({}) ORDER BY created_at DESC, id
    """  # else SQLite reads all active beliefs for the sake of their order
    return _select(connection, where.format(placeholders(kinds)), tuple(kinds))


def patterns(connection: Database) -> list[str]:
    """The path globs of active beliefs, each once."""
    query = """
        SELECT DISTINCT pattern FROM belief INDEXED BY belief_by_scope
        WHERE status = 'active' AND scope = 'glob' ORDER BY pattern
    """
    return text_column(connection, query)


def guarded(connection: Database, kinds: Sequence[ScopeKind]) -> list[Belief]:
    """The active beliefs of these scopes that carry a guard, oldest first."""
    where = f"""
        INDEXED BY belief_by_guard
        WHERE status = 'active' AND guards != '[]' AND scope IN ({placeholders(kinds)}) ORDER BY seq
    """
    return _select(connection, where, tuple(kinds))


def in_scope(connection: Database, patterns: Sequence[str], name: str) -> list[Belief]:
    """The active beliefs of these path globs, and those of any wide scope that mention a symbol by its simple name;
    oldest first."""
    where = """
        WHERE seq IN (
            SELECT seq FROM belief INDEXED BY belief_by_scope
            WHERE status = 'active' AND scope = 'glob' AND pattern IN (SELECT value FROM json_each(?1))
            UNION
            SELECT belief FROM mention WHERE name = ?2 AND name != ''
        ) ORDER BY seq
    """
    return _select(connection, where, (_json(patterns), rows.clean(name)))


def dependents(connection: Database, id: str) -> list[Belief]:
    """The active beliefs that rest on this one, oldest first."""
    where = "WHERE status = 'active' AND seq IN (SELECT belief FROM rests_on WHERE base = ?) ORDER BY seq"
    return _select(connection, where, (rows.clean(id),))


def replaced_by(connection: Database, id: str) -> list[Belief]:
    """The beliefs that this one superseded, oldest first."""
    return _select(connection, "WHERE status = 'superseded' AND superseded_by = ? ORDER BY seq", (rows.clean(id),))


def revisions(connection: Database, id: str) -> list[Revision]:
    """The revisions of a belief, oldest first; empty when there is no such belief."""
    query = f"""
        SELECT {rows.REVISION_COLUMNS} FROM revision
        WHERE belief = (SELECT seq FROM belief WHERE id = ?) ORDER BY number
    """
    return [rows.revision_of(id, row) for row in connection.execute(query, (id,))]


def state_before(connection: Database, id: str, number: int) -> Belief | None:
    """The belief as it was before a revision (from 1); None when it did not exist then. Raises NoSuchBelief."""
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


def belief_values(found_rows: BeliefRows) -> list[Belief]:
    """The beliefs of rows. Takes much longer than reading the rows, and needs no connection."""
    found, anchors = found_rows
    return [
        rows.belief_of(row, tuple(rows.anchor_of(blob) for blob in anchors.get(int(cast("int", row[-1])), ())))
        for row in found
    ]


def digests(connection: Database, known: Sequence[Belief]) -> dict[str, str]:
    """What tells the state of each of these beliefs, anchors included, from any other, by id; without those that were
    revised since they were read."""
    times = {belief.id: rows.stamp(belief.updated_at) for belief in known}
    found, anchors = _rows(connection, "WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(times)),))
    made: dict[str, str] = {}
    for *row, seq in found:
        if times[str(row[0])] != row[12]:
            continue
        digest = blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=16)
        for blob in anchors.get(int(cast("int", seq)), ()):
            digest.update(blake2b(blob, digest_size=16).digest())
        made[str(row[0])] = digest.hexdigest()
    return made


def _select(connection: Database, rest: str, values: tuple[Value, ...]) -> list[Belief]:
    return belief_values(_rows(connection, rest, values))


def _rows(connection: Database, rest: str, values: tuple[Value, ...]) -> BeliefRows:
    query = f"SELECT {rows.BELIEF_COLUMNS}, seq FROM belief {rest}"
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
    columns = "belief, position, active, path, symbol, simple, meaning, value"
    for position, anchor in enumerate(belief.anchors):
        symbol, meaning = rows.clean(anchor.symbol), anchor.verified.fingerprint.meaning
        names = (rows.clean(anchor.path), symbol, symbol.rpartition(".")[2])
        values = (seq, position, _is_active(belief), *names, meaning, rows.blob_of(anchor))
        connection.execute(f"INSERT INTO anchor ({columns}) VALUES ({placeholders(values)})", values)


def _write_mentions(connection: Database, seq: int, belief: Belief) -> None:
    if belief.status is not BeliefStatus.ACTIVE or not belief.scope.kind.is_wide:
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


def _append(connection: Database, seq: int, belief: Belief, revision: Revision, before: Belief | None) -> Revision:
    number = scalar(connection, "SELECT coalesce(max(number), 0) + 1 FROM revision WHERE belief = ?", (seq,))
    columns = rows.revision_row(revision, number)
    connection.execute(
        f"INSERT INTO revision (belief, {rows.REVISION_COLUMNS}, former) VALUES ({', '.join('?' * 11)})",
        (seq, *columns, rows.blob_of(before) if before else None),
    )
    audit.append_revision(connection, revision, number, belief)
    return rows.revision_of(belief.id, columns)


def _is_active(belief: Belief) -> int:
    return int(belief.status is BeliefStatus.ACTIVE)


def _json(values: Iterable[str]) -> str:
    return json.dumps([rows.clean(str(value)) for value in values])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"
