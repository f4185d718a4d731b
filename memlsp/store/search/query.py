"""Full-text search: BM25 as SQLite's FTS5 has it (k1 = 1.2, b = .75), with half weight for names and paths.

Words that stand in more than 2 % of the beliefs cost most of the time and say least, so they are left out of the
ranking while rarer ones remain. When all words are that common, a bounded set of candidates is ranked.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from math import log

import apsw
from attrs import fields, frozen

from memlsp.store.core.database import Database, Tokenizer, Value, scalar, statement

COMMON_SHARE = 0.02
COMMON_AT_LEAST = 1_000
"""A word is common when more beliefs than both of these hold it; small stores have no common words."""

CANDIDATES = 2_000
"""How many matches are ranked when all words are common."""

MOST_SCORED = 3_000
"""About how many entries are scored, those that hold one of the rarest words. To score one takes six times as long as
to find it, and of the best ten at 100,000 beliefs none is lost."""

MOST_TERMS = 48
"""A longer question is cut to its rarest words."""

_READ_TERMS = 4 * MOST_TERMS
_LONGEST_TERM = 256


@frozen
class SearchHit:
    """A matching entry. `score` is larger for a better match and comparable within one search; `matched` has the first
    alternative of each word that was found, in the order of the question. `share` (0..1) is how much of the question
    that is, weighted by rarity, comparable between stores. `authority_rank` is that of the belief."""

    id: str
    score: float
    matched: tuple[str, ...]
    share: float = 1.0
    authority_rank: int = 0


@frozen(eq=False)
class _Term:
    """One word of the question: as asked, its alternatives as an FTS5 expression and as stems, and an upper bound of
    the entries that hold it."""

    asked: str
    match: str
    stems: tuple[tuple[str, ...], ...]
    beliefs: int
    single: frozenset[str]  # the stems that are one word

    def is_held_by(self, columns: Sequence[Sequence[str]], words: frozenset[str]) -> bool:
        if not self.single.isdisjoint(words):
            return True
        return any(
            len(phrase) > 1 and words.issuperset(phrase) and any(_in_a_row(phrase, column) for column in columns)
            for phrase in self.stems
        )


_Ranked = tuple[int, str, float, int]  # row, id, score and rank of authority


@frozen
class IndexTables:
    """The tables of an index: the FTS5 table, its vocabulary, and how a row becomes (row, id, score, rank of
    authority). `found.score` is negative for better matches."""

    table: str
    words: str
    columns: str
    joined: str


BELIEFS = IndexTables("search", "search_words", "belief.seq, belief.id, -found.score, belief.authority_rank", "belief")
WORK = IndexTables(
    "work_search",
    "work_search_words",
    "work_entry.seq, work_entry.kind || ':' || work_entry.id, -found.score, 0",
    "work_entry",
)


class Search:
    """Queries of one index over one connection."""

    def __init__(self, connection: Database, layout: IndexTables = BELIEFS) -> None:
        self._connection = connection
        names = {field.name: getattr(layout, field.name) for field in fields(IndexTables)}
        self._queries = {name: query.format(**names) for name, query in _QUERIES.items()}
        self._counted: tuple[object, dict[str, int]] = ("", {})
        self._plain = connection.fts5_tokenizer("unicode61", [])
        self._stemming = connection.fts5_tokenizer("porter", ["unicode61"])
        connection.register_fts5_function("beliefs_in", lambda row: row.row_count)

    def best(self, terms: Sequence[Sequence[str]], *, limit: int) -> list[SearchHit]:
        """The best `limit` entries for the terms, best first; ties by authority, then by id. Each term is a word with
        its alternatives, and one term is enough."""
        asked = self._terms(terms)
        present = [term for term in asked if term.beliefs]
        if limit < 1 or not present:
            return []
        total = scalar(self._connection, self._queries["total"], (present[0].match,))
        whole = sum(_weight(term, total) for term in asked)
        weights = {term.match: _weight(term, total) for term in present}
        rows = self._rows(present, total, limit)
        held = self._held([row[0] for row in rows], present)
        hits: list[SearchHit] = []
        for seq, name, score, rank in rows:
            matched = held.get(seq, [])
            share = sum(weights[term.match] for term in matched) / whole
            hits.append(SearchHit(name, score, tuple(term.asked for term in matched), share, rank))
        return hits

    def _rows(self, present: Sequence[_Term], total: int, limit: int) -> list[_Ranked]:
        """The best matches for the terms. Those of common words alone are sought only where rare ones are missing."""
        common = max(int(total * COMMON_SHARE), COMMON_AT_LEAST)
        rarest = sorted(present, key=lambda term: term.beliefs)[:MOST_TERMS]  # stable: as asked among equals
        rare = [term for term in rarest if term.beliefs <= common]
        if rare:
            counted = list(accumulate(term.beliefs for term in rare))
            few = _any_of(rare[: max(bisect(counted, MOST_SCORED), 1)]) if counted[-1] > MOST_SCORED else None
            rows = self._found("ranked", _any_of(rare), few, limit)
            return self._found("ranked", _any_of(rare), None, limit) if few and len(rows) < limit else rows
        rows = self._found("bounded", " AND ".join(f"({term.match})" for term in rarest), CANDIDATES, limit)
        if len(rows) < limit:
            known = {row[0] for row in rows}
            more = self._found("bounded", _any_of(rarest), CANDIDATES, limit)
            rows += [row for row in more if row[0] not in known]
        return rows[:limit]

    def _found(self, query: str, *values: Value) -> list[_Ranked]:
        return self._connection.execute(self._queries[query], values).fetchall()

    def _held(self, seqs: Sequence[int], terms: Sequence[_Term]) -> dict[int, list[_Term]]:
        held: dict[int, list[_Term]] = {}
        for seq, *texts in self._connection.execute(self._queries["texts"], (json.dumps(seqs),)):
            columns = [_tokens(self._stemming, str(text)) for text in texts]
            words = frozenset(chain.from_iterable(columns))
            held[seq] = [term for term in terms if term.is_held_by(columns, words)]
        return held

    def _terms(self, terms: Sequence[Sequence[str]]) -> list[_Term]:
        read: dict[tuple[tuple[str, ...], ...], tuple[str, dict[tuple[str, ...], str]]] = {}
        for alternatives in terms:
            phrases: dict[tuple[str, ...], str] = {}
            for alternative in alternatives:
                text = alternative[:_LONGEST_TERM]
                # FTS5 sees tokens of its own making and nothing of what was typed: no operator, quote or NUL reaches it
                tokens = _tokens(self._plain, text)
                if tokens:
                    phrases.setdefault(tuple(_tokens(self._stemming, text)), " ".join(tokens))
            stems = tuple(phrases)
            if stems:
                read.setdefault(stems, (alternatives[0], phrases))
                if len(read) >= _READ_TERMS:
                    break
        counts = self._counts({word for stems in read for phrase in stems for word in phrase})
        found: list[_Term] = []
        for stems, (asked, phrases) in read.items():
            beliefs = sum(min(counts.get(word, 0) for word in phrase) for phrase in stems)
            match = " OR ".join(f'"{phrase}"' for phrase in phrases.values())
            single = frozenset(phrase[0] for phrase in stems if len(phrase) == 1)
            found.append(_Term(asked, match, stems, beliefs, single))
        return found

    def _counts(self, stems: set[str]) -> dict[str, int]:
        """How many entries hold each stem, counted once for a state of the index: of a common one that takes long."""
        version = self._connection.execute(self._queries["version"]).get
        if version != self._counted[0]:
            self._counted = version, {}
        known = self._counted[1]
        known.update(self._connection.execute(self._queries["counts"], (json.dumps(sorted(stems - known.keys())),)))
        return known


_QUERIES = {
    # FTS5's records of its averages and of its structure, one of which every change of the index writes
    "version": "SELECT group_concat(hex(block)) FROM {table}_data WHERE id IN (1, 10)",
    **{name: statement("search", name) for name in ("ranked", "bounded")},
    "texts": "SELECT rowid, said, named FROM {table} WHERE rowid IN (SELECT value FROM json_each(?))",
    "total": "SELECT beliefs_in({table}) FROM {table} WHERE {table} MATCH ? LIMIT 1",
    "counts": "SELECT j.value, w.doc FROM json_each(?) j JOIN {words} w ON w.term = j.value",
}


def _any_of(terms: Iterable[_Term]) -> str:
    return " OR ".join(term.match for term in terms)


def _weight(term: _Term, total: int) -> float:
    """The inverse document frequency of BM25, in the form that is never negative (as in Lucene)."""
    beliefs = min(term.beliefs, total)
    return log(1 + (total - beliefs + 0.5) / (beliefs + 0.5))


def _tokens(tokenizer: Tokenizer, text: str) -> list[str]:
    data = text.encode("utf-8", "replace")
    return tokenizer(data, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False)


def _in_a_row(phrase: tuple[str, ...], text: Sequence[str]) -> bool:
    return any(tuple(text[at : at + len(phrase)]) == phrase for at in range(len(text) - len(phrase) + 1))
