"""Understand events: the symbols that an edit changed, the task that an event belongs to, the work it left open.

Events are kept at once and understood later, by one process at a time, in order of arrival. An error in one event is
logged, and the event counts as processed all the same. A process that dies leaves its event to the next one. The symbol
changes of an event and the new baselines are one transaction, so no change is reported twice and none is lost.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TypeVar

from attrs import define, evolve, field, frozen

from memlsp.beliefs.acts.belief_acts import acts_of
from memlsp.beliefs.acts.statements import VERSION
from memlsp.capture.git.reflog import GitStep, git_steps
from memlsp.capture.git.repository import find_repository, is_rebasing, is_writing
from memlsp.capture.workspace.workspace_cache import read_head
from memlsp.memory.context import Context
from memlsp.memory.ingest.edit_tracker import EditTracker
from memlsp.memory.ingest.files_record import MOST_NAMED, TAKING, git_record
from memlsp.memory.learning.proposals import Proposals
from memlsp.memory.work.episodes import Episodes
from memlsp.memory.work.handoffs import Handoffs
from memlsp.memory.work.threads import Threads
from memlsp.model.errors import StoreError
from memlsp.model.event import Event, EventKind
from memlsp.store.store import Store
from memlsp.store.tables.acts import ACTS_READ
from memlsp.store.tables.event_repository import EventRepository

_AT_ONCE = 200  # events read at once
_BELIEFS_AT_ONCE = 200  # beliefs of one transaction
_GIVEN_UP = 3  # times that a process died at an event before it is settled without being looked at
_MOST_FAILURES = 50  # that are told in the life of a process
_PRUNED_EVERY = timedelta(days=1)
_LATE = timedelta(minutes=1)  # by which a hook of a busy machine may report an edit after its file was seen to change
_EDITS = (EventKind.EDIT, EventKind.FILES)
_MOVES = frozenset({EventKind.CHECKOUT, EventKind.MERGE, EventKind.REBASE, EventKind.RESET, EventKind.STASH})
_LOG = logging.getLogger(__name__)
_AT = "journal settling"  # the note that says which event is looked at first, until a round comes to its end

Result = TypeVar("Result")


@frozen
class IngestResult:
    """The outcome of one round. `stopped` says why it ended early: `busy` (another process is at it), `time`,
    `read-only`, `gone` (the store is), "" when nothing is left."""

    events: int = 0
    changes: int = 0
    drained: int = 0
    stopped: str = ""


@frozen
class _UpcomingEvents:
    """The rest of the batch: the paths that edits name, which own their changes before an event of `files` does; and
    the checkouts in which git does more, so that the disk is ahead of the event."""

    edited: frozenset[str] = frozenset()
    moving: frozenset[str] = frozenset()


@frozen
class Observers:
    """The parts of a memory that learn from each event."""

    episodes: Episodes
    threads: Threads
    handoffs: Handoffs
    proposals: Proposals


class Ingester:
    """Processes the events of one workspace while it holds the turn."""

    def __init__(self, context: Context, observers: Observers) -> None:
        self._context = context
        self._observers = observers
        self._store = context.store
        self._journal = context.store.journal
        self._clock = context.clock
        self._followed: dict[str, EditTracker] = {}
        self._failures: set[str] = set()
        self._own = str(context.worktree.root)
        self._screen = context.screen()

    def settle(self, budget: float) -> IngestResult:
        """Process the waiting events for at most about `budget` seconds. Takes the turn; raises the errors of the
        store."""
        if self._store.read_only:
            return IngestResult(stopped="read-only")
        with self._journal.turn() as mine:
            if not mine:
                return IngestResult(stopped="busy")
            return self.settle_in_turn(monotonic() + budget, lambda: False)

    def settle_in_turn(self, deadline: float, cancelled: Callable[[], bool], *, rest: float = 0.0) -> IngestResult:
        """Process the waiting events until `deadline` (of `monotonic`), for a caller that holds the turn.

        Files that changed without an event are looked for among those not written for `rest` seconds: the program that
        wrote a newer one may be about to send its event.
        """
        self._followed.clear()  # git and the disk have moved on, settings too
        self._screen = self._context.screen()
        drained = self._drain()
        self.read_git()
        round_ = _IngestRound(self, self._journal, deadline, cancelled)
        self._begin_safely()
        round_.run()
        if not round_.stopped:
            self._look_for_missed(rest)
            round_.run()
        if round_.events:
            self._finish(round_)
        for store in self._context.stores:
            self._isolated("acts", None, partial(_list_acts, store, deadline, cancelled))
        if self._store.workspace_info(_AT):
            self._store.set_info(_AT, "")
        return IngestResult(round_.events, round_.changes, drained, round_.stopped)

    # -- what comes in ----------------------------------------------------------------------------------------------

    def _drain(self) -> int:
        """Store the records that hooks left in the spool."""
        try:
            return self._journal.drain(self._clock())
        except OSError:
            _LOG.exception("the spool could not be read")
            return 0

    def read_git(self) -> None:
        """Record what git did since the last look, in each checkout that events come from."""
        for root in dict.fromkeys([self._own, *self._journal.trees()]):
            try:
                self._read_git_at(root)
            except Exception:  # noqa: BLE001 - whatever a repository holds, its events are settled
                _LOG.exception("the git logs of %s could not be read", root)

    def _read_git_at(self, root: str) -> None:
        folder = Path(root)
        if not folder.is_dir():
            self._journal.forget_tree(root)
            return
        repository = find_repository(folder)
        if repository is None or repository.top != folder or is_writing(repository.git_folder):
            return
        tree = self._journal.tree(root)
        branch = self._context.worktree.branch() if root == self._own else read_head(root)[0]
        since = None if tree.mark else self._first_at(root)
        personal = self._screen.settings.personal
        found = git_steps(repository.git_folder, repository.common, tree.mark, branch or "", since, personal=personal)
        if found.mark == tree.mark:
            return
        if not self._screen.why_off("git", folder=root):
            records = [self._git_record(step, root) for step in found.steps if step.kind is not None]
            if records:
                self._journal.append(records)
        if not tree.mark and found.steps and not self.followed(root).known:
            # a commit that came before our first look holds what the events before it did
            edited = frozenset(path for event in self._journal.unsettled(_AT_ONCE) for path in event.paths)
            self.followed(root).begin(edited, found.steps[0].old)
        self._journal.mark_tree(root, found.mark)

    def _first_at(self, root: str) -> int | None:
        """When the first waiting event of a checkout was seen, in milliseconds since 1970; None without one."""
        waiting = (event for event in self._journal.unsettled(_AT_ONCE) if (event.root or self._own) == root)
        return min((round(event.at.timestamp() * 1000) for event in waiting), default=None)

    def _git_record(self, step: GitStep, root: str) -> dict[str, object]:
        assert step.kind is not None
        record: dict[str, object] = {
            "key": f"{root}:{step.key}" if step.kind is not EventKind.COMMIT else step.key,
            "at": step.at,
            "kind": step.kind.value,
            "source": "git",
            "text": step.text,
            "branch": step.branch,
            "commit": step.new if step.kind is not EventKind.STASH else step.key.removeprefix("stash:"),
            "root": root,
        }
        if step.kind in (EventKind.COMMIT, EventKind.MERGE):
            record["paths"] = self.followed(root).files_of(step.old, step.new)[:MOST_NAMED]
        return record

    def _look_for_missed(self, rest: float) -> None:
        """Record the files that changed without an event that names them."""
        followed = self.followed(self._own)
        if not followed.known:
            followed.begin()
            return
        repository = find_repository(Path(self._own))
        if repository is not None and (is_writing(repository.git_folder) or is_rebasing(repository.git_folder)):
            return  # git is not done
        if followed.base != followed.head():
            followed.moved(followed.head())  # git keeps no logs here, or a rebase is under way
            return
        paths = followed.missed(rest)
        if paths and self._screen.why_off("files"):
            followed.report(None, paths)  # nobody is told, now or later
            followed.moved("")
        elif paths and (records := followed.records_of(paths)):
            self._journal.append(records)

    def _begin_safely(self) -> None:
        """Record the event at which this round begins. An event at which processes died repeatedly is passed over."""
        first = next(_in_order(self._journal.unsettled(_AT_ONCE)), None)
        if first is None:
            return
        event = first[0]
        id, _, times = (self._store.workspace_info(_AT) or "").partition(":")
        number = int(times) + 1 if id == str(event.id) else 1
        if number > _GIVEN_UP:
            _LOG.error("event %d (%s) is settled without a look: %d processes died of it", event.id, event.kind, number)
            self._journal.settled(event.id)
            number = 0
        self._store.set_info(_AT, f"{event.id}:{number}")

    # -- one event ------------------------------------------------------------------------------------------------

    def followed(self, root: str) -> EditTracker:
        """The tracker of a checkout, "" for the workspace's own."""
        root = root or self._own
        found = self._followed.get(root)
        if found is None:
            found = self._followed[root] = EditTracker(self._context, self._screen, Path(root))
        return found

    def digested(self, event: Event, ahead: _UpcomingEvents) -> Event | None:
        """The event with its symbol changes; None when it only repeats an earlier one."""
        if event.kind in _EDITS:
            followed = self.followed(event.root)
            if not followed.known:
                followed.begin(ahead.edited | frozenset(event.paths))
            paths = [path for path in event.paths if event.kind is EventKind.EDIT or path not in ahead.edited]
            told = followed.report(event.id, paths)
            if event.kind is EventKind.FILES and not told.paths:
                return None  # somebody else said so
            changes = told.changes
            if event.kind is EventKind.EDIT:
                seen = set(paths) - {*told.paths}  # perhaps before the program that wrote them said so
                changes += self._journal.claim_changes(evolve(event, changes=changes), seen, _LATE)
        elif event.kind is EventKind.COMMIT:
            followed = self.followed(event.root)
            if not followed.known:
                followed.begin(ahead.edited)
            changes = followed.committed(event.id, event.commit)
        elif event.kind in _MOVES:
            if event.root:
                self._moved(event, self.followed(event.root), last=event.root not in ahead.moving)
            changes = ()
        else:
            return event
        return evolve(event, changes=changes)

    def _moved(self, event: Event, followed: EditTracker, *, last: bool) -> None:
        """Follow a git operation other than a commit, and record the files whose edits it took back."""
        if event.paths and event.kind in TAKING:  # such a record
            if event.kind is EventKind.STASH and not event.commit:
                followed.report(None, event.paths)  # brought back: their edits were reported before
            else:
                followed.taken_back(event.paths)
            return
        if event.kind is EventKind.STASH:
            stash, gone = event.commit, followed.stashed(event.commit)
        else:
            stash, gone = "", followed.moved(event.commit, last=last, undoes=event.kind is EventKind.RESET)
        if gone and event.kind in (*TAKING, EventKind.CHECKOUT):
            kind = EventKind.STASH if stash else EventKind.RESET
            self._journal.append([git_record(kind, gone, event.root, event.at.timestamp(), stash)])

    def settle_one(self, event: Event, ahead: _UpcomingEvents) -> Event:
        """Hand one event to every observer, then mark it as processed."""
        if not event.changes:  # else a process that died has told them
            undigested = event
            digested = self._isolated("digesting", event, lambda: self.digested(undigested, ahead), otherwise=event)
            if digested is None:
                self._journal.settled(event.id)
                return event
            event = digested
        episode = self._isolated("episodes", event, lambda: self._observers.episodes.observe(event))
        if episode:
            event = evolve(event, episode=episode)
        self._isolated("threads", event, lambda: self._observers.threads.observe(event))
        self._isolated("learning", event, lambda: self._observers.proposals.observe(event))
        self._journal.settled(event.id, episode=episode)
        return event

    def _isolated(
        self, what: str, event: Event | None, work: Callable[[], Result], otherwise: Result | None = None
    ) -> Result | None:
        """The result of `work`, or `otherwise` and a line in the log when it fails. Errors of the store are raised.

        Each failure is logged once: an error with one event mostly repeats with the next thousand.
        """
        try:
            return work()
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one feature's failure is its own
            where = f"event {event.id} ({event.kind})" if event else "the end of a round"
            mark = f"{what}: {type(error).__name__}: {error}"[:200]
            if mark in self._failures or len(self._failures) > _MOST_FAILURES:
                _LOG.debug("%s failed again at %s", what, where)
            else:
                self._failures.add(mark)
                _LOG.exception("%s failed at %s", what, where)
            return otherwise

    def _finish(self, round_: _IngestRound) -> None:
        """Bring the prepared answers of hooks up to date."""
        episodes, handoffs, now = self._observers.episodes, self._observers.handoffs, self._clock()
        touched = tuple(round_.paths), tuple(round_.sessions), tuple(round_.taken)
        self._isolated("episodes", None, lambda: episodes.close_due(now))
        self._isolated("handoffs", None, lambda: handoffs.refresh(*touched))
        self._isolated("age", None, self._prune)

    def _prune(self) -> None:
        now = self._clock()
        last = self._store.workspace_info("journal pruned")
        if last is None or now.timestamp() - float(last) > _PRUNED_EVERY.total_seconds():
            self._journal.prune(now=now)
            self._store.set_info("journal pruned", str(round(now.timestamp())))


