"""Contradictions between beliefs, behind the door: found when something is remembered, told, settled; never resolved
by themselves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from attrs import evolve

from memlsp.beliefs.contradiction.contradiction import RULES, contradiction_of
from memlsp.beliefs.lifecycle import revisions
from memlsp.beliefs.lifecycle.admission import Limits, Maker
from memlsp.capture.redaction.redaction import redact
from memlsp.memory.context import Context
from memlsp.memory.curation.revision import keywords
from memlsp.memory.judging.judgements import Judgements
from memlsp.model.belief import Author, AuthorKind, Belief, BeliefStatus, Revision, RevisionAction, ScopeKind
from memlsp.model.errors import BadValue, MemlspError, NotFound, Refused
from memlsp.model.review import Conflict, Settlement
from memlsp.model.standing import Tie
from memlsp.model.view import PlacedConflict
from memlsp.recall.question import parse_question
from memlsp.store import Store
from memlsp.store.tables.conflicts import KeptConflict

_CANDIDATES = 60
"""Beliefs that are held against a new one: the best that share words with it."""

_MOST_NEAR = 200
"""And of those tied to the same files, which need no common word."""

_CHANGING = frozenset(
    {
        RevisionAction.SUPERSEDE,
        RevisionAction.ADMIT,
        RevisionAction.REANCHOR,
        RevisionAction.SCOPE,
        RevisionAction.ROLLBACK,
    }
)
"""What can make a belief contradict another that it did not contradict before."""

_Changes = list[tuple[Belief, Belief, Revision]]
"""Beliefs as they were and as they are from now on, with what to record of it."""


class Conflicts:
    """Finds, tells and settles what contradicts. Conflicts lie with the workspace; those between two beliefs of user
    scope lie with the user."""

    def __init__(self, context: Context, judgements: Judgements) -> None:
        self._context = context
        self._judgements = judgements
        self._stores = (context.store, context.user)

    # -- telling --------------------------------------------------------------------------------------------------

    def open(self) -> tuple[Conflict, ...]:
        """The conflicts that nobody has settled, in order of their ids: both sides are active and say what they said,
        or still contradict each other in other words. None with a side that does not speak in the branch that is
        checked out, here and below: nobody could follow it here."""
        return self._told(each for store in self._stores for each in store.conflicts.unsettled())

    def of(self, id: str, *, settled: bool = False) -> tuple[Conflict, ...]:
        """The open conflicts of a belief, by its whole id; with `settled` those that were decided about as well."""
        kept = [each for store in self._stores for each in store.conflicts.of(id)]
        if settled:
            return tuple(each.conflict for each in kept)
        return self._told(kept)

    def all(self) -> tuple[Conflict, ...]:
        """Every conflict that was ever found and not forgotten, settled ones too."""
        return tuple(each.conflict for store in self._stores for each in store.conflicts.all())

    def side(self, id: str) -> Belief | None:
        """The belief on one side, by its whole id, also of the past; None when it was forgotten."""
        return self._look_up(id)

    def get(self, id: str) -> Conflict:
        """A conflict by the two ids with a plus between them, each whole or a unique beginning, in either order.

        Raises BadValue for what is no such pair, NoSuchBelief, NotFound where the two have none.
        """
        return self._kept(id).conflict

    def found(self, belief: Belief) -> tuple[Conflict, ...]:
        """The active beliefs that contradict this one as it is now, as conflicts; nothing is written, and the belief
        need not be stored. The order is that of the other side's id."""
        now = self._context.clock()
        found: dict[str, Conflict] = {}
        for other in self._candidates(belief):
            if other.id in found or other.id == belief.id:
                continue
            conflict = _conflict(belief, other, now)
            if conflict is not None:
                found[other.id] = conflict
        return tuple(found[id] for id in sorted(found))

    def at(self, path: str) -> tuple[PlacedConflict, ...]:
        """The open conflicts of what is tied to a file, at each of their places there, in the file's order."""
        known = self._judgements.about(path, globs=False)
        ids = [here.belief.id for here in known]
        by_id: dict[str, list[Conflict]] = {}
        told = self._told(each for store in self._stores for each in store.conflicts.of(*ids))
        sides = self._sides(told)
        for conflict in told:
            by_id.setdefault(conflict.first, []).append(conflict)
            by_id.setdefault(conflict.second, []).append(conflict)
        placed: list[PlacedConflict] = []
        for here in known:
            for conflict in by_id.get(here.belief.id, ()):
                other = sides.get(conflict.other(here.belief.id))
                if other is None:
                    continue  # forgotten a moment ago
                home = self._home_of(other)
                where = (home.path, max(home.line - 1, 0)) if home else ("", 0)
                placed += [
                    PlacedConflict(
                        conflict, here.belief, other, max(tie.line - 1, 0), tie.start_column, tie.end_column, *where
                    )
                    for tie in here.ties
                    if tie.path == path
                ]
        placed.sort(key=lambda each: (each.line, each.conflict.id, each.here.id))
        return tuple(placed)

    # -- finding --------------------------------------------------------------------------------------------------

    def look(self, belief: Belief) -> tuple[Conflict, ...]:
        """Hold a stored belief against the others and write what contradicts; those that are new.

        A belief that is not active contradicts nothing.
        """
        if belief.status is not BeliefStatus.ACTIVE:
            return ()
        others = {each.id: each for each in self._candidates(belief)}
        known = [each for store in self._stores for each in store.conflicts.of(belief.id)]
        sides = self._sides(each.conflict for each in known)
        for conflict in _standing(known, sides):
            other = sides[conflict.other(belief.id)]
            others[other.id] = other
        now = self._context.clock()
        mine: list[KeptConflict] = []
        users: list[KeptConflict] = []
        for other in others.values():
            conflict = None if other.id == belief.id else _conflict(belief, other, now)
            if conflict is not None:
                both = belief.scope.kind is ScopeKind.USER and other.scope.kind is ScopeKind.USER
                (users if both else mine).append(KeptConflict(conflict, _said_by_both(belief, other)))
        looked = said_by(belief)
        new = self._context.store.conflicts.record(belief.id, looked, mine)
        if belief.scope.kind is ScopeKind.USER or users:
            new += self._context.user.conflicts.record(belief.id, looked, users)
        return tuple(new)

    def after(self, action: RevisionAction, belief: Belief) -> tuple[Conflict, ...]:
        """Look again after something was done to a belief; nothing where it cannot matter or cannot be written."""
        if action not in _CHANGING and action is not RevisionAction.REMEMBER:
            return ()
        with suppress(MemlspError):  # what was written stays written: whoever looks next finds it
            return self.look(belief)
        return ()

    def refresh(self, progress: Callable[[int, int], None] | None = None, *, most: int | None = None) -> int:
        """Hold every active belief against the others that was not yet, in its present wording and by the present
        rules: after an import, a merge, or an update of memlsp. At most `most` of them; how many conflicts are new.

        `progress` is called with how many were looked at and how many there are to look at.
        """
        due: list[Belief] = []
        for store in self._stores:
            looked = store.conflicts.looked()
            due += [belief for belief in store.beliefs() if looked.get(belief.id) != said_by(belief)]
        due.sort(key=lambda belief: (belief.created_at, belief.id))
        due = due[:most]
        new = 0
        for number, belief in enumerate(due, start=1):
            new += len(self.look(belief))
            if progress is not None:
                progress(number, len(due))
        return new

    # -- settling -------------------------------------------------------------------------------------------------

    def settle(
        self,
        conflict_id: str,
        settlement: Settlement | str,
        *,
        keep: str | None = None,
        conditions: Mapping[str, Sequence[tuple[str, str]]] | None = None,
        author: Author | None = None,
        source: str = "python",
        session: str = "",
        note: str = "",
    ) -> Conflict:
        """Decide about a conflict, and return it as it was settled.

        `superseded`: the belief `keep` takes the place of the other one. `retired`: the other one than `keep` is no
        longer true. `scoped`: `conditions` give one or both beliefs, by id, the conditions that they apply under from
        now on, which have to part them. `kept`: both stand, and nobody is asked again while neither is reworded.
        Each can be taken back: by rolling the belief back, or by settling anew. Raises NotFound, NoSuchBelief,
        BadValue (what is missing), Refused (an agent and a locked belief, a belief that was revised meanwhile).
        """
        try:
            decided = Settlement(str(settlement))
        except ValueError:
            raise BadValue(f"not a settlement: {settlement!r}", f"one of {', '.join(Settlement)}") from None
        kept = self._kept(conflict_id)
        author = author or self._context.person()
        now = self._context.clock()
        by = Maker(author, source, now, redact(note).text, session)
        sides = (self._active(kept.conflict.first), self._active(kept.conflict.second))
        changes: _Changes = []
        after = sides
        if decided is Settlement.SCOPED:
            after, changes = _scoped(sides, conditions or {}, by)
        elif decided is Settlement.KEPT:
            _may_decide(sides, author)
        else:
            changes = _given_up(sides, keep, decided, by)
        settled = evolve(kept.conflict, settlement=decided, settled_by=author.name, settled_at=now, note=by.note)
        home = self._home(sides)
        # two files have no transaction in common; the belief first, of which the contradiction is none any more
        elsewhere = [each for each in changes if self._store_of(each[0]) is not home]
        if elsewhere:
            self._context.user.change_all(_written(elsewhere), [side for side, _, _ in elsewhere])
        here = [each for each in changes if each not in elsewhere]
        home.conflicts.settle(
            KeptConflict(settled, _said_by_both(*after)),
            author,
            source=source,
            session=session,
            changes=_written(here),
            expected=[side for side, _, _ in here],
        )
        return settled

    def reopen(
        self, conflict_id: str, *, author: Author | None = None, source: str = "python", session: str = ""
    ) -> None:
        """Take back that both were to stand; what was done to the beliefs is taken back by rolling them back.

        Raises NotFound, NoSuchBelief, Refused (an agent and what a person decided or locked).
        """
        author = author or self._context.person()
        kept = self._kept(conflict_id)
        conflict = kept.conflict
        sides = (self._active(conflict.first), self._active(conflict.second))
        _may_decide(sides, author)
        if author.kind is not AuthorKind.PERSON and conflict.settled_by not in {"", author.name}:
            raise Refused(f"{conflict.settled_by} decided about {conflict.id}", "ask whoever decided")
        self._home(sides).conflicts.reopen(kept, author, source, session, self._context.clock())

    # -- inside ---------------------------------------------------------------------------------------------------

    def _candidates(self, belief: Belief) -> Iterator[Belief]:
        """The active beliefs that could contradict this one: those tied to the same files, and those with its words."""
        seen: set[str] = set()
        for path in dict.fromkeys(anchor.path for anchor in belief.anchors):
            for other in self._context.store.anchored_at(path)[:_MOST_NEAR]:
                if other.id not in seen:
                    seen.add(other.id)
                    yield other
        terms = parse_question(belief.text).terms
        for store in self._stores:
            ids = [hit.id for hit in store.search(terms, limit=_CANDIDATES) if hit.id not in seen]
            seen.update(ids)
            yield from store.conflicts.sides(ids).values()

    def _home_of(self, belief: Belief) -> Tie | None:
        """The first place that a belief is tied to, where it is now."""
        if not belief.anchors:
            return None
        there = self._judgements.about(belief.anchors[0].path, globs=False)
        ties = (tie for judgement in there if judgement.belief.id == belief.id for tie in judgement.ties)
        return next(ties, None)

    def _told(self, kept: Iterable[KeptConflict]) -> tuple[Conflict, ...]:
        """Those that are open now and of which both sides speak here."""
        kept = tuple(kept)
        sides = self._sides(each.conflict for each in kept)
        found = tuple(_standing(kept, sides))
        if not found:
            return ()
        is_visible = self._judgements.visibility()
        visible = {id for id in {id for each in found for id in (each.first, each.second)} if is_visible(sides[id])}
        return tuple(each for each in found if each.first in visible and each.second in visible)

    def _sides(self, conflicts: Iterable[Conflict]) -> dict[str, Belief]:
        """The beliefs on both sides of several conflicts, by id, also of the past: one look into each store for all."""
        ids = list(dict.fromkeys(id for each in conflicts for id in (each.first, each.second)))
        if not ids:
            return {}
        return {belief.id: belief for store in reversed(self._stores) for belief in store.several(ids)}

    def _kept(self, id: str) -> KeptConflict:
        first, plus, second = id.strip().partition("+")
        if not plus or not first or not second:
            raise BadValue(
                f"not a conflict: {id!r}", "write both ids with a plus between them; memlsp conflicts lists them"
            )
        ids = sorted(self._judgements.get(each.strip()).belief.id for each in (first, second))
        for store in self._stores:
            kept = store.conflicts.get(ids[0], ids[1])
            if kept is not None:
                return kept
        raise NotFound(f"{ids[0]} and {ids[1]} have no conflict", "memlsp conflicts lists them")

    def _active(self, id: str) -> Belief:
        belief = self._look_up(id)
        if belief is None or belief.status is not BeliefStatus.ACTIVE:
            raise Refused(
                f"{id} is no longer active, so there is nothing to settle", "memlsp conflicts lists what is open"
            )
        return belief

    def _look_up(self, id: str) -> Belief | None:
        for store in self._stores:
            belief = store.belief(id)
            if belief is not None:
                return belief
        return None

    def _store_of(self, belief: Belief) -> Store:
        return self._context.user if belief.scope.kind is ScopeKind.USER else self._context.store

    def _home(self, sides: Sequence[Belief]) -> Store:
        both = all(side.scope.kind is ScopeKind.USER for side in sides)
        return self._context.user if both else self._context.store


