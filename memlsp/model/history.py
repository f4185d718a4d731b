"""A symbol's past: the commits that changed its meaning."""

from __future__ import annotations

from datetime import datetime

from attrs import frozen


@frozen
class PastChange:
    """One commit that changed what a symbol means. `change` is one sentence; `path` and `symbol` are what it was called
    after this commit."""

    commit: str  # full hash
    author: str
    date: datetime
    subject: str
    change: str
    path: str
    symbol: str
    clauses: tuple[str, ...] = ()  # all that `change` says and has no room for, values in full
    parts: tuple[str, ...] = ()  # of a whole file: what was done to its symbols, a sentence each, where that is known


@frozen
class SymbolHistory:
    """Newest first. `complete` is False when the walk stopped early: `stopped` says why (`limit`, `deadline`,
    `cancelled`, `shallow`, `damaged`)."""

    changes: tuple[PastChange, ...] = ()
    complete: bool = True
    stopped: str = ""
    commits_read: int = 0
