"""Undo many revisions at once: those of a session or an import, or those of a span of time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from attrs import evolve, frozen

from memlsp.beliefs.lifecycle.admission import Maker, Revised, new_id
from memlsp.beliefs.lifecycle.revisions import rollback
from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.curation.revision import brought_back, found_by
from memlsp.model.belief import Author, Belief, Revision, RevisionAction
from memlsp.model.errors import BadValue, Refused
from memlsp.store.store import Store
from memlsp.store.tables.revisions import RevisionSession

UNDO = "undo:"
"""Prefix of the session name of an undo; undoing that session is a redo."""

IMPORT = "import-"
"""Prefix of the session name of an import."""

MERGE = "merge-"
"""Prefix of the session name of a merge: an import from another memory of this machine."""

_MOST_SESSIONS = 10_000
_MOST_CHECKED = 200  # beliefs checked for contradictions at once; `memlsp conflicts` and the review check the rest
_MOST_PASSED_OVER = 200  # revisions among which the last one with an effect is sought
_MOMENT = timedelta(milliseconds=1)  # revisions of one transaction have one time


_Chosen = Sequence[tuple[Store, Sequence[Revision]]]
"""The revisions to undo, by store."""

_RolledBack = dict[str, tuple[Belief, Revised]]
"""By id: a belief, and its next state with the revision that rolls it back."""


@frozen
class RolledBackBelief:
    """A belief that is (or would be) restored to its state before revision `number`."""

    before: Belief
    after: Belief
    number: int


@frozen
class UndoSkip:
    """A belief that stays as it is although it is among those to undo, and why."""

    belief: Belief
    reason: str


@frozen
class UndoResult:
    """The result of an undo. `session` names it, so that it can be undone in turn; "" when nothing was written.
    `already` counts beliefs that the revisions do not affect any more."""

    session: str
    changed: tuple[RolledBackBelief, ...] = ()
    left: tuple[UndoSkip, ...] = ()
    already: int = 0


class Undo:
    """Undoes the revisions of a session, an import or a span of time. Each undo can be undone.

    A belief that somebody else revised afterwards is skipped with the reason, because the later decision builds on the
    state to undo. An agent undoes only revisions of agents, and none of a locked belief.
    """

    def __init__(self, context: Context, conflicts: Conflicts) -> None:
        self._context = context
        self._conflicts = conflicts

    def sessions(self, limit: int = 50) -> tuple[RevisionSession, ...]:
        """The sessions and imports that revised something, latest first."""
        found = [each for store in self._context.stores for each in store.changes.sessions(limit)]
        return tuple(sorted(found, key=lambda each: each.last, reverse=True)[:limit])

    def named(self, beginning: str) -> str:
        """The session or import with this name, or with this prefix, with or without `import-` or `undo:`. Raises
        BadValue for none and for several."""
        names = list(dict.fromkeys(each.session for each in self.sessions(_MOST_SESSIONS)))
        if beginning in names:
            return beginning
        ways = (beginning, f"{IMPORT}{beginning}", f"{UNDO}{beginning}")
        found = [name for name in names if beginning and name.startswith(ways)]
        if len(found) == 1:
            return found[0]
        if found:
            raise BadValue(f"several sessions start with {beginning!r}: {', '.join(found[:5])}", "write more of it")
        raise BadValue(f"no session or import {beginning!r} taught anything", "memlsp undo --list shows those that did")

    def session(
        self, name: str, *, author: Author | None = None, source: str = "python", note: str = "", dry_run: bool = False
    ) -> UndoResult:
        """Undo everything that one session or import recorded; `name` in full. With `dry_run` nothing is written.
        Raises BadValue when it recorded nothing."""
        found = [(store, store.changes.of_session(name)) for store in self._context.stores]
        if not any(revisions for _, revisions in found):
            raise BadValue(f"no session or import {name!r} taught anything", "memlsp undo --list shows those that did")
        return self._undo(found, author, source, note or f"takes back {name}", dry_run=dry_run)

    def since(
        self,
        since: datetime,
        until: datetime | None = None,
        *,
        author: Author | None = None,
        source: str = "python",
        note: str = "",
        dry_run: bool = False,
    ) -> UndoResult:
        """Undo the revisions from `since` on and before `until`; without `until`, restore every belief to that moment.
        With `dry_run` nothing is written. Raises BadValue for a span that ends before it begins."""
        if until is not None and until <= since:
            raise BadValue("it ends before it begins", "give the earlier moment first")
        found = [(store, store.changes.between(since, until)) for store in self._context.stores]
        span = f"since {since:%Y-%m-%d %H:%M}" + (f" until {until:%Y-%m-%d %H:%M}" if until else "")
        return self._undo(found, author, source, note or f"takes back what was done {span}", dry_run=dry_run)

    def last(
        self, *, author: Author | None = None, source: str = "python", note: str = "", dry_run: bool = False
    ) -> UndoResult:
        """Undo the last thing that was noted from a prompt or changed, with all that changed with it. What was taken
        back before is passed over, so each call goes one step further. Raises BadValue where nothing is left."""
        found = [(store, self._latest_standing(store)) for store in self._context.stores]
        at = max((revision.at for _, revision in found if revision is not None), default=None)
        if at is None:
            raise BadValue("there is nothing to take back", "memlsp audit shows what was done")
        chosen = [
            (store, [each for each in store.changes.between(at, at + _MOMENT) if each.session == last.session])
            for store, last in found
            if last is not None and last.at == at
        ]
        return self._undo(chosen, author, source, note or "takes back the last change", dry_run=dry_run)

    def _latest_standing(self, store: Store) -> Revision | None:
        """The latest revision of a store that has an effect still."""
        for revision in store.changes.latest(_MOST_PASSED_OVER):
            if restoration_target(store.revisions(revision.belief_id), {revision.number})[0] is not None:
                return revision
        return None

    def _undo(self, found: _Chosen, author: Author | None, source: str, note: str, *, dry_run: bool) -> UndoResult:
        session = f"{UNDO}{new_id()}"
        by = Maker(author or self._context.person(), source, self._context.clock(), note, session)
        total = UndoResult("")
        for store, revisions in found:
            plan, changes = _plan(store, revisions, by)
            if changes and not dry_run:
                expected = [each.before for each in plan.changed]
                store.change_all([(after, entry, found_by(after)) for after, entry in changes], expected)
                for after, _ in changes[:_MOST_CHECKED]:
                    self._conflicts.after(RevisionAction.ROLLBACK, after)
            total = UndoResult("", total.changed + plan.changed, total.left + plan.left, total.already + plan.already)
        return evolve(total, session=session if total.changed and not dry_run else "")


def _plan(store: Store, revisions: Sequence[Revision], by: Maker) -> tuple[UndoResult, list[Revised]]:
    """The plan for one store and the revisions to write, in the order in which the beliefs were first revised."""
    chosen: dict[str, set[int]] = {}
    for revision in revisions:
        chosen.setdefault(revision.belief_id, set()).add(revision.number)
    changed: _RolledBack = {}
    left: dict[str, UndoSkip] = {}
    already = 0
    for id, numbers in chosen.items():
        belief, history = store.belief(id), store.revisions(id)
        if belief is None:
            continue
        target, later = restoration_target(history, numbers)
        if later is not None:
            left[id] = UndoSkip(belief, f"{later.author.name} revised it afterwards ({later.action})")
        elif target is None:
            already += 1
        else:
            undone = [each for each in history if each.number >= target]
            try:
                changed[id] = belief, rollback(belief, store.state_before(id, target), target, by, undone)
            except Refused as refusal:
                left[id] = UndoSkip(belief, str(refusal))
    _bring_back(store, changed, left, by)
    _skip_pairs(changed, left)
    done = (RolledBackBelief(before, after, revision.undoes or 0) for before, (after, revision) in changed.values())
    return UndoResult("", tuple(done), tuple(left.values()), already), [revised for _, revised in changed.values()]


def restoration_target(history: Sequence[Revision], chosen: Collection[int]) -> tuple[int | None, Revision | None]:
    """The revision before which to restore a belief so that none of the `chosen` has an effect, and a revision of
    somebody else that prevents it.

    `history` is complete and in order. (None, None) when no chosen revision has an effect any more. The effective
    revisions follow from the rollbacks: each restores the chain before the revision that it undoes, and adds nothing.
    """
    standing: dict[int, tuple[int, ...]] = {0: ()}  # after each revision: the revisions that its state results from
    entries = {each.number: each for each in history}
    chain: tuple[int, ...] = ()
    for each in history:
        if each.action is RevisionAction.ROLLBACK and each.undoes is not None:
            own = all(number in chosen for number in range(each.undoes, each.number + 1))
            former = standing.get(each.undoes - 1, ())
            chain = former if own else (*former, each.number)
        else:
            chain = (*chain, each.number)
        standing[each.number] = chain
    target: int | None = None
    while True:
        effective = [number for number in chain if number in chosen]
        if not effective:
            return target, None
        first = min(effective)
        for number in chain:
            later = entries[number]
            if number > first and number not in chosen and later.action is not RevisionAction.ROLLBACK:
                return None, later
        target, chain = first, standing[first - 1]


def _bring_back(store: Store, changed: _RolledBack, left: dict[str, UndoSkip], by: Maker) -> None:
    """Add the beliefs that the retired ones had superseded: they are believed again."""
    for id, (before, (after, _)) in list(changed.items()):
        try:
            found = brought_back(store, before, after, by)
        except Refused as refusal:
            left[id] = UndoSkip(before, str(refusal))
            del changed[id]
            continue
        for former, revised in found:
            if former.id not in left:
                changed.setdefault(former.id, (former, revised))


def _skip_pairs(changed: _RolledBack, left: dict[str, UndoSkip]) -> None:
    """Skip both or neither of a statement and its successor, so that exactly one of them holds."""
    again = True
    while again:
        again = False
        for id, (before, (after, _)) in list(changed.items()):
            successor = before.superseded_by
            if successor in left and after.superseded_by != successor:
                left[id] = UndoSkip(before, f"{successor} replaced it, and stays")
                del changed[id]
                again = True
        for id, entry in list(left.items()):
            successor = entry.belief.superseded_by
            if successor in changed:
                left[successor] = UndoSkip(changed[successor][0], f"it replaced {id}, which stays as it is")
                del changed[successor]
                again = True