def _standing(kept: Iterable[KeptConflict], sides: Mapping[str, Belief]) -> Iterator[Conflict]:
    """Those that are open now, told from what their sides say; a conflict with a side that is not there is none."""
    for each in kept:
        conflict = each.conflict
        first, second = sides.get(conflict.first), sides.get(conflict.second)
        if first is None or second is None or not _both_active(first, second):
            continue
        if _said_by_both(first, second) == each.said:
            if conflict.settlement in {None, Settlement.RETIRED, Settlement.SUPERSEDED}:
                yield evolve(conflict, settlement=None)  # a retirement that was taken back opens it again
            continue
        again = _conflict(first, second, conflict.found_at)
        if again is not None:
            yield again


def _given_up(sides: tuple[Belief, Belief], keep: str | None, decided: Settlement, by: Maker) -> _Changes:
    """What it does to the other one that one of two stays."""
    if keep is None:
        raise BadValue("which of the two stays?", f"keep {sides[0].id} or {sides[1].id}")
    stays = [side for side in sides if side.id.startswith(keep)] if keep else []
    if len(stays) != 1:
        raise BadValue(f"{keep!r} is neither side", f"keep {sides[0].id} or {sides[1].id}")
    other = sides[1] if stays[0] is sides[0] else sides[0]
    why = by.note or (
        f"gave way to {stays[0].id}" if decided is Settlement.SUPERSEDED else f"contradicts {stays[0].id}"
    )
    after, revision = revisions.retire(other, evolve(by, note=why))
    if decided is Settlement.SUPERSEDED:
        after = evolve(after, status=BeliefStatus.SUPERSEDED, superseded_by=stays[0].id)
    return [(other, after, revision)]


