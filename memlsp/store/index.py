"""The search index: what goes into it, and how a question is put to it.

Words that stand in more than 2 % of the beliefs cost most of the time and tell least, so they are left out while rarer
ones remain; when all are that common, a bounded set of candidates is ranked. Ranking is BM25 as SQLite's FTS5 has it
(k1 = 1.2, b = .75).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

import apsw
from attrs import frozen

from memlsp.code.names import words
from memlsp.store.database import Database, SearchRow, Tokenizer

COMMON_SHARE = 0.02
COMMON_AT_LEAST = 1_000
"""A word is common when more beliefs than both of these hold it; small stores have no common words."""

CANDIDATES = 2_000
"""How many matches are ranked when all words are common."""

MOST_TERMS = 48
"""A longer question is cut to its rarest words."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_COMPOUND = re.compile(r"[A-Za-z0-9][_-]+[A-Za-z0-9]|[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_LONGEST_TERM = 256


@frozen
class SearchHit:
    """A belief that matches. `score` is larger for a better match, comparable within one search; `matched` holds the
    first alternative of each word that was found in it, in the question's order. `share` (0..1) is how much of the
    question that is, rare words counting more, comparable between stores."""

    id: str
    score: float
    matched: tuple[str, ...]
    share: float = 1.0


class _Term(NamedTuple):
    """One word of the question: as asked, as FTS5 phrases, and in how many beliefs it stands at most."""

    asked: str
    phrases: tuple[str, ...]
    beliefs: int

    @property
    def match(self) -> str:
        return " OR ".join(self.phrases)


def prepare(connection: Database) -> None:
    """Make ready a connection for `search`."""
    connection.register_fts5_function("beliefs_in", _beliefs_in)
    connection.register_fts5_function("phrases_found", _phrases_found)


def _beliefs_in(api: SearchRow) -> int:
    return api.row_count


def _phrases_found(api: SearchRow) -> str:
    return ",".join(str(number) for number in range(api.phrase_count) if api.phrase_columns(number))


def enter(connection: Database, seq: int, text: str, keywords: str) -> None:
    """Put a belief into the index. It must not be there."""
    connection.execute(
        "INSERT INTO search (rowid, said, named) VALUES (?, ?, ?)", (seq, expanded(text), expanded(keywords))
    )


def leave(connection: Database, seq: int) -> None:
    """Take a belief out of the index."""
    connection.execute("DELETE FROM search WHERE rowid = ?", (seq,))


def expanded(text: str) -> str:
    """The text followed by its identifiers' words and their joined forms, so that `fetchUserById` is found by "user"
    and by `fetch_user_by_id`, and the other way round."""
    extra: dict[str, None] = {}
    for found in _IDENTIFIER.finditer(text):
        name = found[0]
        if not _COMPOUND.search(name):
            continue
        parts = words(name)
        if len(parts) > 1:
            extra["".join(parts)] = None
            # separators split by themselves; only humps need help
            if re.search(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]", name):
                extra.update(dict.fromkeys(parts))
    return f"{text}\n{' '.join(extra)}" if extra else text


def search(
    connection: Database, terms: Sequence[Sequence[str]], *, limit: int, any_term: bool = True
) -> list[SearchHit]:
    """The best `limit` active beliefs for the terms, best first; equals by authority, then by id.

    Each term is a word with its alternatives. With `any_term` one of them is enough, otherwise all must be found.
    """
    asked = _terms(connection, terms)
    present = [term for term in asked if term.beliefs]
    if limit < 1 or not present or (not any_term and len(present) < len(asked)):
        return []
    present = sorted(present, key=lambda term: term.beliefs)[:MOST_TERMS]  # stable: the question's order among equals
    total = _total(connection, present[0])
    common = max(int(total * COMMON_SHARE), COMMON_AT_LEAST)
    rare = [term for term in present if term.beliefs <= common]
    if not any_term:
        rows = _ranked(connection, _all_of(present), limit, bounded=not rare)
    elif rare:
        rows = _ranked(connection, _any_of(rare), limit, bounded=False)
    else:
        rows = _ranked(connection, _all_of(present), limit, bounded=True)
        if len(rows) < limit:
            known = {row[0] for row in rows}
            more = _ranked(connection, _any_of(present), limit, bounded=True)
            rows = [*rows, *(row for row in more if row[0] not in known)][:limit]
    order = {id(term): number for number, term in enumerate(asked)}
    present.sort(key=lambda term: order[id(term)])
    whole = sum(_weight(term, total) for term in asked)
    hits: list[SearchHit] = []
    for seq, name, score in rows:
        matched = _matched(connection, present, seq)
        share = sum(_weight(term, total) for term in matched) / whole
        hits.append(SearchHit(name, score, tuple(term.asked for term in matched), share))
    return hits


def _weight(term: _Term, total: int) -> float:
    """How much a word tells: BM25's inverse document frequency in the form that is never negative (as in Lucene)."""
    return log(1 + (total - min(term.beliefs, total) + 0.5) / (min(term.beliefs, total) + 0.5))


def _any_of(terms: Iterable[_Term]) -> str:
    return " OR ".join(term.match for term in terms)


def _all_of(terms: Iterable[_Term]) -> str:
    return " AND ".join(f"({term.match})" for term in terms)


_RANKED = """
    SELECT belief.seq, belief.id, -found.score
    FROM (SELECT rowid AS seq, rank AS score FROM search WHERE search MATCH ?) AS found
    JOIN belief USING (seq)
    ORDER BY found.score, belief.authority_rank, belief.id LIMIT ?
"""
_RANKED_BOUNDED = """
    SELECT belief.seq, belief.id, -found.score
    FROM (SELECT rowid AS seq, rank AS score FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT ?) AS found
    JOIN belief USING (seq)
    ORDER BY found.score, belief.authority_rank, belief.id LIMIT ?
"""


def _ranked(connection: Database, match: str, limit: int, *, bounded: bool) -> list[tuple[int, str, float]]:
    if bounded:
        return connection.execute(_RANKED_BOUNDED, (match, CANDIDATES, limit)).fetchall()
    return connection.execute(_RANKED, (match, limit)).fetchall()


def _matched(connection: Database, terms: Sequence[_Term], seq: int) -> list[_Term]:
    """Which of the terms a belief holds, the common ones too."""
    query = "SELECT phrases_found(search) FROM search WHERE search MATCH ? AND rowid = ?"
    found = connection.execute(query, (_any_of(terms), seq)).get
    numbers = {int(number) for number in found.split(",") if number} if isinstance(found, str) else set[int]()
    matched: list[_Term] = []
    first = 0
    for term in terms:
        if not numbers.isdisjoint(range(first, first + len(term.phrases))):
            matched.append(term)
        first += len(term.phrases)
    return matched


def _total(connection: Database, term: _Term) -> int:
    """How many beliefs the index holds, asked through a term that stands in one of them."""
    total = connection.execute("SELECT beliefs_in(search) FROM search WHERE search MATCH ? LIMIT 1", (term.match,)).get
    return total if isinstance(total, int) else 0


def _terms(connection: Database, terms: Sequence[Sequence[str]]) -> list[_Term]:
    plain = connection.fts5_tokenizer("unicode61", [])
    stemming = connection.fts5_tokenizer("porter", ["unicode61"])
    known: dict[str, int] = {}

    def tokens(tokenizer: Tokenizer, text: str) -> list[str]:
        data = text[:_LONGEST_TERM].encode("utf-8", "replace")
        return tokenizer(data, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False)

    def beliefs(alternative: str) -> int:
        counts: list[int] = []
        for stem in tokens(stemming, alternative):
            if stem not in known:
                count = connection.execute("SELECT doc FROM search_words WHERE term = ?", (stem,)).get
                known[stem] = count if isinstance(count, int) else 0
            counts.append(known[stem])
        return min(counts, default=0)

    result: list[_Term] = []
    seen: set[tuple[str, ...]] = set()
    for alternatives in terms:
        phrases: dict[str, int] = {}
        for alternative in alternatives:
            # FTS5 sees our own tokens and nothing of what was typed: no operator, quote or NUL can reach it
            quoted = " ".join(tokens(plain, alternative))
            if quoted:
                phrases[f'"{quoted}"'] = beliefs(alternative)
        key = tuple(phrases)
        if key and key not in seen:
            seen.add(key)
            result.append(_Term(alternatives[0], key, sum(phrases.values())))
        if len(result) >= 20 * MOST_TERMS:
            break
    return result
