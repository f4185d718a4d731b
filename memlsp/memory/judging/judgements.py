"""Judge the beliefs of a workspace against its code: one belief, those of a file or a line, or all of them.

Read `Judgements._judge` first: a belief is judged by `beliefs.standing`, then weighed by its guards, by the beliefs
that it rests on, and explained by the commits behind the change. The other methods choose beliefs and order them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from attrs import frozen

from memlsp.beliefs.files import FileSnapshot
from memlsp.capture.bounded_cache import BoundedCache
from memlsp.capture.git.lineage import Lineage
from memlsp.memory.judging.dependents import Dependents
from memlsp.memory.judging.kept_standings import KeptStandings, StandingCache, next_date
from memlsp.memory.judging.ordering import (
    MovedBeliefs,
    ScopedBeliefs,
    covers,
    is_about,
    most_trusted_first,
    with_containers,
)
from memlsp.model.belief import BeliefStatus, ScopeKind
from memlsp.model.place import Place
from memlsp.recall.branch_visibility import Branches, Visibility, is_made_on
from memlsp.store.tables.beliefs import BranchOrigin

if TYPE_CHECKING:
    from memlsp.code.syntax.outline import Outline
    from memlsp.memory.context import Context
    from memlsp.memory.judging.guard_checks import GuardChecks
    from memlsp.memory.judging.places import Places
    from memlsp.memory.judging.provenance import Provenance
    from memlsp.memory.work.history_cache import HistoryCache
    from memlsp.model.belief import Belief, BeliefKind
    from memlsp.model.caller import Cancel
    from memlsp.model.standing import Judgement, Standing
    from memlsp.model.view import Lens, UnheldBelief, Why

Shown = TypeVar("Shown")

_SCOPED = (ScopeKind.GLOB, ScopeKind.WORKSPACE, ScopeKind.USER)
_MOST_CACHED = 256  # files and places whose judgements are kept between two questions


class Judgements:
    """The judgements of one workspace's beliefs. Safe to use from several threads.

    A standing is that of the code at the moment of asking, unsaved buffers included.
    """

    def __init__(self, context: Context, places: Places, histories: HistoryCache) -> None:
        self._context = context
        self._store = context.store
        self._user = context.user
        self._worktree = context.worktree
        self._clock = context.clock
        self._places = places
        self._histories = histories
        self.branches = Branches(Lineage(self._worktree.root) if context.workspace.git else None)
        self.dependents = Dependents(context.stores, self._against_code)
        self._moved = MovedBeliefs(self._store, self._worktree, self.of)
        self._scoped = ScopedBeliefs(context.stores)
        # an editor's server keeps its answers in memory: it is told of changes
        on_disk = KeptStandings(context) if self._worktree.patient else None
        self.standings = StandingCache(context, lambda: self._worktree.watchers > 0, on_disk)
        self._cached = BoundedCache[str, _Cached](_MOST_CACHED)
        self._thread = _ThreadSnapshot()

    @cached_property
    def provenance(self) -> Provenance:
        """Names the commits behind the reasons of judgements."""
        from memlsp.memory.judging.provenance import Provenance  # late: what holds has no reasons

        return Provenance(self._store, self._worktree, self._histories)

    def close(self) -> None:
        """Write what the next process may reuse."""
        self.standings.close()

    # -- one belief -------------------------------------------------------------------------------------------------

    def of(self, belief: Belief) -> Judgement:
        """Judge one belief."""
        return self._explained(self._against_code(belief))

    def get(self, id: str) -> Judgement:
        """Judge the belief with this id or unique beginning of an id. Raises NoSuchBelief."""
        return self.provenance.explain(self.of(self._context.find(id)[1]), patient=True)

    # -- many beliefs -----------------------------------------------------------------------------------------------

    def judge_all(self, beliefs: Iterable[Belief]) -> Iterator[Judgement]:
        """Judge these beliefs, in their order."""
        judged = self.standings.judge_all(tuple(beliefs), self._thread.snapshot)
        return (self._explained(self._held_by_guards(each)) for each in judged)

    def all(
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
        """Judge all beliefs, oldest first. See `Memory.beliefs`."""
        past = (BeliefStatus.SUPERSEDED, BeliefStatus.RETIRED) if include_past else ()
        status = (BeliefStatus.ACTIVE, *past)  # `memory.proposals` lists the proposals
        wanted = None if scopes is None else list(scopes)
        found: list[Belief] = []
        for store in self._context.stores:
            found += store.beliefs(status=status, kinds=list(kinds) if kinds else None, scopes=wanted)
        found.sort(key=lambda belief: (belief.created_at, belief.id))
        if kinds is None and scopes is None and not include_past:
            self.standings.retain({belief.id for belief in found})
        chosen: list[Judgement] = []
        for judgement in self.judge_all(found):
            if cancelled is not None and cancelled():
                return ()
            if standings is not None and judgement.standing not in standings:
                continue
            if path is not None and not is_about(judgement, path):
                continue
            chosen.append(judgement)
            if limit is not None and len(chosen) >= limit:
                break
        return tuple(self.provenance.explain_all(chosen) if any(each.reasons for each in chosen) else chosen)

    def attention(self, path: str | None = None) -> tuple[Judgement, ...]:
        """The visible beliefs that do not hold, worst first, most trusted first among equals; without those whose code
        changed in nothing that they speak of."""
        return tuple(self.doubtful(self.all(path=path)))

    def doubtful(self, judged: Sequence[Judgement]) -> list[Judgement]:
        """Those of the judgements that ask for attention, in the order of `attention`."""
        found = [each for each in self._visible(judged) if not each.holds]
        return sorted(found, key=lambda j: (-j.standing.severity, j.belief.authority.rank, j.belief.id))

    def about(self, path: str, *, globs: bool = True) -> tuple[Judgement, ...]:
        """The beliefs that are tied to a file or (with `globs`) whose path glob covers it, most trusted first."""
        scoped = self._keep(f"{path}\0", lambda: self._scoped.at(path, "")) if globs else ()
        return most_trusted_first([*self.anchored_in(path), *scoped], "")

    def applying(self, path: str, line: int) -> tuple[Judgement, ...]:
        """The beliefs that apply at a line (from 1) of a file, most trusted first. See `Memory.applying`."""
        outline = self._worktree.outline(path)
        if outline is None:
            return ()
        symbol = outline.at(line - 1)
        names = with_containers(symbol.name)
        here = [j for j in self.anchored_in(path) if any(t.path == path and t.symbol in names for t in j.ties)]
        simple = symbol.simple_name
        scoped = self._keep(f"{path}\0{simple}", lambda: self._scoped.at(path, simple))
        return most_trusted_first([*here, *scoped], symbol.name)

    def anchored_in(self, path: str) -> tuple[Judgement, ...]:
        """The active beliefs that are anchored in a file, or whose code was moved there."""

        def find() -> list[Belief]:
            beliefs = {belief.id: belief for belief in self._store.anchored_at(path)}
            for id in self._moved.now_in(path):
                found = self._store.belief(id)
                if found is not None and found.status is BeliefStatus.ACTIVE:
                    beliefs.setdefault(id, found)
            return list(beliefs.values())

        return self._keep(path, find)

    # -- places -----------------------------------------------------------------------------------------------------

    def why(self, place: Place, base: Path | None, *, history_limit: int, history_deadline: float | None) -> Why:
        """The beliefs that apply at a place and the past of the symbol there. See `Memory.why`."""
        from memlsp.memory.judging.placement import spot_of
        from memlsp.model.episode import SymbolHistory
        from memlsp.model.view import Why  # late: a list of beliefs shows no places

        path, symbol, name = self._places.find(place, base)
        names = with_containers(name)
        here = [
            judgement
            for judgement in self.anchored_in(path)
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
            history = self._histories.read(
                path, name, ordinal=symbol.ordinal, limit=history_limit, deadline=history_deadline
            )
        resolved = Place(path, symbol=name) if name else Place(path)
        here = [self.provenance.explain(each, patient=True) if each.reasons else each for each in here]
        beliefs = most_trusted_first([*here, *self._covering(path)], name)
        return Why(resolved, spot_of(symbol) if symbol else None, beliefs, history)

    def lenses(self, path: str) -> tuple[Lens, ...]:
        """The symbols of a file that carry beliefs, in the file's order."""
        from memlsp.memory.judging.placement import lenses

        return self._arranged(path, lenses)

    def findings(self, path: str) -> tuple[UnheldBelief, ...]:
        """The beliefs that do not hold in a file, in its order; then the places that break a guard."""
        is_visible = self.visibility()
        guarded = [belief for store in self._context.stores for belief in store.guarded(_SCOPED) if is_visible(belief)]
        breaches = self.guards.findings(path, self.anchored_in(path), guarded)
        broken = {each.judgement.belief.id for each in breaches}
        unheld = self._arranged(path, self._found)
        return *(each for each in unheld if each.judgement.belief.id not in broken), *breaches

    def visibility(self) -> Callable[[Belief], bool]:
        """A predicate: is this belief visible on the current branch? True where git cannot tell."""
        here = self.branches.here()
        return lambda belief: self.branches.visibility(BranchOrigin.of(belief), here) is not Visibility.NO

    # -- what moves the answers -------------------------------------------------------------------------------------

    def changed(self, paths: Sequence[str] | None) -> None:
        """Files or buffers changed; None for many at once."""
        if "guards" in self.__dict__:
            self.guards.changed(paths)

    def generation(self) -> tuple[int, ...]:
        """A value that moves when judgements or their reasons may be other ones without a write or a changed file."""
        return self._moved.generation(), self.provenance.generation() if "provenance" in self.__dict__ else 0

    def version(self) -> tuple[int, ...]:
        """A value that moves when any process wrote to the stores, or a file or buffer changed. Cheap."""
        moved = [number for store in self._context.stores for number in (store.data_version(), store.change_count())]
        moved.append(self._store.threads.generation())
        return (*moved, self._worktree.generation(), *self.generation())

    @contextmanager
    def one_snapshot(self) -> Generator[FileSnapshot]:
        """Judge everything inside the block, in this thread, against one snapshot of the files, and return it.

        Listing the files of a large workspace takes longer than judging twenty beliefs.
        """
        before, self._thread.snapshot = self._thread.snapshot, FileSnapshot(self._worktree)
        try:
            yield self._thread.snapshot
        finally:
            self._thread.snapshot = before

    def _against_code(self, belief: Belief) -> Judgement:
        """Judge a belief by the code and its guards, without the beliefs that it rests on."""
        return self._held_by_guards(next(self.standings.judge_all((belief,), self._thread.snapshot)))

    @cached_property
    def guards(self) -> GuardChecks:
        """The checks of the guards that beliefs carry."""
        from memlsp.memory.judging.guard_checks import GuardChecks  # late: few beliefs have guards

        return GuardChecks(self._worktree, lambda: self._worktree.watchers > 0)

    def _held_by_guards(self, judgement: Judgement) -> Judgement:
        return self.guards.weigh(judgement) if judgement.belief.guards else judgement

    def _explained(self, judgement: Judgement) -> Judgement:
        """Weigh what the belief rests on and name the commits behind the reasons."""
        self._moved.note(judgement)
        weighed = self.dependents.weigh(judgement)
        return self.provenance.explain(weighed) if weighed.reasons else weighed

    def _covering(self, path: str) -> list[Judgement]:
        """The visible beliefs of glob, workspace and user scope that apply to a file."""
        scoped = (belief for store in self._context.stores for belief in store.scoped(_SCOPED))
        judged = self.judge_all(each for each in scoped if each.scope.kind is not ScopeKind.GLOB or covers(each, path))
        return list(self._visible(tuple(judged)))

    def _arranged(
        self, path: str, arrange: Callable[[str, Sequence[Judgement], Outline], tuple[Shown, ...]]
    ) -> tuple[Shown, ...]:
        """Arrange a file's judgements for display. Files without beliefs are not parsed; parsing dominates the cost."""
        judged = self.anchored_in(path)
        outline = self._worktree.outline(path) if judged else None
        return arrange(path, judged, outline) if outline is not None else ()

    def _found(self, path: str, judged: Sequence[Judgement], outline: Outline) -> tuple[UnheldBelief, ...]:
        from memlsp.memory.judging.placement import findings

        fallen = any(not each.standing.holds for each in judged)
        source = (self._worktree.read(path) or b"") if fallen else b""
        return findings(path, judged, outline, source.decode("utf-8", "replace").split("\n"))

    def _keep(self, key: str, find: Callable[[], Sequence[Belief]]) -> tuple[Judgement, ...]:
        """Judge the beliefs that `find` returns, or answer as before while nothing moved and no date has passed.

        Answers are kept only while a watcher runs, which would report a change.
        """
        state, now = self.version(), self._clock()
        kept = self._cached.get(key)
        is_same = kept is not None and kept.state == state and self._worktree.watchers > 0
        if kept is not None and is_same and (kept.until is None or now < kept.until):
            return self._visible(kept.judged)
        judged = tuple(self.judge_all(find()))
        self._cached.put(key, _Cached(state, judged, next_date((each.belief for each in judged), now)))
        return self._visible(judged)

    def _visible(self, judged: Sequence[Judgement]) -> tuple[Judgement, ...]:
        branch = self._worktree.branch() if judged else None
        if branch and all(is_made_on(branch, each.belief) for each in judged):
            return tuple(judged)  # so git is not asked for the trunk and what it took up
        here = self.branches.here() if judged else None
        return tuple(each for each in judged if self.branches.is_visible(each, here))


@frozen
class _Cached:
    """Judgements, the version that they were made at, and when the first of them changes by its date."""

    state: tuple[int, ...]
    judged: tuple[Judgement, ...]
    until: datetime | None


class _ThreadSnapshot(threading.local):
    """The snapshot of the files that this thread judges against; None between answers."""

    snapshot: FileSnapshot | None = None
