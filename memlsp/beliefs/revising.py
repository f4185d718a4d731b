"""What people and agents do to beliefs: pure functions from a belief to its next state and the revision to record.

The store numbers revisions, so those returned here have number 0. An agent can change a locked belief in no way.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve, frozen

from memlsp.beliefs.admission import admit, authority_of
from memlsp.beliefs.confidence import confirmed, corrected, starting_confidence
from memlsp.model.belief import (
    Anchor,
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefKind,
    BeliefStatus,
    Reference,
    Revision,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.model.errors import BadValue, Refused
from memlsp.model.evidence import Evidence
from memlsp.model.guard import Guard

Revised = tuple[Belief, Revision]


@frozen
class Maker:
    """Who revises, through what, when, and what they say about it."""

    author: Author
    source: str
    now: datetime
    note: str = ""
    session: str = ""


def revision_of(
    belief: Belief, action: RevisionAction, maker: Maker, note: str | None = None, undoes: int | None = None
) -> Revision:
    """The entry of the history; its number is the store's to give."""
    said = maker.note if note is None else note
    return Revision(belief.id, 0, action, maker.author, maker.source, maker.now, said, undoes, maker.session)


def confirm(
    belief: Belief,
    maker: Maker,
    *,
    anchors: Sequence[Anchor],
    references: Sequence[Reference],
    evidence: Sequence[Evidence] | None = None,
) -> Revised:
    """Still true, for the code as it is now: `anchors` and `references` are those taken at this moment, `evidence` that
    of its sources which still speaks for it.

    Confidence rises, and a person's word raises the authority of what an agent said or a miner found. A passed date
    is lifted. A superseded or retired belief has to be rolled back first: Refused.
    """
    _may_change(belief, maker.author)
    _must_be_active(belief)
    authority = belief.authority
    if maker.author.kind is AuthorKind.PERSON and authority.rank > Authority.PERSON.rank:
        authority = Authority.PERSON
    expires_at = belief.expires_at if belief.expires_at is None or belief.expires_at > maker.now else None
    scope = belief.scope
    if not anchors and scope.kind in {ScopeKind.SYMBOL, ScopeKind.FILE}:
        scope = Scope(ScopeKind.WORKSPACE)
    after = evolve(
        belief,
        anchors=tuple(anchors),
        references=tuple(references),
        scope=scope,
        evidence=belief.evidence if evidence is None else tuple(evidence),
        authority=authority,
        confidence=confirmed(belief.confidence, maker.author),
        expires_at=expires_at,
        confirmed_at=maker.now,
        updated_at=maker.now,
    )
    return after, revision_of(belief, RevisionAction.CONFIRM, maker)


def retire(belief: Belief, maker: Maker) -> Revised:
    """No longer true. It is kept, and served only to those who ask for the past."""
    _may_change(belief, maker.author)
    _must_be_active(belief)
    after = evolve(
        belief, status=BeliefStatus.RETIRED, confidence=corrected(belief.confidence, maker.author), updated_at=maker.now
    )
    return after, revision_of(belief, RevisionAction.RETIRE, maker)


def supersede(
    belief: Belief,
    text: str,
    maker: Maker,
    *,
    anchors: Sequence[Anchor],
    references: Sequence[Reference],
    kind: BeliefKind | None = None,
    guards: Sequence[Guard] | None = None,
) -> tuple[Revised, Revised]:
    """Another statement takes its place: (the old one, superseded; the new one, remembered).

    The new belief has the kind, scope, conditions and, unless others are given, guards of the old one, `anchors` and
    `references` as taken now, and the authority of who says it. When a person replaces a locked belief the new one is
    locked too.
    """
    _may_change(belief, maker.author)
    _must_be_active(belief)
    scope = belief.scope
    if not anchors and scope.kind in {ScopeKind.SYMBOL, ScopeKind.FILE}:
        scope = Scope(ScopeKind.WORKSPACE)
    new, revision = admit(
        text,
        author=maker.author,
        source=maker.source,
        now=maker.now,
        anchors=anchors,
        references=lambda _: references,
        kind=kind or belief.kind,
        scope=scope,
        authority=Authority.LOCKED if belief.locked else authority_of(maker.author),
        conditions=belief.conditions,
        guards=belief.guards if guards is None else guards,
        because_of=belief.because_of,
        stale_after=belief.stale_after,
        branch=belief.branch,
        commit=belief.commit,
        session=maker.session,
    )
    old = evolve(
        belief,
        status=BeliefStatus.SUPERSEDED,
        superseded_by=new.id,
        confidence=corrected(belief.confidence, maker.author),
        updated_at=maker.now,
    )
    return (
        (old, revision_of(belief, RevisionAction.SUPERSEDE, maker, maker.note or f"replaced by {new.id}")),
        (new, evolve(revision, note=f"replaces {belief.id}")),
    )


