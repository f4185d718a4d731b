"""The log of who changed what: it says that something was done, and never what the memory said."""

from __future__ import annotations

from datetime import datetime

from attrs import frozen

from memlsp.model.belief import Author


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
class Forgotten:
    """The receipt of forgetting, without content: what was asked for in a word, how many of what was removed, and how
    many files were searched for it afterwards. `left` are the files in which something was still found."""

    id: int
    at: datetime
    author: Author
    selector: str
    removed: tuple[tuple[str, int], ...]
    searched: int
    left: tuple[str, ...] = ()
