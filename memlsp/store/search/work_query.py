"""Search over past work, that is commits and episodes: by words, and by the symbols that they changed.

A symbol is its number in the history, or (path, dotted name) when only episodes changed it. Numbers keep this cheap:
one question looks at hundreds of symbols and thousands of changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from memlsp.store.core.database import Database, Row, text_column
from memlsp.store.core.transactions import StoreRepository, Transactions, read
from memlsp.store.search import work_index
from memlsp.store.search.query import WORK, Search, SearchHit
from memlsp.store.tables import history
from memlsp.store.tables.episodes import episode_of_row

LARGEST = 40
"""Symbols up to which a commit or episode counts as being about each of them."""

_MOST = 4_000  # changes that are looked at

Symbol = int | tuple[str, str]

_SIMPLE = "lower(substr(name, length(rtrim(name, replace(name, '.', ''))) + 1))"
"""The simple name of a symbol, as the index of `0010_work_search.sql` has it."""


def touched(connection: Database, keys: Sequence[str]) -> list[tuple[str, Symbol]]:
    """(id as `WorkSearch.best` gives it, symbol) for the symbols that commits and episodes changed; those that changed
    more than 40 are left out. `places` tells which symbols these are."""
    commits = """
        SELECT lower(hex(e.hash)), c.symbol FROM commit_episode e JOIN past_change c ON c.episode = e.seq
        WHERE e.hash IN (SELECT unhex(value) FROM json_each(?)) AND e.changes <= ?
        AND EXISTS (SELECT 1 FROM past_symbol WHERE id = c.symbol AND name != '')
    """
    episodes = """
        SELECT e.episode, e.path, e.symbol, s.id FROM episode_symbol e
        LEFT JOIN past_file f ON f.path = e.path LEFT JOIN past_symbol s ON s.file = f.id AND s.name = e.symbol
        WHERE e.episode IN (SELECT value FROM json_each(?)) AND e.symbol != ''
        AND (SELECT count(*) FROM episode_symbol WHERE episode = e.episode) <= ?
    """
    found: dict[tuple[str, Symbol], None] = {}
    for hash_, symbol in _asked(connection, commits, "commit:", keys):
        found[f"commit:{hash_}", int(symbol)] = None
    for episode, path, name, symbol in _asked(connection, episodes, "episode:", keys):
        found[f"episode:{episode}", (str(path), str(name)) if symbol is None else int(symbol)] = None
    return list(found)


def changing(connection: Database, symbols: Sequence[Symbol]) -> list[tuple[Symbol, str]]:
    """(symbol, id) for the commits and episodes that changed some symbols, those left out that changed more than 40."""
    numbers = [symbol for symbol in symbols if isinstance(symbol, int)]
    steps = set(
        connection.execute(
            "SELECT symbol, episode FROM past_change WHERE symbol IN (SELECT value FROM json_each(?)) LIMIT ?",
            (json.dumps(numbers), _MOST),
        )
    )
    query = "SELECT seq, 'commit:' || lower(hex(hash)) FROM commit_episode WHERE seq IN ({}) AND changes <= ?"
    wanted = json.dumps(sorted({episode for _, episode in steps}))
    hashes = dict(connection.execute(query.format("SELECT value FROM json_each(?)"), (wanted, LARGEST)))
    found: list[tuple[Symbol, str]] = [(symbol, hashes[step]) for symbol, step in sorted(steps) if step in hashes]
    if connection.execute("SELECT 1 FROM episode_symbol LIMIT 1").get is None:
        return found
    named = {place: symbol for symbol, place in places(connection, symbols).items()}
    query = """
        SELECT e.path, e.symbol, e.episode FROM json_each(?) j
        JOIN episode_symbol e ON e.path = j.value ->> 0 AND e.symbol = j.value ->> 1
        WHERE (SELECT count(*) FROM episode_symbol WHERE episode = e.episode) <= ? LIMIT ?
    """
    rows = connection.execute(query, (json.dumps(list(named)), LARGEST, _MOST))
    return [*found, *((named[str(path), str(name)], f"episode:{episode}") for path, name, episode in rows)]


def named(connection: Database, names: Iterable[str], most: int = 200) -> list[Symbol]:
    """The symbols of the history whose simple name is or was one of these (lower case)."""
    query = f"""
        SELECT s.id FROM past_symbol s WHERE {_SIMPLE} IN (SELECT value FROM json_each(?)) LIMIT ?
    """
    return [int(id) for (id,) in connection.execute(query, (json.dumps(list(names)), most))]


def places(connection: Database, symbols: Sequence[Symbol]) -> dict[Symbol, tuple[str, str]]:
    """Path and dotted name of each symbol."""
    query = """
        SELECT s.id, f.path, s.name FROM past_symbol s JOIN past_file f ON f.id = s.file
        WHERE s.id IN (SELECT value FROM json_each(?))
    """
    found: dict[Symbol, tuple[str, str]] = {symbol: symbol for symbol in symbols if isinstance(symbol, tuple)}
    numbers = json.dumps([symbol for symbol in symbols if isinstance(symbol, int)])
    found |= {int(id): (str(path), str(name)) for id, path, name in connection.execute(query, (numbers,))}
    return found


def anchored(connection: Database, symbols: Sequence[tuple[str, str]]) -> list[tuple[tuple[str, str], str, int]]:
    """((path, name), id, rank of authority) of the active beliefs that are anchored to one of some symbols."""
    query = """
        SELECT a.path, a.symbol, b.id, b.authority_rank FROM json_each(?) j
        JOIN anchor a ON a.path = j.value ->> 0 AND a.symbol = j.value ->> 1 AND a.active = 1
        JOIN belief b ON b.seq = a.belief LIMIT ?
    """
    found = connection.execute(query, (json.dumps(list(symbols)), _MOST))
    return [((str(path), str(name)), str(id), int(rank)) for path, name, id, rank in found]


def _asked(connection: Database, query: str, kind: str, keys: Sequence[str]) -> Iterable[Row]:
    ids = [key.removeprefix(kind) for key in keys if key.startswith(kind)]
    return connection.execute(query, (json.dumps(ids), LARGEST)) if ids else ()


class WorkSearch(StoreRepository):
    """The search index of past work. Commits and episodes enter and leave it in the transaction that writes them."""

    touched = read(touched)
    changing = read(changing)
    named = read(named)
    places = read(places)
    anchored = read(anchored)
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