def lock(belief: Belief, maker: Maker) -> Revised:
    """Only persons may change it from now on. Raises Refused for an agent."""
    if maker.author.kind is not AuthorKind.PERSON:
        raise Refused(f"{maker.author.name} is an agent: only a person may lock {belief.id}", "ask a person to lock it")
    _must_be_active(belief)
    if belief.locked:
        raise Refused(f"{belief.id} is locked already", "there is nothing to do")
    confidence = max(belief.confidence, starting_confidence(Authority.LOCKED))
    after = evolve(belief, authority=Authority.LOCKED, confidence=confidence, updated_at=maker.now)
    return after, revision_of(belief, RevisionAction.LOCK, maker)


def unlock(belief: Belief, maker: Maker) -> Revised:
    """Everybody may change it again; a person stands behind it, since a person had locked it.

    Raises Refused for an agent.
    """
    _may_change(belief, maker.author)
    _must_be_active(belief)
    if not belief.locked:
        raise Refused(f"{belief.id} is not locked", "there is nothing to do")
    after = evolve(belief, authority=Authority.PERSON, updated_at=maker.now)
    return after, revision_of(belief, RevisionAction.UNLOCK, maker)


def reanchor(
    belief: Belief,
    anchors: Sequence[Anchor],
    maker: Maker,
    *,
    references: Sequence[Reference] | None = None,
) -> Revised:
    """Tie it to these places instead, as they are now. A belief that had no place gets the scope of the new one."""
    _may_change(belief, maker.author)
    _must_be_active(belief)
    if not anchors:
        raise BadValue("there is no place to tie it to", "name one: PATH, PATH:LINE or PATH#Qualified.name")
    scope = belief.scope
    if scope.kind in {ScopeKind.SYMBOL, ScopeKind.FILE} or (not belief.anchors and scope.kind is ScopeKind.WORKSPACE):
        scope = Scope(ScopeKind.SYMBOL if any(anchor.symbol for anchor in anchors) else ScopeKind.FILE)
    after = evolve(
        belief,
        anchors=tuple(anchors),
        references=belief.references if references is None else tuple(references),
        scope=scope,
        updated_at=maker.now,
    )
    places = ", ".join(str(anchor.place) for anchor in anchors)
    return after, revision_of(belief, RevisionAction.REANCHOR, maker, maker.note or f"tied to {places}")


def rollback(
    belief: Belief,
    before: Belief | None,
    number: int,
    maker: Maker,
) -> Revised:
    """Take back revision `number`: the belief is what it was `before` it. Taking back the first retires it.

    The history keeps both, so a rollback can be rolled back.
    """
    _may_change(belief, maker.author)
    if belief.status is BeliefStatus.PROPOSED and maker.author.kind is not AuthorKind.PERSON:
        raise Refused(f"{belief.id} is a proposal, and {maker.author.name} is an agent", "a person decides about it")
    if before is not None and before.id != belief.id:
        raise BadValue(f"{before.id} is no former state of {belief.id}")
    if before is not None and before.locked and not belief.locked and maker.author.kind is not AuthorKind.PERSON:
        raise Refused(f"{maker.author.name} is an agent: only a person may bring back the lock of {belief.id}")
    after = (
        evolve(belief, status=BeliefStatus.RETIRED, updated_at=maker.now)
        if before is None
        else evolve(before, updated_at=maker.now)
    )
    return after, revision_of(belief, RevisionAction.ROLLBACK, maker, undoes=number)


def _may_change(belief: Belief, author: Author) -> None:
    if belief.locked and author.kind is not AuthorKind.PERSON:
        raise Refused(
            f"{belief.id} is locked by a person, and {author.name} is an agent",
            "ask a person to change or unlock it; say what no longer holds and why",
        )


def _must_be_active(belief: Belief) -> None:
    if belief.status is BeliefStatus.PROPOSED:
        raise Refused(f"{belief.id} is a proposal", f"admit it first: memlsp revise {belief.id} admit")
    if belief.status is BeliefStatus.SUPERSEDED:
        raise Refused(
            f"{belief.id} was superseded by {belief.superseded_by}", f"revise {belief.superseded_by}, or roll back"
        )
    if belief.status is BeliefStatus.RETIRED:
        raise Refused(f"{belief.id} is retired", "roll back the retirement first")
