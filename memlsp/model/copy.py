"""Exports, imports and backups of a memory, and their results."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from attrs import frozen

from memlsp.model.belief import Belief, Revision


class CopyKind(StrEnum):
    """The form that a memory was written in."""

    JSONL = "jsonl"  # one belief a line, with its history
    VAULT = "vault"  # a folder of notes by an earlier version, neither read nor written any more
    BACKUP = "backup"  # the whole store


@frozen
class Copy:
    """A file or folder that a memory was written to. `path` is absolute, as it was then."""

    path: Path
    kind: CopyKind
    at: datetime


@frozen
class BeliefRecord:
    """A belief with its whole history. `former` has as many entries as `history`: the belief as it was before each
    revision, None before it existed."""

    belief: Belief
    history: tuple[Revision, ...]
    former: tuple[Belief | None, ...]

    def changed(
        self, state: Callable[[Belief], Belief], revision: Callable[[Revision], Revision] = lambda each: each
    ) -> BeliefRecord:
        """The record with `state` applied to the present and every former belief, and `revision` to each revision."""
        return BeliefRecord(
            state(self.belief),
            tuple(map(revision, self.history)),
            tuple(None if each is None else state(each) for each in self.former),
        )


@frozen
class ImportClash:
    """A belief that both sides changed; neither side's text was overwritten.

    `here` is the text in this memory, `there` the other side's, `reason` one sentence for a person. `there_id` is the
    proposal that keeps the other side's text, "" where there is none.
    """

    id: str
    here: str
    there: str
    reason: str
    there_id: str = ""


@frozen
class Skipped:
    """An id or a line that was not imported, and why."""

    name: str
    reason: str


@frozen
class ExportResult:
    """The result of an export."""

    path: Path
    beliefs: int
    revisions: int
    conflicts: int = 0


@frozen
class CopyImport:
    """The terms on which an export or a backup is taken in.

    `trusted` takes it at its word although this machine did not write it; `locks` keeps locks; `damaged` takes the
    readable part of a file that is cut off. With `dry_run` nothing is written.
    """

    trusted: bool = False
    locks: bool = False
    damaged: bool = False
    dry_run: bool = False


@frozen
class ImportResult:
    """The result of an import.

    `sealed`: this machine wrote the copy and nobody changed it since. `trusted`: its beliefs became active, not
    proposals. The ids: `added` were not here, `advanced` have newer revisions in the copy, `proposed` are proposals.
    `joined` pairs an id of the copy with the local id of the same statement. `known` counts beliefs that were here
    already, `past` those retired or replaced in the copy, which are not proposed. `ended` are active in the copy and
    retired, replaced or rolled back here; an import brings none of them back.
    """

    source: Path
    kind: CopyKind
    sealed: bool
    trusted: bool
    batch: str
    known: int = 0
    past: int = 0
    added: tuple[str, ...] = ()
    advanced: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    joined: tuple[tuple[str, str], ...] = ()
    unlocked: tuple[str, ...] = ()
    clashes: tuple[ImportClash, ...] = ()
    passed: tuple[Skipped, ...] = ()
    conflicts: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    dry_run: bool = False


@frozen
class Backup:
    """A backup with its size, its digest and its rows by table. `sealed`: this machine wrote it and it is intact.
    `problem` is "" for a good one."""

    path: Path
    bytes: int
    digest: str
    counts: tuple[tuple[str, int], ...]
    at: datetime | None
    sealed: bool
    problem: str = ""


@frozen
class RestoreResult:
    """The result of a restore: the backup, the rows by table now, where the former memory was set aside (None when
    there was none), and how many forgotten beliefs were left out."""

    path: Path
    counts: tuple[tuple[str, int], ...]
    aside: Path | None
    forgotten: int = 0
    observations: bool = True


@frozen
class StrandedMemory:
    """A memory on this machine whose folders are all gone, or one of this very folder under another key, with the
    number of its active beliefs. `roots` are the folders that used it."""

    key: str
    path: Path
    roots: tuple[str, ...]
    beliefs: int
    same_root: bool = False


@frozen
class MovedMemory:
    """A memory that followed its project from one key to another, with the number of its beliefs."""

    former: str
    key: str
    beliefs: int
