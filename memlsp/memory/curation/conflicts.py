"""Contradictions between beliefs: find them after a change, list them, settle them. None is settled automatically."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import evolve

from memlsp.capture.redaction.redaction import redact
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.model.belief import Author, AuthorKind, Belief, BeliefStatus, Limits, Revision, RevisionAction, ScopeKind
from memlsp.model.caller import Caller, Progress
from memlsp.model.errors import BadValue, MemlspError, NotFound, Refused
from memlsp.model.one_line import plain
from memlsp.model.review import Conflict, Settlement
from memlsp.model.standing import Tie
from memlsp.model.view import PlacedConflict
from memlsp.store.store import Store
from memlsp.store.tables.acts import FoundBy
from memlsp.store.tables.conflicts import KeptConflict

if TYPE_CHECKING:
    from memlsp.beliefs.lifecycle.admission import Maker

_CANDIDATES = 60  # beliefs compared with a changed one: the best search hits for its words
_MOST_OF_A_FILE = 200  # beliefs compared for each of its files, whether they share a word or not

_CHANGING = frozenset(map(RevisionAction, ("remember", "supersede", "admit", "reanchor", "scope", "rollback")))
"""Actions that can make a belief contradict another that it did not contradict before."""

_Compared = dict[tuple[str, str], Conflict | None]
"""What comparing a pair of beliefs found, by their ids in order."""

_Changes = list[tuple[Belief, Belief, Revision]]
"""Each belief before and after, with the revision to record."""


class Conflicts:
    """Finds, lists and settles contradictions. A conflict is stored with the workspace; one between two beliefs of user
    scope is stored with the user."""

    def __init__(self, context: Context, judgements: Judgements) -> None:
        self._context = context
        self._judgements = judgements
        self._stores = context.stores

    # -- listing --------------------------------------------------------------------------------------------------

    def open(self) -> tuple[Conflict, ...]:
        """The conflicts that nobody has settled, in order of their ids. Both sides are active, visible on the current
        branch, and unchanged since the conflict was found, or reworded and still contradictory."""
        return self._open_and_visible(each for store in self._stores for each in store.conflicts.unsettled())

    def of(self, *ids: str, settled: bool = False) -> tuple[Conflict, ...]:
        """The open conflicts of beliefs, by their whole ids, each once; with `settled` the settled ones too."""
        kept = [each for store in self._stores for each in store.conflicts.of(*ids)]
        if settled:
            return tuple(each.conflict for each in kept)
        return self._open_and_visible(kept)

    def all(self) -> tuple[Conflict, ...]:
        """Every stored conflict, settled ones too."""
        return tuple(each.conflict for store in self._stores for each in store.conflicts.all())

    def side(self, id: str) -> Belief | None:
        """A belief by its whole id, whatever its status; None when it was forgotten."""
        found = self._context.stored(id)
        return found[1] if found else None

    def get(self, id: str) -> Conflict:
        """A conflict by its two ids joined with a plus, each whole or a unique prefix, in either order. Raises BadValue
        for a malformed id, NoSuchBelief, NotFound when these two beliefs have no conflict."""
        return self._get(id).conflict

    def found(self, belief: Belief) -> tuple[Conflict, ...]:
        """The active beliefs that contradict this one now, as conflicts in order of the other side's id. Nothing is
        written, and the belief need not be stored."""
        now = self._context.clock()
        others = sorted(self._candidates(belief), key=lambda other: other.id)
        found = (_conflict(belief, other, now) for other in others if other.id != belief.id)
        return tuple(conflict for conflict in found if conflict is not None)

    def at(self, path: str) -> tuple[PlacedConflict, ...]:
        """The open conflicts of the beliefs in a file, at each of their places there, in the file's order."""
        known = self._judgements.about(path, globs=False)
        ids = [here.belief.id for here in known]
        by_id: dict[str, list[Conflict]] = {}
        conflicts = self.of(*ids)
        sides = self._sides(conflicts)
        for conflict in conflicts:
            by_id.setdefault(conflict.first, []).append(conflict)
            by_id.setdefault(conflict.second, []).append(conflict)
        placed: list[PlacedConflict] = []
        for here in known:
            for conflict in by_id.get(here.belief.id, ()):
                other = sides.get(conflict.other(here.belief.id))
                if other is None:
                    continue  # forgotten meanwhile
                home = self._first_tie(other)
                where = (home.path, max(home.line - 1, 0)) if home else ("", 0)
                for tie in (each for each in here.ties if each.path == path):
                    spot = (max(tie.line - 1, 0), tie.start_column, tie.end_column)
                    placed.append(PlacedConflict(conflict, here.belief, other, *spot, *where))
        placed.sort(key=lambda each: (each.line, each.conflict.id, each.here.id))
        return tuple(placed)

    # -- finding --------------------------------------------------------------------------------------------------

    def look(self, belief: Belief) -> tuple[Conflict, ...]:
        """Compare a stored belief with the others and record contradictions; returns the new ones. An inactive belief
        contradicts nothing."""
        return self._look(belief, {})

    def _look(self, belief: Belief, compared: _Compared) -> tuple[Conflict, ...]:
        """As `look`; `compared` holds what comparing pairs in the same search found, and is added to."""
        if belief.status is not BeliefStatus.ACTIVE:
            return ()
        others = {each.id: each for each in self._candidates(belief)}
        known = [each for store in self._stores for each in store.conflicts.of(belief.id)]
        sides = self._sides(each.conflict for each in known)
        for conflict in _still_open(known, sides):
            other = sides[conflict.other(belief.id)]
            others[other.id] = other
        now = self._context.clock()
        mine: list[KeptConflict] = []
        users: list[KeptConflict] = []
        for other in others.values():
            if other.id == belief.id:
                continue
            pair = (min(belief.id, other.id), max(belief.id, other.id))
            if pair in compared:
                conflict = compared.pop(pair)  # each belief finds the other once
            else:
                conflict = compared[pair] = _conflict(belief, other, now)
            if conflict is not None:
                kept = mine if self._conflict_store((belief, other)) is self._context.store else users
                kept.append(KeptConflict(conflict, _digest_of_both(belief, other)))
        digest = _digest(belief)
        new = self._context.store.conflicts.record(belief.id, digest, mine)
        if belief.scope.kind is ScopeKind.USER or users:
            new += self._context.user.conflicts.record(belief.id, digest, users)
        return tuple(new)

    def ask(self, belief: Belief, other: Belief) -> None:
        """Record the question whether one stored belief replaces another one, unless they have a conflict."""
        values = {each.id: plain(each.text, 80) for each in (belief, other)}
        first, second = sorted(values)
        both = (values[first], values[second])
        reason = "one may have taken the place of the other"
        told = Conflict(first, second, values[other.id], "replaces", both, reason, self._context.clock())
        self._conflict_store((belief, other)).conflicts.take([KeptConflict(told, _digest_of_both(belief, other))])

    def after(self, action: RevisionAction, belief: Belief) -> tuple[Conflict, ...]:
        """Look for contradictions after a revision, if it can cause one. A failure to record them is ignored."""
        if action not in _CHANGING:
            return ()
        with suppress(MemlspError):  # the revision is stored already, and the next search finds the conflict
            return self.look(belief)
        return ()

    def refresh(self, progress: Progress | None = None, *, most: int | None = None) -> int:
        """Compare every active belief that was not yet compared in its present wording and by the present rules;
        returns the number of new conflicts.

        Needed after an import, a merge, or an update of memlsp. Handles at most `most` beliefs and calls
        `progress(done, total)` after each.
        """
        due: list[Belief] = []
        for store in self._stores:
            looked = store.conflicts.looked()
            due += [belief for belief in store.beliefs() if looked.get(belief.id) != _digest(belief)]
        due = sorted(due, key=lambda belief: (belief.created_at, belief.id))[:most]
        new = 0
        compared: _Compared = {}
        for number, belief in enumerate(due, start=1):
            new += len(self._look(belief, compared))
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
        by: Caller | None = None,
    ) -> Conflict:
        """Settle a conflict, and return it as it was settled.

        `superseded`: the belief `keep` replaces the other one. `retired`: the other one is retired. `scoped`:
        `conditions` gives one or both beliefs, by id, the conditions under which they apply; these have to exclude each
        other. `kept`: both stay, and the question is not asked again until one is reworded.

        Rolling a belief back or settling again undoes the decision. Raises NotFound, NoSuchBelief, BadValue for a
        missing argument, Refused for an agent and a locked belief, or a belief that was revised meanwhile.
        """
        try:
            decided = Settlement(str(settlement))
        except ValueError:
            raise BadValue(f"not a settlement: {settlement!r}", f"one of {', '.join(Settlement)}") from None
        kept = self._get(conflict_id)
        by = by or Caller()
        author, now = by.author or self._context.person(), self._context.clock()
        from memlsp.beliefs.lifecycle.admission import Maker  # late: few conflicts are settled

        maker = Maker(author, by.source, now, redact(by.note).text, by.session)
        sides = (self._active(kept.conflict.first), self._active(kept.conflict.second))
        changes: _Changes = []
        after = sides
        if decided is Settlement.SCOPED:
            after, changes = _scope_apart(sides, conditions or {}, maker)
        elif decided is Settlement.KEPT:
            _check_may_decide(sides, author)
        else:
            changes = _retire_other(sides, keep, decided, maker)
        settled = kept.conflict.settled(decided, author, now, maker.note)
        home = self._conflict_store(sides)
        # two files have no transaction in common: the belief goes first, since that ends the contradiction
        elsewhere = [each for each in changes if self._context.store_of(each[0]) is not home]
        if elsewhere:
            self._context.user.change_all(_with_terms(elsewhere), [side for side, _, _ in elsewhere])
        here = [each for each in changes if each not in elsewhere]
        decision, expected = KeptConflict(settled, _digest_of_both(*after)), [side for side, _, _ in here]
        home.conflicts.settle(decision, author, by.source, by.session, _with_terms(here), expected)
        return settled

    def reopen(
        self, conflict_id: str, *, author: Author | None = None, source: str = "python", session: str = ""
    ) -> None:
        """Reopen a conflict whose sides were both kept. Changes to the beliefs are undone by rolling them back. Raises
        NotFound, NoSuchBelief, Refused for an agent when somebody else settled it or a side is locked."""
        author = author or self._context.person()
        kept = self._get(conflict_id)
        conflict = kept.conflict
        sides = (self._active(conflict.first), self._active(conflict.second))
        _check_may_decide(sides, author)
        if author.kind is not AuthorKind.PERSON and conflict.settled_by not in {"", author.name}:
            raise Refused(f"{conflict.settled_by} decided about {conflict.id}", "ask whoever decided")
        self._conflict_store(sides).conflicts.reopen(kept, author, source, session, self._context.clock())

    def _candidates(self, belief: Belief) -> Iterator[Belief]:
        """The active beliefs that could contradict this one: those in the same files, and those that share words with
        it."""
        seen: set[str] = set()
        for path in dict.fromkeys(anchor.path for anchor in belief.anchors):
            for other in self._context.store.anchored_at(path)[:_MOST_OF_A_FILE]:
                if other.id not in seen:
                    seen.add(other.id)
                    yield other
        from memlsp.recall.question import parse_question  # late: an answer only looks conflicts up

        terms = parse_question(belief.text).terms
        for store in self._stores:
            ids = [hit.id for hit in store.search(terms, limit=_CANDIDATES) if hit.id not in seen]
            seen.update(ids)
            yield from (each for each in store.several(ids) if each.status is BeliefStatus.ACTIVE)

    def _first_tie(self, belief: Belief) -> Tie | None:
        """The first place of a belief, where it is now."""
        if not belief.anchors:
            return None
        there = self._judgements.about(belief.anchors[0].path, globs=False)
        ties = (tie for judgement in there if judgement.belief.id == belief.id for tie in judgement.ties)
        return next(ties, None)

    def _open_and_visible(self, kept: Iterable[KeptConflict]) -> tuple[Conflict, ...]:
        """The conflicts that are open and visible on both sides."""
        kept = tuple(kept)
        sides = self._sides(each.conflict for each in kept)
        found = tuple(_still_open(kept, sides))
        if not found:
            return ()
        is_visible = self._judgements.visibility()
        visible = {id for each in found for id in (each.first, each.second) if is_visible(sides[id])}
        return tuple(each for each in found if each.first in visible and each.second in visible)

    def _sides(self, conflicts: Iterable[Conflict]) -> dict[str, Belief]:
        """The beliefs on both sides, by id and whatever their status, with one query to each store."""
        ids = list(dict.fromkeys(id for each in conflicts for id in (each.first, each.second)))
        stores = reversed(self._stores) if ids else ()
        return {belief.id: belief for store in stores for belief in store.several(ids)}

    def _get(self, id: str) -> KeptConflict:
        first, plus, second = id.strip().partition("+")
        if not plus or not first or not second:
            raise BadValue(
                f"not a conflict: {id!r}", "write both ids with a plus between them; memlsp conflicts lists them"
            )
        ids = sorted(self._context.find(each.strip())[1].id for each in (first, second))
        for store in self._stores:
            kept = store.conflicts.get(ids[0], ids[1])
            if kept is not None:
                return kept
        raise NotFound(f"{ids[0]} and {ids[1]} have no conflict", "memlsp conflicts lists them")

    def _active(self, id: str) -> Belief:
        belief = self.side(id)
        if belief is None or belief.status is not BeliefStatus.ACTIVE:
            raise Refused(
                f"{id} is no longer active, so there is nothing to settle", "memlsp conflicts lists what is open"
            )
        return belief

    def _conflict_store(self, sides: Sequence[Belief]) -> Store:
        both = all(side.scope.kind is ScopeKind.USER for side in sides)
        return self._context.user if both else self._context.store


