"""Answers of `Memory` to the faces, shaped for display and free of any protocol."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from memlsp.model.belief import Belief, BeliefKind, BeliefStatus, RevisionAction, ScopeKind
    from memlsp.model.difference import Difference
    from memlsp.model.episode import Episode, HistoryKept, SymbolHistory
    from memlsp.model.event import Event
    from memlsp.model.handoff import Handoff
    from memlsp.model.place import Place, Workspace
    from memlsp.model.recall import Receipt, TellingSummary
    from memlsp.model.review import Conflict, ReviewItem
    from memlsp.model.standing import Judgement, Standing, Tie
    from memlsp.model.symbol import SymbolKind
    from memlsp.model.thread import Thread


@frozen
class SymbolSpot:
    """A symbol and the place of its defining name: `line` from 0, columns in bytes on that line."""

    path: str
    name: str
    kind: SymbolKind
    line: int
    start_column: int = 0
    end_column: int = 0


@frozen
class Why:
    """The beliefs that apply at a place, most trusted first, and the symbol's past."""

    place: Place
    symbol: SymbolSpot | None
    beliefs: tuple[Judgement, ...]
    history: SymbolHistory


@frozen
class Lens:
    """The beliefs of a symbol, the worst standing first, with the reason of each in a few words."""

    spot: SymbolSpot
    judgements: tuple[Judgement, ...]
    briefs: tuple[str, ...]


@frozen
class UnheldBelief:
    """A belief that does not hold, at the place to show it: the line that was changed, where that is in the file.
    `brief` is the reason in a few words ("tries 3 → 5"), `said` the words of the statement that it is about, ""
    where it names none."""

    judgement: Judgement
    tie: Tie | None
    spot: SymbolSpot
    standing: Standing
    brief: str
    said: str = ""


@frozen
class PlacedThread:
    """An open thread and its place: `line` from 0, columns in bytes. `symbol` is the enclosing one, with the place of
    its defining name; for the file itself "" and its first line."""

    thread: Thread
    line: int
    start_column: int
    end_column: int
    symbol: str
    symbol_line: int
    symbol_start: int
    symbol_end: int


@frozen
class PlacedConflict:
    """An open conflict at one of its sides, `here`. `line` is from 0, columns in bytes, of the defining name that
    `here` is tied to; `other_path` and `other_line` (from 0) are the place of the other side, "" and 0 when it has
    none."""

    conflict: Conflict
    here: Belief
    other: Belief
    line: int
    start_column: int
    end_column: int
    other_path: str = ""
    other_line: int = 0


class BondKind(StrEnum):
    """The relation of one belief to another."""

    BECAUSE_OF = "because_of"  # depends on it
    SUPERSEDED_BY = "superseded_by"  # was replaced by it
    CONTRADICTS = "contradicts"  # nobody has settled which of them is true


@frozen
class Bond:
    """A relation between two beliefs: `one` depends on, superseded, or contradicts `to`, both ids."""

    kind: BondKind
    one: str
    to: str

    def other(self, id: str) -> str:
        """The id at the other end."""
        return self.to if id == self.one else self.one


@frozen
class BeliefGraph:
    """A belief, which comes first, its related beliefs, and the bonds between all of them."""

    judgements: tuple[Judgement, ...]
    bonds: tuple[Bond, ...]


@frozen
class BeliefQuery:
    """Conditions of a list of beliefs; None and "" set none. `words` are beginnings of words, or an id; `since` is
    inclusive, `until` is not; `under` is the beginning of a path that an active belief is tied to."""

    words: str = ""
    status: BeliefStatus | None = None
    kind: BeliefKind | None = None
    scope: ScopeKind | None = None
    author: str = ""
    since: datetime | None = None
    until: datetime | None = None
    under: str = ""
    ids: tuple[str, ...] | None = None


@frozen
class ListedBelief:
    """A belief without its code: `made` is the time as stored, `places` are (path, symbol)."""

    id: str
    made: str
    text: str
    because_of: tuple[str, ...]
    places: tuple[tuple[str, str], ...]