@define(eq=False)
class _IngestRound:
    """The progress of one round."""

    settler: Ingester
    journal: EventRepository
    deadline: float
    cancelled: Callable[[], bool]
    events: int = 0
    changes: int = 0
    paths: dict[str, None] = field(factory=dict[str, None])
    taken: dict[str, None] = field(factory=dict[str, None])
    sessions: dict[tuple[str, str], None] = field(factory=dict[tuple[str, str], None])
    stopped: str = ""

    def run(self) -> None:
        """Process events until nothing is left or the time is over."""
        while events := self.journal.unsettled(_AT_ONCE):
            if any(event.kind is EventKind.SESSION_END for event in events):
                self.settler.read_git()  # a commit just before it
                events = self.journal.unsettled(_AT_ONCE)
            for event, ahead in _in_order(events):
                if monotonic() > self.deadline or self.cancelled():
                    self.stopped = "time"
                    return
                self._count(self.settler.settle_one(event, ahead))

    def _count(self, settled: Event) -> None:
        self.events += 1
        self.changes += len(settled.changes)
        self.paths.update(dict.fromkeys(settled.paths))
        if settled.kind in TAKING:
            self.taken.update(dict.fromkeys(settled.paths))
        if settled.session:
            self.sessions[settled.source, settled.session] = None


