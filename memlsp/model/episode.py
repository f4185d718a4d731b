"""Episodes of commits and tasks, and the past of a symbol. Symbol changes and sentences, never file states."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import frozen

from memlsp.model.change import ChangeKind, SymbolRef


@frozen
class KeptChange:
    """A stored symbol change: its details are one sentence. `old` is None for an added symbol, `new` for a removed
    one."""

    kinds: frozenset[ChangeKind]
    old: SymbolRef | None
    new: SymbolRef | None
    sentence: str


class PassedOver(StrEnum):
    """Why a commit has no symbol changes."""

    MERGE = "merge"  # the commits that it unites tell what it brings
    HUGE = "huge"  # it changed too many files
    CUT = "cut"  # a shallow clone ends here: what was before is not known
    DAMAGED = "damaged"  # objects of it are missing or cannot be read


@frozen
class CommitEpisode:
    """One commit. `changes` are in the order of its files, those first that alter what the code means.

    `files` counts all changed files, `parsed` those that were read into symbols; `cosmetic` the symbol changes of
    layout and comments alone, `more` those above the limit. `state_bytes` is the size of the parsed files as the commit
    left them: the space that file states would take.
    """

    commit: str  # full hash
    author: str
    date: datetime
    subject: str
    changes: tuple[KeptChange, ...] = ()
    passed_over: PassedOver | None = None
    files: int = 0
    parsed: int = 0
    cosmetic: int = 0
    more: int = 0
    state_bytes: int = 0


@frozen
class CommitRef:
    """The commit that a reason names."""

    commit: str  # full hash
    date: datetime


@frozen
class OnboardingProgress:
    """How far the history has been read: `total` commits to read, `present` stored now, `read` by this call. `stopped`
    says why it ended early: `cancelled`, `busy` (another process reads), `read-only`, `no-git`, `damaged`, "" when it
    is complete.
    """

    total: int = 0
    present: int = 0
    read: int = 0
    changes: int = 0
    stopped: str = ""

    @property
    def complete(self) -> bool:
        """True when nothing is left to read."""
        return not self.stopped and self.present >= self.total


@frozen
class HistoryKept:
    """Numbers about the stored git history. `bytes` is its size in the store, indexes included; `state_bytes` that of
    the full states of the files that the changes were read from; `git_bytes` that of the packed repository (None where
    unknown)."""

    commits: int = 0
    episodes: int = 0  # commits that were read into symbol changes
    passed_over: tuple[tuple[str, int], ...] = ()
    changes: int = 0
    cosmetic: int = 0
    more: int = 0
    symbols: int = 0
    bytes: int = 0
    state_bytes: int = 0
    git_bytes: int | None = None
    newest: datetime | None = None
    oldest: datetime | None = None

    @property
    def saved(self) -> float | None:
        """The share of `state_bytes` that the store saves, 0..1; None when nothing was read."""
        return 1 - self.bytes / self.state_bytes if self.state_bytes else None


class Outcome(StrEnum):
    """The outcome of a task."""

    OPEN = "open"  # it goes on
    COMMITTED = "committed"
    TESTED = "tested"  # its tests passed, and nothing was committed
    FAILED = "failed"  # its last test run failed
    ABANDONED = "abandoned"  # its changes were thrown away, or it led to none
    ENDED = "ended"  # it stopped, and nothing tells how


@frozen
class CommandRun:
    """A command that ran; `worked` is None where the exit code is unknown."""

    command: str
    worked: bool | None
    at: datetime
    exit_code: int | None = None


@frozen
class Episode:
    """The events of one task.

    `title` is one line, `intent` the request in the words of who asked; `sources` took part (`claude-code`, `editor`)
    in their `sessions`; `symbols` are the changed ones as (path, dotted name), `paths` the changed files in order of
    the first change; `sentences` describe the symbol changes.
    """

    id: str
    title: str
    intent: str
    outcome: Outcome
    began_at: datetime
    last_at: datetime
    closed_at: datetime | None = None
    closed_by: str = ""  # commit, checkout, session-end, another task, rest
    branch: str = ""
    sources: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    events: int = 0
    paths: tuple[str, ...] = ()
    symbols: tuple[tuple[str, str], ...] = ()
    sentences: tuple[str, ...] = ()
    commands: tuple[CommandRun, ...] = ()
    commits: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """True while events may still be added to it or moved to another."""
        return self.closed_at is None


@frozen
class TimelineEntry:
    """A line of the timeline. `what` is episode, commit, belief or handoff; `detail` an episode's outcome or the action
    on a belief; `id` names it (a full hash for a commit); `until` is when an episode was last worked at."""

    at: datetime
    what: str
    title: str
    id: str
    detail: str = ""
    source: str = ""
    paths: tuple[str, ...] = ()
    until: datetime | None = None


@frozen
class PastChange:
    """A commit that changed what a symbol means. `change` is one sentence; `path` and `symbol` are its place and name
    after this commit."""

    commit: str  # full hash
    author: str
    date: datetime
    subject: str
    change: str
    path: str
    symbol: str
    clauses: tuple[str, ...] = ()  # all of the change, values in full
    parts: tuple[str, ...] = ()  # of a whole file: a sentence for each changed symbol, where known


@frozen
class SymbolHistory:
    """Newest first. `complete` is False when the walk stopped early: `stopped` says why (`limit`, `deadline`,
    `cancelled`, `shallow`, `damaged`)."""

    changes: tuple[PastChange, ...] = ()
    complete: bool = True
    stopped: str = ""
    commits_read: int = 0
