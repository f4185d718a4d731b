"""The beliefs that a hook may tell, searched by a process that has 40 ms, and the receipts of what it told.

This module imports next to nothing and works on any connection to a store.
"""

from __future__ import annotations

from memlsp.store.tables.journal import json_line

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from memlsp.store.core.database import Database

    Words = list[tuple[str, str]]
    """The words of a text as the search index splits them, each with its stem."""

PERSON, AGENT = "person", "agent"
"""Audiences of a notice."""

_QUERY = 1  # FTS5_TOKENIZE_QUERY
_MOST_OF_A_WORD = 200
"""Beliefs that are looked at for one word, the newest. A word of more beliefs says little about any of them."""

_MOST_GLOBS = 500  # different path globs that are held against a file: 6 ms

_MOST_CLAUSES = 128  # about one act, for each of its terms; and commands of a session
_KEPT_RECEIPTS = 5_000
_COLUMNS = "b.seq, b.id, b.kind, b.scope, b.authority, b.author, b.created_at, b.text, b.refs, b.expires_at"


class HookBelief:
    """A belief as a hook tells it. `seq` is its row; dates are ISO 8601, "" for none. `standing` is "" while nothing
    depends on code, else the latest judgement, with its `reason`; it is `due` when there is none
    yet, or when a file that the belief depends on changed since. `rival` says the contrary, and nobody settled it.
    `names` is True for one that names a file, a symbol or a command of the workspace."""

    def __init__(self, row: Sequence[Any]) -> None:
        self.seq: int = row[0]
        self.id, self.kind, self.scope, self.authority, self.author = (str(each) for each in row[1:6])
        self.created, self.text = str(row[6]), str(row[7])
        self.names = row[8] != "[]"
        self.expires = str(row[9] or "")
        self.standing = self.reason = self.rival = ""

    @property
    def is_over(self) -> bool:
        """True where the code contradicts it or its code is gone, and once it has expired."""
        return self.standing in {"contradicted", "orphaned", "expired"}


def words_of(connection: Database, text: str) -> Words:
    """The words of a text with their stems, in order."""
    data = text.encode("utf-8", "replace")
    plain = connection.fts5_tokenizer("unicode61", [])
    stemming = connection.fts5_tokenizer("porter", ["unicode61"])
    found = plain(data, _QUERY, None, include_offsets=False, include_colocated=False)
    stems = stemming(data, _QUERY, None, include_offsets=False, include_colocated=False)
    return list(zip(found, stems, strict=True))


def holders(connection: Database, word: str, most: int = _MOST_OF_A_WORD) -> list[int]:
    """The rows of active beliefs that hold a word, the newest first, at most `most`. It must come from `words_of`."""
    query = "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT ?"
    return [row[0] for row in connection.execute(query, (f'said : "{word}"', most))]


def number(connection: Database) -> int:
    """About how many beliefs there are: an upper bound that costs nothing."""
    found = connection.execute("SELECT max(seq) FROM belief").get
    return found if isinstance(found, int) else 0


def without_colleagues(connection: Database, seqs: Iterable[int]) -> list[int]:
    """These rows without those that came from colleagues and that nobody here confirmed, in their order."""
    rows = [int(seq) for seq in seqs]
    if not connection.execute("SELECT 1 FROM team_line LIMIT 1").fetchall():
        return rows  # nothing was ever exchanged
    query = "SELECT seq FROM belief WHERE seq IN (SELECT value FROM json_each(?)) AND authority = 'colleague'"
    theirs = {row[0] for row in connection.execute(query, (json_line(rows),))}
    return [seq for seq in rows if seq not in theirs]


def beliefs_of(connection: Database, seqs: Iterable[int]) -> list[HookBelief]:
    """The active beliefs of these rows."""
    listed = ",".join(str(int(seq)) for seq in seqs)
    query = (
        f"SELECT {_COLUMNS} FROM belief b WHERE b.seq IN ({listed}) AND +b.status = 'active'"  # + : not by its index
    )
    return [HookBelief(row) for row in connection.execute(query)]


