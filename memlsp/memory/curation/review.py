"""The review: settle the items of the review queue, suggest replacements, and undo the last decision.

Decisions are recorded in the histories of the beliefs. Only the revisions that one decision wrote are stored here, so
that it can be undone as one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any

from attrs import evolve

from memlsp.beliefs.lifecycle.anchors import source_text
from memlsp.beliefs.lifecycle.proposals import replaced_by, suggest
from memlsp.beliefs.lifecycle.revisions import Maker, rollback
from memlsp.beliefs.lifecycle.verification import renew
from memlsp.beliefs.standing.standing import present_places
from memlsp.capture.redaction.redaction import redact
from memlsp.capture.workspace.worktree import Worktree
from memlsp.memory.context import Context
from memlsp.memory.curation.belief_editor import BeliefEditor
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.curation.review_queue import ADMIT, APART, BOTH, FIRST, REJECT, SAME, SECOND, ReviewQueue
from memlsp.memory.curation.revision import found_by
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.learning.proposals import Proposals
from memlsp.model.belief import (
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefKind,
    BeliefStatus,
    Limits,
    Revision,
    RevisionAction,
    ScopeKind,
)
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, MemlspError, NoSuchBelief, Refused
from memlsp.model.place import Place
from memlsp.model.review import CodeChange, Conflict, Decision, ReviewItem, ReviewKind, Settlement
from memlsp.model.standing import Judgement
from memlsp.model.symbol import Symbol, SymbolKind
from memlsp.store.store import Store
from memlsp.store.tables.acts import FoundBy

Conditions = Sequence[tuple[str, str]] | Mapping[str, Sequence[tuple[str, str]]]
"""The conditions under which a belief applies; for a conflict, by the id of each side."""

PROPOSE = "propose"
"""The choice that settles nothing: it proposes a replacement for a person to admit."""

_DECISIONS_KEY = "review.decisions"
_MOST_DECISIONS = 100
_AROUND = 3  # lines shown around a change of code
_MOST_LINES = 4_000  # longer code is not compared line by line


class Review(ReviewQueue):
    """Lists the items that need a decision, by impact, and settles them."""

    def __init__(
        self, context: Context, judgements: Judgements, conflicts: Conflicts, proposals: Proposals, editor: BeliefEditor
    ) -> None:
        super().__init__(context, judgements, conflicts, proposals)
        self._editor = editor

    def changes(self, item: ReviewItem) -> tuple[CodeChange, ...]:
        """The changes to the code that an item is about, place by place."""
        return tuple(each for judgement in item.judgements for each in code_changes(judgement.belief, self._worktree))

    def contrast(self, belief: Belief) -> tuple[CodeChange, ...]:
        """The changes to the code of a belief, place by place."""
        return code_changes(belief, self._worktree)

    # -- settling ---------------------------------------------------------------------------------------------------

    def settle(
        self,
        item_id: str,
        choice: str,
        text: str | None = None,
        *,
        conditions: Conditions | None = None,
        expires_at: datetime | None = None,
        by: Caller | None = None,
    ) -> Decision:
        """Settle one item of the queue.

        For a proposal: `admit` (in the words of `text`, if given) or `reject`; `same` where it repeats a belief, which
        gets its source and stays, or gives way to `text`. For a belief that no longer holds: `confirm`, `supersede` (by
        `text`), `retire`, `reanchor` (to the place in `text`, or the only candidate), `scope` (`conditions`,
        `expires_at`). For a conflict: `first` or `second` replaces the other, `both` keeps both, `apart` scopes them
        (`conditions` by id, or those of the first). `propose` suggests `text` instead of settling.

        An agent may settle items about beliefs that agents recorded or miners found. It gets Refused for proposals,
        locked beliefs and beliefs that a person vouches for. Raises NoSuchBelief, BadValue for an unknown choice or a
        missing argument.
        """
        item = self.item(item_id)
        by = by or Caller()
        author = by.author or self._context.person()
        by = evolve(by, author=author, folder=None)
        if choice == PROPOSE:
            return self._propose_instead(item, text, by)
        if choice not in item.choices:
            raise BadValue(f"not a choice: {choice!r}", f"one of {', '.join((*item.choices, PROPOSE))}")
        self._check_allowed(item, choice, author)
        involved = {judgement.belief.id for judgement in item.judgements}
        replaced = replaced_by(item.judgements[0].belief) if item.kind is ReviewKind.PROPOSAL else ()
        involved |= {each.id for each in self._context.store.several(replaced)}
        before = {id: self._revision_numbers(id)[-1] for id in involved}
        if item.conflict is not None:
            judgement = self._settle_conflict(item.conflict, choice, conditions, by)
        elif choice == SAME:
            judgement = self._editor.join(*(each.belief for each in item.judgements), text=text, by=by)
        else:
            belief = item.judgements[0].belief
            judgement = self._editor.revise(
                belief.id,
                RevisionAction.RETIRE if choice == REJECT else RevisionAction(choice),
                text=text if choice in {ADMIT, "supersede"} else None,
                at=Place.parse(text) if choice == "reanchor" and text else None,
                limits=_limits(conditions, expires_at) if choice == "scope" else None,
                by=by,
            )
        before.setdefault(judgement.belief.id, 0)
        written = tuple((id, n) for id in sorted(before) for n in self._revision_numbers(id) if n > before[id])
        decision = Decision(item.id, choice, author, self._context.clock(), written, judgement)
        self._record(decision)
        return decision

    def propose(
        self,
        text: str,
        *,
        instead_of: str | None = None,
        about: Conflict | None = None,
        kind: BeliefKind | None = None,
        by: Caller | None = None,
    ) -> Judgement:
        """Propose a statement for a person to admit; `by.note` says why.

        With `instead_of` it would replace that belief, with `about` both sides of a conflict. Raises BadValue for a
        statement that cannot be kept, Refused for one that was rejected before or is held true already.
        """
        by = by or Caller()
        text, note = (self._context.without_personal_data(each) for each in (text, by.note))
        maker = Maker(by.author or self._context.person(), by.source, self._context.clock(), note, by.session)
        old = None if instead_of is None else self._judgements.get(instead_of).belief
        if old is not None and old.status is not BeliefStatus.ACTIVE:
            raise Refused(f"{old.id} is {old.status}", "propose in the place of what is held true")
        if old is not None and old.scope.kind is ScopeKind.USER:
            raise Refused(f"{old.id} is {maker.author.name}'s to read and not to replace", "ask the person it is for")
        both = () if about is None else (about.first, about.second)
        # beliefs of user scope are for the user to change
        sides = [each for each in self._context.store.several(both) if each.scope.kind is not ScopeKind.USER]
        replaced = [old] if old is not None else sides
        renewals = [renew(each, self._worktree, now=maker.now, text=text) for each in replaced]
        anchors = tuple({(anchor.path, anchor.symbol): anchor for each in renewals for anchor in each.anchors}.values())
        ids, verify = "+".join(each.id for each in sides), self._context.verified
        belief, revision = suggest(text, maker, instead_of=old, about=ids, kind=kind, anchors=anchors, verify=verify)
        known = self._context.store.belief(belief.id)
        if known is None:
            self._context.store.add(belief, revision, found_by(belief))
            return self._judgements.get(belief.id)
        if known.status is BeliefStatus.PROPOSED:
            return self._judgements.get(known.id)
        if known.status is BeliefStatus.ACTIVE:
            raise Refused(f"{known.id} says so already", "confirm it instead")
        raise Refused(f"the same was proposed before as {known.id}, and was not wanted", "say what is different now")

    def undo(
        self, item: str | None = None, *, author: Author | None = None, source: str = "python", session: str = ""
    ) -> Decision:
        """Undo the last decision of `author` as a whole; returns the decision as it was made.

        With `item`, a whole id, only if the last decision was about that item, so that a client never undoes a decision
        made elsewhere. Raises Refused when there is no decision, when it was about another item, or when its beliefs
        were revised since.
        """
        by = author or self._context.person()
        decisions = self._decisions()
        makers = [(each.get("name"), each.get("kind")) for each in decisions]
        mine = [number for number, maker in enumerate(makers) if maker == (by.name, by.kind.value)]
        if not mine:
            raise Refused(
                f"{by.name} has decided nothing that could be undone", "memlsp undo takes back more than that"
            )
        decision = _decision_of(decisions.pop(mine[-1]))
        if item is not None and decision.item != item:
            raise Refused(
                f"the last decision of {by.name} is another, {decision.choice} of {decision.item}",
                "memlsp review --undo takes that one back",
            )
        maker = Maker(by, source, self._context.clock(), f"undoes {decision.choice} in the review", session)
        changes: dict[Store, list[tuple[Belief, Revision, FoundBy]]] = {}
        expected: list[Belief] = []
        for id, number in sorted(decision.revisions, key=lambda each: -each[1]):
            store, belief = self._find(id)
            history = store.revisions(id)
            if history[-1].number != number:
                later = history[-1]
                raise Refused(
                    f"{id} was revised since ({later.action} by {later.author.name})", f"look at it: memlsp belief {id}"
                )
            after, revision = rollback(belief, store.state_before(id, number), number, maker, history[number - 1 :])
            changes.setdefault(store, []).append((after, revision, found_by(after)))
            expected.append(belief)
        for store, written in changes.items():
            store.change_all(written, expected)
            for after, _, _ in written:
                self._conflicts.after(RevisionAction.ROLLBACK, after)
        if decision.choice in {BOTH, APART}:  # these settled the conflict itself, not its sides
            self._conflicts.reopen(decision.item, author=by, source=source, session=session)
        self._save(decisions)
        return decision

    # -- permissions ------------------------------------------------------------------------------------------------

    def _check_allowed(self, item: ReviewItem, choice: str, by: Author) -> None:
        if by.kind is AuthorKind.PERSON:
            return
        if item.kind is ReviewKind.PROPOSAL:
            raise Refused(
                f"{item.id} is a proposal, and {by.name} is an agent: a person decides about it",
                "say what you think of it to the person",
            )
        unchanged = {FIRST: 0, SECOND: 1}.get(choice)  # the side that stays is not changed
        for position, judgement in enumerate(item.judgements):
            belief = judgement.belief
            if position == unchanged:
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

    def _propose_instead(self, item: ReviewItem, text: str | None, by: Caller) -> Decision:
        if not text or not text.strip():
            raise BadValue("propose needs the statement that should stand instead", "give it as text")
        about = item.judgements[0].belief
        instead_of = about.id if item.kind is ReviewKind.STALE else None
        if item.kind is ReviewKind.CONFLICT:  # the person who admits it settles both, so the note names them
            sides = " and ".join(each.belief.id for each in item.judgements)
            why = f"in the place of {sides}, which contradict each other"
            by = evolve(by, note="; ".join(part for part in (by.note, why) if part))
        judgement = self.propose(text, instead_of=instead_of, about=item.conflict, kind=about.kind, by=by)
        author = by.author or self._context.person()
        return Decision(item.id, PROPOSE, author, self._context.clock(), ((judgement.belief.id, 1),), judgement)

    def _settle_conflict(self, conflict: Conflict, choice: str, conditions: Conditions | None, by: Caller) -> Judgement:
        keep = {FIRST: conflict.first, SECOND: conflict.second}.get(choice)
        settlement = {BOTH: Settlement.KEPT, APART: Settlement.SCOPED}.get(choice, Settlement.SUPERSEDED)
        if not isinstance(conditions, Mapping):  # conditions without an id apply to the first side
            conditions = {conflict.first: tuple(conditions)} if conditions else {}
        self._conflicts.settle(conflict.id, settlement, keep=keep, conditions=conditions, by=by)
        return self._judgements.get(keep or conflict.first)

    # -- stored decisions -------------------------------------------------------------------------------------------

    def _find(self, id: str) -> tuple[Store, Belief]:
        if found := self._context.stored(id):
            return found
        raise NoSuchBelief(f"{id} is not there any more", "it was forgotten, so it cannot be brought back")

    def _revision_numbers(self, id: str) -> list[int]:
        store, _ = self._find(id)
        return [each.number for each in store.revisions(id)]

    def _decisions(self) -> list[dict[str, Any]]:
        try:
            decisions: Any = json.loads(self._context.store.workspace_info(_DECISIONS_KEY) or "[]")
        except ValueError:
            return []
        return decisions if isinstance(decisions, list) else []  # pyright: ignore[reportUnknownVariableType] - JSON

    def _record(self, decision: Decision) -> None:
        who = {"name": decision.author.name, "kind": decision.author.kind.value, "at": decision.at.isoformat()}
        what = {"item": decision.item, "choice": decision.choice, "revisions": decision.revisions}
        self._save([*self._decisions(), what | who])

    def _save(self, decisions: Sequence[dict[str, Any]]) -> None:
        self._context.store.set_info(_DECISIONS_KEY, json.dumps(list(decisions)[-_MOST_DECISIONS:]))


def _decision_of(entry: dict[str, Any]) -> Decision:
    author = Author(str(entry["name"]), AuthorKind(entry["kind"]))
    at = datetime.fromisoformat(entry["at"])
    written = tuple((str(id), int(number)) for id, number in entry["revisions"])
    return Decision(str(entry["item"]), str(entry["choice"]), author, at, written)


def _limits(conditions: Conditions | None, expires_at: datetime | None) -> Limits:
    plain = None if conditions is None or isinstance(conditions, Mapping) else tuple(conditions)
    return Limits(conditions=plain, expires_at=expires_at)


# --- the code of a belief when it was verified, and now


def code_changes(belief: Belief, worktree: Worktree) -> tuple[CodeChange, ...]:
    """The change of the code at each anchor, in the anchors' order. Secrets are redacted on both sides."""
    found: list[CodeChange] = []
    for place in present_places(belief, worktree):
        anchor, now, after = place.anchor, "", ""
        if place.symbol is not None:
            after = _source(place.symbol, worktree)
            name = "" if place.symbol.kind is SymbolKind.REGION else place.symbol.name
            now = str(Place(place.symbol.path, symbol=name or None))
        elif place.keep:  # it cannot be read at the moment, so nothing is known of it
            continue
        lines = tuple(_different(anchor.snapshot.splitlines(), after.splitlines()))
        found.append(CodeChange(str(anchor.place), now, anchor.verified_at, anchor.commit or "", lines))
    return tuple(found)


def _source(symbol: Symbol, worktree: Worktree) -> str:
    with suppress(MemlspError, OSError):
        outline, data = worktree.outline(symbol.path), worktree.read(symbol.path)
        if outline is not None and data is not None:
            return redact(source_text(outline, symbol, data)).text
    return ""


def _different(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    if before == after:
        return
    if len(before) > _MOST_LINES or len(after) > _MOST_LINES:
        yield f"… {len(before):,} lines then, {len(after):,} now"
        return
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    shown = 0
    for group in matcher.get_grouped_opcodes(_AROUND):
        if group[0][1] > shown:
            yield "…"
        for tag, first, last, start, end in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[first:last])
            else:
                yield from (f"-{line}" for line in before[first:last])
                yield from (f"+{line}" for line in after[start:end])
            shown = last
    if shown < len(before):
        yield "…"
