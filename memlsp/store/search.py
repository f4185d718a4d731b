"""How a question is put to the search index.

Words that stand in more than 2 % of the beliefs cost most of the time and tell least, so they are left out of the
ranking while rarer ones remain; when all are that common, a bounded set of candidates is ranked. Ranking is BM25 as
SQLite's FTS5 has it (k1 = 1.2, b = .75), with half weight for the names and paths that a belief is tied to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from math import log

import apsw
from attrs import frozen

from memlsp.store.database import Database, SearchRow, Tokenizer

COMMON_SHARE = 0.02
COMMON_AT_LEAST = 1_000
"""A word is common when more beliefs than both of these hold it; small stores have no common words."""

CANDIDATES = 2_000
"""How many matches are ranked when all words are common."""

MOST_TERMS = 48
"""A longer question is cut to its rarest words."""

_READ_TERMS = 4 * MOST_TERMS
_LONGEST_TERM = 256


@frozen
class SearchHit:
    """A belief that matches. `score` is larger for a better match, comparable within one search; `matched` holds the
    first alternative of each word that was found in it, in the question's order. `share` (0..1) is how much of the
    question that is, rare words counting more, comparable between stores. `authority_rank` is that of the belief."""

    id: str
    score: float
    matched: tuple[str, ...]
    share: float = 1.0
    authority_rank: int = 0


@frozen(eq=False)
class _Term:
    """One word of the question: as asked, its alternatives as FTS5 phrases and as stems, and how many beliefs hold it
    at most."""

    asked: str
    match: str
    stems: tuple[tuple[str, ...], ...]
    beliefs: int
    single: frozenset[str]  # those of the stems that are one word

    def is_held_by(self, columns: Sequence[Sequence[str]], words: frozenset[str]) -> bool:
        """True for a belief of these stems by column, and in all."""
        if not self.single.isdisjoint(words):
            return True
        return any(
            len(phrase) > 1 and words.issuperset(phrase) and any(_in_a_row(phrase, column) for column in columns)
            for phrase in self.stems
        )


@frozen
class Layout:
    """Which tables an index is in: the FTS5 table, its vocabulary, and how its rows become (row, id, score, rank of
    authority); `score` is negative in `found`, and larger is worse for the rank."""

    table: str
    words: str
    columns: str
    joined: str


BELIEFS = Layout("search", "search_words", "belief.seq, belief.id, -found.score, belief.authority_rank", "belief")
WORK = Layout(
    "work_search",
    "work_search_words",
    "work_entry.seq, work_entry.kind || ':' || work_entry.id, -found.score, 0",
    "work_entry",
)


class Search:
    """The questions that one connection asks of one index."""

    def __init__(self, connection: Database, layout: Layout = BELIEFS) -> None:
        self._connection = connection
        self._layout = layout
        self._queries = _Queries.of(layout)
        self._plain = connection.fts5_tokenizer("unicode61", [])
        self._stemming = connection.fts5_tokenizer("porter", ["unicode61"])
        connection.register_fts5_function("beliefs_in", _beliefs_in)

    def best(self, terms: Sequence[Sequence[str]], *, limit: int, any_term: bool = True) -> list[SearchHit]:
        """The best `limit` entries for the terms, best first; equals by authority, then by id.

        Each term is a word with its alternatives. With `any_term` one of them is enough, otherwise all must be found.
        """
        asked = self._terms(terms)
        present = [term for term in asked if term.beliefs]
        if limit < 1 or not present or (not any_term and len(present) < len(asked)):
            return []
        total = self._total(present[0])
        common = max(int(total * COMMON_SHARE), COMMON_AT_LEAST)
        rarest = sorted(present, key=lambda term: term.beliefs)[:MOST_TERMS]  # stable: as asked among equals
        rare = [term for term in rarest if term.beliefs <= common]
        if not any_term:
            rows = self._ranked(_all_of(rarest), limit, bounded=not rare)
        elif rare:
            rows = self._ranked(_any_of(rare), limit, bounded=False)
        else:
            rows = self._ranked(_all_of(rarest), limit, bounded=True)
            if len(rows) < limit:
                known = {row[0] for row in rows}
                more = self._ranked(_any_of(rarest), limit, bounded=True)
                rows = [*rows, *(row for row in more if row[0] not in known)][:limit]
        whole = sum(_weight(term, total) for term in asked)
        hits: list[SearchHit] = []
        held = self._held([row[0] for row in rows], present)
        for seq, name, score, rank in rows:
            matched = held.get(seq, [])
            share = sum(_weight(term, total) for term in matched) / whole
            hits.append(SearchHit(name, score, tuple(term.asked for term in matched), share, rank))
        return hits

    def _ranked(self, match: str, limit: int, *, bounded: bool) -> list[tuple[int, str, float, int]]:
        """Row, id, score and rank of authority of the best matches."""
        if bounded:
            rows = self._connection.execute(self._queries.bounded, (match, CANDIDATES, limit)).fetchall()
        else:
            # one more than asked for shows whether equals were cut off, which happens for statements of one wording
            rows = self._connection.execute(self._queries.quick, (match, limit + 1)).fetchall()
            if len(rows) > limit and rows[limit][2] == rows[limit - 1][2]:
                rows = self._connection.execute(self._queries.exact, (match, -rows[limit][2], limit)).fetchall()
        rows.sort(key=lambda row: (-row[2], row[3], row[1]))
        return [(row[0], row[1], row[2], row[3]) for row in rows[:limit]]

    def _held(self, seqs: Sequence[int], terms: Sequence[_Term]) -> dict[int, list[_Term]]:
        """Which of the terms each belief holds, those left out of the ranking too."""
        held: dict[int, list[_Term]] = {}
        for seq, *texts in self._connection.execute(self._queries.texts, (json.dumps(seqs),)):
            columns = [_tokens(self._stemming, str(text)) for text in texts]
            words = frozenset(chain.from_iterable(columns))
            held[seq] = [term for term in terms if term.is_held_by(columns, words)]
        return held

    def _total(self, term: _Term) -> int:
        """How many beliefs the index holds, asked through a term that stands in it."""
        total = self._connection.execute(self._queries.total, (term.match,)).get
        return total if isinstance(total, int) else 0

    def _terms(self, terms: Sequence[Sequence[str]]) -> list[_Term]:
        found: dict[tuple[tuple[str, ...], ...], _Term] = {}
        counts: dict[str, int] = {}
        for alternatives in terms:
            phrases: dict[tuple[str, ...], str] = {}
            for alternative in alternatives:
                text = alternative[:_LONGEST_TERM]
                # FTS5 sees tokens of its own making and nothing of what was typed: no operator, quote or NUL reaches it
                tokens = _tokens(self._plain, text)
                if tokens:
                    phrases.setdefault(tuple(_tokens(self._stemming, text)), " ".join(tokens))
            stems = tuple(phrases)
            if stems and stems not in found:
                beliefs = sum(min(self._count(stem, counts) for stem in phrase) for phrase in stems)
                match = " OR ".join(f'"{phrase}"' for phrase in phrases.values())
                found[stems] = _Term(
                    alternatives[0], match, stems, beliefs, frozenset(phrase[0] for phrase in stems if len(phrase) == 1)
                )
                if len(found) >= _READ_TERMS:
                    break
        return list(found.values())

    def _count(self, stem: str, known: dict[str, int]) -> int:
        if stem not in known:
            count = self._connection.execute(self._queries.count, (stem,)).get
            known[stem] = count if isinstance(count, int) else 0
        return known[stem]


@frozen
class _Queries:
    """The statements for one index."""

    quick: str
    exact: str
    bounded: str
    texts: str
    total: str
    count: str

    @classmethod
    def of(cls, layout: Layout) -> _Queries:
        names = {
            "table": layout.table,
            "columns": layout.columns,
            "joined": layout.joined,
            "words": layout.words,
        }
        return cls(*(query.format(**names) for query in (_QUICK, _EXACT, _BOUNDED, _TEXTS, _TOTAL, _COUNT)))


_QUICK = """
    SELECT {columns}
    FROM (SELECT rowid AS seq, rank AS score FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT ?) AS found
    JOIN {joined} USING (seq) ORDER BY found.score
