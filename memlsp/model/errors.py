"""The errors that people and agents see:

MemlspError
├── UsageError            an argument cannot be read
│   ├── BadPlace          not PATH, PATH:LINE or PATH#Qualified.name
│   └── BadValue          an unknown kind, scope, action, date...
├── NotFound
│   ├── NoSuchFile
│   ├── NoSuchSymbol      carries the nearest names
│   ├── NoSuchBelief
│   ├── NoSuchEpisode
│   ├── NoSuchHandoff
│   ├── NoWorkspace       no folder to work in (a deleted working directory, say)
│   ├── NoRepository      no git repository, or none that can be read
│   └── NoSuchRevision    git knows no commit of that name
├── Refused               not permitted (a locked belief, an outside path)
│   └── Overtaken         somebody else revised it first
├── UnreadableSource      binary, larger than the limit, not text
├── ExchangeUnavailable   a team's exchange cannot be reached now
└── StoreError            the store on disk
    ├── StoreTooNew       written by a newer version of memlsp
    ├── StoreCorrupt      damaged, and could not be set aside
    └── StoreUnavailable  read-only folder, full disk, locked for too long
"""

from __future__ import annotations


class MemlspError(Exception):
    """The base class. `str(error)` is one line for a person: what was wrong and where; `hint` says what to do."""

    hint: str = ""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        if hint:
            self.hint = hint


class UsageError(MemlspError):
    """An argument cannot be read."""


class BadPlace(UsageError):
    """A place is not written as PATH, PATH:LINE or PATH#Qualified.name."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"not a place: {text!r}", "write PATH, PATH:LINE (from 1) or PATH#Qualified.name: src/app.py:120"
        )


class BadValue(UsageError):
    """A word is not one of those allowed."""


class NotFound(MemlspError):
    """Something that was named does not exist."""


class NoSuchFile(NotFound):
    """No file of that path in the workspace."""


class NoSuchSymbol(NotFound):
    """The file is there, the symbol is not."""


class NoSuchBelief(NotFound):
    """No belief has this id, or several share the prefix given."""


class NoSuchEpisode(NotFound):
    """No episode has this id."""


class NoSuchHandoff(NotFound):
    """No handoff of that id, or none waits."""


class NoWorkspace(NotFound):
    """There is no folder to work in."""


class NoRepository(NotFound):
    """There is no git repository here, or none that can be read."""


class NoSuchRevision(NotFound):
    """No commit has this name, or several have."""


class Refused(MemlspError):
    """The action is possible and not permitted."""


class Overtaken(Refused):
    """Somebody else revised it between being read and being written."""


class UnreadableSource(MemlspError):
    """The file is binary, too large, or not text."""


class ExchangeUnavailable(MemlspError):
    """The exchange of a team cannot be reached now: network, sign-in, timeout. Nothing was changed on this machine."""


class StoreError(MemlspError):
    """The store on disk failed."""


class StoreTooNew(StoreError):
    """A newer memlsp wrote this store."""


class StoreCorrupt(StoreError):
    """The store is damaged and could not be set aside."""


class StoreUnavailable(StoreError):
    """The store cannot be written now: read-only folder, full disk, or locked for too long."""