def _in_order(events: list[Event]) -> Iterator[tuple[Event, _UpcomingEvents]]:
    """The events by time, equals by arrival (git is read later than hooks report), each with the rest of the batch.
    Git notes seconds: what it did in the second in which a session ended counts as done before that end."""
    ends = {event.at.replace(microsecond=0): event.at for event in events if event.kind is EventKind.SESSION_END}

    def place(event: Event) -> tuple[datetime, bool, int]:
        end = ends.get(event.at.replace(microsecond=0)) if event.source == "git" else None
        return (end or event.at, end is None, event.id)

    ordered = sorted(events, key=place)
    found: list[_UpcomingEvents] = []
    ahead = _UpcomingEvents()
    for event in reversed(ordered):
        found.append(ahead)
        if event.kind is EventKind.EDIT:
            ahead = evolve(ahead, edited=ahead.edited | frozenset(event.paths))
        elif event.source == "git":
            ahead = evolve(ahead, moving=ahead.moving | {event.root})
    yield from zip(ordered, reversed(found), strict=True)


def _list_acts(store: Store, deadline: float, cancelled: Callable[[], bool]) -> None:
    """Read the acts of all active beliefs again where other rules read them, until `deadline` (of `monotonic`). What
    was begun goes on at the next call."""
    known, _, after = (store.workspace_info(ACTS_READ) or "").partition(" ")
    if store.read_only or (known == VERSION and not after):
        return
    after = after if known == VERSION else "-"
    while monotonic() < deadline and not cancelled():
        ids = store.active_ids(after, _BELIEFS_AT_ONCE)
        store.list_acts([(belief, acts_of(belief)) for belief in store.several(ids)])
        after = ids[-1] if ids else ""
        store.set_info(ACTS_READ, f"{VERSION} {after}".strip())
        if not ids:
            return
