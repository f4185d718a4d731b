"""Threads, as the door gives them: what events leave open, what closes it, and where it is shown.

An event opens what it added, measured against the commit that is checked out; a commit opens what it added, measured
against its parent. So it does not matter which of them is settled first, and settling one twice changes nothing. A
checkout, a pull or a reset opens nothing: it gives back and takes away what was opened before.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from attrs import evolve

from memlsp.capture.redaction.redaction import redact
from memlsp.episodes import code_threads as rules
from memlsp.episodes.code_threads import BY_HAND, CODE, SAID, EventContext, ThreadLookup, newest_first
from memlsp.episodes.file_comparison import FileComparison
from memlsp.memory.context import Context
from memlsp.memory.work.failing_tests import TestPlacement, settled_run
from memlsp.memory.work.unfinished_code import Checkout, Known
from memlsp.model.change import ChangeKind
from memlsp.model.errors import BadValue
from memlsp.model.event import Event, EventKind
from memlsp.model.thread import Thread, ThreadKind
from memlsp.store.tables.threads import KeptThread, StandingRemark

if TYPE_CHECKING:
    from memlsp.code.syntax.unfinished import LooseEnd, Unfinished
    from memlsp.model.view import PlacedThread

MOST_FILES = 200
"""Files that one event may touch to be looked into; of more, only those with threads are."""

_EDITS = frozenset({EventKind.EDIT, EventKind.FILES})
_MOVES = frozenset({EventKind.CHECKOUT, EventKind.MERGE, EventKind.REBASE, EventKind.RESET, EventKind.STASH})
_MOST_DERIVED = 40
_MOST_CLOSED = 200  # plan items and next steps of the past that a new one is compared with

log = logging.getLogger(__name__)


class Threads:
    """What is left open in one workspace. Methods raise what those of the store do."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._worktree = context.worktree
        self._clock = context.clock
        self._checkouts: dict[str, Checkout] = {}

    # -- what events do -----------------------------------------------------------------------------------------------

    def observe(self, event: Event) -> None:
        """Take an event into account. The same event again changes nothing."""
        if event.kind in _EDITS:
            self._edited(event)
        elif event.kind is EventKind.COMMIT:
            self._committed_by(event)
        elif event.kind in _MOVES:
            self._moved(event)
        elif event.kind is EventKind.COMMAND:
            self._ran(event)
        elif event.kind is EventKind.PLAN:
            self._planned(event)
        elif event.kind is EventKind.SAY:
            self._said(event)

    def _edited(self, event: Event) -> None:
        checkout = self._checkout(event.root)
        paths = tuple(dict.fromkeys(event.paths))
        many = len(paths) > MOST_FILES
        if many:
            known = set(self._store.threads.paths(CODE))
            paths = tuple(path for path in paths if path in known)
        if not paths or checkout is None:
            return
        paths = checkout.telling(paths, self._known())
        now = checkout.present(paths)
        if checkout.has_git:
            self._look(event, FileComparison(checkout.at_head(now), now), opens=not many)
        else:
            # no commit tells what was there before: what was seen last does, and at first that a symbol is new
            added = {
                (change.new.path, change.new.name)
                for change in event.changes
                if change.new is not None and ChangeKind.ADDED in change.kinds
            }
            before = {path: self._stood(path, found, added) for path, found in now.items()}
            self._look(event, FileComparison(before, now), opens=not many)
            ends = {path: found.ends if found else () for path, found in now.items()}
            stood = {
                path: [StandingRemark(e.kind, e.mark, e.symbol, e.line) for e in held] for path, held in ends.items()
            }
            self._store.threads.write(stood=stood)
        self._tests_gone(event, now)

    def _committed_by(self, event: Event) -> None:
        from memlsp.episodes.plan_threads import commit_notes

        self._note(commit_notes(event.text, _origin(event), self._said_before()))
        checkout = self._checkout(event.root)
        if checkout is None:
            return
        before, paths = checkout.before(event.commit, self._known(), most=MOST_FILES)
        now = checkout.present(paths)
        known = {path: found for path, found in before.items() if path in now}
        self._look(event, FileComparison(known, now), opens=True, committed=True)
        self._tests_gone(event, now)

    def _known(self) -> Known:
        stubs = self._store.threads.open(None, (ThreadKind.STUB,))
        holders = {kept.thread.symbol.rpartition(".")[0].rpartition(".")[2] for kept in stubs}
        paths = self._store.threads.paths(tuple(ThreadKind))
        return Known(frozenset(paths), tuple(sorted(holder.encode() for holder in holders if holder)))

    def _moved(self, event: Event) -> None:
        checkout = self._checkout(event.root)
        paths = self._store.threads.paths(CODE)[:MOST_FILES]
        if checkout is not None and paths:
            now = checkout.present(paths)
            self._look(event, FileComparison(checkout.at_head(now), now), opens=False)

    def _look(self, event: Event, scene: FileComparison, *, opens: bool, committed: bool = False) -> None:
        threads = self._store.threads
        paths = dict.fromkeys((*scene.before, *scene.now))

        def here(found: list[KeptThread]) -> list[KeptThread]:
            return [kept for kept in found if kept.root in {"", event.root} or not Path(kept.root).exists()]

        updates = rules.thread_updates(
            scene,
            ThreadLookup(threads.marked, threads.lost, self._provided),
            _origin(event),
            open_=here([kept for path in paths for kept in threads.open(path, CODE)]),
            closed=here([kept for path in paths for kept in threads.closed(path, CODE)]),
            opens=opens,
        )
        lost = () if committed else updates.lost
        states = [evolve(kept, root=event.root) for kept in updates.states]
        threads.write(states, dropped=updates.dropped, lost=lost, committed=committed)
        self._provided_now(event, scene)

    def _checkout(self, root: str) -> Checkout | None:
        """The checkout that an event was seen in: the worktrees and clones of a repository share one memory, and what
        is gone from one of them may stand in another. None for one that is not there any more."""
        folder = Path(root) if root else self._worktree.root
        known = self._checkouts.get(str(folder))
        if known is None and folder.is_dir():
            known = self._checkouts[str(folder)] = Checkout(folder, self._context.screen().ignores)
        return known

    def _provided(self, end: LooseEnd) -> bool:
        """True when a class elsewhere derives from the stub's and has the body: then the stub is an interface."""
        holder, _, member = end.symbol.rpartition(".")
        name = holder.rpartition(".")[2]
        suffix = PurePosixPath(end.path).suffix
        for path in self._worktree.containing([name.encode()], suffixes=(suffix,), limit=_MOST_DERIVED):
            outlined = self._worktree.outline(path)
            if outlined and any(rules.provides(each, outlined, name, member) for each in outlined.symbols):
                return True
        return False

    def _provided_now(self, event: Event, scene: FileComparison) -> None:
        """Close what a class provides that was written after the one it derives from."""
        outlines = [found.outline for found in scene.now.values() if found]
        derived = [(each, outlined) for outlined in outlines for each in outlined.symbols if each.facts.bases]
        if not derived:
            return
        provided: list[KeptThread] = []
        for kept in self._store.threads.open(None, (ThreadKind.STUB,)):
            holder, _, member = kept.thread.symbol.rpartition(".")
            name = holder.rpartition(".")[2]
            if name and any(rules.provides(each, outlined, name, member) for each, outlined in derived):
                provided.append(_closed(kept, event, f"a class derived from {name} has the body"))
        self._store.threads.write(provided)

    def _stood(self, path: str, found: Unfinished | None, added: set[tuple[str, str]]) -> Unfinished | None:
        """A file of a plain folder as it was, as far as anything is known of that."""
        known = self._store.threads.stood(path)
        if known is None or found is None:
            return _without(found, added)
        from memlsp.code.syntax.unfinished import LooseEnd

        ends = tuple(LooseEnd(each.kind, "", path, each.symbol, each.line, each.mark) for each in known)
        return evolve(found, ends=ends)

    # -- tests, plans, next steps -------------------------------------------------------------------------------------

    def _ran(self, event: Event) -> None:
        """Failing tests open, and are closed by a run in which they pass."""
        from memlsp.episodes.runner_output import read_run

        ok = event.ok if event.ok is not None else None if event.exit_code is None else event.exit_code == 0
        run = read_run(event.text, event.output, ok)
        if run is None:
            return
        placing = TestPlacement(self._worktree, event.folder, event.text)
        self._store.threads.write(settled_run(run, event, _origin(event), placing, self._store.threads))

    def _planned(self, event: Event) -> None:
        """Items that are not done open, and are closed by a plan in which they are."""
        from memlsp.episodes.plan_threads import plan_changes

        self._note(plan_changes(event.plan, _origin(event), self._said_before()))

    def _said(self, event: Event) -> None:
        """What an agent says comes next."""
        from memlsp.episodes.plan_threads import message_changes

        self._note(message_changes(event.text, _origin(event), self._said_before()))

    def _said_before(self) -> list[Thread]:
        threads = self._store.threads
        kept = (*threads.open(None, SAID), *threads.closed(None, SAID, limit=_MOST_CLOSED))
        return [each.thread for each in kept]

    def _note(self, states: Iterable[Thread]) -> None:
        self._store.threads.write([KeptThread(thread) for thread in states])

    def _tests_gone(self, event: Event, now: dict[str, Unfinished | None]) -> None:
        """A failing test that was taken out of its file fails no more."""
        gone: list[KeptThread] = []
        for path, found in now.items():
            for kept in self._store.threads.open(path, (ThreadKind.TEST,)):
                symbol = kept.thread.symbol
                if symbol and (found is None or found.outline.find(symbol) is None):
                    gone.append(_closed(kept, event, rules.REMOVED))
        self._store.threads.write(gone)

    # -- asking -------------------------------------------------------------------------------------------------------

    def open(self, path: str | None = None, *, kinds: Sequence[ThreadKind] | None = None) -> tuple[Thread, ...]:
        """What is open, newest first; of one file alone with `path` (relative to the root)."""
        return newest_first(kept.thread for kept in self._store.threads.open(path, kinds))

    def all(self, path: str | None = None, *, kinds: Sequence[ThreadKind] | None = None) -> tuple[Thread, ...]:
        """What is open and what was closed, newest first."""
        threads = self._store.threads
        return newest_first(kept.thread for kept in (*threads.open(path, kinds), *threads.closed(path, kinds)))

    def at(self, path: str) -> tuple[PlacedThread, ...]:
        """The open threads of a file where they stand in its text as the editor has it now, by line. What is gone from
        there already, or has no place, is left out."""
        from memlsp.memory.work.placed_threads import placed

        return placed(path, self.open(path), self._worktree)

    def get(self, id: str) -> Thread:
        """A thread by its id or a unique beginning of it. Raises NotFound."""
        return self._store.threads.resolve(id).thread

    def close(self, id: str, why: str = "", *, by: str = "") -> Thread:
        """Close a thread by hand; its code does not open it again. `by` is who did it. Raises NotFound, and BadValue
        for one that is closed already."""
        kept = self._store.threads.resolve(id)
        if not kept.thread.is_open:
            raise BadValue(f"thread {kept.thread.id} is closed already: {kept.thread.closed_by}")
        who = by or self._context.person().name
        reason = " ".join(redact(why).text.split())[:200]
        told = f"{BY_HAND}{who}" + (f": {reason}" if reason else "")
        closed = evolve(kept.thread, closed_at=self._clock(), closed_by=told)
        self._store.threads.write([evolve(kept, thread=closed)])
        return closed

    def hand_over(self, source: str, session: str, why: str) -> int:
        """Close what a session planned and said would come next, because somebody else took it: how many there were.
        That session opens it again if it plans it again, and `reopen` does by hand."""
        mine = [
            kept
            for kept in self._store.threads.open(None, SAID)
            if (kept.thread.source, kept.thread.session) == (source, session)
        ]
        now = self._clock()
        self._store.threads.write(
            [evolve(kept, thread=evolve(kept.thread, closed_at=now, closed_by=why, note="")) for kept in mine]
        )
        return len(mine)

    def reopen(self, id: str) -> Thread:
        """Take a closing back. Raises NotFound, and BadValue for one that is open."""
        kept = self._store.threads.resolve(id)
        if kept.thread.is_open:
            raise BadValue(f"thread {kept.thread.id} is open")
        opened = evolve(kept.thread, closed_at=None, closed_by="")
        self._store.threads.write([evolve(kept, thread=opened)])
        return opened

    def version(self) -> int:
        """A number that moves when what is open moved, whoever moved it. Cheap: poll it."""
        return self._store.threads.generation()

    def scan(self, paths: Iterable[str] | None = None) -> tuple[LooseEnd, ...]:
        """Every remark and stub in the files as they are, new or old, by path and line. Opens nothing."""
        found: list[LooseEnd] = []
        checkout = Checkout(self._worktree.root, self._context.screen().ignores)
        for path in self._worktree.paths() if paths is None else paths:
            read = checkout.present((path,)).get(path)
            found += read.ends if read else ()
        return tuple(found)


def _origin(event: Event) -> EventContext:
    return EventContext(event.key, event.at, event.source, event.session, event.episode)


def _closed(kept: KeptThread, event: Event, reason: str) -> KeptThread:
    return evolve(kept, thread=evolve(kept.thread, closed_at=event.at, closed_by=reason, note=""))


def _without(found: Unfinished | None, added: set[tuple[str, str]]) -> Unfinished | None:
    """The state of a file without what stands in symbols that are new."""
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
