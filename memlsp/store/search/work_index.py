"""The entries of the search index of past work. Every function works inside the caller's transaction.

An entry has the subject or title, the request and the sentences about the changes; and the names of the symbols.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

from memlsp.store.core import rows
from memlsp.store.core.database import insert_row
from memlsp.store.search import index

if TYPE_CHECKING:
    from memlsp.model.episode import CommitEpisode, Episode
    from memlsp.store.core.database import Database

COMMIT, EPISODE = "commit", "episode"

_MOST_SENTENCES = 60
_LONGEST = 6_000
"""Characters of an entry that are indexed: a commit that touches everything says little about each thing."""


def enter_commit(connection: Database, episode: CommitEpisode) -> None:
    """Index a commit, in place of its former entry."""
    sentences = (change.sentence for change in episode.changes[:_MOST_SENTENCES])
    refs = (change.new or change.old for change in episode.changes)
    names = (f"{ref.name} {ref.path}" if ref.name else ref.path for ref in refs if ref is not None)
    _enter(connection, COMMIT, episode.commit, [episode.subject, *sentences], names)


def enter_episode(connection: Database, episode: Episode) -> None:
    """Index an episode, in place of its former entry. Nothing is written when the entry is the same."""
    names = (*(f"{name} {path}" for path, name in episode.symbols), *episode.paths)
    _enter(
        connection, EPISODE, episode.id, [episode.title, episode.intent, *episode.sentences[:_MOST_SENTENCES]], names
    )


def leave(connection: Database, kind: str, id: str) -> None:
    """Remove an entry from the index, if it is there."""
    seq = connection.execute("DELETE FROM work_entry WHERE kind = ? AND id = ? RETURNING seq", (kind, id)).get
    if isinstance(seq, int):
        connection.execute("DELETE FROM work_search WHERE rowid = ?", (seq,))


def _enter(connection: Database, kind: str, id: str, said: Iterable[str], named: Iterable[str]) -> None:
    text = rows.clean("\n".join(dict.fromkeys(said))[:_LONGEST])
    names = rows.clean("\n".join(dict.fromkeys(named))[:_LONGEST])
    digest = blake2b(f"{text}\0{names}".encode(), digest_size=8).digest()
    known = connection.execute("SELECT seq, digest FROM work_entry WHERE kind = ? AND id = ?", (kind, id)).fetchall()
    if known and known[0][1] == digest:
        return
    leave(connection, kind, id)
    query = "INSERT INTO work_entry (kind, id, digest) VALUES (?, ?, ?) RETURNING seq"
    seq = insert_row(connection, query, (kind, id, digest))
    connection.execute(
        "INSERT INTO work_search (rowid, said, named) VALUES (?, ?, ?)",
        (seq, index.expanded(text), index.expanded(names)),
    )
