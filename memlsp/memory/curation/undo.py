"""Taking back more than one revision: what a session or an import taught, or what was done since a date."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from attrs import evolve, frozen

from memlsp.beliefs.lifecycle.admission import Maker, Revised, new_id
from memlsp.beliefs.lifecycle.revisions import rollback
from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.curation.revision import keywords
from memlsp.model.belief import Author, Belief, Revision, RevisionAction
from memlsp.model.errors import BadValue, Refused
from memlsp.store import Store
from memlsp.store.tables.revisions import RevisionSession

UNDO = "undo:"
"""What the session of an undoing starts with; taking that session back is redoing."""

IMPORT = "import-"
"""What the session of an import starts with."""

MERGE = "merge-"
"""What the session of a merge starts with: an import from another memory of this machine."""

_LOOKED_THROUGH = 10_000
_HELD_AGAINST_OTHERS = 200
"""Beliefs that are looked at at once for what contradicts them; `memlsp conflicts` and the review look at the rest."""


@frozen
class RolledBackBelief:
    """One belief that is (or would be) as it was before revision `number`."""

    before: Belief
    after: Belief
    number: int


@frozen
class UndoSkip:
    """One belief that stays as it is although it was revised there, and why."""

    belief: Belief
    reason: str


@frozen
class UndoResult:
    """What an undoing came to. `session` is its own name, by which it can be taken back in turn; "" when nothing was
    written. `already` counts beliefs on which nothing of it stands any more."""

    session: str
    changed: tuple[RolledBackBelief, ...] = ()
    left: tuple[UndoSkip, ...] = ()
    already: int = 0


class Undo:
    """Takes back what a session, an import or a span of time taught; itself undoable.

    A belief that somebody else revised afterwards is left alone, with the reason: what they decided stands on what was
    there. An agent takes back only what agents did, and nothing of a locked belief.
    """

    def __init__(self, context: Context, conflicts: Conflicts) -> None:
        self._context = context
        self._conflicts = conflicts

    def sessions(self, limit: int = 50) -> tuple[RevisionSession, ...]:
        """The sessions and imports that revised something, the latest first."""
        found = [each for store in self._stores() for each in store.changes.sessions(limit)]
        return tuple(sorted(found, key=lambda each: each.last, reverse=True)[:limit])

    def named(self, beginning: str) -> str:
        """The session or import whose name starts so, or does after `import-` or `undo:`. Raises BadValue for none and
        for several."""
        names = list(dict.fromkeys(each.session for each in self.sessions(_LOOKED_THROUGH)))
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
        self,
        name: str,
        *,
        author: Author | None = None,
        source: str = "python",
        note: str = "",
        dry_run: bool = False,
    ) -> UndoResult:
        """Take back all that one session or import taught, `name` in full. With `dry_run` nothing is written.

        Raises BadValue when nothing is known of it.
        """
        found = [(store, store.changes.of_session(name)) for store in self._stores()]
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
        """Take back what was done from `since` on, before `until` where that is given: without it, every belief is what
        it was at that moment. With `dry_run` nothing is written. Raises BadValue for a span that ends before it begins.
        """
        if until is not None and until <= since:
            raise BadValue("it ends before it begins", "give the earlier moment first")
        found = [(store, store.changes.between(since, until)) for store in self._stores()]
        told = f"since {since:%Y-%m-%d %H:%M}" + (f" until {until:%Y-%m-%d %H:%M}" if until else "")
        return self._undo(found, author, source, note or f"takes back what was done {told}", dry_run=dry_run)

    # -- inside -----------------------------------------------------------------------------------------------------

    def _stores(self) -> tuple[Store, Store]:
        return self._context.store, self._context.user

    def _undo(
        self,
        found: Sequence[tuple[Store, Sequence[Revision]]],
        author: Author | None,
        source: str,
        note: str,
        *,
        dry_run: bool,
    ) -> UndoResult:
        session = f"{UNDO}{new_id()}"
        by = Maker(author or self._context.person(), source, self._context.clock(), note, session)
        all_of_it = UndoResult("")
        for store, revisions in found:
            plan, changes = _planned(store, revisions, by)
            if changes and not dry_run:
                expected = [each.before for each in plan.changed]
                store.change_all([(after, entry, keywords(after)) for after, entry in changes], expected)
                for after, _ in changes[:_HELD_AGAINST_OTHERS]:
                    self._conflicts.after(RevisionAction.ROLLBACK, after)
            all_of_it = UndoResult(
                "",
                all_of_it.changed + plan.changed,
                all_of_it.left + plan.left,
                all_of_it.already + plan.already,
            )
        return evolve(all_of_it, session=session if all_of_it.changed and not dry_run else "")


def _planned(store: Store, revisions: Sequence[Revision], by: Maker) -> tuple[UndoResult, list[Revised]]:
    """What would be written to one store, oldest belief first as it was revised."""
    chosen: dict[str, set[int]] = {}
    for revision in revisions:
        chosen.setdefault(revision.belief_id, set()).add(revision.number)
    changed: dict[str, tuple[RolledBackBelief, Revised]] = {}
    left: dict[str, UndoSkip] = {}
    already = 0
    for id, numbers in chosen.items():
        belief, history = store.belief(id), store.revisions(id)
        if belief is None:
            continue
        target, later = taken_back_to(history, numbers)
        if later is not None:
            left[id] = UndoSkip(belief, f"{later.author.name} revised it afterwards ({later.action})")
        elif target is None:
            already += 1
        else:
            undone = [each for each in history if each.number >= target]
            try:
                revised = rollback(belief, store.state_before(id, target), target, by, undone)
            except Refused as refusal:
                left[id] = UndoSkip(belief, str(refusal))
            else:
                changed[id] = (RolledBackBelief(belief, revised[0], target), revised)
    _keep_pairs(changed, left)
    plan = UndoResult("", tuple(entry for entry, _ in changed.values()), tuple(left.values()), already)
    return plan, [revised for _, revised in changed.values()]


def taken_back_to(history: Sequence[Revision], chosen: Collection[int]) -> tuple[int | None, Revision | None]:
    """The revision before which a belief has to be brought so that none of the `chosen` has an effect on it, and the
    revision of somebody else that stands in the way.

    `history` is whole and in order. (None, None) when nothing of them stands any more. What stands is worked out by
    following rollbacks: each goes back to the chain that stood before what it took back, and says nothing of its own.
    """
    standing: dict[int, tuple[int, ...]] = {0: ()}  # after each revision: those that made the state
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


def _keep_pairs(changed: dict[str, tuple[RolledBackBelief, Revised]], left: dict[str, UndoSkip]) -> None:
    """Of a statement and the one that replaced it either both are taken back, or neither: not both hold, and not
    none."""
    moved = True
    while moved:
        moved = False
        for id, (entry, _) in list(changed.items()):
            successor = entry.before.superseded_by
            if successor in left and entry.after.superseded_by != successor:
                left[id] = UndoSkip(entry.before, f"{successor} replaced it, and stays")
                del changed[id]
                moved = True
        for id, entry in list(left.items()):
            successor = entry.belief.superseded_by
            if successor in changed:
                left[successor] = UndoSkip(changed[successor][0].before, f"it replaced {id}, which stays as it is")
                del changed[successor]
                moved = True