def at_start(connection: Database, scope: str, guiding: str, most: int) -> list[HookBelief]:
    """What people said for all of a wide scope, most trusted and newest first: the rules, preferences and decisions,
    and behind them what is listed under the term `guiding`."""
    decided = (
        f"SELECT {_COLUMNS} FROM belief b INDEXED BY belief_at_start WHERE b.status = 'active' AND b.scope = ?"
        " AND b.kind IN ('rule', 'preference', 'decision') AND b.authority_rank <= 2"
        " ORDER BY b.authority_rank, b.created_at DESC LIMIT ?"
    )
    others = (
        f"SELECT {_COLUMNS} FROM act a JOIN belief b ON b.seq = a.belief WHERE a.term = ?3 AND b.scope = ?1"
        " AND b.status = 'active' AND b.authority_rank <= 2 ORDER BY b.authority_rank, b.created_at DESC LIMIT ?2"
    )
    found = [*connection.execute(decided, (scope, most)), *connection.execute(others, (scope, most, guiding))]
    return [HookBelief(row) for row in found]


def for_file(connection: Database, path: str, term: str, covers: Callable[[str, str], bool]) -> list[HookBelief]:
    """What people said for the files of a path glob that `covers` this one, with the rules and gotchas of others, and
    what is listed under the file's `term`; most trusted and newest first."""
    globs = "FROM belief INDEXED BY belief_by_scope WHERE status = 'active' AND scope = 'glob'"
    patterns = connection.execute(f"SELECT DISTINCT pattern {globs} LIMIT ?", (_MOST_GLOBS,))
    covering = [pattern for (pattern,) in patterns if covers(pattern, path)]
    listed = (
        f"SELECT seq {globs} AND pattern IN (SELECT value FROM json_each(?1))"
        " UNION SELECT belief FROM act WHERE term = ?2"
    )
    query = (
        f"SELECT {_COLUMNS} FROM belief b WHERE b.seq IN ({listed}) AND +b.status = 'active'"
        " AND (b.authority_rank <= 2 OR b.kind IN ('rule', 'gotcha')) ORDER BY b.authority_rank, b.created_at DESC"
    )
    return [HookBelief(row) for row in connection.execute(query, (json_line(covering), term))]


def clauses_about(connection: Database, terms: Iterable[str]) -> list[tuple[int, str]]:
    """The clauses about acts that are listed under one of these terms, each with its belief's row. Of a word of an edit
    that many statements hold only some: it says little about any of them. Those of colleagues come after all others."""
    found: dict[tuple[int, str], None] = {}
    known = "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM act WHERE term = value)"
    query = "SELECT belief, clause FROM act WHERE term = ? LIMIT ?"
    if connection.execute("SELECT 1 FROM team_line LIMIT 1").fetchall():
        query = (
            "SELECT a.belief, a.clause FROM (SELECT belief, clause FROM act WHERE term = ? LIMIT 4000) a"
            " JOIN belief b ON b.seq = a.belief ORDER BY b.authority = 'colleague' LIMIT ?"
        )
    for (term,) in connection.execute(known, (json_line(list(terms)),)).fetchall():
        rare = _MOST_CLAUSES // 8 if term.startswith("text ") else _MOST_CLAUSES
        found.update(((row[0], row[1]), None) for row in connection.execute(query, (term, rare)))
    return list(found)[: 2 * _MOST_CLAUSES]


def commands_of(connection: Database, source: str, session: str) -> list[str]:
    """The last command lines of a session, the newest first."""
    query = (
        "SELECT e.text FROM session s JOIN event e ON e.session = s.id"
        " WHERE s.source = ? AND s.name = ? AND e.kind = 'command' AND e.text != '' ORDER BY e.id DESC LIMIT ?"
    )
    return [str(row[0]) for row in connection.execute(query, (source, session, _MOST_CLAUSES))]


def has_acts(connection: Database) -> bool:
    """True when a belief speaks of an act."""
    return bool(connection.execute("SELECT 1 FROM act LIMIT 1").fetchall())


