"""Take events in: records of faces, saves of the editor, file changes that the watcher saw.

Each is kept at once, except for the watcher's: mostly an agent or the editor wrote the file and reports it a moment
later. So the watcher's paths are held for two seconds, and recorded only where the file still differs from its
baseline. Paths held when a process dies are found by the next one.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

from attrs import evolve

from memlsp.memory.context import Context
from memlsp.memory.ingest.files_record import files_record
from memlsp.memory.sharing.team_exchange import is_due
from memlsp.model.errors import MemlspError
from memlsp.model.event import Event, EventCount, EventKind, Session
from memlsp.store.core import spool
from memlsp.store.tables import journal
from memlsp.store.tables.event_repository import EventQuery

if TYPE_CHECKING:
    from memlsp.capture.redaction.event_filter import Screen
    from memlsp.memory.ingest.edit_tracker import EditTracker
    from memlsp.memory.ingest.ingest import Ingester, IngestResult, Observers
    from memlsp.memory.recall.vectors import Vectors

HELD = 2.0
"""Seconds that a path of the watcher waits for an event that names it."""

_REST = 3.0  # seconds after which nobody will say any more who wrote a file: hooks tell it at once, but after it
_TICK = 2.0  # seconds between two looks whether there is something to settle
_LONGEST_HELD = 60.0
_ENDS_WITHIN = 2.0
_AGAIN = 5.0  # seconds between the starts of two settlers
_OFTEN = 60.0  # the same, where nothing but background work waits
_LOG = logging.getLogger(__name__)
_running: list[subprocess.Popen[bytes]] = []  # settlers of this process: each outlives the memory that started it


class EventIntake:
    """Keep what happens in one workspace, and have it understood. Safe to use from any thread.

    `observers` gives the parts that learn from events, `vectors` those that are made in the background: both are loaded
    when they are needed.
    """

    def __init__(self, context: Context, observers: Callable[[], Observers], vectors: Callable[[], Vectors]) -> None:
        self._context = context
        self._observers = observers
        self._vectors = vectors
        self._store = context.store
        self._journal = context.store.journal
        self._root = context.worktree.root
        self._wake = threading.Condition()
        self._held: dict[str, float] = {}
        self._everything = False  # more changed than was named
        self._attending = 0
        self._thread: threading.Thread | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._started_at = -_OFTEN  # long ago, also soon after the machine has started
        self._settler: Ingester | None = None
        self._settler_lock = threading.Lock()

    # -- what comes in --------------------------------------------------------------------------------------------

    def take(self, records: Iterable[Mapping[str, object]]) -> journal.Counts:
        """Store records (those of `store.tables.journal`, redacted); durable when this returns. Raises StoreError.

        Records that are switched off or ignored are counted as dropped.
        """
        screen = self._context.screen()
        caps = journal.Caps(screen.settings.text, screen.settings.output, screen.settings.session, screen.settings.day)
        done = self._journal.append([self._screened(record, screen) for record in records], caps=caps)
        with self._wake:
            self._wake.notify_all()
        return done

    def _screened(self, record: Mapping[str, object], screen: Screen) -> Mapping[str, object]:
        source, session = str(record.get("source", "")), str(record.get("session", ""))
        whole = {"root": str(self._root), **record}
        reason = "off" if screen.why_off(source, session) else screen.sift(whole)
        return {"source": source, "dropped": reason} if reason else whole

    def saved(self, path: str) -> None:
        """Record that the editor wrote a file (relative to the root)."""
        record = self._record_now(EventKind.EDIT, "editor", paths=[path])
        self.take([record | {"key": f"save:{self._root}:{path}:{record['at']}"}])

    def files(self, paths: Sequence[str] | None) -> None:
        """Report files that changed on disk, None for many at once. Returns at once; nothing is stored yet."""
        now = monotonic()
        with self._wake:
            if paths is None:
                self._everything = True
            for path in paths or ():
                self._held.setdefault(path, now)
            self._wake.notify_all()

    def command(
        self,
        line: str,
        *,
        exit_code: int | None = None,
        folder: str = "",
        output: str = "",
        milliseconds: int | None = None,
        key: str = "",
    ) -> journal.Counts:
        """Record a command line that ended in a terminal; `folder` is relative to the root. Redacts and cuts it."""
        from memlsp.capture.redaction.redaction import redact  # late: most processes take nothing in

        personal = self._context.screen().settings.personal
        text, printed = redact(line, personal), redact(output, personal)
        short, cut = journal.shortened(text.text, journal.TEXT)
        shown, more = journal.shortened(printed.text, journal.OUTPUT)
        found = [*text.found, *printed.found]
        ok = None if exit_code is None else exit_code == 0
        record = self._record_now(EventKind.COMMAND, "terminal", text=short, output=shown, found=found, cut=cut + more)
        record |= {"ok": ok, "exit": exit_code, "ms": milliseconds, "folder": folder}
        return self.take([record | {"key": key or f"command:terminal:{record['at']}:{short}"}])

    def _record_now(self, kind: EventKind, source: str, **more: object) -> dict[str, object]:
        """The record of what happens at this moment, without a key."""
        at = round(self._context.clock().timestamp() * 1000)
        branch = self._context.worktree.branch() or ""
        return {"at": at, "kind": kind.value, "source": source, "branch": branch, **more}

    def tallies(self) -> tuple[EventCount, ...]:
        """The number of records by outcome."""
        return tuple(self._journal.tallies())

    def list(
        self, *, path: str | None = None, session: str | None = None, since: datetime | None = None, limit: int = 1_000
    ) -> tuple[Event, ...]:
        """The latest events that match every given filter, in order of arrival."""
        found = self._journal.events(EventQuery(path=path, session=session, since=since), limit=limit, newest=True)
        return tuple(reversed(found))

    def sessions(self, limit: int = 100) -> tuple[Session, ...]:
        """The sessions of the kept events, the one with the latest event first."""
        return tuple(self._journal.sessions(limit=limit))

    # -- settling -------------------------------------------------------------------------------------------------

    def settle(self, budget: float = 10.0) -> IngestResult:
        """Process the waiting events in this process, for at most about `budget` seconds. Raises StoreError.

        Where another process is at it, wait for it that long.
        """
        from memlsp.memory.ingest.ingest import Ingester  # late: parsing, git and the sentences

        deadline = monotonic() + budget
        with self._settler_lock:
            if self._settler is None:
                self._settler = Ingester(self._context, self._observers())
            while True:
                done = self._settler.settle(max(deadline - monotonic(), 0.0))
                if not done.stopped and self._note_held(everything=True):
                    more = self._settler.settle(max(deadline - monotonic(), 0.0))
                    done = evolve(more, events=more.events + done.events, changes=more.changes + done.changes)
                if done.stopped != "busy" or monotonic() > deadline:
                    return done
                if not self.behind():
                    return evolve(done, stopped="")
                sleep(0.05)

    @contextmanager
    def turn(self) -> Generator[Callable[[float, Callable[[], bool]], IngestResult] | None]:
        """Hold the turn while the block runs; for a process that does nothing else.

        Yields a function that processes events for so many seconds or until it is called off; None while another
        process has the turn.
        """
        from memlsp.memory.ingest.ingest import Ingester  # late, as above

        settler = Ingester(self._context, self._observers())
        self._store.makes_anew = self._context.user.makes_anew = False
        with self._journal.turn() as mine:
            yield (lambda budget, off: settler.settle_in_turn(monotonic() + budget, off, rest=_REST)) if mine else None

    def pending(self) -> bool:
        """True when events wait, in the store or in the spool."""
        return self._journal.pending() or spool.waiting(str(self.store_path)) > 0

    def behind(self) -> bool:
        """True when events wait, or git did something that was not read yet. Takes some milliseconds."""
        return self.pending() or self._git_moved()

    def _git_moved(self) -> bool:
        from memlsp.capture.git.reflog import has_moved
        from memlsp.capture.git.repository import find_repository, is_writing  # late, as above

        repository = find_repository(self._root)
        if repository is None or repository.top != self._root or is_writing(repository.git_folder):
            return False
        return has_moved(repository.git_folder, repository.common, self._journal.tree(str(self._root)).mark)

    @property
    def store_path(self) -> Path:
        """The file of the store."""
        return self._store.path

    def attend(self) -> None:
        """From now on, process events in the background: in a process of low priority, started by a thread that looks
        every two seconds."""
        with self._wake:
            self._attending += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._attend, name="memlsp-intake", daemon=True)
                self._thread.start()

    def leave(self) -> None:
        """End one `attend`. Held paths are recorded in time."""
        with self._wake:
            self._attending = max(self._attending - 1, 0)
            self._wake.notify_all()

    def close(self) -> None:
        """End every `attend`. The next process finds the held paths."""
        with self._wake:
            self._attending = 0
            self._wake.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(_ENDS_WITHIN)

    def _attend(self) -> None:
        look = True
        while self._attending:
            try:
                if look:
                    look = False
                    self._look()
                self._tick()
            except MemlspError as error:
                _LOG.info("%s", error)
            except Exception:  # noqa: BLE001 - the next look may go better
                _LOG.exception("what came in was not settled")
            with self._wake:
                if self._attending:
                    self._wake.wait(_TICK)
        self._thread = None

    def _look(self) -> None:
        """Start the settler if something happened while no process ran."""
        followed = self._followed(self._context.screen())
        if followed.known and (followed.base != followed.head() or followed.missed()):
            self._start_settler()

    def _followed(self, screen: Screen) -> EditTracker:
        from memlsp.memory.ingest.edit_tracker import EditTracker  # late, as above

        return EditTracker(self._context, screen)

    def _tick(self) -> None:
        if self._held or self._everything:
            self._note_held()
        # an editor's server starts the settler for vectors, and stays small: the encoder and what it needs take 30 MB
        small = not self._context.worktree.patient
        rested = monotonic() - self._started_at > _OFTEN
        exchange = rested and is_due(self._context.store, self._context.clock())
        if self.pending() or exchange or (small and rested and self._vectors().is_due()):
            self._start_settler()
        self._vectors().tend(stop=lambda: not self._attending, asked=small)

    def _note_held(self, *, everything: bool = False) -> bool:
        """Record the paths that were held long enough, or all, unless an event names them. True when some were
        recorded."""
        now = monotonic()
        with self._wake:
            due = [path for path, since in self._held.items() if everything or now - since >= HELD]
            oldest = min((self._held[path] for path in due), default=now)
            many, self._everything = self._everything, False
        if many and not everything and not self._start_settler():  # it looks for itself
            self._everything = True
        if not due:
            return False
        if self._journal.pending() and now - oldest < _LONGEST_HELD and not everything:
            return False  # an agent's edits are told first
        noted = self._note(due)
        with self._wake:
            for path in due:
                self._held.pop(path, None)
        return noted

    def _note(self, due: Sequence[str]) -> bool:
        screen = self._context.screen()
        if screen.why_off("files"):
            return False
        records: list[dict[str, object]] = []
        followed = self._followed(screen)
        if followed.known:
            records = followed.records_of(followed.differing(due))
        elif paths := [path for path in due if not screen.ignores(path)]:
            records = [files_record(paths, str(self._root), self._context.clock().timestamp())]
        if records:
            self._journal.append(records)
        return bool(records)

    def _start_settler(self) -> bool:
        """Start the settler unless one runs or was just started. True when one was started."""
        path = str(self._store.path)
        _running[:] = [child for child in _running if child.poll() is None]
        if self._child in _running:
            return False
        if monotonic() - self._started_at < _AGAIN or self._store.read_only or journal.is_being_settled(path):
            return False
        self._started_at = monotonic()
        try:
            self._child = _started(self._root, self._store.path, self._context.data_dir)
            _running.append(self._child)
        except OSError:
            _LOG.exception("no process for settling")
            return False
        return True


def _started(root: Path, store: Path, data: Path) -> subprocess.Popen[bytes]:
    from memlsp.capture.child_process import LOW_PRIORITY, environment

    return subprocess.Popen(  # noqa: S603 - our own program
        (sys.executable, "-P", "-m", "memlsp.memory.ingest.worker", str(root), "--data", str(data)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        cwd=store.parent,
        start_new_session=sys.platform != "win32",
        creationflags=LOW_PRIORITY,
    )
