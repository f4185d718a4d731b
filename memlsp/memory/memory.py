"""`Memory`: what one workspace remembers.

It is longer than its neighbours because it is one thing, the list of what can be asked and done; each answer is
worked out in the room that it belongs to.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from attrs import frozen

from memlsp.beliefs.files import FileSnapshot
from memlsp.beliefs.standing.standing import judge, judge_all, judge_in
from memlsp.capture.git.lineage import Lineage
from memlsp.capture.git.people import git_author
from memlsp.capture.workspace.identity import resolve
from memlsp.capture.workspace.worktree import Worktree
from memlsp.memory.context import Premises
from memlsp.memory.judging.dependents import Resting
from memlsp.memory.judging.guard_checks import Guarding
from memlsp.memory.judging.moved_beliefs import Displaced
from memlsp.memory.judging.ordering import covers, is_about, most_trusted_first, with_containers
from memlsp.memory.judging.placement import findings, lenses, spot_of
from memlsp.memory.judging.places import Places
from memlsp.memory.judging.provenance import Provenance
from memlsp.memory.judging.scoped_beliefs import Wide
from memlsp.memory.judging.standing_cache import Standings
from memlsp.memory.services import Rooms
from memlsp.memory.transfer.relocation import note_root
from memlsp.memory.work.history_cache import HistoryShelf
from memlsp.model.belief import (
    Author,
    Belief,
    BeliefKind,
    BeliefStatus,
    Breach,
    Revision,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.model.difference import Difference
from memlsp.model.episode import CommitEpisode, CommitRef, OnboardingProgress, SymbolHistory
from memlsp.model.errors import BadValue, MemlspError, NoSuchBelief, Overtaken, Refused
from memlsp.model.place import Place, Workspace
from memlsp.model.recall import Recall, Receipt
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
from memlsp.recall.branch_visibility import Branches, Visibility
from memlsp.store import BranchOrigin, Store, data_folder, inherit, open_store, store_path, user_store_path
from memlsp.version import VERSION

if TYPE_CHECKING:
    from memlsp.code.syntax.outline import Outline
    from memlsp.memory.recall.recall import Recalling
    from memlsp.model.belief import ConfidenceStep

Shown = TypeVar("Shown")

_NOT_REVISING = {RevisionAction.REMEMBER, RevisionAction.PROPOSE}
_TRIES = 8
_DECIDED = ("text", "status", "kind", "scope", "authority", "conditions", "expires_at", "because_of")
"""What somebody who revises a belief has seen of it: while these are the same, the decision is."""

_WIDE = (ScopeKind.GLOB, ScopeKind.WORKSPACE, ScopeKind.USER)


class Watching(Protocol):
    """A running file watcher."""

    def stop(self) -> None:
        """Stop it; returns within a second or two."""
        ...


class Memory(Rooms):
    """One workspace's memory. Use as a context manager, or `close()` it. Safe to use from several threads.

    Every method may raise `MemlspError` and no other error of ours. Standing is always that of the code at the moment
    of asking, unsaved buffers included. Paths are relative to the workspace's root with posix separators; a `Place` may
    be written as people type it, relative to `base` (default: the process's working directory).
    """

    def __init__(
        self,
        workspace: Workspace,
        store: Store,
        user_store: Store,
        *,
        clock: Callable[[], datetime] | None = None,
        patient: bool = True,
    ) -> None:
        self.workspace = workspace
        self._store = store
        self._user = user_store
        self._clock = clock or (lambda: datetime.now(UTC))
        self._worktree = Worktree(workspace.root, git=workspace.git, patient=patient)
        self._shelf = HistoryShelf(store, self._worktree)
        self._provenance = Provenance(store, self._worktree, self._shelf.read)
        self._displaced = Displaced(store, self._worktree, self._judge)
        self._wide = Wide((store, user_store))
        self._branches = Branches(Lineage(self._worktree.root) if workspace.git else None)
        self._places = Places(self._worktree, lambda path: bool(self._store.anchored_at(path)))
        self._watched = 0
        self._guarding = Guarding(self._worktree, lambda: self._watched > 0)
        self._standings = Standings(self._worktree, lambda: self._watched > 0, self._clock)
        self._resting = Resting((store, user_store), self._held_against_code)
        self._judged: dict[str, _Kept] = {}
        self._premises = Premises(self, store, user_store, self._worktree, self._clock)
        self._hindered = store.read_only
        self._recalling: Recalling | None = None
        self._lock = threading.Lock()
        self._looking = _Looking()

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
        return cls(workspace, store, user_store, clock=clock, patient=patient)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the stores. The memory is of no use afterwards."""
        if "intake" in self.__dict__:
            self.intake.close()
        self._worktree.close()
        self._shelf.close()
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
        # late here and below: a hover, or a command, needs a part of what can be asked
        from memlsp.beliefs.claims.references import verified_references
        from memlsp.beliefs.lifecycle.admission import Draft, Limits, Maker, admit
        from memlsp.beliefs.lifecycle.guards import read_guards
        from memlsp.memory.curation.duplicates import said_before
        from memlsp.memory.curation.personal_data import without_personal_data
        from memlsp.memory.curation.revision import keywords

        if at and scope is not None and scope.kind is ScopeKind.USER:
            raise BadValue(
                "a belief of user scope holds in every workspace and is tied to no place", "leave out the place"
            )
        by = Maker(author or self.person(), source, self._clock(), session=session)
        anchors = tuple(self._places.anchor(place, base, by.now) for place in at)
        draft = Draft(
            without_personal_data(self._premises, text),
            kind,
            Limits(tuple(conditions), expires_at, stale_after=stale_after, scope=scope),
            anchors,
            guards=read_guards(guards, anchors, scope) if guards else (),
            because_of=self._resting.bases([self._find(base_id)[1].id for base_id in because_of]),
            branch=self._worktree.branch() or "",
            commit=self._worktree.head() or "",
        )
        belief, revision = admit(
            draft, by, references=lambda statement: verified_references(statement, self._worktree, anchors)
        )
        store = self._store_of(belief)
        known = said_before(store, belief)
        if known is not None:
            try:
                return self.revise(
                    known.id, RevisionAction.CONFIRM, note="said again", author=author, source=source, session=session
                )
            except Refused:  # locked, and an agent says it: it stays as it is
                return self._judge(known)
            except NoSuchBelief:  # forgotten at this very moment: then it is said anew
                pass
        store.add(belief, revision, keywords(belief))
        self.conflicts.after(RevisionAction.REMEMBER, belief)
        return self._judge(belief)

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
        from memlsp.beliefs.lifecycle.admission import Limits, Maker
        from memlsp.memory.curation.personal_data import without_personal_data
        from memlsp.memory.curation.revision import Reviser

        try:
            action = RevisionAction(str(action))
        except ValueError:
            allowed = ", ".join(word for word in RevisionAction if word not in _NOT_REVISING)
            raise BadValue(f"not an action: {action!r}", f"one of {allowed}") from None
        store, belief = self._find(id)
        anchor = None if at is None else self._places.anchor(at, base, self._clock())
        text = None if text is None else without_personal_data(self._premises, text)
        note = without_personal_data(self._premises, note)
        by = Maker(author or self.person(), source, self._clock(), note, session)
        new_guards = None
        if guards is not None:
            from memlsp.beliefs.lifecycle.guards import read_guards

            if action is not RevisionAction.SUPERSEDE:
                raise BadValue(f"{action} takes no guard", "supersede the belief to give it another guard")
            new_guards = read_guards(guards, (anchor,) if anchor else belief.anchors, belief.scope)
        under = None if conditions is None else tuple(conditions)
        limits = Limits(under, expires_at, forever, stale_after, scope)
        if action is not RevisionAction.SCOPE and limits != Limits():
            raise BadValue(f"{action} changes nothing about where a belief applies", "use scope for it")
        reviser = Reviser(self._worktree, self._judge, self._resting.there)
        revised = _retried(
            store, belief, lambda found: reviser.revise(store, found, action, text, anchor, by, new_guards, limits)
        )
        self.conflicts.after(action, revised)
        return self._judge(revised)

    # -- reading ------------------------------------------------------------------------------------------------

    def belief(self, id: str) -> Judgement:
        """One belief by its id or a unique beginning of it. Raises NoSuchBelief."""
        return self._provenance.told(self._judge(self._find(id)[1]), patient=True)

    def confidence(self, id: str) -> tuple[ConfidenceStep, ...]:
        """How sure we are of a belief and why, a step for each revision, oldest first. Raises NoSuchBelief."""
        from memlsp.beliefs.lifecycle.confidence import replay

        store, belief = self._find(id)
        revisions = store.revisions(belief.id)
        first = store.state_before(belief.id, revisions[1].number) if len(revisions) > 1 else belief
        return replay((first or belief).authority, revisions)

    def surroundings(self, id: str, *, steps: int = 2, most: int = 12) -> BeliefGraph:
        """What a belief rests on, what rests on it, what took whose place and what contradicts it, up to `steps` away
        and at most so many beliefs. Raises NoSuchBelief."""
        from memlsp.memory.judging.related_beliefs import surroundings

        return surroundings(self._premises, self.belief(id), steps=steps, most=most)

    def breaches(self, id: str) -> tuple[Breach, ...]:
        """Every place that breaks a guard of a belief, by file. Raises NoSuchBelief."""
        return self._guarding.breaches(self.belief(id))

    def revisions(self, id: str) -> tuple[Revision, ...]:
        """What was done to a belief, oldest first. Raises NoSuchBelief."""
        store, belief = self._find(id)
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
        past = (BeliefStatus.SUPERSEDED, BeliefStatus.RETIRED) if include_past else ()
        status = (BeliefStatus.ACTIVE, *past)  # proposals are asked for by name: `learning.proposals`
        found: list[Belief] = []
        for store in (self._store, self._user):
            wanted = None if scopes is None else list(scopes)
            found += store.beliefs(status=status, kinds=list(kinds) if kinds else None, scopes=wanted)
        found.sort(key=lambda belief: (belief.created_at, belief.id))
        if kinds is None and scopes is None and not include_past:
            self._standings.retain({belief.id for belief in found})
        chosen: list[Judgement] = []
        for judgement in map(self._weighed, self._standings.judge_all(found)):
            if cancelled is not None and cancelled():
                return ()
            if standings is not None and judgement.standing not in standings:
                continue
            if path is not None and not is_about(judgement, path):
                continue
            chosen.append(judgement)
            if limit is not None and len(chosen) >= limit:
                break
        return tuple(self._provenance.told_all(chosen))

    def attention(self, path: str | None = None) -> tuple[Judgement, ...]:
        """The beliefs that do not hold, worst first, most trusted first among equals; none of another branch."""
        doubtful = [each for each in self._heard(self.beliefs(path=path)) if not each.standing.holds]
        doubtful.sort(key=lambda j: (-j.standing.severity, j.belief.authority.rank, j.belief.id))
        return tuple(doubtful)

    def applying(self, path: str, line: int) -> tuple[Judgement, ...]:
        """The beliefs that apply at a line (from 1) of a file, most trusted first.

        Those of the symbol there, of what holds it, of the file, of path globs, and of the workspace or user where they
        name the symbol. An empty result for a file that cannot be read.
        """
        outline = self._worktree.outline(path)
        if outline is None:
            return ()
        symbol = outline.at(line - 1)
        names = with_containers(symbol.name)
        here = [j for j in self._judged_at(path) if any(t.path == path and t.symbol in names for t in j.ties)]
        simple = symbol.simple_name
        wide = self._kept(f"{path}\0{simple}", lambda: self._wide.at(path, simple))
        return most_trusted_first([*here, *wide], symbol.name)

    def about(self, path: str, *, globs: bool = True) -> tuple[Judgement, ...]:
        """The beliefs that are tied to a file or (with `globs`) whose path glob covers it, most trusted first."""
        wide = self._kept(f"{path}\0", lambda: self._wide.at(path, "")) if globs else ()
        return most_trusted_first([*self._judged_at(path), *wide], "")

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
        path, symbol, name = self._places.find(place, base)
        names = with_containers(name)
        here = [
            judgement
            for judgement in self._judged_at(path)
            if any(
                (tie.path == path and tie.symbol in names)
                or (tie.anchor.path == path and (tie.anchor.symbol == name or (symbol is None and not name)))
                for tie in judgement.ties
            )
        ]
        if symbol is None and not here:
            raise self._places.missing(path, name)
        history = SymbolHistory()
        if symbol is not None:
            history = self._shelf.read(
                path, name, ordinal=symbol.ordinal, limit=history_limit, deadline=history_deadline, cancelled=None
            )
        resolved = Place(path, symbol=name) if name else Place(path)
        here = [self._provenance.told(judgement, patient=True) for judgement in here]
        beliefs = most_trusted_first([*here, *self._all_wide(path)], name)
        return Why(resolved, spot_of(symbol) if symbol else None, beliefs, history)

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
        history = self._shelf.read(
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
        self._provenance.prepare()
        return state

    def last_change(self, path: str, symbol: str) -> CommitRef | None:
        """The commit that last changed what a symbol (dotted; "" for the whole file) means, as committed.

        None when that is not known within a second."""
        return self._provenance.last_change(path, symbol)

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
        if self._recalling is None:
            from memlsp.memory.recall.recall import Recalling

            self._recalling = Recalling(self._premises, self._places, self._branches, self._judge)
        with self._looking.once(self._worktree):
            return self._recalling.ask(
                query,
                at=at,
                base=base,
                budget=budget,
                limit=limit,
                asker=asker,
                as_of=as_of,
                branch_aware=branch_aware,
                work=work,
                receipt=receipt,
            )

    def receipts(self, limit: int = 50, *, belief: str | None = None) -> tuple[Receipt, ...]:
        """The latest recalls, newest first; with `belief` (an id or its beginning) those that served it. The latest
        5,000 are kept. Raises NoSuchBelief."""
        return tuple(self._store.receipts(limit, self._find(belief)[1].id if belief is not None else None))

    def served(self, id: str, limit: int = 50) -> tuple[Receipt, ...]:
        """The latest recalls that served a belief, newest first. That it was used is no evidence for it, and moves
        neither its confidence nor its rank. Raises NoSuchBelief."""
        return self.receipts(limit, belief=id)

    def lenses(self, path: str) -> tuple[Lens, ...]:
        """The symbols of a file that carry memory, in the file's order."""
        return self._shown(path, lenses)

    def findings(self, path: str) -> tuple[UnheldBelief, ...]:
        """The beliefs that do not hold at places of this file, in the file's order; then the places that break a
        guard."""
        is_heard = self.hearing()
        guarded = [belief for store in (self._store, self._user) for belief in store.guarded(_WIDE) if is_heard(belief)]
        return self._shown(path, findings) + self._guarding.findings(path, self._judged_at(path), guarded)

    def hearing(self) -> Callable[[Belief], bool]:
        """Tells of beliefs whether they may speak in the branch that is checked out now; where git cannot tell, they
        may."""
        here = self._branches.here()
        return lambda belief: self._branches.visibility(BranchOrigin.of(belief), here) is not Visibility.NO

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
        self._guarding.changed([path])

    def close_buffer(self, path: str) -> None:
        """The file on disk speaks for itself again."""
        self._worktree.drop_buffer(path)
        self._guarding.changed([path])

    def files_changed(self, paths: Sequence[str] | None) -> None:
        """Files changed on disk; None for many at once (a branch switch)."""
        self._worktree.changed(paths)
        self._guarding.changed(paths)

    def relative(self, path: str | Path, base: Path | None = None) -> str:
        """A path as typed, as the workspace knows it. Raises Refused outside of it, NoSuchFile."""
        return self._worktree.relative(path, base)

    def path_of(self, path: str | Path, base: Path | None = None) -> str:
        """The same, also for a deleted file about which something is remembered."""
        return self._places.find(Place(Path(path).as_posix()), base)[0]

    def version(self) -> tuple[int, ...]:
        """A value that moves when any process wrote to the memory, or a file or buffer changed. Cheap: poll it."""
        stores = (self._store, self._user)
        moved = [number for store in stores for number in (store.data_version(), store.change_count())]
        moved.append(self._store.threads.generation())
        return (*moved, self._worktree.generation(), self._displaced.generation(), self._provenance.generation())

    def watch(self, on_change: Callable[[Sequence[str] | None], None]) -> Watching:
        """Watch the files; `on_change` is called in another thread with the paths, or None for many at once."""
        from memlsp.capture.workspace.watcher import Watcher

        def changed(paths: Sequence[str] | None) -> None:
            self._worktree.changed(paths)
            self._guarding.changed(paths)
            self.intake.files(paths)
            on_change(paths)

        watcher = Watcher(self._worktree.root, changed)
        watcher.start()
        self._watched += 1
        self.intake.attend()

        def ended() -> None:
            self._watched -= 1
            self.intake.leave()

        return _Watch(watcher, ended)

    # -- about itself ---------------------------------------------------------------------------------------------

    def person(self) -> Author:
        """The person at this machine, as git knows them."""
        return git_author(self.workspace.root)

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
        from memlsp.memory.health.doctor import checkup

        return (*checkup(self.workspace, (self._store, self._user), self._worktree), self.meaning.check())

    # -- inside ---------------------------------------------------------------------------------------------------

    def _judge(self, belief: Belief) -> Judgement:
        judgement = self._held_against_code(belief)
        self._displaced.note(judgement)
        return self._provenance.told(self._resting.weigh(judgement))

    def _held_against_code(self, belief: Belief) -> Judgement:
        glance, now = self._looking.glance, self._clock()
        held = judge(belief, self._worktree, now=now) if glance is None else judge_in(belief, glance, now=now)
        return self._guarding.weigh(held)

    def _judge_all(self, beliefs: Iterable[Belief]) -> Iterator[Judgement]:
        return map(self._weighed, judge_all(beliefs, self._worktree, now=self._clock()))

    def _weighed(self, judgement: Judgement) -> Judgement:
        """What the code says of a belief, with what its guards and the beliefs say that it rests on."""
        self._displaced.note(judgement)
        return self._provenance.told(self._resting.weigh(self._guarding.weigh(judgement)))

    def _judged_at(self, path: str) -> tuple[Judgement, ...]:
        """All active beliefs anchored in a file or found there now, judged."""

        def found_at() -> list[Belief]:
            beliefs = {belief.id: belief for belief in self._store.anchored_at(path)}
            for moved in self._displaced.now_in(path):
                found = self._store.belief(moved)
                if found is not None and found.status is BeliefStatus.ACTIVE:
                    beliefs.setdefault(moved, found)
            return list(beliefs.values())

        return self._kept(path, found_at)

    def _shown(
        self, path: str, arrange: Callable[[str, Sequence[Judgement], Outline], tuple[Shown, ...]]
    ) -> tuple[Shown, ...]:
        """What is shown in a file. One of which nothing is known is not parsed: that is most of what a look costs."""
        judged = self._judged_at(path)
        outline = self._worktree.outline(path) if judged else None
        return arrange(path, judged, outline) if outline else ()

    def _kept(self, key: str, look: Callable[[], Sequence[Belief]]) -> tuple[Judgement, ...]:
        """The judgements of what `look` finds; those of before while nothing moved and no belief's date has passed, if
        a watcher runs that would have told us."""
        state, now = self.version(), self._clock()
        with self._lock:
            kept = self._judged.get(key)
        if kept is not None and kept.state == state and self._watched and (kept.until is None or now < kept.until):
            return self._heard(kept.judged)
        judged = tuple(self._judge_all(look()))
        dates = [each for j in judged for each in (j.belief.expires_at, j.belief.unconfirmed_at) if each and each > now]
        with self._lock:
            if len(self._judged) > 256:
                self._judged.clear()
            self._judged[key] = _Kept(state, judged, min(dates, default=None))
        return self._heard(judged)

    def _heard(self, judged: Sequence[Judgement]) -> tuple[Judgement, ...]:
        """Those of them that speak in the branch that is checked out."""
        here = self._branches.here() if judged else None
        return tuple(each for each in judged if self._branches.is_visible(each, here))

    def _all_wide(self, path: str) -> list[Judgement]:
        """The beliefs of wide scope that apply to a file."""
        scoped = (belief for store in (self._store, self._user) for belief in store.scoped(_WIDE))
        judged = self._judge_all(each for each in scoped if each.scope.kind is not ScopeKind.GLOB or covers(each, path))
        return list(self._heard(tuple(judged)))

    def _store_of(self, belief: Belief) -> Store:
        return self._user if belief.scope.kind is ScopeKind.USER else self._store

    def _find(self, id: str) -> tuple[Store, Belief]:
        missing: NoSuchBelief | None = None
        for store in (self._store, self._user):
            try:
                found = store.belief(store.resolve(id))
            except NoSuchBelief as error:
                missing = missing or error
                continue
            if found is not None:
                return store, found
        raise missing or NoSuchBelief(f"no belief {id!r}", "memlsp beliefs lists them")


def _retried(store: Store, belief: Belief, revise: Callable[[Belief], Belief]) -> Belief:
    """Revise a belief, and again when somebody else did at the same moment and it says and is what it was, as after two
    confirmations at once. Raises Overtaken when it is another now."""
    for _ in range(_TRIES):
        try:
            return revise(belief)
        except Overtaken:
            found = store.belief(belief.id)
            if found is None or any(getattr(found, name) != getattr(belief, name) for name in _DECIDED):
                raise
            belief = found
    return revise(belief)


@frozen
class _Kept:
    """Judgements, the state that they were made in, and when the first of them gets another standing by its date."""

    state: tuple[int, ...]
    judged: tuple[Judgement, ...]
    until: datetime | None


class _Looking(threading.local):
    """The look at the files that an answer takes in this thread: twenty beliefs are held against one, since to list
    the files of a large workspace takes longer than to judge. None between answers."""

    glance: FileSnapshot | None = None

    @contextmanager
    def once(self, worktree: Worktree) -> Generator[None]:
        """Take one look for what is judged meanwhile."""
        before, self.glance = self.glance, FileSnapshot(worktree)
        try:
            yield
        finally:
            self.glance = before


class _Watch:
    """A watcher that says when it ends."""

    def __init__(self, watcher: Watching, ended: Callable[[], None]) -> None:
        self._watcher = watcher
        self._ended = ended

    def stop(self) -> None:
        self._watcher.stop()
        self._ended()