"""
_EXACT = """
    WITH found AS MATERIALIZED (SELECT rowid AS seq, rank AS score FROM {table} WHERE {table} MATCH ?)
    SELECT {columns}
    FROM found CROSS JOIN {joined} USING (seq) WHERE found.score <= ?
    ORDER BY found.score, 4, 2 LIMIT ?
"""
_BOUNDED = """
    SELECT {columns}
    FROM (SELECT rowid AS seq, rank AS score FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC LIMIT ?) AS found
    JOIN {joined} USING (seq) ORDER BY found.score, 4, 2 LIMIT ?
"""
_TEXTS = "SELECT rowid, said, named FROM {table} WHERE rowid IN (SELECT value FROM json_each(?))"
_TOTAL = "SELECT beliefs_in({table}) FROM {table} WHERE {table} MATCH ? LIMIT 1"
_COUNT = "SELECT doc FROM {words} WHERE term = ?"


def _beliefs_in(row: SearchRow) -> int:
    return row.row_count


def _any_of(terms: Iterable[_Term]) -> str:
    return " OR ".join(term.match for term in terms)


def _all_of(terms: Iterable[_Term]) -> str:
    return " AND ".join(f"({term.match})" for term in terms)


def _weight(term: _Term, total: int) -> float:
    """How much a word tells: BM25's inverse document frequency in the form that is never negative (as in Lucene)."""
    beliefs = min(term.beliefs, total)
    return log(1 + (total - beliefs + 0.5) / (beliefs + 0.5))


def _tokens(tokenizer: Tokenizer, text: str) -> list[str]:
    data = text.encode("utf-8", "replace")
    return tokenizer(data, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False)


def _in_a_row(phrase: tuple[str, ...], text: Sequence[str]) -> bool:
    return any(tuple(text[at : at + len(phrase)]) == phrase for at in range(len(text) - len(phrase) + 1))