def _still_open(kept: Iterable[KeptConflict], sides: Mapping[str, Belief]) -> Iterator[Conflict]:
    """The conflicts that are still open, judged by the present wording of both sides. One with a forgotten side is
    dropped."""
    for each in kept:
        conflict = each.conflict
        first, second = sides.get(conflict.first), sides.get(conflict.second)
        if first is None or second is None or {first.status, second.status} != {BeliefStatus.ACTIVE}:
            continue
        if _digest_of_both(first, second) == each.said:
            if conflict.settlement in {None, Settlement.RETIRED, Settlement.SUPERSEDED}:
                yield evolve(conflict, settlement=None)  # rolling a retirement back reopens the conflict
            continue
        again = _conflict(first, second, conflict.found_at)
        if again is not None:
            yield again


def _retire_other(sides: tuple[Belief, Belief], keep: str | None, decided: Settlement, by: Maker) -> _Changes:
    """The revision that retires or supersedes the side that is not kept."""
    if keep is None:
        raise BadValue("which of the two stays?", f"keep {sides[0].id} or {sides[1].id}")
    stays = [side for side in sides if side.id.startswith(keep)] if keep else []
    if len(stays) != 1:
        raise BadValue(f"{keep!r} is neither side", f"keep {sides[0].id} or {sides[1].id}")
    other = sides[1] if stays[0] is sides[0] else sides[0]
    from memlsp.beliefs.lifecycle import revisions  # late, as above

    why = f"{'gave way to' if decided is Settlement.SUPERSEDED else 'contradicts'} {stays[0].id}"
    after, revision = revisions.retire(other, evolve(by, note=by.note or why))
    if decided is Settlement.SUPERSEDED:
        after = evolve(after, status=BeliefStatus.SUPERSEDED, superseded_by=stays[0].id)
    return [(other, after, revision)]


