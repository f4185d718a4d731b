"""The audit log, and what can be asked to be forgotten. No audit entry holds text of a belief."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import frozen

from memlsp.model.belief import Author, Belief


@frozen
class AuditEntry:
    """One thing that was done to the memory. `targets` are ids; `note` holds no text of a belief."""

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
    """The receipt of forgetting, without content: what was asked for in a word, how many of what was removed, and how
    many files were searched for it afterwards. `left` are the files in which something was still found."""

    id: int
    at: datetime
    author: Author
    selector: str
    removed: tuple[tuple[str, int], ...]
    searched: int
    left: tuple[str, ...] = ()


class SelectorKind(StrEnum):
    """By what it is chosen."""

    BELIEF = "belief"  # an id, or a unique beginning of it
    QUERY = "query"  # words in a row, letter case and signs aside: all that holds them
    SESSION = "session"  # what one session was told, did and taught, by its name
    FILE = "file"  # what is known of a file
    PERSON = "person"  # what a person said, and the name
    WORKSPACE = "workspace"  # all of this workspace's memory
    USER = "user"  # all beliefs that hold in every workspace


@frozen
class Selector:
    """What is to be forgotten. `value` is "" for a workspace and for the user's own beliefs."""

    kind: SelectorKind
    value: str = ""


@frozen
class Preview:
    """What forgetting would take away; nothing was.

    `beliefs` go with all their revisions. `others` says how much else goes or has its words taken out, by what it is.
    `stays` are beliefs that one might think go too, each with why it does not: (id, reason). `copies` are the exports
    and backups that will be gone through. `refused` says why whoever asked may not do it, "" when he may.
    """

    selector: Selector
    beliefs: tuple[Belief, ...]
    others: tuple[tuple[str, int], ...] = ()
    stays: tuple[tuple[str, str], ...] = ()
    copies: tuple[str, ...] = ()
    refused: str = ""

    @property
    def is_empty(self) -> bool:
        """True when there is nothing to forget."""
        return not self.beliefs and not self.others
