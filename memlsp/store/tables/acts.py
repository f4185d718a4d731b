"""The acts before which a belief is told, listed by their terms. Derived from the text: may be emptied at any time."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from memlsp.model.belief import Belief, BeliefStatus
from memlsp.store.core import rows
from memlsp.store.core.database import Database, text_column

Acts = tuple[tuple[str, str], ...]
"""Terms, each with a clause, as `beliefs.acts` writes them."""


ACTS_READ = "acts read"
"""The note about a store that says with which version of the rules all its acts were read, or up to which id."""


@frozen
class FoundBy:
    """What a belief is found by besides its text: words, and the acts before which it is told."""

    words: str = ""
    acts: Acts = ()


def write(connection: Database, seq: int, belief: Belief, acts: Acts) -> None:
    """Replace the acts of a belief; one that is not active has none."""
    connection.execute("DELETE FROM act WHERE belief = ?", (seq,))
    add(connection, seq, belief, acts)


def add(connection: Database, seq: int, belief: Belief, acts: Acts) -> None:
    """Write the acts of a new belief."""
    if belief.status is BeliefStatus.ACTIVE:
        for term, clause in acts:
            row = (rows.clean(term), seq, rows.clean(clause))
            connection.execute("INSERT OR IGNORE INTO act (term, belief, clause) VALUES (?, ?, ?)", row)


def write_again(connection: Database, read: Iterable[tuple[Belief, Acts]]) -> None:
    """Replace the acts of beliefs that were read a moment ago; those that were revised since keep theirs."""
    query = "SELECT seq FROM belief WHERE id = ? AND updated_at = ? AND status = ?"
    for belief, acts in read:
        values = (belief.id, rows.stamp(belief.updated_at), belief.status.value)
        for (seq,) in connection.execute(query, values).fetchall():
            write(connection, int(seq), belief, acts)


def active_ids(connection: Database, after: str, most: int) -> list[str]:
    """The ids of active beliefs behind one, in order."""
    query = "SELECT id FROM belief WHERE status = 'active' AND id > ? ORDER BY id LIMIT ?"
    return text_column(connection, query, (after, most))