def _scoped(
    sides: tuple[Belief, Belief], conditions: Mapping[str, Sequence[tuple[str, str]]], by: Maker
) -> tuple[tuple[Belief, Belief], _Changes]:
    """Both sides under their conditions, and the changes that this takes."""
    given = {side.id: tuple(pairs) for side in sides for id, pairs in conditions.items() if id == side.id}
    if not given or len(given) != len(conditions):
        raise BadValue(
            "scoping apart needs a condition for one side or both", f"give it to {sides[0].id} or {sides[1].id}"
        )
    after = list(sides)
    changes: _Changes = []
    for place, side in enumerate(sides):
        if side.id in given:
            after[place], revision = revisions.rescope(side, Limits(conditions=given[side.id]), by)
            changes.append((side, after[place], revision))
    if contradiction_of(after[0], after[1]) is not None:
        raise BadValue(
            "they would still contradict each other", "give each a value of one key: env=staging and env=production"
        )
    return (after[0], after[1]), changes


def _written(changes: _Changes) -> list[tuple[Belief, Revision, str]]:
    return [(after, revision, keywords(after)) for _, after, revision in changes]


def _both_active(one: Belief, other: Belief) -> bool:
    return one.status is BeliefStatus.ACTIVE and other.status is BeliefStatus.ACTIVE