def judge(connection: Database, beliefs: Iterable[HookBelief], stamped: Callable[[str], str]) -> list[HookBelief]:
    """Set the standing of beliefs that depend on files from the kept judgements; return those that have none that is
    valid now. `stamped(path)` gives the present stamp of a file. What is tied to no code and only names some holds
    until it is judged."""
    due: list[HookBelief] = []
    for each in beliefs:
        tied = bool(connection.execute("SELECT 1 FROM anchor WHERE belief = ? LIMIT 1", (each.seq,)).fetchall())
        if not (tied or each.names):
            continue
        kept = connection.execute(
            "SELECT j.standing, j.reason, j.files FROM judgement j JOIN belief b ON b.seq = j.belief"
            " WHERE j.belief = ? AND j.revised = b.updated_at AND j.standing != ''",
            (each.seq,),
        ).fetchall()
        if kept and all(
            stamped(path) == stamp
            for path, _, stamp in (line.partition("\x1f") for line in kept[0][2].split("\n") if line)
        ):
            each.standing, each.reason = kept[0][0], kept[0][1]
        else:
            each.standing = "due" if tied else ""
            due.append(each)
    return due


def set_rivals(connection: Database, beliefs: Iterable[HookBelief]) -> None:
    """Set the rival of beliefs that are in an open conflict with another active one. One that is trusted less raises no
    doubt: an agent's statement none about what a person says."""
    query = (
        "SELECT b.text FROM (SELECT second AS rival, settlement FROM conflict WHERE first = ?1"
        " UNION ALL SELECT first, settlement FROM conflict WHERE second = ?1) JOIN belief b ON b.id = rival"
        " WHERE settlement IS NULL AND b.status = 'active'"
        " AND b.authority_rank <= coalesce((SELECT authority_rank FROM belief WHERE id = ?1), 9) LIMIT 1"
    )
    for each in beliefs:
        each.rival = connection.execute(query, (each.id,)).get or ""


def ask_for_judgement(connection: Database, beliefs: Iterable[HookBelief]) -> None:
    """Leave word for the settler that these beliefs have to be judged. Writes."""
    for each in beliefs:
        connection.execute("INSERT OR REPLACE INTO judgement VALUES (?, '', '', '', '')", (each.seq,))


def notices(connection: Database, session: str, audience: str) -> list[tuple[str, str]]:
    """The lines that wait for a session, as (belief id, line); they are taken out. Writes."""
    query = "DELETE FROM notice WHERE session = ? AND audience = ? RETURNING id, belief, line"
    return [(row[1], row[2]) for row in sorted(connection.execute(query, (session, audience)).fetchall())]


def waiting(connection: Database, session: str) -> set[str]:
    """The beliefs of which a session will be told at its next event."""
    query = "SELECT belief FROM notice WHERE session = ? AND audience = ?"
    return {str(row[0]) for row in connection.execute(query, (session, AGENT))}


def notices_left(connection: Database, source: str) -> list[tuple[str, str]]:
    """The lines for the person that earlier sessions of a program left, as (belief id, line); they are taken out.
    Writes."""
    query = "DELETE FROM notice WHERE session >= ? AND session < ? AND audience = ? RETURNING id, belief, line"
    found = connection.execute(query, (f"{source} ", f"{source}!", PERSON)).fetchall()
    return [(row[1], row[2]) for row in sorted(found)]


def put_notice(connection: Database, session: str, audience: str, belief: str, line: str, at: int) -> None:
    """Leave a line for the next hook of a session. Writes; `at` is in milliseconds since 1970."""
    connection.execute(
        "INSERT INTO notice (session, audience, belief, line, at) VALUES (?, ?, ?, ?, ?)",
        (session, audience, belief, line, at),
    )


def receipt(connection: Database, surface: str, session: str, beliefs: Sequence[str], tokens: int, at: int) -> None:
    """Record what was told on a surface to a session (its key). Writes; `at` is in milliseconds since 1970."""
    served = ",".join(f'"{id}"' for id in beliefs)
    connection.execute(
        "INSERT INTO receipt (at, asker, query, served, left_out, tokens, as_of, surface, session) VALUES"
        " (strftime('%Y-%m-%dT%H:%M:%f', ? / 1000.0, 'unixepoch') || '000+00:00', ?, '', ?, '[]', ?, '', ?, ?)",
        (at, session.partition(" ")[0], f"[{served}]", tokens, surface, session),
    )
    connection.execute("DELETE FROM receipt WHERE id <= (SELECT max(id) FROM receipt) - ?", (_KEPT_RECEIPTS,))
