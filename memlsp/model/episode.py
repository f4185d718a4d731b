"""Episodes of commits and tasks, and the past of a symbol. Symbol changes and sentences, never file states."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import frozen

from memlsp.model.change import ChangeKind, SymbolRef


@frozen
class KeptChange:
    """A symbol change as it is kept: without its details, with the sentence that tells them. `old` is None when the
    symbol was added, `new` when it was removed."""

    kinds: frozenset[ChangeKind]
    old: SymbolRef | None
    new: SymbolRef | None
    sentence: str


class PassedOver(StrEnum):
    """Why the changes of a commit were not read into symbol changes."""

    MERGE = "merge"  # the commits that it unites tell what it brings
    HUGE = "huge"  # it changed more files than anybody reads
    CUT = "cut"  # a shallow clone ends here: what was before is not known
    DAMAGED = "damaged"  # objects of it are missing or cannot be read


@frozen
class CommitEpisode:
    """One commit. `changes` are in the order of its files, those first that alter what the code means.

    `files` counts all files that it changed, `parsed` those that were read into symbols; `cosmetic` the symbol changes
    that are layout and comments alone, `more` those beyond the most that are kept. `state_bytes` is the size of the
    files that were read, as the commit left them: what keeping file states instead would take.
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
    """A commit as a reason names it."""

    commit: str  # full hash
    date: datetime


@frozen
class OnboardingProgress:
    """How far the history has been read. `total` are the commits that are to be read, `present` those of them that
    are there now, `read` those that this call read. `stopped` says why it ended early: `cancelled`, `busy` (another
    process reads), `read-only`, `no-git`, `damaged`, "" when it is complete.
    """

    total: int = 0
    present: int = 0
    read: int = 0
    changes: int = 0
    stopped: str = ""

    @property
    def complete(self) -> bool:
        """True when there is nothing left to read."""
        return not self.stopped and self.present >= self.total


@frozen
class HistoryKept:
    """What is kept of the git history, in numbers. `bytes` is what it takes in the store, indexes included;
    `state_bytes` the full states of the files that the changes were read from; `git_bytes` what git itself takes for
    the whole repository, all of it packed as it is now (None where that cannot be told)."""

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
        """How much smaller than the file states, 0..1; None when nothing was read."""
        return 1 - self.bytes / self.state_bytes if self.state_bytes else None


class Outcome(StrEnum):
    """What became of a task."""

    OPEN = "open"  # it goes on
    COMMITTED = "committed"
    TESTED = "tested"  # its tests passed, and nothing was committed
    FAILED = "failed"  # its last test run failed
    ABANDONED = "abandoned"  # its changes were thrown away, or it led to none
    ENDED = "ended"  # it stopped, and nothing tells how


@frozen
class CommandRun:
    """A command as it ran: `worked` is None where the exit code is not known."""

    command: str
    worked: bool | None
    at: datetime
    exit_code: int | None = None


@frozen
class Episode:
    """The events of one task.

    `title` is one line, `intent` what was asked for in the words of who asked; `sources` are who took part
    (`claude-code`, `editor`), `sessions` their sessions; `symbols` those that were changed, as (path, dotted name),
    `paths` all files that were changed, in order of the first touch; `sentences` say what was done to the symbols.
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
        """True while events may still come to it, or be moved to another."""
        return self.closed_at is None


@frozen
class TimelineEntry:
    """Something that happened, as a line of the timeline.

    `what` is episode, commit, belief or handoff; `detail` an episode's outcome or what was done to a belief; `id` names
    it (a full hash for a commit); `until` is when an episode was last worked at.
    """

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
