"""What is to be forgotten, and what forgetting it would take away."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen

from memlsp.model.belief import Belief


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
