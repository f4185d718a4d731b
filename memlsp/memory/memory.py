"""`Memory`: the public Python API of one workspace's memory.

Questions about the beliefs at a place, and changes to one belief, are methods. Everything else belongs to a part named
after what it holds, such as `memory.episodes.list()` and `memory.review.queue()`; `services` creates the parts.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memlsp.capture.workspace.identity import resolve
from memlsp.capture.workspace.workspace_cache import find_workspace
from memlsp.capture.workspace.worktree import Worktree
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.judging.places import Places
from memlsp.memory.questions import Questions
from memlsp.memory.sharing.file_stamps import STATE, stamps_of
from memlsp.memory.sharing.team_exchange import address_of, is_due
from memlsp.memory.transfer.relocation import NOTICES_LEFT, note_root, shown_hints
from memlsp.memory.work.history_cache import HistoryCache
from memlsp.model.belief import FOLDER
from memlsp.model.caller import Caller
from memlsp.model.errors import MemlspError
from memlsp.model.place import Place, Workspace
from memlsp.store.core.locations import data_folder, inherit, store_path, user_store_path
from memlsp.store.store import open_store
from memlsp.version import VERSION

if TYPE_CHECKING:
    from memlsp.memory.sharing.shared_beliefs import SharedFiles
    from memlsp.model.belief import Author, BeliefKind, Limits, RevisionAction
    from memlsp.model.standing import Judgement
    from memlsp.model.view import HealthCheck, Stats, Status


_SETTLED = frozenset({"remote", "git", "folder"})
"""What a workspace is known by that needs no second look; an id is confirmed each time."""

_EDITOR_PATIENCE = 5.0  # seconds that a write of an editor waits for other processes, and hovers with it


def _workspace_of(start: Path, explicit: str | None, data: Path) -> Workspace:
    """The workspace of a folder or file, from the cache where that holds. Raises NoWorkspace."""
    if explicit is None and start.is_dir():
        known = find_workspace(os.path.abspath(start), str(data))  # noqa: PTH100  links stay: the cache knows them
        if known is not None and known.basis in _SETTLED:
            return Workspace(Path(known.root), known.key, known.name, known.basis, git=known.git, former=known.former)
    return resolve(start, explicit, data)


class Watching:
    """A running file watcher, with what has to be done when it ends."""

    def __init__(self, *endings: Callable[[], None]) -> None:
        self._endings = endings

    def stop(self) -> None:
        """Stop it; returns within a second or two."""
        for end in self._endings:
            end()


class Memory(Questions):
    """One workspace's memory. Use it as a context manager, or `close()` it. Safe to use from several threads.

    Errors of memlsp's own are always `MemlspError`s. A standing always describes the code at the time of the call,
    unsaved buffers included. Paths are relative to the workspace's root, with forward slashes. A `Place` may be written
    as people type it, relative to `base` (default: the process's working directory).
    """

    workspace: Workspace

    def __init__(self, context: Context) -> None:
        self.workspace = context.workspace
        self._context = context
        self._store = context.store
        self._user = context.user
        self._worktree = context.worktree
        self._histories = HistoryCache(context.store, context.worktree)
        self._places = Places(context)
        self._judgements = Judgements(context, self._places, self._histories)
        self._hindered = context.store.read_only
        self._left: list[str] = []  # notices that a process in the background left

    @classmethod
    def open(
        cls,
        start: str | Path = ".",
        *,
        data_dir: Path | None = None,
        workspace_id: str | None = None,
        clock: Callable[[], datetime] | None = None,
        patient: bool = True,
    ) -> Self:
        """Open the memory of the workspace that contains `start` (a file or a folder).

        `data_dir` replaces the platform's data folder. With `patient=False`, as in an editor, large files are parsed in
        another process: nothing is known of them until then, and `version` changes afterwards; and a write waits less
        long for other processes. Raises NoWorkspace when the folder is gone, StoreTooNew or StoreUnavailable when the
        store cannot be opened.
        """
        folder = data_dir or data_folder()
        workspace = _workspace_of(Path(start), workspace_id, folder)
        path = store_path(workspace.key, folder)
        for former in workspace.former:
            inherit(path, store_path(former, folder))
        patience = None if patient else _EDITOR_PATIENCE
        store = open_store(path, patience=patience)
        try:
            user_store = open_store(user_store_path(folder), patience=patience)
        except MemlspError:
            store.close()
            raise
        note_root(store, workspace, folder, chosen=workspace_id is not None)
        worktree = Worktree(workspace.root, git=workspace.git, patient=patient)
        return cls(Context(workspace, store, user_store, worktree, clock or (lambda: datetime.now(UTC)), folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the stores. The memory cannot be used afterwards."""
        if "survey" in self.__dict__:
            self.survey.end()
        if "events" in self.__dict__:
            self.events.close()
        self._judgements.close()
        self._worktree.close()
        self._histories.close()
        self._store.close()
        self._user.close()

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages to show a person once: a damaged store was set aside, a store cannot be written, a setting is wrong.
        New troubles add messages; solved ones remove theirs."""
        hindered, self._hindered = self._hindered, self._store.read_only
        if hindered and not self._store.read_only and self._user.read_only:
            with suppress(MemlspError):
                self._user.try_again()  # after a full disk, nobody else may write to it soon
        stores = [self._store]
        if not (self._store.read_only and self._user.read_only):  # else both have the same cause: one message
            stores.append(self._user)
        left = self._left_notices()  # first: it reads the store, which may meet damage
        return (*(store.notice for store in stores if store.notice), *left, *self._context.screen().settings.faults)

    def leave_notices(self) -> None:
        """Leave the notices about stores to the next process that shows them to a person, for one that nobody sees."""
        if found := [store.notice for store in self._context.stores if store.notice]:
            self._store.set_info(NOTICES_LEFT, "\n".join(found))

    def _left_notices(self) -> list[str]:
        with suppress(MemlspError):
            if not self._store.read_only and (found := self._store.workspace_info(NOTICES_LEFT)):
                self._store.set_info(NOTICES_LEFT, "")
                self._left += found.splitlines()
        return self._left

    @property
    def read_only(self) -> bool:
        """True while nothing can be stored. Writing then raises StoreUnavailable with the reason."""
        return self._store.read_only

    # -- writing ------------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        at: Sequence[Place] = (),
        kind: BeliefKind | None = None,
        limits: Limits | None = None,
        guards: Sequence[str] = (),
        because_of: Sequence[str] = (),
        by: Caller | None = None,
    ) -> Judgement:
        """Record a belief, tied to the places given. It is durable on return.

        Without `kind` it is read from the wording. `limits` say where and until when the belief applies; without a
        scope it is that of the places (symbol or file), or the whole workspace. `guards` are checks that it carries, as
        people write them: `must not requests.get($$$)`. `because_of` names the beliefs that it rests on.

        A statement repeated of the same places confirms the belief that is there. Raises BadValue for an empty or
        oversized text or a guard that cannot be read, NoSuchFile or NoSuchSymbol for a place, NoSuchBelief for a base.
        """
        return self._editor.remember(
            text, at=at, kind=kind, limits=limits, guards=guards, because_of=because_of, by=by or Caller()
        )

    def revise(
        self,
        id: str,
        action: RevisionAction | str,
        *,
        text: str | None = None,
        at: Place | None = None,
        guards: Sequence[str] | None = None,
        limits: Limits | None = None,
        by: Caller | None = None,
    ) -> Judgement:
        """Confirm, supersede, retire, admit, lock, unlock, reanchor, scope, report on or roll back a belief.

        The former state is kept. `supersede` takes the new statement in `text` and returns the new belief, with the
        guards of the old one unless `guards` are given; `admit` takes other words for a proposal there. `reanchor` goes
        to `at`, or to the only candidate. `scope` sets `limits`. `worked` and `failed` report the outcome of following
        it. `rollback` takes back the last revision, or the one whose number the caller's note names.

        Raises NoSuchBelief, BadValue for a missing value, Refused for an action of persons only and for a belief that
        somebody else revised at the same moment.
        """
        return self._editor.revise(id, action, text=text, at=at, guards=guards, limits=limits, by=by or Caller())

    # -- the editor and the disk ------------------------------------------------------------------------------------

    def open_buffer(self, path: str, text: str, version: int) -> None:
        """Use the editor's text for a file instead of the file on disk."""
        self._worktree.set_buffer(path, text, version)
        self._changed([path])

    def close_buffer(self, path: str) -> None:
        """Use the file on disk again."""
        self._worktree.drop_buffer(path)
        self._changed([path])

    def files_changed(self, paths: Sequence[str] | None) -> None:
        """Report changed files; None for many at once, as after a branch switch."""
        self._worktree.changed(paths)
        self._changed(paths)
        if paths is None or any(path.startswith(FOLDER) for path in paths):
            self.take_shared()

    def _changed(self, paths: Sequence[str] | None) -> None:
        self._judgements.changed(paths)
        if "_editor" in self.__dict__:
            self._editor.changed(paths)
        if "documents" in self.__dict__:
            self.documents.changed(paths)

    def take_shared(self) -> SharedFiles | None:
        """Take in what changed in the beliefs that the repository shares; None where it has none, or nothing can be
        stored."""
        if self.read_only or not (self.workspace.root / FOLDER).is_dir():
            return None
        with suppress(MemlspError):
            if stamps_of(self.workspace.root, self._worktree.head()) in (self._store.workspace_info(STATE) or ""):
                return None  # as they were, before anything is loaded
            return self.shared.take()
        return None

    def judge_ahead(self, seconds: float, stop: Callable[[], bool]) -> None:
        """Judge for about this long, in the background, so that the next question finds the standings kept."""
        self._judgements.standings.judge_ahead(self._store, seconds, stop)

    def is_exchange_due(self) -> bool:
        """True where a team's exchange is set up and its next time has come; `team.keep_up()` does it."""
        return is_due(self._store, self._context.clock())

    def relative(self, path: str | Path, base: Path | None = None) -> str:
        """Convert a typed path to the workspace's form. Raises Refused outside of the workspace, NoSuchFile."""
        return self._worktree.relative(path, base)

    def path_of(self, path: str | Path, base: Path | None = None) -> str:
        """Like `relative`, but also for a deleted file that has beliefs."""
        return self._places.find(Place(Path(path).as_posix()), base)[0]

    def version(self) -> tuple[int, ...]:
        """A value that changes when a process writes to the memory, or a file or buffer changes. Cheap to poll."""
        return self._judgements.version()

    def watch(self, on_change: Callable[[Sequence[str] | None], None]) -> Watching:
        """Watch the files. `on_change` is called in another thread with the paths, or None for many at once."""
        from memlsp.capture.workspace.watcher import Watcher

        def changed(paths: Sequence[str] | None) -> None:
            self._worktree.changed(paths)
            self._changed(paths)
            self.events.files(paths)
            on_change(paths)

        watcher = Watcher(self._worktree.root, changed)
        watcher.start()
        self._context.worktree.watchers += 1
        self.events.attend()

        def ended() -> None:
            self._context.worktree.watchers -= 1
            self.events.leave()

        return Watching(watcher.stop, ended)

    # -- about itself ---------------------------------------------------------------------------------------------

    def person(self) -> Author:
        """The person at this machine, as git knows them."""
        return self._context.person()

    def status(self) -> Status:
        """The memory in numbers."""
        from memlsp.model.view import Status

        standings = Counter(judgement.standing for judgement in self.beliefs(include_past=True))
        counts = {**self._store.counts(), **{f"user.{name}": number for name, number in self._user.counts().items()}}
        return Status(
            workspace=self.workspace,
            store_path=self._store.path,
            counts=tuple(sorted(counts.items())),
            standings=tuple(sorted(standings.items(), key=lambda item: item[0].severity)),
            branch=self._worktree.branch(),
            head=self._worktree.head(),
            version=VERSION,
            notices=(*self.notices, *shown_hints(self._context)),
        )

    def stats(self, *, most_judged: int | None = None) -> Stats:
        """Statistics: beliefs, the git history and its savings, caches, file sizes. With more beliefs than
        `most_judged`, standings and kinds are omitted."""
        from memlsp.memory.learning.onboarding import stats_of

        few = most_judged is None or self._store.counts()["beliefs"] <= most_judged
        judged = self.beliefs(include_past=True) if few else ()
        return stats_of(self.workspace, self._store, self._worktree, judged)

    def doctor(self) -> tuple[HealthCheck, ...]:
        """Run the health checks; failed ones carry advice."""
        from memlsp.memory.health.doctor import run_checks

        return (*run_checks(self._context), self.vectors.check(), *self._exchange_health())

    def _exchange_health(self) -> Sequence[HealthCheck]:
        if not address_of(self._store):
            return ()
        try:
            return tuple(self.team.health())
        except MemlspError as error:  # its package is not installed any more
            from memlsp.model.view import HealthCheck

            return (HealthCheck("team", ok=False, message=str(error), advice=error.hint),)
