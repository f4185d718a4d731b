"""The review: what waits in one queue, and what is decided about it.

What was decided is in the beliefs' histories; only which revisions one decision wrote is noted, to undo it as one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from memlsp.beliefs.claims.references import verified_references
from memlsp.beliefs.lifecycle.proposals import replaced_by, suggest
from memlsp.beliefs.lifecycle.renewal import renew
from memlsp.beliefs.lifecycle.revisions import Limits, Maker, rollback
from memlsp.memory.context import Context
from memlsp.memory.curation.belief_editor import BeliefEditor
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.curation.review_queue import ADMIT, APART, BOTH, FIRST, REJECT, SECOND, ReviewQueue
from memlsp.memory.curation.revision import keywords
from memlsp.memory.judging.before_after import code_changes
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.learning.proposals import Proposals
from memlsp.model.belief import (
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefKind,
    BeliefStatus,
    Revision,
    RevisionAction,
    ScopeKind,
)
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, NoSuchBelief, Refused
from memlsp.model.place import Place
from memlsp.model.review import CodeChange, Conflict, Decision, ReviewItem, ReviewKind, Settlement
from memlsp.model.standing import Judgement
from memlsp.store import Store

Conditions = Sequence[tuple[str, str]] | Mapping[str, Sequence[tuple[str, str]]]
"""Where something applies; of the sides of a conflict by their ids."""

PROPOSE = "propose"
"""The choice that decides nothing: what should stand instead, for a person to admit."""

_DECISIONS = "review.decisions"
_REMEMBERED = 100


class Review:
    """What waits for a decision, by impact, and the deciding."""

    def __init__(
        self,
        context: Context,
        judgements: Judgements,
        conflicts: Conflicts,
        proposals: Proposals,
        editor: BeliefEditor,
    ) -> None:
        self._context = context
        self._judgements = judgements
        self._conflicts = conflicts
        self._editor = editor
        self._worktree = context.worktree
        self._waiting = ReviewQueue(context, judgements, conflicts, proposals)

    # -- what waits -------------------------------------------------------------------------------------------------

    def queue(self, limit: int | None = None, kinds: Collection[ReviewKind] | None = None) -> tuple[ReviewItem, ...]:
        """What waits, the largest impact first (`ReviewQueue` says what that is), equals by id."""
        return self._waiting.queue(limit, kinds)

    def item(self, id: str) -> ReviewItem:
        """One thing that waits, by its id or a unique beginning of it: as the queue has it. Raises NoSuchBelief, and
        Refused for a belief that nothing is asked about."""
        return self._waiting.item(id)

    def still(self, id: str) -> ReviewItem | None:
        """What the queue has under this whole id now, None when that is settled."""
        return self._waiting.still(id)

    def changes(self, item: ReviewItem) -> tuple[CodeChange, ...]:
        """What became of the code that an item is about, place by place."""
        return tuple(each for judgement in item.judgements for each in code_changes(judgement.belief, self._worktree))

    def contrast(self, belief: Belief) -> tuple[CodeChange, ...]:
        """What became of the code that a belief is tied to, place by place."""
        return code_changes(belief, self._worktree)

    # -- deciding ---------------------------------------------------------------------------------------------------

    def settle(
        self,
        item_id: str,
        choice: str,
        text: str | None = None,
        *,
        author: Author | None = None,
        source: str = "python",
        session: str = "",
        note: str = "",
        conditions: Conditions | None = None,
        expires_at: datetime | None = None,
    ) -> Decision:
        """Decide about one thing that waits.

        Of a proposal: `admit` (with `text`: in these words) or `reject`. Of a belief that no longer holds: `confirm`,
        `supersede` (by `text`), `retire`, `reanchor` (to the place in `text`, or the only candidate), `scope`
        (`conditions`, `expires_at`). Of a conflict: `first` or `second` takes the place of the other, `both` stand,
        `apart` (`conditions` by id, or those of the first). `propose` suggests `text` instead of deciding.

        An agent decides about what agents said or miners found, and not about proposals, locked beliefs and what a
        person stands behind: Refused. Raises NoSuchBelief, BadValue for another choice or what is missing.
        """
        item = self.item(item_id)
        by = author or self._context.person()
        if choice == PROPOSE:
            return self._proposed(item, text, by, source, session, note)
        if choice not in item.choices:
            raise BadValue(f"not a choice: {choice!r}", f"one of {', '.join((*item.choices, PROPOSE))}")
        self._allowed(item, choice, by)
        involved = {judgement.belief.id for judgement in item.judgements}
        involved |= {each for each in self._replaced(item) if self._is_there(each)}
        before = {id: self._latest(id) for id in involved}
        if item.conflict is not None:
            judgement = self._settled(item.conflict, choice, by, source, session, note, conditions)
        else:
            belief = item.judgements[0].belief
            judgement = self._editor.revise(
                belief.id,
                RevisionAction.RETIRE if choice == REJECT else RevisionAction(choice),
                text=text if choice in {ADMIT, "supersede"} else None,
                at=Place.parse(text) if choice == "reanchor" and text else None,
                limits=_limits(conditions, expires_at) if choice == "scope" else None,
                by=Caller(by, source, session, note=note),
            )
        before.setdefault(judgement.belief.id, 0)
        written = tuple((id, number) for id in sorted(before) for number in self._since(id, before[id]))
        decision = Decision(item.id, choice, by, self._context.clock(), written, judgement)
        self._note(decision)
        return decision

    def propose(
        self,
        text: str,
        *,
        instead_of: str | None = None,
        about: Conflict | None = None,
        kind: BeliefKind | None = None,
        author: Author | None = None,
        source: str = "python",
        session: str = "",
        note: str = "",
    ) -> Judgement:
        """Suggest a statement for a person to admit; with `instead_of` in the place of that belief, with `about` in
        that of both sides of a contradiction; `note` says why.

        Raises BadValue for a statement that cannot be kept, Refused for what was proposed before and not wanted, or
        is held true already.
        """
        text, note = (self._context.without_personal_data(each) for each in (text, note))
        by = Maker(author or self._context.person(), source, self._context.clock(), note, session)
        old = None if instead_of is None else self._judgements.get(instead_of).belief
        if old is not None and old.status is not BeliefStatus.ACTIVE:
            raise Refused(f"{old.id} is {old.status}", "propose in the place of what is held true")
        if old is not None and old.scope.kind is ScopeKind.USER:
            raise Refused(f"{old.id} is {by.author.name}'s to read and not to replace", "ask the person it is for")
        sides = [] if about is None else self._ours(about)
        places = {
            (anchor.path, anchor.symbol): anchor
            for each in ([old] if old is not None else sides)
            for anchor in renew(each, self._worktree, now=by.now, text=text).anchors
        }
        anchors = tuple(places.values())
        belief, revision = suggest(
            text,
            by,
            instead_of=old,
            about="+".join(each.id for each in sides),
            kind=kind,
            anchors=anchors,
            references=lambda statement: verified_references(statement, self._worktree, anchors),
        )
        known = self._context.store.belief(belief.id)
        if known is None:
            self._context.store.add(belief, revision, keywords(belief))
            return self._judgements.get(belief.id)
        if known.status is BeliefStatus.PROPOSED:
            return self._judgements.get(known.id)
        if known.status is BeliefStatus.ACTIVE:
            raise Refused(f"{known.id} says so already", "confirm it instead")
        raise Refused(f"the same was proposed before as {known.id}, and was not wanted", "say what is different now")

    def undo(
        self, item: str | None = None, *, author: Author | None = None, source: str = "python", session: str = ""
    ) -> Decision:
        """Take back the last decision of `author`, whole, as one; the decision as it was made.

        With `item`, an item's whole id, only when the last decision was about that one: who saw it made somewhere
        takes back that and nothing that was decided elsewhere since.

        Raises Refused when there is none, when it was about another item, and when what it decided was revised since.
        """
        by = author or self._context.person()
        noted = self._noted()
        at = next((n for n in reversed(range(len(noted))) if _is_by(noted[n], by)), None)
        if at is None:
            raise Refused(
                f"{by.name} has decided nothing that could be undone", "memlsp undo takes back more than that"
            )
        decision = _decision_of(noted[at])
        if item is not None and decision.item != item:
            raise Refused(
                f"the last decision of {by.name} is another, {decision.choice} of {decision.item}",
                "memlsp review --undo takes that one back",
            )
        maker = Maker(by, source, self._context.clock(), f"undoes {decision.choice} in the review", session)
        changes: dict[Store, list[tuple[Belief, Revision, str]]] = {}
        expected: list[Belief] = []
        for id, number in sorted(decision.revisions, key=lambda each: -each[1]):
            store, belief = self._stored(id)
            history = store.revisions(id)
            if history[-1].number != number:
                later = history[-1]
                raise Refused(
                    f"{id} was revised since ({later.action} by {later.author.name})", f"look at it: memlsp belief {id}"
                )
            after, revision = rollback(belief, store.state_before(id, number), number, maker, history[number - 1 :])
            changes.setdefault(store, []).append((after, revision, keywords(after)))
            expected.append(belief)
        for store, written in changes.items():
            store.change_all(written, expected)
            for after, _, _ in written:
                self._conflicts.after(RevisionAction.ROLLBACK, after)
        if decision.choice in {BOTH, APART}:  # it was settled, whatever its sides say now
            self._conflicts.reopen(decision.item, author=by, source=source, session=session)
        self._write(noted[:at] + noted[at + 1 :])
        return decision

    # -- who may ----------------------------------------------------------------------------------------------------

    def _allowed(self, item: ReviewItem, choice: str, by: Author) -> None:
        if by.kind is AuthorKind.PERSON:
            return
        if item.kind is ReviewKind.PROPOSAL:
            raise Refused(
                f"{item.id} is a proposal, and {by.name} is an agent: a person decides about it",
                "say what you think of it to the person",
            )
        spared = {FIRST: 0, SECOND: 1}.get(choice)  # who keeps its place is not changed
        for position, judgement in enumerate(item.judgements):
            belief = judgement.belief
            if position == spared:
                continue
            if belief.locked:
                raise Refused(
                    f"{belief.id} is locked by a person, and {by.name} is an agent",
                    "propose what should stand instead, and say what no longer holds and why",
                )
            if belief.authority.rank < Authority.AGENT.rank:
                raise Refused(
                    f"{belief.author.name}, a person, stands behind {belief.id}, and {by.name} is an agent",
                    "propose what should stand instead, or ask the person",
                )

    def _proposed(
        self, item: ReviewItem, text: str | None, by: Author, source: str, session: str, note: str
    ) -> Decision:
        if not text or not text.strip():
            raise BadValue("propose needs the statement that should stand instead", "give it as text")
        about = item.judgements[0].belief
        instead_of = about.id if item.kind is ReviewKind.STALE else None
        if item.kind is ReviewKind.CONFLICT:  # the person who admits it has both to settle, and is told which
            sides = " and ".join(each.belief.id for each in item.judgements)
            note = "; ".join(part for part in (note, f"in the place of {sides}, which contradict each other") if part)
        judgement = self.propose(
            text,
            instead_of=instead_of,
            about=item.conflict,
            kind=about.kind,
            author=by,
            source=source,
            session=session,
            note=note,
        )
        return Decision(item.id, PROPOSE, by, self._context.clock(), ((judgement.belief.id, 1),), judgement)

    def _ours(self, conflict: Conflict) -> list[Belief]:
        """The sides of a contradiction that another belief can take the place of: the user's own are his."""
        sides = self._context.store.several((conflict.first, conflict.second))
        return [side for side in sides if side.scope.kind is not ScopeKind.USER]

    def _replaced(self, item: ReviewItem) -> tuple[str, ...]:
        return replaced_by(item.judgements[0].belief) if item.kind is ReviewKind.PROPOSAL else ()

    def _is_there(self, id: str) -> bool:
        return self._context.store.belief(id) is not None

    # -- conflicts --------------------------------------------------------------------------------------------------

    def _settled(
        self,
        conflict: Conflict,
        choice: str,
        by: Author,
        source: str,
        session: str,
        note: str,
        conditions: Conditions | None,
    ) -> Judgement:
        keep = {FIRST: conflict.first, SECOND: conflict.second}.get(choice)
        settlement = {BOTH: Settlement.KEPT, APART: Settlement.SCOPED}.get(choice, Settlement.SUPERSEDED)
        if not isinstance(conditions, Mapping):  # what is given without a name is meant of the first
            conditions = {conflict.first: tuple(conditions)} if conditions else {}
        self._conflicts.settle(
            conflict.id,
            settlement,
            keep=keep,
            conditions=conditions,
            author=by,
            source=source,
            session=session,
            note=note,
        )
        return self._judgements.get(keep or conflict.first)

    # -- what was decided -------------------------------------------------------------------------------------------

    def _stored(self, id: str) -> tuple[Store, Belief]:
        for store in (self._context.store, self._context.user):
            belief = store.belief(id)
            if belief is not None:
                return store, belief
        raise NoSuchBelief(f"{id} is not there any more", "it was forgotten, so it cannot be brought back")

    def _latest(self, id: str) -> int:
        store, _ = self._stored(id)
        return store.revisions(id)[-1].number

    def _since(self, id: str, number: int) -> Iterator[int]:
        store, _ = self._stored(id)
        return (each.number for each in store.revisions(id) if each.number > number)

    def _noted(self) -> list[dict[str, Any]]:
        try:
            noted: Any = json.loads(self._context.store.workspace_info(_DECISIONS) or "[]")
        except ValueError:
            return []
        return noted if isinstance(noted, list) else []  # pyright: ignore[reportUnknownVariableType] - JSON

    def _note(self, decision: Decision) -> None:
        entry = {
            "item": decision.item,
            "choice": decision.choice,
            "name": decision.author.name,
            "kind": decision.author.kind.value,
            "at": decision.at.isoformat(),
            "revisions": [list(each) for each in decision.revisions],
        }
        self._write([*self._noted(), entry])

    def _write(self, noted: Sequence[dict[str, Any]]) -> None:
        self._context.store.set_info(_DECISIONS, json.dumps(list(noted)[-_REMEMBERED:]))


def _is_by(entry: dict[str, Any], author: Author) -> bool:
    return (entry.get("name"), entry.get("kind")) == (author.name, author.kind.value)


def _decision_of(entry: dict[str, Any]) -> Decision:
    return Decision(
        str(entry["item"]),
        str(entry["choice"]),
        Author(str(entry["name"]), AuthorKind(entry["kind"])),
        datetime.fromisoformat(entry["at"]),
        tuple((str(id), int(number)) for id, number in entry["revisions"]),
    )


def _limits(conditions: Conditions | None, expires_at: datetime | None) -> Limits:
    plain = None if conditions is None or isinstance(conditions, Mapping) else tuple(conditions)
    return Limits(conditions=plain, expires_at=expires_at)
