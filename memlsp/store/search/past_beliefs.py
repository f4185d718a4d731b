"""Beliefs as they were at a moment, from the former states that revisions keep, and a search over them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memlsp.model.belief import Belief, BeliefStatus
from memlsp.store.core import rows
from memlsp.store.core.database import Database, memory_database
from memlsp.store.search import index
from memlsp.store.search.query import BELIEFS, Search, SearchHit

_TABLES = """
    CREATE TABLE belief (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, authority_rank INTEGER NOT NULL) STRICT;
    CREATE VIRTUAL TABLE search USING fts5(said, named, tokenize = 'porter unicode61');
    INSERT INTO search (search, rank) VALUES ('rank', 'bm25(1.0, 0.5)');
    CREATE VIRTUAL TABLE search_words USING fts5vocab(search, 'row');
"""


def states_at(connection: Database, moment: datetime) -> dict[str, Belief | None]:
    """The beliefs that were revised after a moment, as they were then; None for those that did not exist yet."""
    query = """
        SELECT b.id, r.former FROM revision r JOIN belief b ON b.seq = r.belief
        WHERE r.at > ?1 AND r.number = (SELECT min(number) FROM revision WHERE belief = r.belief AND at > ?1)
    """
    found = connection.execute(query, (rows.stamp(moment),))
    return {str(id): rows.belief_of_blob(former) if isinstance(former, bytes) else None for id, former in found}


class PastBeliefIndex:
    """A search index of former states, in memory."""

    def __init__(self, states: Sequence[tuple[Belief, str]]) -> None:
        """`states` are beliefs with their keywords."""
        self._connection = memory_database()
        self._connection.execute(_TABLES)
        self._connection.execute("BEGIN")
        for number, (belief, keywords) in enumerate(states, 1):
            if belief.status is BeliefStatus.ACTIVE:
                row = number, belief.id, belief.authority.rank
                self._connection.execute("INSERT INTO belief VALUES (?, ?, ?)", row)
                index.enter(self._connection, number, rows.clean(belief.text), rows.clean(keywords))
        self._connection.execute("COMMIT")
        self._search = Search(self._connection, BELIEFS)

    def search(self, terms: Sequence[Sequence[str]], *, limit: int) -> list[SearchHit]:
        """As `Store.search`."""
        return self._search.best(terms, limit=limit)

    def close(self) -> None:
        """Free the memory."""
        self._connection.close()