def _scope_apart(
    sides: tuple[Belief, Belief], conditions: Mapping[str, Sequence[tuple[str, str]]], by: Maker
) -> tuple[tuple[Belief, Belief], _Changes]:
    """Both sides under their new conditions, and the revisions to record."""
    given = {side.id: tuple(pairs) for side in sides for id, pairs in conditions.items() if id == side.id}
    if not given or len(given) != len(conditions):
        raise BadValue(
            "scoping apart needs a condition for one side or both", f"give it to {sides[0].id} or {sides[1].id}"
        )
    from memlsp.beliefs.contradiction.contradiction import contradiction_of
    from memlsp.beliefs.lifecycle import revisions  # late, as above

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


def _with_terms(changes: _Changes) -> list[tuple[Belief, Revision, FoundBy]]:
    from memlsp.memory.curation.revision import found_by  # late, as above

    return [(after, revision, found_by(after)) for _, after, revision in changes]


def _check_may_decide(sides: Sequence[Belief], author: Author) -> None:
    """Raise Refused when an agent decides about a locked belief, even though keeping both changes neither."""
    locked = [side for side in sides if side.locked]
    if locked and author.kind is not AuthorKind.PERSON:
        raise Refused(f"{locked[0].id} is locked by a person, and {author.name} is an agent", "ask a person to decide")


