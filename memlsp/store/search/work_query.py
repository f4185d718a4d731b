"""Search over past work: commits and episodes, by words and by the symbols that they changed."""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.store.core.database import Database, text_column
from memlsp.store.core.transactions import Repository, Transactions, read
from memlsp.store.search import work_index
from memlsp.store.search.query import WORK, Search, SearchHit
from memlsp.store.tables import history, work_graph
from memlsp.store.tables.episodes import episode_of_row


class WorkSearch(Repository):
    """The search index of past work. Commits and episodes enter and leave it in the transaction that writes them."""

    touched = read(work_graph.touched)
    changing = read(work_graph.changing)
    named = read(work_graph.named)
    places = read(work_graph.places)
    anchored = read(work_graph.anchored)
    brief = read(history.brief)

    def __init__(self, transactions: Transactions) -> None:
        super().__init__(transactions)
        self._search: tuple[Database, Search] | None = None
        self._complete = False

    def best(self, terms: Sequence[Sequence[str]], *, limit: int) -> list[SearchHit]:
        """The best `limit` commits and episodes for some words, each with its alternatives; best first. Their ids are
        `commit:HASH` and `episode:ID`."""
        with self._reading() as connection:
            if self._search is None or self._search[0] is not connection:
                self._search = connection, Search(connection, WORK)
            return self._search[1].best(terms, limit=limit)

    def waiting(self) -> bool:
        """True when the index lacks commits or episodes, because a former version wrote them."""
        query = """
            SELECT (SELECT count(*) FROM commit_episode) + (SELECT count(*) FROM episode)
                 > (SELECT count(*) FROM work_entry)
        """
        if not self._complete:  # this version indexes what it writes in the same transaction
            with self._reading() as connection:
                self._complete = not connection.execute(query).get
        return not self._complete

    def fill(self, limit: int = 500) -> int:
        """Index at most `limit` of the commits and episodes that the index lacks; how many were indexed."""
        with self._writing() as connection:
            commits = text_column(
                connection,
                "SELECT lower(hex(hash)) FROM commit_episode WHERE lower(hex(hash)) NOT IN"
                " (SELECT id FROM work_entry WHERE kind = 'commit') ORDER BY at DESC LIMIT ?",
                (limit,),
            )
            for commit in commits:
                if (episode := history.episode(connection, commit)) is not None:
                    work_index.enter_commit(connection, episode)
            found = connection.execute(
                "SELECT body FROM episode WHERE id NOT IN (SELECT id FROM work_entry WHERE kind = 'episode') LIMIT ?",
                (limit - len(commits),),
            ).fetchall()
            for row in found:
                work_index.enter_episode(connection, episode_of_row(row))
            return len(commits) + len(found)
