"""How commits and episodes are found by words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from memlsp.store.core.database import Database
from memlsp.store.search import work_index
from memlsp.store.search.query import WORK, Search, SearchHit
from memlsp.store.tables import history, work_graph
from memlsp.store.tables.episodes import episode_of_row

_Transaction = Callable[[], AbstractContextManager[Database]]


class WorkSearch:
    """The search index of what was done. Each method is one transaction.

    Commits and episodes enter and leave it in the transaction that writes them (`work_index`)."""

    def __init__(self, reading: _Transaction, writing: _Transaction) -> None:
        self._reading = reading
        self._writing = writing
        self._search: tuple[Database, Search] | None = None
        self._complete = False

    def best(self, terms: Sequence[Sequence[str]], *, limit: int) -> list[SearchHit]:
        """The best `limit` pieces of work for some words, each with its alternatives; best first. An id is
        `commit:HASH` or `episode:ID`."""
        with self._reading() as connection:
            if self._search is None or self._search[0] is not connection:
                self._search = connection, Search(connection, WORK)
            return self._search[1].best(terms, limit=limit)

    def touched(self, keys: Sequence[str]) -> list[tuple[str, work_graph.Symbol]]:
        """(id as `best` gives it, symbol) for the symbols that pieces of work changed; work that changed more than 40
        is left out. `places` tells which symbols these are."""
        with self._reading() as connection:
            return work_graph.touched(connection, keys)

    def changing(self, symbols: Sequence[work_graph.Symbol]) -> list[tuple[work_graph.Symbol, str]]:
        """(symbol, id) for the pieces of work that changed some symbols, of the same size."""
        with self._reading() as connection:
            return work_graph.changing(connection, symbols)

    def named(self, names: Sequence[str]) -> list[work_graph.Symbol]:
        """The symbols whose name ends in one of these (lower case), as far as the history was read."""
        with self._reading() as connection:
            return work_graph.named(connection, names)

    def places(self, symbols: Sequence[work_graph.Symbol]) -> dict[work_graph.Symbol, tuple[str, str]]:
        """Path and dotted name of each symbol."""
        with self._reading() as connection:
            return work_graph.places(connection, symbols)

    def anchored(self, symbols: Sequence[tuple[str, str]]) -> list[tuple[tuple[str, str], str, int]]:
        """((path, name), id, rank of authority) of the active beliefs that are anchored to one of some symbols."""
        with self._reading() as connection:
            return work_graph.anchored(connection, symbols)

    def brief(self, commit: str, most: int) -> history.CommitSummary | None:
        """What an answer tells of a commit: its names and sentences, at most so many of each."""
        with self._reading() as connection:
            return history.brief(connection, commit, most)

    def waiting(self) -> bool:
        """True when commits or episodes are there that are not in the index: a former version wrote them."""
        query = """
            SELECT (SELECT count(*) FROM commit_episode) + (SELECT count(*) FROM episode)
                 > (SELECT count(*) FROM work_entry)
        """
        if not self._complete:  # what is written by now enters the index in the same transaction
            with self._reading() as connection:
                self._complete = not connection.execute(query).get
        return not self._complete

    def fill(self, limit: int = 500) -> int:
        """Put at most `limit` of those into the index; how many were put there."""
        with self._writing() as connection:
            hashes = connection.execute(
                "SELECT hash FROM commit_episode WHERE lower(hex(hash)) NOT IN"
                " (SELECT id FROM work_entry WHERE kind = 'commit') ORDER BY at DESC LIMIT ?",
                (limit,),
            ).fetchall()
            for (digest,) in hashes:
                commit = history.episode(connection, digest.hex())
                if commit is not None:
                    work_index.enter_commit(connection, commit)
            found = connection.execute(
                "SELECT body FROM episode WHERE id NOT IN (SELECT id FROM work_entry WHERE kind = 'episode') LIMIT ?",
                (limit - len(hashes),),
            ).fetchall()
            for row in found:
                work_index.enter_episode(connection, episode_of_row(row))
            return len(hashes) + len(found)
