"""Threads: events open and close them, and faces list them.

An edit opens the loose ends that it added relative to the checked-out commit; a commit opens those that it added
relative to its parent. So their order does not matter, and repeating one changes nothing. A checkout, a pull or a reset
opens no new thread: it only closes and reopens existing ones.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from attrs import evolve

from memlsp.capture.redaction.redaction import redact
from memlsp.episodes import code_threads as rules
from memlsp.episodes.code_threads import BY_HAND, CODE, SAID, EventContext, ThreadLookup, newest_first
from memlsp.episodes.file_comparison import FileComparison
from memlsp.memory.context import Context
from memlsp.memory.work.failing_tests import TestPlacement, updated_threads
from memlsp.memory.work.unfinished_code import Checkout, ThreadTargets
from memlsp.model.change import ChangeKind
from memlsp.model.errors import BadValue
from memlsp.model.event import Event, EventKind
from memlsp.model.thread import Thread, ThreadKind
from memlsp.store.tables.threads import KeptThread, StandingRemark

if TYPE_CHECKING:
    from memlsp.code.syntax.unfinished import LooseEnd, Unfinished
    from memlsp.model.view import PlacedThread

MOST_FILES = 200
"""Files of one event that are analysed; when it touches more, only those with threads are."""

_EDITS = frozenset({EventKind.EDIT, EventKind.FILES})
_MOVES = frozenset({EventKind.CHECKOUT, EventKind.MERGE, EventKind.REBASE, EventKind.RESET, EventKind.STASH})
_MOST_DERIVED = 40
_MOST_CLOSED = 200  # plan items and next steps of the past that a new one is compared with

log = logging.getLogger(__name__)


class Threads:
    """The open and closed threads of one workspace. Methods raise the errors of the store."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._worktree = context.worktree
        self._clock = context.clock
        self._checkouts: dict[str, Checkout] = {}

    # -- what events do -----------------------------------------------------------------------------------------------

    def observe(self, event: Event) -> None:
        """Open and close threads for an event. Repeating an event changes nothing."""
        if event.kind in _EDITS:
            self._edited(event)
        elif event.kind is EventKind.COMMIT:
            self._planned(event)
            self._committed_by(event)
        elif event.kind in _MOVES:
            self._checked_out(event)
        elif event.kind is EventKind.COMMAND:
            self._test_run(event)
        elif event.kind in {EventKind.PLAN, EventKind.SAY}:
            self._planned(event)

    def _edited(self, event: Event) -> None:
        checkout = self._checkout(event.root)
        paths = tuple(dict.fromkeys(event.paths))
        many = len(paths) > MOST_FILES
        if many:
            known = set(self._store.threads.paths(CODE))
            paths = tuple(path for path in paths if path in known)
        if not paths or checkout is None:
            return
        paths = checkout.relevant(paths, self._targets())
        now = checkout.present(paths)
        if checkout.has_git:
            self._compare(event, FileComparison(checkout.at_head(now), now), opens=not many)
        else:
            # without a commit the last observed state is the baseline; at first, new symbols are left out of it
            new = (change.new for change in event.changes if ChangeKind.ADDED in change.kinds)
            added = {(each.path, each.name) for each in new if each is not None}
            before = {path: self._earlier_state(path, found, added) for path, found in now.items()}
            self._compare(event, FileComparison(before, now), opens=not many)
            ends = {path: found.ends if found else () for path, found in now.items()}
            stood = {p: [StandingRemark(e.kind, e.mark, e.symbol, e.line) for e in held] for p, held in ends.items()}
            self._store.threads.write(stood=stood)
        self._close_removed_tests(event, now)

    def _committed_by(self, event: Event) -> None:
        checkout = self._checkout(event.root)
        if checkout is None:
            return
        before, paths = checkout.before(event.commit, self._targets(), most=MOST_FILES)
        now = checkout.present(paths)
        known = {path: found for path, found in before.items() if path in now}
        self._compare(event, FileComparison(known, now), opens=True, committed=True)
        self._close_removed_tests(event, now)

    def _targets(self) -> ThreadTargets:
        stubs = self._store.threads.open(None, (ThreadKind.STUB,))
        holders = {kept.thread.symbol.rpartition(".")[0].rpartition(".")[2] for kept in stubs}
        paths = self._store.threads.paths(tuple(ThreadKind))
        return ThreadTargets(frozenset(paths), tuple(sorted(holder.encode() for holder in holders if holder)))

    def _checked_out(self, event: Event) -> None:
        checkout = self._checkout(event.root)
        paths = self._store.threads.paths(CODE)[:MOST_FILES]
        if checkout is not None and paths:
            now = checkout.present(paths)
            self._compare(event, FileComparison(checkout.at_head(now), now), opens=False)

    def _compare(self, event: Event, comparison: FileComparison, *, opens: bool, committed: bool = False) -> None:
        threads = self._store.threads
        paths = dict.fromkeys((*comparison.before, *comparison.now))

        def here(found: list[KeptThread]) -> list[KeptThread]:
            return [kept for kept in found if kept.root in {"", event.root} or not Path(kept.root).exists()]

        updates = rules.thread_updates(
            comparison,
            ThreadLookup(threads.marked, threads.lost, self._is_implemented),
            _origin(event),
            open_=here([kept for path in paths for kept in threads.open(path, CODE)]),
            closed=here([kept for path in paths for kept in threads.closed(path, CODE)]),
            opens=opens,
        )
        lost = () if committed else updates.lost
        states = [evolve(kept, root=event.root) for kept in updates.states]
        threads.write(states, dropped=updates.dropped, lost=lost, committed=committed)
        self._close_implemented(event, comparison)

    def _checkout(self, root: str) -> Checkout | None:
        """The checkout that an event comes from, None for one that no longer exists. The worktrees and clones of a
        repository share one memory, and code removed from one of them may still be in another."""
        folder = Path(root) if root else self._worktree.root
        known = self._checkouts.get(str(folder))
        if known is None and folder.is_dir():
            known = self._checkouts[str(folder)] = Checkout(folder, self._context.screen().ignores)
        return known

    def _is_implemented(self, end: LooseEnd) -> bool:
        """True when a derived class elsewhere implements the stub: then the stub is an interface and no loose end."""
        holder, _, member = end.symbol.rpartition(".")
        name = holder.rpartition(".")[2]
        suffix = PurePosixPath(end.path).suffix
        for path in self._worktree.containing([name.encode()], suffixes=(suffix,), limit=_MOST_DERIVED):
            outlined = self._worktree.outline(path)
            if outlined and any(rules.provides(each, outlined, name, member) for each in outlined.symbols):
                return True
        return False

    def _close_implemented(self, event: Event, comparison: FileComparison) -> None:
        """Close the stubs that a newly written derived class implements."""
        outlines = [found.outline for found in comparison.now.values() if found]
        derived = [(each, outlined) for outlined in outlines for each in outlined.symbols if each.facts.bases]
        if not derived:
            return
        implemented: list[KeptThread] = []
        for kept in self._store.threads.open(None, (ThreadKind.STUB,)):
            holder, _, member = kept.thread.symbol.rpartition(".")
            name = holder.rpartition(".")[2]
            if name and any(rules.provides(each, outlined, name, member) for each, outlined in derived):
                implemented.append(_closed(kept, event.at, f"a class derived from {name} has the body"))
        self._store.threads.write(implemented)

    def _earlier_state(self, path: str, found: Unfinished | None, added: set[tuple[str, str]]) -> Unfinished | None:
        """The state of a file before the event, in a folder without git, from what the store knows of it."""
        known = self._store.threads.stood(path)
        if known is None or found is None:
            return _without_added(found, added)
        from memlsp.code.syntax.unfinished import LooseEnd

        ends = tuple(LooseEnd(each.kind, "", path, each.symbol, each.line, each.mark) for each in known)
        return evolve(found, ends=ends)

    # -- tests, plans, next steps -------------------------------------------------------------------------------------

    def _test_run(self, event: Event) -> None:
        """Open threads for failing tests; close those of tests that pass."""
        from memlsp.episodes.runner_output import read_run

        ok = event.ok if event.ok is not None else None if event.exit_code is None else event.exit_code == 0
        run = read_run(event.text, event.output, ok)
        if run is None:
            return
        placement = TestPlacement(self._worktree, event.folder, event.text)
        self._store.threads.write(updated_threads(run, event, _origin(event), placement, self._store.threads))

    def _planned(self, event: Event) -> None:
        """Open threads for the unfinished items of a plan and for the next steps that an agent announces; close those
        of finished items; note those that resemble a commit."""
        from memlsp.episodes.plan_threads import commit_notes, message_changes, plan_changes

        threads, origin = self._store.threads, _origin(event)
        kept = (*threads.open(None, SAID), *threads.closed(None, SAID, limit=_MOST_CLOSED))
        known = [each.thread for each in kept]
        if event.kind is EventKind.PLAN:
            states = plan_changes(event.plan, origin, known)
        else:
            follow = commit_notes if event.kind is EventKind.COMMIT else message_changes
            states = follow(event.text, origin, known)
        threads.write([KeptThread(thread) for thread in states])

    def _close_removed_tests(self, event: Event, now: dict[str, Unfinished | None]) -> None:
        """Close the thread of a failing test that was removed from its file."""
        removed: list[KeptThread] = []
        for path, found in now.items():
            for kept in self._store.threads.open(path, (ThreadKind.TEST,)):
                symbol = kept.thread.symbol
                if symbol and (found is None or found.outline.find(symbol) is None):
                    removed.append(_closed(kept, event.at, rules.REMOVED))
        self._store.threads.write(removed)

    # -- asking -------------------------------------------------------------------------------------------------------

    def open(self, path: str | None = None, *, kinds: Sequence[ThreadKind] | None = None) -> tuple[Thread, ...]:
        """The open threads, newest first; with `path` (relative to the root) those of one file."""
        return newest_first(kept.thread for kept in self._store.threads.open(path, kinds))

    def all(self, path: str | None = None, *, kinds: Sequence[ThreadKind] | None = None) -> tuple[Thread, ...]:
        """The open and closed threads, newest first."""
        threads = self._store.threads
        return newest_first(kept.thread for kept in (*threads.open(path, kinds), *threads.closed(path, kinds)))

    def at(self, path: str) -> tuple[PlacedThread, ...]:
        """The open threads of a file at their places in the editor's text, by line. A thread whose code is gone, or
        that has no place, is left out."""
        from memlsp.memory.work.placed_threads import locate_threads

        return locate_threads(path, self.open(path), self._worktree)

    def get(self, id: str) -> Thread:
        """A thread by its id or a unique prefix of it. Raises NotFound."""
        return self._store.threads.resolve(id).thread

    def close(self, id: str, why: str = "", *, by: str = "") -> Thread:
        """Close a thread by hand, so that its code does not reopen it. `by` is the person or program that closes it.
        Raises NotFound, and BadValue for a closed thread."""
        kept = self._store.threads.resolve(id)
        if not kept.thread.is_open:
            raise BadValue(f"thread {kept.thread.id} is closed already: {kept.thread.closed_by}")
        who = by or self._context.person().name
        reason = " ".join(redact(why).text.split())[:200]
        closed_by = f"{BY_HAND}{who}" + (f": {reason}" if reason else "")
        closed = evolve(kept.thread, closed_at=self._clock(), closed_by=closed_by)
        self._store.threads.write([evolve(kept, thread=closed)])
        return closed

    def hand_over(self, source: str, session: str, why: str) -> int:
        """Close the plan items and next steps of a session because somebody else took them; returns how many were
        closed. They open again when that session plans them again, or by `reopen`."""
        said = self._store.threads.open(None, SAID)
        mine = [kept for kept in said if (kept.thread.source, kept.thread.session) == (source, session)]
        now = self._clock()
        self._store.threads.write([_closed(kept, now, why) for kept in mine])
        return len(mine)

    def reopen(self, id: str) -> Thread:
        """Reopen a closed thread. Raises NotFound, and BadValue for an open one."""
        kept = self._store.threads.resolve(id)
        if kept.thread.is_open:
            raise BadValue(f"thread {kept.thread.id} is open")
        opened = evolve(kept.thread, closed_at=None, closed_by="")
        self._store.threads.write([evolve(kept, thread=opened)])
        return opened

    def version(self) -> int:
        """A number that changes whenever the open threads change, in any process. Cheap to poll."""
        return self._store.threads.generation()

    def scan(self, paths: Iterable[str] | None = None) -> tuple[LooseEnd, ...]:
        """Every remark and stub in the present files, by path and line. Opens no thread."""
        found: list[LooseEnd] = []
        checkout = Checkout(self._worktree.root, self._context.screen().ignores)
        for path in self._worktree.paths() if paths is None else paths:
            read = checkout.present((path,)).get(path)
            found += read.ends if read else ()
        return tuple(found)


def _origin(event: Event) -> EventContext:
    return EventContext(event.key, event.at, event.source, event.session, event.episode)


def _closed(kept: KeptThread, at: datetime, reason: str) -> KeptThread:
    return evolve(kept, thread=evolve(kept.thread, closed_at=at, closed_by=reason, note=""))


def _without_added(found: Unfinished | None, added: set[tuple[str, str]]) -> Unfinished | None:
    """The state of a file without the loose ends in new symbols."""
    if found is None:
        return None
    old = (end for end in found.ends if not any((end.path, name) in added for name in _with_containers(end.symbol)))
    return evolve(found, ends=tuple(old))


def _with_containers(name: str) -> list[str]:
    names: list[str] = []
    while name:
        names.append(name)
        name = name.rpartition(".")[0]
    return names or [""]
