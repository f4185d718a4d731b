"""Copies of a memory: what was written where, and what came of bringing one back."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path

from attrs import frozen

from memlsp.model.belief import Belief, Revision


class CopyKind(StrEnum):
    """The form that a memory was written in."""

    JSONL = "jsonl"  # one belief a line, with its history
    VAULT = "vault"  # a folder of markdown files
    BACKUP = "backup"  # the whole store


@frozen
class Copy:
    """A file or folder that holds what this memory held. `path` is absolute, as it was when it was written."""

    path: Path
    kind: CopyKind
    at: datetime


@frozen
class BeliefRecord:
    """One belief with everything that was ever done to it.

    `former` has as many entries as `history`: the belief as it was before each revision, None before it existed.
    """

    belief: Belief
    history: tuple[Revision, ...]
    former: tuple[Belief | None, ...]


@frozen
class ImportClash:
    """Something that both sides changed. Nothing was taken from the other side, and nothing lost on either: `here` is
    what this memory says, `there` what the other side does, `reason` one sentence for a person. `id` is that of the
    belief, `there_id` that of the proposal that keeps the other side's words, "" where there is none."""

    id: str
    here: str
    there: str
    reason: str
    there_id: str = ""


@frozen
class Skipped:
    """Something that was not taken, and why: `name` is an id, a line or a file."""

    name: str
    reason: str


@frozen
class ExportResult:
    """What was written where. `left` are files of a vault that were not overwritten, since they were edited there."""

    path: Path
    kind: CopyKind
    beliefs: int
    revisions: int
    conflicts: int = 0
    files: int = 1
    left: tuple[Skipped, ...] = ()


@frozen
class ImportResult:
    """What an import, or the merge of another workspace's memory, came to.

    `sealed` says that this machine wrote the copy and nobody changed it since, `trusted` that it was taken at its word.
    `added` are ids of beliefs that were not here, `advanced` of those that went on there since, `revised` of those that
    were edited in a vault, `proposed` of proposals made of what could not be taken at its word. `joined` are pairs of
    the other's id and of ours, where both say the same. `known` counts what was here already, `past` what was
    replaced or retired there and is therefore not proposed. `ended` are those of the known that the copy holds true
    and that are no longer held true here: retired, replaced, or taken back; an import brings none of them back.
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
    revised: tuple[str, ...] = ()
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
    """A backup: where it is, its bytes and digest, what is in it by table, whether it is of this machine and whole.
    `problem` is "" when all is well with it."""

    path: Path
    bytes: int
    digest: str
    counts: tuple[tuple[str, int], ...]
    at: datetime | None
    sealed: bool
    problem: str = ""


@frozen
class RestoreResult:
    """A memory that was brought back: from where, what it holds now, where the former one was set aside (None when
    there was none), and how many forgotten beliefs were not brought back."""

    path: Path
    counts: tuple[tuple[str, int], ...]
    aside: Path | None
    forgotten: int = 0
    observations: bool = True


@frozen
class StrandedMemory:
    """A memory on this machine whose folders are all gone, or that was kept for this very folder under another key:
    `beliefs` active ones, `roots` where it was used."""

    key: str
    path: Path
    roots: tuple[str, ...]
    beliefs: int
    same_root: bool = False


@frozen
class MovedMemory:
    """A memory that followed its project: from which key to which, with how many beliefs."""

    former: str
    key: str
    beliefs: int
