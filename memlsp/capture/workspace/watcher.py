"""Watches a workspace for changes on disk and reports them in batches: one for a save, one for a branch switch.

When file system events are not available (too few inotify handles) or stop, files are compared by time and size every
few seconds instead.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from memlsp.capture.git.repository import find_repository, git_state, is_rebasing, is_writing, resolved
from memlsp.capture.workspace.file_events import FileObserver
from memlsp.capture.workspace.file_list import FileList
from memlsp.capture.workspace.ignore_rules import is_ignore_file
from memlsp.capture.workspace.stamp import Stamp, is_regular_file, stamp_of

# Files of the git folder that change with a checkout or with the index.
_GIT_FILES = frozenset(
    {"HEAD", "HEAD.lock", "index", "index.lock", "ORIG_HEAD", "packed-refs", "rebase-merge", "rebase-apply"}
)
MANY = 200  # more files than this at once are reported as "everything"
_LOG = logging.getLogger(__name__)
_LONGEST_GIT = 10.0  # seconds to wait for git; a lock that stays longer is left over from a crash
_REBASE_REST = 0.6  # seconds without a change after which a rebase waits for a person
_SUPERVISED_EVERY = 2.0
_STOP_WITHIN = 2.0


class Watcher:
    """Calls `on_change` with the paths (relative to `root`, posix) of files that were written, created or deleted; with
    None after a checkout, or when there are more than 200.

    `on_change` is called from the watcher's thread, never twice at once and never after `stop` returned, unless it
    takes longer than the two seconds that `stop` waits. In seconds: `debounce`, `longest` (for how long continuous
    changes are collected) and `rescan` (how often files are compared without events).
    """

    def __init__(
        self,
        root: Path,
        on_change: Callable[[Sequence[str] | None], None],
        *,
        debounce: float = 0.15,
        longest: float = 1.0,
        rescan: float = 3.0,
    ) -> None:
        self._root = resolved(root)
        self._on_change = on_change
        repository = find_repository(self._root)
        own = repository is not None and repository.top == self._root and not repository.bare
        self._git_folder = repository.git_folder if repository is not None and own else None
        self._files = FileList(self._root, git=own)
        self._debounce = debounce
        self._longest = longest
        self._rescan = rescan
        self._wake = threading.Condition()
        self._stopping = False
        self._pending: set[str] = set()
        self._folders_moved: set[str] = set()
        self._git_moved = False
        self._last_event = 0.0
        self._known: frozenset[str] = frozenset()
        self._lost = False  # some changes were missed
        self._stamps: dict[str, Stamp | None] = {}
        self._state = git_state(self._root)
        self._observer: FileObserver | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start to watch: changes after this call are reported. Does nothing when already started."""
        if self._thread is not None:
            return
        self._state = git_state(self._root)
        self._known = frozenset(self._files.paths())
        self._observe()
        self._thread = threading.Thread(target=self._run, name="memlsp-watcher", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop within about two seconds. May be called twice, before `start`, and from `on_change`."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_STOP_WITHIN)
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop(_STOP_WITHIN)

    def _observe(self) -> None:
        observer = FileObserver(self._root, self._git_folder, self._files, self._on_event)
        try:
            observer.start()
        except (OSError, RuntimeError) as problem:  # RuntimeError: no more threads
            observer.stop(_STOP_WITHIN)
            self._fall_back(str(problem))
        else:
            self._observer = observer

    def _fall_back(self, reason: str) -> None:
        said = "cannot watch %s for changes (%s); its files are compared every %g s instead"
        _LOG.warning(said, self._root, reason, self._rescan)
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop(_STOP_WITHIN)
        self._stamps = {path: stamp_of(self._root / path) for path in self._files.paths()}
        if self._thread is not None:  # changes in between are unknown
            with self._wake:
                self._lost = True
                self._wake.notify_all()

    def _on_event(self, path: str, folder: bool) -> None:
        """Handle an event; called in threads of watchdog."""
        git = self._git_folder
        if git is not None and (path == str(git) or path.startswith(f"{git}{os.sep}")):
            self._on_git_event(Path(path))
            return
        if not path.startswith(f"{self._root}{os.sep}"):
            return
        inner = path[len(str(self._root)) + 1 :].replace(os.sep, "/")
        if self._files.skips(inner, folder=folder):
            return
        with self._wake:
            (self._folders_moved if folder else self._pending).add(inner)
            self._last_event = time.monotonic()
            self._wake.notify_all()

    def _on_git_event(self, path: Path) -> None:
        if path.parent != self._git_folder or path.name not in _GIT_FILES:
            return
        with self._wake:
            self._git_moved = True
            self._last_event = time.monotonic()
            self._wake.notify_all()

    def _run(self) -> None:
        while self._wait_for_something() and self._wait_for_rest():
            try:
                changed = self._take()
            except Exception:  # noqa: BLE001  the watcher survives errors over a half-written tree
                _LOG.exception("could not tell what changed below %s", self._root)
                changed = None
            if changed is not None and not changed:
                continue
            try:
                if not self._stopping:
                    self._on_change(changed)
            except Exception:  # noqa: BLE001  and those of its listener
                _LOG.exception("a change was not handled")

    def _wait_for_something(self) -> bool:
        while True:
            with self._wake:
                watched = self._observer is not None
                self._wake.wait_for(self._has_news, _SUPERVISED_EVERY if watched else self._rescan)
                if self._stopping:
                    return False
                if self._has_news():
                    return True
            if watched:
                self._supervise()
            else:
                self._compare()

    def _has_news(self) -> bool:
        return self._stopping or self._git_moved or self._lost or bool(self._pending or self._folders_moved)

    def _wait_for_rest(self) -> bool:
        """Wait, within limits, until nothing changes and git is done. Returns False to end."""
        began = time.monotonic()
        with self._wake:
            while not self._stopping:
                self._wake.wait(self._debounce)
                now = time.monotonic()
                still = now - self._last_event
                if now - began > _LONGEST_GIT:
                    return True
                if self._git_is_busy(still):
                    continue
                if still >= self._debounce or (now - began > self._longest and not self._git_went_elsewhere()):
                    return True
            return False

    def _git_is_busy(self, still: float) -> bool:
        git = self._git_folder
        return git is not None and (is_writing(git) or (still < _REBASE_REST and is_rebasing(git)))

    def _git_went_elsewhere(self) -> bool:
        return self._git_moved and git_state(self._root) != self._state

    def _take(self) -> tuple[str, ...] | None:
        """Return the paths to report: None for everything, empty for nothing."""
        with self._wake:
            pending, self._pending = self._pending, set()
            folders, self._folders_moved = self._folders_moved, set()
            self._git_moved = False
            lost, self._lost = self._lost, False
        state = git_state(self._root) if self._git_folder is not None else self._state
        elsewhere, self._state = state != self._state, state
        if elsewhere or any(is_ignore_file(path.rpartition("/")[2]) for path in pending):
            self._files.forget()
        if elsewhere or folders:
            self._adjust()
            now = frozenset(self._files.paths())
            before, self._known = self._known, now
            moved = tuple(f"{folder}/" for folder in folders)
            pending.update(path for path in before | now if path.startswith(moved))
        else:
            before = self._known
        if elsewhere or lost or len(pending) > MANY:
            self._known = frozenset(self._files.paths())
            return None
        # temporary files of an editor are gone by now
        changed = {path for path in pending if path in before or is_regular_file(self._root / path)}
        self._known |= changed
        return tuple(sorted(changed))

    def _adjust(self) -> None:
        if self._observer is not None:
            try:
                self._observer.adjust()
            except (OSError, RuntimeError) as problem:
                self._fall_back(str(problem))

    def _supervise(self) -> None:
        if self._observer is None or self._observer.alive():
            return
        if not self._observer.running():
            self._fall_back("the watching stopped")
        elif self._root.exists():
            self._adjust()

    def _compare(self) -> None:
        """Without events: find the files that changed since the last time."""
        before = self._stamps
        self._stamps = now = {path: stamp_of(self._root / path) for path in self._files.paths()}
        changed = {path for path in now.keys() | before.keys() if now.get(path) != before.get(path)}
        git_moved = self._git_folder is not None and git_state(self._root) != self._state
        with self._wake:
            self._pending |= changed
            self._git_moved |= git_moved
