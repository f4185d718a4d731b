"""`Memory`: the public Python API, the list of what can be asked of one workspace's memory and done to it.

A question about the beliefs at a place in the code, or a change to one belief, is a method. Everything else is asked of
a part that is named by what it holds: `memory.episodes.list()`, `memory.review.queue()`. The parts are made in
`services`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from memlsp.beliefs.lifecycle.admission import Limits
from memlsp.capture.workspace.identity import resolve
from memlsp.capture.workspace.worktree import Worktree
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.judging.placement import spot_of
from memlsp.memory.judging.places import Places
from memlsp.memory.services import Services
from memlsp.memory.transfer.relocation import note_root
from memlsp.memory.work.history_cache import HistoryCache
from memlsp.model.belief import Author, BeliefKind, Breach, Revision, RevisionAction, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.difference import Difference
from memlsp.model.episode import CommitEpisode, CommitRef, OnboardingProgress, SymbolHistory
from memlsp.model.errors import MemlspError
from memlsp.model.place import Place
from memlsp.model.recall import Recall, RecallOptions, Receipt
from memlsp.model.standing import Judgement, Standing
from memlsp.model.symbol import Symbol
from memlsp.model.view import BeliefGraph, CommitDone, HealthCheck, Lens, Stats, Status, SymbolSpot, UnheldBelief, Why
from memlsp.store import data_folder, inherit, open_store, store_path, user_store_path
from memlsp.version import VERSION

if TYPE_CHECKING:
    from memlsp.model.belief import ConfidenceStep


class Watching(Protocol):
    """A running file watcher."""

    def stop(self) -> None:
        """Stop it; returns within a second or two."""
        ...


class Memory(Services):
    """One workspace's memory. Use as a context manager, or `close()` it. Safe to use from several threads.

    Every method may raise `MemlspError` and no other error of ours. Standing is always that of the code at the moment
    of asking, unsaved buffers included. Paths are relative to the workspace's root with posix separators; a `Place` may
    be written as people type it, relative to `base` (default: the process's working directory).
    """

    def __init__(self, context: Context) -> None:
        self.workspace = context.workspace
        self._context = context
        self._store = context.store
        self._user = context.user
        self._worktree = context.worktree
        self._histories = HistoryCache(context.store, context.worktree)
        self._places = Places(context.worktree, lambda path: bool(context.store.anchored_at(path)))
        self._judgements = Judgements(context, self._places, self._histories)
        self._hindered = context.store.read_only

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
        """The memory of the workspace that holds `start` (a file or a folder).

        `data_dir` replaces the platform's data folder. Who is not `patient`, an editor say, is not held up by large
        files: they are read in another process, nothing is known of them meanwhile, and `version` moves afterwards.
        Raises NoWorkspace when the folder is gone, StoreTooNew or StoreUnavailable when the store cannot be opened.
        """
        workspace = resolve(Path(start), workspace_id)
        folder = data_dir or data_folder()
        path = store_path(workspace.key, folder)
        for former in workspace.former:
            inherit(path, store_path(former, folder))
        store = open_store(path)
        try:
            user_store = open_store(user_store_path(folder))
        except MemlspError:
            store.close()
            raise
        note_root(store, workspace.root)
        worktree = Worktree(workspace.root, git=workspace.git, patient=patient)
        return cls(Context(workspace, store, user_store, worktree, clock or (lambda: datetime.now(UTC)), folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the stores. The memory is of no use afterwards."""
        if "events" in self.__dict__:
            self.events.close()
        self._worktree.close()
        self._histories.close()
        self._store.close()
        self._user.close()

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should be told once: a damaged store set aside, a store that cannot be written. It grows when
        that happens later, and what is over is gone from it."""
        hindered, self._hindered = self._hindered, self._store.read_only
        if hindered and not self._store.read_only and self._user.read_only:
            with suppress(MemlspError):
                self._user.try_again()  # most often one disk was full, and nobody may write there for long
        stores = [self._store]
        if not (self._store.read_only and self._user.read_only):  # one folder, one reason, one sentence
            stores.append(self._user)
        return tuple(store.notice for store in stores if store.notice)

    @property
    def read_only(self) -> bool:
        """True when nothing can be remembered now; then writing raises StoreUnavailable, which says why."""
        return self._store.read_only

    # -- writing ------------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        at: Sequence[Place] = (),
        kind: BeliefKind | None = None,
        scope: Scope | None = None,
        author: Author | None = None,
        source: str = "python",
        expires_at: datetime | None = None,
        guards: Sequence[str] = (),
        conditions: Sequence[tuple[str, str]] = (),
        because_of: Sequence[str] = (),
        stale_after: int | None = None,
        session: str = "",
        base: Path | None = None,
    ) -> Judgement:
        """Hold a statement true, tied to the places given. Durable when this returns.

        Without `kind` it is read from the wording; without `scope` it is that of the places (symbol or file), or the
        whole workspace. `guards` are checks that it carries, as people write them: `must not requests.get($$$)`.
        `conditions` say where it applies (`("env", "staging")`), `because_of` names beliefs that it rests on,
        `stale_after` the days after which it has to be confirmed, `session` who taught it in one sitting. What is said
        again of the same places confirms the belief that is there, and no second one is made. Raises BadValue for an
        empty or oversized text or a guard that cannot be read, NoSuchFile or NoSuchSymbol for a place, NoSuchBelief for
        one that it should rest on.
        """
        limits = Limits(tuple(conditions) or None, expires_at, stale_after=stale_after, scope=scope)
        by = Caller(author, source, session, base)
        return self._editor.remember(text, at=at, kind=kind, limits=limits, guards=guards, because_of=because_of, by=by)

    def revise(
        self,
        id: str,
        action: RevisionAction | str,
        *,
        text: str | None = None,
        at: Place | None = None,
        note: str = "",
        author: Author | None = None,
        source: str = "python",
        guards: Sequence[str] | None = None,
        conditions: Sequence[tuple[str, str]] | None = None,
        expires_at: datetime | None = None,
        forever: bool = False,
        stale_after: int | None = None,
        scope: Scope | None = None,
        session: str = "",
        base: Path | None = None,
    ) -> Judgement:
        """Confirm, supersede, retire, admit, lock, unlock, reanchor, scope, report on or roll back a belief; the former
        state is kept.

        `supersede` takes the new statement in `text` and returns the new belief, which keeps the guards of the old one
        unless `guards` are given; `admit` takes other words for a proposal there. `reanchor` goes to `at`, or to the
        only candidate there is. `scope` says where it applies: `conditions` in place of those it has, `expires_at` or
        `forever`, `stale_after` in days (0 for never), another `scope`. `worked` and `failed` report what came of
        following it. `rollback` takes back the last revision, or the one whose number `note` names. Raises
        NoSuchBelief, BadValue (what is missing), Refused (what only persons may do, and a belief that somebody else
        revised at the same moment).
        """
        limits = Limits(None if conditions is None else tuple(conditions), expires_at, forever, stale_after, scope)
        by = Caller(author, source, session, base, note)
        return self._editor.revise(id, action, text=text, at=at, guards=guards, limits=limits, by=by)

    # -- reading ------------------------------------------------------------------------------------------------

    def belief(self, id: str) -> Judgement:
        """One belief by its id or a unique beginning of it. Raises NoSuchBelief."""
        return self._judgements.get(id)

    def confidence(self, id: str) -> tuple[ConfidenceStep, ...]:
        """How sure we are of a belief and why, a step for each revision, oldest first. Raises NoSuchBelief."""
        from memlsp.beliefs.lifecycle.confidence import replay

        store, belief = self._judgements.find(id)
        revisions = store.revisions(belief.id)
        first = store.state_before(belief.id, revisions[1].number) if len(revisions) > 1 else belief
        return replay((first or belief).authority, revisions)

    def surroundings(self, id: str, *, steps: int = 2, most: int = 12) -> BeliefGraph:
        """What a belief rests on, what rests on it, what took whose place and what contradicts it, up to `steps` away
        and at most so many beliefs. Raises NoSuchBelief."""
        from memlsp.memory.curation.related_beliefs import surroundings  # late: few ask for it

        return surroundings(
            self._context, self._judgements, self.conflicts, self._judgements.get(id), steps=steps, most=most
        )

    def breaches(self, id: str) -> tuple[Breach, ...]:
        """Every place that breaks a guard of a belief, by file. Raises NoSuchBelief."""
        return self._judgements.breaches(id)

    def revisions(self, id: str) -> tuple[Revision, ...]:
        """What was done to a belief, oldest first. Raises NoSuchBelief."""
        store, belief = self._judgements.find(id)
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
        cancelled: Callable[[], bool] | None = None,
    ) -> tuple[Judgement, ...]:
        """All beliefs with their standing, oldest first; superseded and retired ones only with `include_past`.

        `cancelled` is asked with each: once it says so, nobody wants the answer, and it is empty.
        """
        return self._judgements.all(
            standings=standings,
            kinds=kinds,
            scopes=scopes,
            include_past=include_past,
            path=path,
            limit=limit,
            cancelled=cancelled,
        )

    def attention(self, path: str | None = None) -> tuple[Judgement, ...]:
        """The beliefs that do not hold, worst first, most trusted first among equals; none of another branch."""
        return self._judgements.attention(path)

    def applying(self, path: str, line: int) -> tuple[Judgement, ...]:
        """The beliefs that apply at a line (from 1) of a file, most trusted first.

        Those of the symbol there, of what holds it, of the file, of path globs, and of the workspace or user where they
        name the symbol. An empty result for a file that cannot be read.
        """
        return self._judgements.applying(path, line)

    def about(self, path: str, *, globs: bool = True) -> tuple[Judgement, ...]:
        """The beliefs that are tied to a file or (with `globs`) whose path glob covers it, most trusted first."""
        return self._judgements.about(path, globs=globs)

    def why(
        self,
        place: Place,
        *,
        base: Path | None = None,
        history_limit: int = 10,
        history_deadline: float | None = None,
    ) -> Why:
        """Everything known about a place: the beliefs that apply there, and the past of the symbol from git.

        A symbol that is gone still answers with the beliefs that were tied to it. Raises NoSuchFile, NoSuchSymbol,
        Refused (outside the workspace).
        """
        return self._judgements.why(place, base, history_limit=history_limit, history_deadline=history_deadline)

    def history(
        self,
        place: Place,
        *,
        base: Path | None = None,
        limit: int = 20,
        deadline: float | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> SymbolHistory:
        """The commits that changed what the symbol at a place means, newest first. `deadline` in seconds from now."""
        path, symbol, name = self._places.find(place, base)
        if symbol is None:
            raise self._places.missing(path, name)
        history = self._histories.read(
            path, symbol.name, ordinal=symbol.ordinal, limit=limit, deadline=deadline, cancelled=cancelled
        )
        if symbol.name or not history.changes:
            return history
        from memlsp.memory.learning.onboarding import in_parts

        return in_parts(self._store, history)

    def diff(
        self,
        revisions: Sequence[str] = (),
        paths: Sequence[str] | None = None,
        *,
        staged: bool = False,
        base: Path | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Difference:
        """What is different, told by symbols: HEAD and the files on disk, a revision and the files, or two revisions;
        with `staged` the index stands for the files.

        `paths` limit it; when None, words that are no revisions and name files are taken for paths. `progress` is
        called with the files read and those to read. Where the files on disk are one side, each change carries the
        beliefs that do not hold any more because of it. Raises NoRepository, NoSuchRevision, BadValue, NoSuchFile.
        """
        from memlsp.memory.work.differences import differences  # late: parsing, git and the sentences

        return differences(
            self._worktree,
            self.attention,
            revisions,
            paths,
            base=base or Path.cwd(),
            staged=staged,
            progress=progress,
        )

    def commit(self, name: str = "HEAD") -> CommitDone:
        """What one commit did, told by symbols; of a merge what it brought to its first parent.

        Raises NoRepository, NoSuchRevision.
        """
        from memlsp.memory.work.commit_lookup import committed

        return committed(self._worktree, name)

    def onboard(
        self,
        *,
        most: int | None = None,
        progress: Callable[[OnboardingProgress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> OnboardingProgress:
        """Read the git history into symbol changes, newest first, as far as that was not done before.

        At most the newest `most` commits (default 2,000). It goes on where an earlier reading was ended, and returns at
        once when there is nothing to read, when another process reads (`stopped` is `busy`) or nothing may be written.

        `progress` is called after each commit, `cancelled` asked before each.
        """
        from memlsp.memory.learning.onboarding import MOST_COMMITS, onboard  # late, as above

        most = MOST_COMMITS if most is None else most
        state = onboard(self._store, self._worktree, most=most, progress=progress, cancelled=cancelled)
        self._judgements.provenance.prepare()
        return state

    def last_change(self, path: str, symbol: str) -> CommitRef | None:
        """The commit that last changed what a symbol (dotted; "" for the whole file) means, as committed.

        None when that is not known within a second."""
        return self._judgements.provenance.last_change(path, symbol)

    def commit_episodes(self, path: str | None = None, *, limit: int = 20) -> tuple[CommitEpisode, ...]:
        """What commits did, newest first, as far as the history was read; with `path` (relative to the root) those that
        changed a file, each with its changes in that file alone."""
        if path is None:
            return tuple(self._store.past.episodes(limit))
        from memlsp.memory.learning.onboarding import episodes_at

        return episodes_at(self._store, path, limit)

    def recall(
        self,
        query: str,
        *,
        at: Place | None = None,
        base: Path | None = None,
        budget: int = 1200,
        limit: int = 20,
        asker: str = "python",
        as_of: str | datetime | None = None,
        branch_aware: bool = True,
        work: bool = True,
        receipt: bool = True,
    ) -> Recall:
        """A ranked, explained answer of at most `budget` tokens; what does not hold comes last with its caveat.

        `at` says what the question is about. `as_of` (a commit or branch as git names it, or a time) asks the memory as
        it was then. What was learned on a branch that is not in the files that are checked out is left out, unless
        `branch_aware` is False; commits and episodes that bear on the question come too, unless `work` is False. Leaves
        a receipt, unless `receipt` is False: for a question that is still being typed. Raises BadValue for an `as_of`
        that is neither, NoSuchFile and NoSuchSymbol for the place.
        """
        options = RecallOptions(at, base, as_of, budget, limit, branch_aware, work, receipt)
        return self._recaller.ask(query, options, asker=asker)

    def receipts(self, limit: int = 50, *, belief: str | None = None) -> tuple[Receipt, ...]:
        """The latest recalls, newest first; with `belief` (an id or its beginning) those that served it. The latest
        5,000 are kept. Raises NoSuchBelief."""
        return tuple(self._store.receipts(limit, self._judgements.find(belief)[1].id if belief is not None else None))

    def served(self, id: str, limit: int = 50) -> tuple[Receipt, ...]:
        """The latest recalls that served a belief, newest first. That it was used is no evidence for it, and moves
        neither its confidence nor its rank. Raises NoSuchBelief."""
        return self.receipts(limit, belief=id)

    def lenses(self, path: str) -> tuple[Lens, ...]:
        """The symbols of a file that carry memory, in the file's order."""
        return self._judgements.lenses(path)

    def findings(self, path: str) -> tuple[UnheldBelief, ...]:
        """The beliefs that do not hold at places of this file, in the file's order; then the places that break a
        guard."""
        return self._judgements.findings(path)

    def symbol_at(self, path: str, line: int) -> Symbol | None:
        """The innermost symbol at a line (from 1); the whole file where there is none; None for an unreadable file."""
        outline = self._worktree.outline(path)
        return outline.at(line - 1) if outline else None

    def symbol_named(self, path: str, name: str) -> SymbolSpot | None:
        """Where a symbol's defining name stands in a file, by dotted name or by its last parts when that is unique."""
        outline = self._worktree.outline(path)
        found = outline.named(name) if outline else ()
        return spot_of(found[0]) if len(found) == 1 else None

    def problem(self, path: str) -> str | None:
        """Why a file cannot be read (binary, too large, no right to): said once, then None until it is another."""
        return self._worktree.problem(path)

    # -- the editor and the disk ------------------------------------------------------------------------------------

    def open_buffer(self, path: str, text: str, version: int) -> None:
        """The editor's text of a file from now on speaks for it, saved or not."""
        self._worktree.set_buffer(path, text, version)
        self._judgements.changed([path])

    def close_buffer(self, path: str) -> None:
        """The file on disk speaks for itself again."""
        self._worktree.drop_buffer(path)
        self._judgements.changed([path])

    def files_changed(self, paths: Sequence[str] | None) -> None:
        """Files changed on disk; None for many at once (a branch switch)."""
        self._worktree.changed(paths)
        self._judgements.changed(paths)

    def relative(self, path: str | Path, base: Path | None = None) -> str:
        """A path as typed, as the workspace knows it. Raises Refused outside of it, NoSuchFile."""
        return self._worktree.relative(path, base)

    def path_of(self, path: str | Path, base: Path | None = None) -> str:
        """The same, also for a deleted file about which something is remembered."""
        return self._places.find(Place(Path(path).as_posix()), base)[0]

    def version(self) -> tuple[int, ...]:
        """A value that moves when any process wrote to the memory, or a file or buffer changed. Cheap: poll it."""
        return self._judgements.version()

    def watch(self, on_change: Callable[[Sequence[str] | None], None]) -> Watching:
        """Watch the files; `on_change` is called in another thread with the paths, or None for many at once."""
        from memlsp.capture.workspace.watcher import Watcher

        def changed(paths: Sequence[str] | None) -> None:
            self._worktree.changed(paths)
            self._judgements.changed(paths)
            self.events.files(paths)
            on_change(paths)

        watcher = Watcher(self._worktree.root, changed)
        watcher.start()
        self._judgements.watcher_started()
        self.events.attend()

        def ended() -> None:
            self._judgements.watcher_ended()
            self.events.leave()

        return _Watch(watcher, ended)

    # -- about itself ---------------------------------------------------------------------------------------------

    def person(self) -> Author:
        """The person at this machine, as git knows them."""
        return self._context.person()

    def status(self) -> Status:
        """This memory in numbers."""
        standings: dict[Standing, int] = {}
        for judgement in self.beliefs(include_past=True):
            standings[judgement.standing] = standings.get(judgement.standing, 0) + 1
        counts = dict(self._store.counts())
        for name, number in self._user.counts().items():
            counts[f"user.{name}"] = number
        return Status(
            workspace=self.workspace,
            store_path=self._store.path,
            counts=tuple(sorted(counts.items())),
            standings=tuple(sorted(standings.items(), key=lambda item: item[0].severity)),
            branch=self._worktree.branch(),
            head=self._worktree.head(),
            version=VERSION,
            notices=(*self.notices, *self.copies.hints()),
        )

    def stats(self, *, most_judged: int | None = None) -> Stats:
        """What is kept here: beliefs, what the git history was read into and what that saves, caches, files on disk.

        With more beliefs than `most_judged` their standings and kinds are left out.
        """
        from memlsp.memory.learning.onboarding import stats_of

        few = most_judged is None or self._store.counts()["beliefs"] <= most_judged
        judged = self.beliefs(include_past=True) if few else ()
        return stats_of(self.workspace, self._store, self._worktree, judged)

    def doctor(self) -> tuple[HealthCheck, ...]:
        """What was looked at and whether it is well, with advice where it is not."""
        from memlsp.memory.health.doctor import run_checks

        return (*run_checks(self.workspace, (self._store, self._user), self._worktree), self.vectors.check())


class _Watch:
    """A watcher that says when it ends."""

    def __init__(self, watcher: Watching, ended: Callable[[], None]) -> None:
        self._watcher = watcher
        self._ended = ended

    def stop(self) -> None:
        self._watcher.stop()
        self._ended()
