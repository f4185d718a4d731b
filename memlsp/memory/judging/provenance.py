"""Name the commit that renamed, moved or changed the code of a belief, in the reasons of its standing.

The answer comes from the history that was read before, or from a short walk through the past of the one symbol. Listing
the ancestors of HEAD and walking take long: they are done for patient callers only, never for a hover, and kept until
another commit is checked out.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from memlsp.beliefs.reasons import ReasonCode
from memlsp.capture.bounded_cache import BoundedCache
from memlsp.memory.judging.ordering import with_containers
from memlsp.model.episode import CommitRef
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Candidate

if TYPE_CHECKING:
    from memlsp.capture.workspace.worktree import Worktree
    from memlsp.memory.work.history_cache import HistoryCache
    from memlsp.model.belief import Anchor
    from memlsp.model.change import SymbolRef
    from memlsp.model.standing import Judgement, Reason, Tie
    from memlsp.store.store import Store
    from memlsp.store.tables.history import RecordedChange

_CARRIED = frozenset({ReasonCode.SYMBOL_RENAMED, ReasonCode.SYMBOL_MOVED, ReasonCode.FILE_RENAMED})
_USED = frozenset({ReasonCode.DEPENDENCY_CHANGED})
_GONE = frozenset({ReasonCode.SYMBOL_REMOVED, ReasonCode.SYMBOL_AMBIGUOUS, ReasonCode.FILE_REMOVED})
_TOLD = _CARRIED | _USED | _GONE
_MOST_COMMITS = 20_000  # of those that lead to the present one; what is older is not named
_MOST_STEPS = 4
_MOST_KEPT = 2_000
_WALK = 1.0  # seconds for walking through the past of one symbol
_SHORT = 8  # characters of a hash

_Place = tuple[str, str]


@frozen
class _Crossing:
    """One commit that gave a symbol another name or place."""

    ref: CommitRef
    old: _Place
    new: _Place

    def __str__(self) -> str:
        (old_path, old), (new_path, new) = self.old, self.new
        if old_path == new_path:
            sentence = f"renamed from `{old}` to `{new}`"
        elif not new:
            sentence = f"renamed from {old_path} to {new_path}"
        elif old == new:
            sentence = f"moved from {old_path} to {new_path}"
        else:
            sentence = f"moved from `{old}` in {old_path} to `{new}` in {new_path}"
        return f"{self.ref.commit[:_SHORT]}: {sentence}"


class Provenance:
    """Names commits in the reasons of judgements of one worktree. Safe to use from several threads."""

    def __init__(self, store: Store, worktree: Worktree, histories: HistoryCache) -> None:
        self._store = store
        self._worktree = worktree
        self._histories = histories
        self._lock = threading.Lock()
        self._head: str | None = None
        self._order: Mapping[str, int] | None = None  # commits that lead to the head, 0 for the head itself
        self._found = BoundedCache[tuple[object, ...], "Reason"](_MOST_KEPT)
        self._generation = 0

    def generation(self) -> int:
        """A number that moves when more commits can be named than before."""
        return self._generation

    def prepare(self) -> None:
        """List the ancestors of HEAD, unless that was done."""
        head = self._worktree.head()
        with self._lock:
            if head is None or (head == self._head and self._order is not None):
                return
        from memlsp.capture.history.ancestry import Ancestry  # late: only where there is something to tell

        ancestry = Ancestry.at(self._worktree.root)
        commits = ancestry.newest(_MOST_COMMITS) if ancestry is not None else ()
        order = {str(commit.id): number for number, commit in enumerate(commits)}
        with self._lock:
            self._head, self._order = head, order
            self._found.drop()
            self._generation += 1

    def explain(self, judgement: Judgement, *, patient: bool = False) -> Judgement:
        """Add the commits to the reasons of a judgement; without `patient` only those that are known already."""
        changed: dict[Reason, Reason] = {}
        ties: list[Tie] = []
        for tie in judgement.ties:
            if not tie.found and any(_is_open(reason) for reason in tie.reasons):
                ties.append(self._found_again(tie, changed, patient=patient))
                continue
            reasons = tuple(self._reason(tie, reason, patient=patient) for reason in tie.reasons)
            changed.update((old, new) for old, new in zip(tie.reasons, reasons, strict=True) if new is not old)
            ties.append(evolve(tie, reasons=reasons) if reasons != tie.reasons else tie)
        if not changed:
            return judgement
        return evolve(
            judgement, ties=tuple(ties), reasons=tuple(changed.get(reason, reason) for reason in judgement.reasons)
        )

    def explain_all(self, judgements: Sequence[Judgement]) -> list[Judgement]:
        """Add the commits to the reasons of many judgements, where the history was read."""
        wanting = any(_is_open(reason) for judgement in judgements for reason in judgement.reasons)
        if wanting and self._is_covered():
            self.prepare()
        return [self.explain(judgement) for judgement in judgements] if wanting else list(judgements)

    def last_change(self, path: str, symbol: str, *, patient: bool = True) -> CommitRef | None:
        """The commit that last changed the meaning of a committed symbol; None when it is not known."""
        order = self._order_now(patient=patient)
        found = self._last_change(path, symbol, order) if order is not None else None
        if found is None and patient and not self._is_covered():
            changes = self._histories.read(path, symbol, limit=1, deadline=_WALK).changes
            found = CommitRef(changes[0].commit, changes[0].date) if changes else None
        return found

    def _is_covered(self) -> bool:
        from memlsp.memory.learning.onboarding import covered  # late, as above

        return covered(self._store, self._worktree.head())

    def _order_now(self, *, patient: bool) -> Mapping[str, int] | None:
        if patient:
            self.prepare()
        head = self._worktree.head()
        with self._lock:
            return self._order if head is not None and head == self._head else None

    def _reason(self, tie: Tie, reason: Reason, *, patient: bool) -> Reason:
        if not _is_open(reason):
            return reason
        order = self._order_now(patient=patient)
        if order is None:
            return reason
        key = (tie.anchor.path, tie.anchor.symbol, tie.anchor.commit, tie.path, tie.symbol, reason)
        kept = self._found.get(key)
        if kept is not None and (kept is not reason or not patient):
            return kept
        try:
            found = self._carried(tie, reason, order, patient=patient) if reason.code in _CARRIED else None
            found = found or self._of_dependency(tie, reason, order, patient=patient) or reason
        except MemlspError:
            return reason  # a reason is as true without its commit
        self._found.put(key, found)
        return found

    # -- gone

    def _found_again(self, tie: Tie, changed: dict[Reason, Reason], *, patient: bool) -> Tie:
        """A lost tie with the place that commits took its symbol to as a candidate, where that is known."""
        order = self._order_now(patient=patient)
        last = self._departed(tie.anchor, order) if order is not None else None
        outline = self._worktree.outline(last.new[0]) if last is not None else None
        symbol = outline.find(last.new[1]) if last is not None and outline is not None else None
        if last is None or symbol is None:
            return tie
        for reason in filter(_is_open, tie.reasons):
            message = f"{reason.message.partition('; ')[0]}; it was carried across {last}"
            changed[reason] = evolve(reason, message=message, commit=last.ref.commit, at=last.ref.date)
        reasons = tuple(changed.get(reason, reason) for reason in tie.reasons)
        from memlsp.code.diff.similarity import body_similarity  # late, as above

        alike = round(body_similarity(tie.anchor.verified, symbol), 2)
        place = Candidate(symbol.path, symbol.name, symbol.kind, symbol.name_span.start_line + 1, alike)
        others = (each for each in tie.candidates if (each.path, each.symbol) != (place.path, place.symbol))
        return evolve(tie, reasons=reasons, candidates=(place, *others))

    def _departed(self, anchor: Anchor, order: Mapping[str, int]) -> _Crossing | None:
        """From where the anchor was verified to where its symbol was last taken, as one crossing of the last commit."""
        since = _since(anchor, order)
        here, at = (anchor.path, anchor.symbol), len(order) if since is None else since
        last: CommitRef | None = None
        for _ in range(_MOST_STEPS):
            steps = self._store.past.departures(here[0], tuple(with_containers(here[1])))
            gone = [
                (number, len(old.name), (new.path, _within(here[1], old.name, new.name)), ref)
                for number, old, new, ref in _numbered(steps, order)
                if number < at
            ]
            if not gone:
                break
            at, _, here, last = max(gone, key=lambda each: each[:2])
        return _Crossing(last, (anchor.path, anchor.symbol), here) if last is not None else None

    # -- renamed and moved

    def _carried(self, tie: Tie, reason: Reason, order: Mapping[str, int], *, patient: bool) -> Reason | None:
        here, there = (tie.path, tie.symbol), (tie.anchor.path, tie.anchor.symbol)
        crossings = self._crossings(here, there, _since(tie.anchor, order), order)
        if not crossings and patient and not self._is_covered():
            crossings = self._walked(here, there)
        if not crossings:
            return None
        steps = "; then across ".join(str(crossing) for crossing in reversed(crossings))
        newest = crossings[0].ref
        return evolve(reason, message=f"carried across {steps}", commit=newest.commit, at=newest.date)

    def _crossings(
        self, here: _Place, there: _Place, since: int | None, order: Mapping[str, int]
    ) -> tuple[_Crossing, ...]:
        """The commits through which the symbol at `here` came from `there`, newest first; none when they do not lead
        there."""
        found: list[_Crossing] = []
        at = -1
        while here != there and len(found) < _MOST_STEPS:
            steps = self._store.past.steps(here[0], tuple(with_containers(here[1])), moved=True)
            came = [
                (number, -len(new.name), _Crossing(ref, (old.path, _within(here[1], new.name, old.name)), here))
                for number, old, new, ref in _numbered(steps, order)
                if at < number and (since is None or number < since)
            ]
            came = [each for each in came if each[2].old != here]
            if not came:
                return ()
            at, _, crossing = min(came, key=lambda each: each[:2])
            found.append(crossing)
            here = crossing.old
        return tuple(found) if here == there else ()

    def _walked(self, here: _Place, there: _Place) -> tuple[_Crossing, ...]:
        """The same from the past of the symbol, which tells of new names but not of every new path."""
        changes = self._histories.read(*here, limit=20, deadline=_WALK).changes
        found: list[_Crossing] = []
        for newer, older in pairwise(changes):
            if newer.symbol != older.symbol:
                ref = CommitRef(newer.commit, newer.date)
                found.append(_Crossing(ref, (older.path, older.symbol), (newer.path, newer.symbol)))
                if found[-1].old == there:
                    return tuple(found)
        return ()

    # -- changed

    def _of_dependency(self, tie: Tie, reason: Reason, order: Mapping[str, int], *, patient: bool) -> Reason | None:
        """The commit that changed what the anchor's symbol uses, when its file is as committed."""
        if reason.code not in _USED or reason.path is None:
            return None
        used = next((d for d in tie.anchor.depends if f"`{d.name}`" in reason.message), None)
        if used is None or not self._is_committed(reason.path):
            return None
        ref = self.last_change(reason.path, used.symbol, patient=patient)
        if ref is None or ref.commit not in order:
            return None
        since = _since(tie.anchor, order)
        if order[ref.commit] >= since if since is not None else ref.date <= tie.anchor.verified_at:
            return None  # it was so when the belief was verified
        return evolve(reason, commit=ref.commit, at=ref.date)

    def _last_change(self, path: str, symbol: str, order: Mapping[str, int]) -> CommitRef | None:
        steps = self._store.past.steps(path, (symbol,), limit=200)
        reached = [each.episode for each in steps if each.episode.commit in order and each.change.new is not None]
        last = min(reached, key=lambda episode: order[episode.commit], default=None)
        return CommitRef(last.commit, last.date) if last is not None else None

    def _is_committed(self, path: str) -> bool:
        from memlsp.capture.history.ancestry import Ancestry  # late, as above

        data = self._worktree.read(path)
        ancestry = Ancestry.at(self._worktree.root)
        head = ancestry.head() if ancestry else None
        if data is None or ancestry is None or head is None:
            return False
        import pygit2  # late, as above

        return pygit2.hash(data) == ancestry.blob_id(head, ancestry.prefix + path)


def _is_open(reason: Reason) -> bool:
    """True for a reason that a commit could be named for and is not yet."""
    return reason.commit is None and reason.code in _TOLD


def _since(anchor: Anchor, order: Mapping[str, int]) -> int | None:
    """The number of the commit at which the anchor was verified, when that leads to the present one."""
    return order.get(anchor.commit) if anchor.commit else None


def _numbered(
    steps: Iterable[RecordedChange], order: Mapping[str, int]
) -> Iterator[tuple[int, SymbolRef, SymbolRef, CommitRef]]:
    """The steps in commits that lead to the present one, by their numbers: from which symbol, to which."""
    for step in steps:
        old, new, number = step.change.old, step.change.new, order.get(step.episode.commit)
        if old is not None and new is not None and number is not None:
            yield number, old, new, CommitRef(step.episode.commit, step.episode.date)


def _within(name: str, holder: str, former: str) -> str:
    """What `name` was called when its holder (or itself) was called `former`."""
    rest = name[len(holder) :] if holder else f".{name}" if name else ""
    return f"{former}{rest}" if former else rest.removeprefix(".")