def _conflict(one: Belief, other: Belief, now: datetime) -> Conflict | None:
    from memlsp.beliefs.contradiction.contradiction import contradiction_of  # late, as above

    clash = contradiction_of(one, other)
    if clash is None:
        return None
    if one.id > other.id:
        one, other, clash = other, one, clash.turned()
    return Conflict(one.id, other.id, clash.subject, clash.predicate, clash.values, clash.reason, now)


def _digest(belief: Belief) -> bytes:
    """A digest of everything that decides which beliefs this one can contradict: wording, scope, places, and the
    version of the rules."""
    where = [(anchor.path, anchor.symbol) for anchor in belief.anchors]
    from memlsp.beliefs.contradiction.contradiction import RULES  # late, as above

    content = json.dumps([RULES, belief.text, belief.conditions, str(belief.scope), where])
    return hashlib.blake2b(content.encode("utf-8", "replace"), digest_size=16).digest()


def _digest_of_both(one: Belief, other: Belief) -> bytes:
    """A digest of the wording and scope of two beliefs, in either order. It omits the rules, since a decision outlives
    them."""
    content = sorted([each.id, each.text, each.conditions, str(each.scope)] for each in (one, other))
    return hashlib.blake2b(json.dumps(content).encode("utf-8", "replace"), digest_size=16).digest()
