"""`Memory`: the public Python API of one workspace's memory.

Questions about the beliefs at a place, and changes to one belief, are methods. Everything else belongs to a part named
after what it holds, such as `memory.episodes.list()` and `memory.review.queue()`; `services` creates the parts.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memlsp.capture.workspace.identity import resolve
from memlsp.capture.workspace.workspace_cache import find_workspace
from memlsp.capture.workspace.worktree import Worktree
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.judging.places import Places
from memlsp.memory.services import Services
from memlsp.memory.sharing.file_stamps import STATE, stamps_of
from memlsp.memory.transfer.relocation import NOTICES_LEFT, note_root, shown_hints
from memlsp.memory.work.history_cache import HistoryCache
from memlsp.model.belief import FOLDER
from memlsp.model.caller import Caller, Cancel, Progress
from memlsp.model.errors import MemlspError
from memlsp.model.place import Place, Workspace
from memlsp.store.core.locations import data_folder, inherit, store_path, user_store_path
from memlsp.store.store import open_store
from memlsp.version import VERSION

if TYPE_CHECKING:
    from memlsp.memory.sharing.shared_beliefs import SharedFiles
    from memlsp.model.belief import (
        Author,
        BeliefKind,
        Breach,
        ConfidenceStep,
        Limits,
        Revision,
        RevisionAction,
        ScopeKind,
    )
    from memlsp.model.difference import Difference
    from memlsp.model.episode import CommitEpisode, CommitRef, OnboardingProgress, SymbolHistory
    from memlsp.model.recall import Recall, RecallOptions, Receipt, TellingSummary
    from memlsp.model.review import Conflict
    from memlsp.model.standing import Judgement, Standing
    from memlsp.model.symbol import Symbol
    from memlsp.model.view import (
        BeliefGraph,
        CommitDone,
        HealthCheck,
        Lens,
        Stats,
        Status,
        SymbolSpot,
        UnheldBelief,
        Why,
    )


_LONGEST_KEPT = 2_000  # characters of a question or place
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


class Memory(Services):
    """One workspace's memory. Use it as a context manager, or `close()` it. Safe to use from several threads.

    Errors of memlsp's own are always `MemlspError`s. A standing always describes the code at the time of the call,
    unsaved buffers included. Paths are relative to the workspace's root, with forward slashes. A `Place` may be written
    as people type it, relative to `base` (default: the process's working directory).
    """

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
        faults = self._context.screen().settings.faults
        return (*(store.notice for store in stores if store.notice), *self._left_notices(), *faults)

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

    # -- reading ------------------------------------------------------------------------------------------------

    def belief(self, id: str) -> Judgement:
        """The belief with this id or unique prefix. Raises NoSuchBelief."""
        return self._judgements.get(id)

    def confidence(self, id: str) -> tuple[ConfidenceStep, ...]:
        """How a belief's confidence came about, one step for each revision, oldest first. Raises NoSuchBelief."""
        from memlsp.beliefs.lifecycle.confidence import replay

        store, belief = self._context.find(id)
        revisions = store.revisions(belief.id)
        first = store.state_before(belief.id, revisions[1].number) if len(revisions) > 1 else belief
        return replay((first or belief).authority, revisions)

    def surroundings(self, id: str, *, steps: int = 2, most: int = 12) -> BeliefGraph:
        """The graph around a belief: its bases, dependents, predecessors, successors and contradictions, up to `steps`
        away and limited in number. Raises NoSuchBelief."""
        from memlsp.memory.curation.related_beliefs import surroundings  # late: few ask for it

        return surroundings(
            self._context, self._judgements, self.conflicts, self._judgements.get(id), steps=steps, most=most
        )

    def breaches(self, id: str) -> tuple[Breach, ...]:
        """Every place that breaks one of a belief's guards, by file. Raises NoSuchBelief."""
        return self._judgements.guards.breaches(self.belief(id))

    def revisions(self, id: str) -> tuple[Revision, ...]:
        """The revisions of a belief, oldest first. Raises NoSuchBelief."""
        store, belief = self._context.find(id)
        return tuple(store.revisions(belief.id))

    def beliefs(
        self,
        *,
        standings: Collection[Standing] | None = None,
        kinds: Collection[BeliefKind] | None = None,
        scopes: Collection[ScopeKind] | None = None,
        include_past: bool = False,
        path: str | None = None,
        limit: int | None = None,
        cancelled: Cancel | None = None,
    ) -> tuple[Judgement, ...]:
        """All beliefs with their standing, oldest first; superseded and retired ones only with `include_past`.
        `cancelled` is called before each; when it returns True, the result is empty."""
        return self._judgements.all(
            standings=standings,
            kinds=kinds,
            scopes=scopes,
            include_past=include_past,
            path=path,
            limit=limit,
            cancelled=cancelled,
        )

    def open_conflicts(self, judgements: Iterable[Judgement]) -> tuple[Conflict, ...]:
        """The conflicts of these beliefs that nobody has settled, each once."""
        ids = [judgement.belief.id for judgement in judgements]
        if not any(store.conflicts.of(*ids) for store in self._context.stores):
            return ()  # the usual case, for which the rules of contradictions are not loaded
        return self.conflicts.of(*ids)

    def attention(self, path: str | None = None) -> tuple[Judgement, ...]:
        """The beliefs that do not hold, worst first, then by authority; only those visible on this branch."""
        return self._judgements.attention(path)

    def applying(self, path: str, line: int) -> tuple[Judgement, ...]:
        """The beliefs that apply at a line (from 1) of a file, highest authority first.

        They are tied to the symbol there, to an enclosing symbol, to the file or to a path glob, or they are of the
        workspace or the user and name the symbol. Empty for a file that cannot be read.
        """
        return self._judgements.applying(path, line)

    def about(self, path: str, *, globs: bool = True) -> tuple[Judgement, ...]:
        """The beliefs tied to a file, and with `globs` those whose path glob matches it, highest authority first."""
        return self._judgements.about(path, globs=globs)

    def why(
        self, place: Place, *, base: Path | None = None, history_limit: int = 10, history_deadline: float | None = None
    ) -> Why:
        """Explain a place: the beliefs that apply there and the symbol's git history. For a deleted symbol, the beliefs
        that were tied to it. Raises NoSuchFile, NoSuchSymbol, Refused (outside the workspace)."""
        return self._judgements.why(place, base, history_limit=history_limit, history_deadline=history_deadline)

    def history(
        self,
        place: Place,
        *,
        base: Path | None = None,
        limit: int = 20,
        deadline: float | None = None,
        cancelled: Cancel | None = None,
    ) -> SymbolHistory:
        """The commits that changed the meaning of the symbol at a place, newest first. `deadline` is in seconds from
        now."""
        path, symbol, name = self._places.find(place, base)
        if symbol is None:
            raise self._places.missing(path, name)
        history = self._histories.read(
            path, symbol.name, ordinal=symbol.ordinal, limit=limit, deadline=deadline, cancelled=cancelled
        )
        if symbol.name or not history.changes:
            return history
        from memlsp.memory.learning.onboarding import with_symbol_changes

        return with_symbol_changes(self._store, history)

    def diff(
        self,
        revisions: Sequence[str] = (),
        paths: Sequence[str] | None = None,
        *,
        staged: bool = False,
        base: Path | None = None,
        progress: Progress | None = None,
    ) -> Difference:
        """The difference by symbols between HEAD and the files on disk, a revision and the files, or two revisions;
        with `staged` the index replaces the files.

        `paths` limits it; with None, words that are no revisions and name files are taken as paths. `progress` is
        called with the numbers of files read and to read. When one side is the files on disk, each change lists the
        beliefs that it breaks. Raises NoRepository, NoSuchRevision, BadValue, NoSuchFile.
        """
        from memlsp.capture.git.semantic_diff import difference  # late: parsing, git and the sentences
        from memlsp.memory.work.differences import with_broken_beliefs

        base = base or Path.cwd()
        found = difference(self._worktree, revisions, paths, base=base, staged=staged, progress=progress)
        return with_broken_beliefs(found, self.attention)

    def commit(self, name: str = "HEAD") -> CommitDone:
        """The changes of one commit by symbols; for a merge, relative to its first parent. Raises NoRepository,
        NoSuchRevision."""
        from memlsp.memory.work.differences import commit_changes  # late, as above

        return commit_changes(self._worktree, name)

    def onboard(
        self,
        *,
        most: int | None = None,
        progress: Callable[[OnboardingProgress], None] | None = None,
        cancelled: Cancel | None = None,
    ) -> OnboardingProgress:
        """Read the git history into symbol changes, newest first, at most the newest `most` commits (default 2,000).

        It continues an earlier run, and returns at once when nothing is left to read, another process is reading
        (`stopped` is `busy`) or the store cannot be written. `progress` is called after each commit, `cancelled` before
        each.
        """
        from memlsp.memory.learning.onboarding import MOST_COMMITS, onboard  # late, as above

        most = MOST_COMMITS if most is None else most
        state = onboard(self._context, most=most, progress=progress, cancelled=cancelled)
        self._judgements.provenance.prepare()
        return state

    @cached_property
    def commit_page(self) -> str:
        """The web address of this repository's commits, a hash to be added; "" where its origin has no known host."""
        from memlsp.capture.git.remote import commit_page  # late: hovers alone link to commits
        from memlsp.capture.git.repository import config_value, find_repository

        repository = find_repository(self._worktree.root)
        return commit_page(config_value(repository, "remote.origin.url") or "") if repository else ""

    def last_change(self, path: str, symbol: str) -> CommitRef | None:
        """The last commit that changed the meaning of a symbol (dotted name; "" for the whole file). None when that
        takes more than a second to find out."""
        return self._judgements.provenance.last_change(path, symbol)

    def commit_episodes(self, path: str | None = None, *, limit: int = 20) -> tuple[CommitEpisode, ...]:
        """The commits that were read, newest first, with their symbol changes; with `path` (relative to the root) only
        those that changed the file, limited to its changes."""
        if path is None:
            return tuple(self._store.past.episodes(limit))
        from memlsp.memory.learning.onboarding import episodes_at

        return episodes_at(self._store, path, limit)

    def recall(self, query: str, options: RecallOptions | None = None, *, asker: str = "python") -> Recall:
        """Answer a question: ranked, explained, within a budget; beliefs that do not hold come last with their caveat.

        A belief learned on a branch whose work is not checked out is left out, unless the options say otherwise;
        commits and episodes that bear on the question come too. Records a receipt. Raises BadValue for an `as_of` that
        is neither commit nor time, NoSuchFile and NoSuchSymbol for the place.
        """
        from memlsp.model.recall import RecallOptions  # late, as above

        return self._recaller.ask(query, options or RecallOptions(), asker=asker)

    def record_telling(
        self, surface: str, beliefs: Sequence[str], text: str, *, asker: str, session: str = "", about: str = ""
    ) -> None:
        """Write a receipt of beliefs (ids) that were told in `text` on a `surface` other than recall, such as a hover.
        `about` is the place or question, `session` the source and its name for the session."""
        from memlsp.model.recall import Receipt
        from memlsp.recall.budget import tokens_of  # late, as above

        now, query = self._context.clock(), self._context.redacted(about)[:_LONGEST_KEPT]
        record = Receipt(0, now, asker, query, tuple(beliefs), (), tokens_of(text), surface=surface, session=session)
        with suppress(MemlspError):  # the answer was given; its receipt matters less
            self._store.add_receipt(record)

    def receipts(self, limit: int = 50, *, belief: str | None = None) -> tuple[Receipt, ...]:
        """The records of what was told, on every surface, newest first; with `belief` (an id or a unique prefix) those
        that served it. The latest 5,000 are kept. Raises NoSuchBelief."""
        return tuple(self._store.receipts(limit, self._context.find(belief)[1].id if belief is not None else None))

    def tellings(self) -> TellingSummary:
        """What agents were told, in numbers."""
        return self._store.tellings()

    def served(self, id: str, limit: int = 50) -> tuple[Receipt, ...]:
        """The latest receipts that have a belief, newest first. Serving a belief changes neither its confidence nor
        its rank. Raises NoSuchBelief."""
        return self.receipts(limit, belief=id)

    def lenses(self, path: str) -> tuple[Lens, ...]:
        """The symbols of a file that have beliefs, in the file's order."""
        return self._judgements.lenses(path)

    def findings(self, path: str) -> tuple[UnheldBelief, ...]:
        """The beliefs that do not hold in this file, then the breaches of guards, each in the file's order."""
        return self._judgements.findings(path)

    def symbol_at(self, path: str, line: int) -> Symbol | None:
        """The innermost symbol at a line (from 1), or the whole file; None for a file that cannot be read."""
        outline = self._worktree.outline(path)
        return outline.at(line - 1) if outline else None

    def symbol_named(self, path: str, name: str) -> SymbolSpot | None:
        """The position of a symbol's defining name, by dotted name or a unique suffix of it."""
        outline = self._worktree.outline(path)
        found = outline.named(name) if outline else ()
        from memlsp.memory.judging.placement import spot_of  # late, as above

        return spot_of(found[0]) if len(found) == 1 else None

    def problem(self, path: str) -> str | None:
        """Why a file cannot be read (binary, too large, no permission). Returned once, then None until the reason
        changes."""
        return self._worktree.problem(path)

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
        self._judgements.watchers += 1
        self.events.attend()

        def ended() -> None:
            self._judgements.watchers -= 1
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

        return (*run_checks(self._context), self.vectors.check())
