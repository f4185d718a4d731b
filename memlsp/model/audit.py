"""The audit log, and what can be asked to be forgotten. No audit entry holds text of a belief."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import frozen

from memlsp.model.belief import Author, Belief


@frozen
class AuditEntry:
    """One action on the memory. `targets` are ids; `note` holds no text of a belief."""

    id: int
    at: datetime
    action: str
    author: Author
    source: str
    session: str
    targets: tuple[str, ...]
    note: str = ""


@frozen
class ErasureReceipt:
    """The receipt of forgetting, without content: the selector's kind, the number of removed records by their kind, and
    the number of files searched afterwards. `left` are the places that still held something, or may."""

    id: int
    at: datetime
    author: Author
    selector: str
    removed: tuple[tuple[str, int], ...]
    searched: int
    left: tuple[str, ...] = ()


class SelectorKind(StrEnum):
    """What a selector names."""

    BELIEF = "belief"  # an id, or a unique beginning of it
    QUERY = "query"  # words in a row, letter case and signs aside: all that holds them
    SESSION = "session"  # what one session was told, did and taught, by its name
    FILE = "file"  # what is known of a file
    PERSON = "person"  # what a person said, and the name
    WORKSPACE = "workspace"  # all of this workspace's memory
    USER = "user"  # all beliefs that hold in every workspace


@frozen
class Selector:
    """A request to forget. `value` is "" for a workspace and for the user's own beliefs."""

    kind: SelectorKind
    value: str = ""


@frozen
class Preview:
    """What forgetting would remove; nothing is removed yet.

    `beliefs` go with all their revisions. `others` counts the other records that go or lose words, by their kind.
    `stays` are beliefs that seem to match and stay, as (id, reason). `copies` are the exports and backups that will be
    searched. `refused` says why the author may not forget this, "" when they may.
    """

    selector: Selector
    beliefs: tuple[Belief, ...]
    others: tuple[tuple[str, int], ...] = ()
    stays: tuple[tuple[str, str], ...] = ()
    copies: tuple[str, ...] = ()
    refused: str = ""

    @property
    def is_empty(self) -> bool:
        """True when nothing matches."""
        return not self.beliefs and not self.others