@frozen
class BeliefPage:
    """A page of a list, newest first. `total` is None where counting would take long; `next` is the cursor of the next
    page, "" for the last."""

    judgements: tuple[Judgement, ...]
    total: int | None
    next: str


@frozen
class Surveyed:
    """What the code said of all active beliefs. `read` of `total` are judged; `at` is when all were, None before.
    `fallen` are the first of those that do not hold, worst first, `waiting` the first of the review queue; `authors`
    are the names of those who said something, the busiest first."""

    read: int = 0
    total: int = 0
    at: datetime | None = None
    standings: tuple[tuple[Standing, int], ...] = ()
    fallen: tuple[Judgement, ...] = ()
    waiting: tuple[ReviewItem, ...] = ()
    authors: tuple[str, ...] = ()


@frozen
class CommitDone:
    """A commit (full hash) with its subject and its changes to the code."""

    commit: str
    subject: str
    difference: Difference


@frozen
class Status:
    """Numbers about one workspace's memory."""

    workspace: Workspace
    store_path: Path
    counts: tuple[tuple[str, int], ...]
    standings: tuple[tuple[Standing, int], ...]
    branch: str | None
    head: str | None
    version: str
    notices: tuple[str, ...] = ()


@frozen
class HealthCheck:
    """A result of `doctor`. `ok` is None for a neutral remark."""

    name: str
    ok: bool | None
    message: str
    advice: str = ""


@frozen
class Stats:
    """Numbers about everything stored for one workspace. `onboarded`: the history of the commit checked out now was
    read. `caches` are the rebuildable tables with their numbers of entries; `disk` are the files with their sizes in
    bytes. `locked` and `learned` count the beliefs that a person locked, and those that were found or caught
    somewhere instead of being told to memlsp."""

    workspace: Workspace
    history: HistoryKept
    onboarded: bool
    standings: tuple[tuple[Standing, int], ...]
    kinds: tuple[tuple[str, int], ...]
    counts: tuple[tuple[str, int], ...]
    caches: tuple[tuple[str, int], ...]
    disk: tuple[tuple[str, int], ...]
    told: TellingSummary
    locked: int
    learned: int


@frozen
class Replay:
    """A session step by step, in order of time. `texts` are those of the beliefs that were told, by id, as far as they
    are kept."""

    source: str
    name: str
    steps: tuple[Event | Receipt, ...]
    texts: Mapping[str, str]


_LINE = timedelta(hours=4)
_DIGEST = timedelta(days=14)


@frozen
class Commit:
    """A commit made in the meantime."""

    commit: str  # full hash
    subject: str
    at: datetime


@frozen
class RevisedBelief:
    """A belief that was learned or revised, with the last action on it."""

    action: RevisionAction
    judgement: Judgement
    at: datetime


@frozen
class CatchUp:
    """What happened while somebody was away: work, decisions, beliefs that no longer hold, and open work. `size` is the
    length to show: a `line` after some hours, a `digest` after some days, the `story` after longer."""

    since: datetime
    until: datetime
    episodes: tuple[Episode, ...] = ()  # latest first
    commits: tuple[Commit, ...] = ()  # latest first
    decided: tuple[RevisedBelief, ...] = ()  # latest first
    fallen: tuple[Judgement, ...] = ()  # worst first
    threads: tuple[Thread, ...] = ()  # opened in the meantime and still open, newest first
    handoffs: tuple[Handoff, ...] = ()  # unclaimed, in the order of use

    @property
    def size(self) -> str:
        """`line`, `digest` or `story`, by the time that passed."""
        passed = self.until - self.since
        return "line" if passed < _LINE else "digest" if passed < _DIGEST else "story"

    @property
    def is_empty(self) -> bool:
        """True when nothing happened and nothing is open."""
        return not (self.episodes or self.commits or self.decided or self.fallen or self.threads or self.handoffs)