def _may_decide(sides: Sequence[Belief], author: Author) -> None:
    """That two beliefs may stand beside each other changes neither, but what a person locked is for persons."""
    locked = [side for side in sides if side.locked]
    if locked and author.kind is not AuthorKind.PERSON:
        raise Refused(f"{locked[0].id} is locked by a person, and {author.name} is an agent", "ask a person to decide")


def _conflict(one: Belief, other: Belief, now: datetime) -> Conflict | None:
    clash = contradiction_of(one, other)
    if clash is None:
        return None
    if one.id > other.id:
        one, other, clash = other, one, clash.turned()
    return Conflict(one.id, other.id, clash.subject, clash.predicate, clash.values, clash.reason, now)


def said_by(belief: Belief) -> bytes:
    """A digest of all that decides what a belief can contradict: its words, where it applies, and our rules."""
    where = [(anchor.path, anchor.symbol) for anchor in belief.anchors]
    told = json.dumps([RULES, belief.text, belief.conditions, str(belief.scope), where])
    return hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=16).digest()


def _said_by_both(one: Belief, other: Belief) -> bytes:
    """The same of two, whichever comes first; without the rules, since a decision outlives them."""
    told = sorted([each.id, each.text, each.conditions, str(each.scope)] for each in (one, other))
    return hashlib.blake2b(json.dumps(told).encode("utf-8", "replace"), digest_size=16).digest()
