"""The actions on beliefs: pure functions from a belief to its next state and the revision to record. The store numbers
revisions, so those returned here have number 0. An agent cannot change a locked belief."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from memlsp.beliefs.lifecycle import admission
from memlsp.beliefs.lifecycle.admission import Draft, Limits, Maker, Revised, Verify
from memlsp.beliefs.lifecycle.confidence import lowered, raised, starting_confidence
from memlsp.capture.redaction.redaction import redact
from memlsp.model.belief import (
    Anchor,
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefStatus,
    Evidence,
    Guard,
    Reference,
    Revision,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.model.errors import BadValue, Refused

REPLACES = "replaces "
"""Beginning of the note of a statement's first revision, when it came in the place of another; the id follows."""


def revision_of(
    belief: Belief, action: RevisionAction, maker: Maker, note: str | None = None, undoes: int | None = None
) -> Revision:
    """The history entry of an action, its note without secrets; the store gives its number."""
    said = redact(maker.note if note is None else note).text
    return Revision(belief.id, 0, action, maker.author, maker.source, maker.now, said, undoes, maker.session)


def confirm(
    belief: Belief,
    maker: Maker,
    *,
    anchors: Sequence[Anchor],
    references: Sequence[Reference],
    evidence: Sequence[Evidence] | None = None,
    echo: bool = False,
) -> Revised:
    """Confirm a belief for the code as it is now, with `anchors` and `references` taken now and the `evidence` that
    still supports it.

    Confidence rises unless this is an `echo`, and a person's word raises an agent's or mined authority. A passed date
    is lifted. Raises Refused for a superseded or retired belief, which has to be rolled back first.
    """
    _check(belief, maker)
    authority = belief.authority
    if maker.author.kind is AuthorKind.PERSON and authority.rank > Authority.PERSON.rank:
        authority = Authority.PERSON
    expires_at = belief.expires_at if belief.expires_at is None or belief.expires_at > maker.now else None
    after = evolve(
        belief,
        anchors=tuple(anchors),
        references=tuple(references),
        scope=_scope_with(belief, anchors),
        evidence=belief.evidence if evidence is None else tuple(evidence),
        authority=authority,
        confidence=belief.confidence if echo else raised(belief.confidence, maker.author),
        expires_at=expires_at,
        confirmed_at=maker.now,
        updated_at=maker.now,
    )
    return after, revision_of(belief, RevisionAction.CONFIRM, maker)


def retire(belief: Belief, maker: Maker) -> Revised:
    """Retire a belief: it is kept, and served only to questions about the past."""
    _check(belief, maker)
    after = evolve(
        belief, status=BeliefStatus.RETIRED, confidence=lowered(belief.confidence, maker.author), updated_at=maker.now
    )
    return after, revision_of(belief, RevisionAction.RETIRE, maker)


def supersede(
    belief: Belief,
    text: str,
    maker: Maker,
    *,
    anchors: Sequence[Anchor],
    verify: Verify | None = None,
    guards: Sequence[Guard] | None = None,
) -> tuple[Revised, Revised]:
    """Replace a belief by a new statement: (the old one, superseded; the new one, remembered).

    The new belief takes kind, scope, conditions and, unless others are given, guards of the old one, `anchors` as taken
    now, and the maker's authority. A person's replacement of a locked belief is locked too.
    """
    _check(belief, maker)
    draft = Draft(
        text,
        belief.kind,
        Limits(belief.conditions, stale_after=belief.stale_after, scope=_scope_with(belief, anchors)),
        anchors,
        guards=belief.guards if guards is None else guards,
        because_of=belief.because_of,
        branch=belief.branch,
        commit=belief.commit,
    )
    authority = Authority.LOCKED if belief.locked else admission.authority_of(maker.author)
    new, revision = admission.admit(draft, maker, verify=verify, authority=authority)
    old, ended = _superseded_by(belief, new, maker)
    return (old, ended), (new, evolve(revision, note=f"{REPLACES}{belief.id}"))


def supersede_by(belief: Belief, to: Belief, maker: Maker) -> tuple[Revised, Belief]:
    """Replace a belief by an existing one: (it, superseded; the other, locked when it was)."""
    _check(belief, maker)
    successor = evolve(to, authority=Authority.LOCKED) if belief.locked else to
    return _superseded_by(belief, to, maker), successor


def _superseded_by(belief: Belief, to: Belief, maker: Maker) -> Revised:
    old = evolve(
        belief,
        status=BeliefStatus.SUPERSEDED,
        superseded_by=to.id,
        confidence=lowered(belief.confidence, maker.author),
        updated_at=maker.now,
    )
    return old, revision_of(belief, RevisionAction.SUPERSEDE, maker, maker.note or f"replaced by {to.id}")


def _scope_with(belief: Belief, anchors: Sequence[Anchor]) -> Scope:
    """The belief's scope, widened to the workspace where it was tied to code and `anchors` are empty."""
    lost = not anchors and belief.scope.kind in {ScopeKind.SYMBOL, ScopeKind.FILE}
    return Scope(ScopeKind.WORKSPACE) if lost else belief.scope


def lock(belief: Belief, maker: Maker) -> Revised:
    """Lock a belief, so that only persons may change it. Raises Refused for an agent."""
    if maker.author.kind is not AuthorKind.PERSON:
        raise Refused(f"{maker.author.name} is an agent: only a person may lock {belief.id}", "ask a person to lock it")
    _must_be_active(belief)
    if belief.locked:
        raise Refused(f"{belief.id} is locked already", "there is nothing to do")
    confidence = max(belief.confidence, starting_confidence(Authority.LOCKED))
    after = evolve(belief, authority=Authority.LOCKED, confidence=confidence, updated_at=maker.now)
    return after, revision_of(belief, RevisionAction.LOCK, maker)


def unlock(belief: Belief, maker: Maker) -> Revised:
    """Unlock a belief; a person stands behind it, since a person had locked it. Raises Refused for an agent."""
    _check(belief, maker)
    if not belief.locked:
        raise Refused(f"{belief.id} is not locked", "there is nothing to do")
    after = evolve(belief, authority=Authority.PERSON, updated_at=maker.now)
    return after, revision_of(belief, RevisionAction.UNLOCK, maker)


def reanchor(
    belief: Belief, anchors: Sequence[Anchor], maker: Maker, *, references: Sequence[Reference] | None = None
) -> Revised:
    """Tie a belief to these places instead. A belief that had no place gets the scope of the new one."""
    _check(belief, maker)
    if not anchors:
        raise BadValue("there is no place to tie it to", "name one: PATH, PATH:LINE or PATH#Qualified.name")
    scope = belief.scope
    if scope.kind in {ScopeKind.SYMBOL, ScopeKind.FILE} or (not belief.anchors and scope.kind is ScopeKind.WORKSPACE):
        scope = admission.scope_of(anchors)
    after = evolve(
        belief,
        anchors=tuple(anchors),
        references=belief.references if references is None else tuple(references),
        scope=scope,
        updated_at=maker.now,
    )
    places = ", ".join(str(anchor.place) for anchor in anchors)
    return after, revision_of(belief, RevisionAction.REANCHOR, maker, maker.note or f"tied to {places}")


def report(belief: Belief, maker: Maker, *, held: bool, echo: bool = False) -> Revised:
    """Record whether the belief `held` for somebody who followed it: evidence, and no decision. It stays active either
    way; the review asks about one that did not hold. An `echo` of the same session moves nothing."""
    _check(belief, maker)
    moved = raised if held else lowered
    confidence = belief.confidence if echo else moved(belief.confidence, maker.author, report=True)
    after = evolve(belief, confidence=confidence, updated_at=maker.now)
    return after, revision_of(belief, RevisionAction.WORKED if held else RevisionAction.FAILED, maker)


def rescope(belief: Belief, limits: Limits, maker: Maker) -> Revised:
    """Change where or until when a belief applies; its text and confidence stay. `stale_after` counts from now. Raises
    BadValue where nothing is given, for a date that has passed and for a scope that needs a place it has not."""
    _check(belief, maker)
    if limits.conditions is not None:
        limits = evolve(limits, conditions=admission.checked_conditions(limits.conditions))
    if limits == Limits():
        raise BadValue(
            "there is nothing to change about where it applies", "give a condition, a date, days or a path glob"
        )
    if limits.forever and limits.expires_at is not None:
        raise BadValue("a date and no date exclude each other", "give one of them")
    if limits.expires_at is not None and limits.expires_at <= maker.now:
        raise BadValue(f"it would have expired already, on {limits.expires_at:%Y-%m-%d}", "give a date to come")
    if limits.stale_after is not None and limits.stale_after < 0:
        raise BadValue(f"{limits.stale_after} is no number of days", "give one day or more, or 0 for never")
    scope = limits.scope or belief.scope
    if scope.kind in {ScopeKind.FILE, ScopeKind.SYMBOL} and not belief.anchors:
        raise BadValue(f"the scope {scope} needs a place", f"tie it to one first: memlsp revise {belief.id} reanchor")
    if (scope.kind is ScopeKind.USER) != (belief.scope.kind is ScopeKind.USER):
        raise BadValue(
            "what is for you alone and what is for a project are kept apart", "remember it anew where it belongs"
        )
    after = evolve(
        belief,
        conditions=belief.conditions if limits.conditions is None else limits.conditions,
        expires_at=None if limits.forever else limits.expires_at or belief.expires_at,
        stale_after=belief.stale_after if limits.stale_after is None else limits.stale_after or None,
        confirmed_at=maker.now if limits.stale_after else belief.confirmed_at,
        scope=scope,
        updated_at=maker.now,
    )
    return after, revision_of(belief, RevisionAction.SCOPE, maker, maker.note or limits_told(limits))


def limits_told(limits: Limits) -> str:
    """What limits say, for people: "when env=staging, until 2027-06-30"."""
    clauses: list[str] = []
    if limits.conditions is not None:
        told = ", ".join(f"{key}={value}" for key, value in limits.conditions)
        clauses.append(f"when {told}" if told else "under every condition")
    if limits.forever:
        clauses.append("without a date")
    if limits.expires_at is not None:
        clauses.append(f"until {limits.expires_at:%Y-%m-%d}")
    if limits.stale_after is not None:
        clauses.append(
            f"to be confirmed every {limits.stale_after} days" if limits.stale_after else "not to be confirmed"
        )
    if limits.scope is not None:
        clauses.append(f"for the {limits.scope}")
    return ", ".join(clauses)


def rollback(
    belief: Belief, before: Belief | None, number: int, maker: Maker, undone: Sequence[Revision] = ()
) -> Revised:
    """Undo revision `number`: the belief is again as it was `before` it. Undoing the first retires the belief.

    The history keeps both, so a rollback can be rolled back. `undone` are the revisions from that one on: an agent
    undoes only agents' revisions, or it could bring back a statement that a person retired, with the person's
    authority.
    """
    _may_change(belief, maker.author)
    decided = next((each for each in undone if each.author.kind is AuthorKind.PERSON), None)
    if decided is not None and maker.author.kind is not AuthorKind.PERSON:
        raise Refused(
            f"revision {decided.number} of {belief.id} was made by a person, and {maker.author.name} is an agent",
            "ask a person to take it back; say why",
        )
    if belief.status is BeliefStatus.PROPOSED and maker.author.kind is not AuthorKind.PERSON:
        raise Refused(f"{belief.id} is a proposal, and {maker.author.name} is an agent", "a person decides about it")
    if before is not None and before.id != belief.id:
        raise BadValue(f"{before.id} is no former state of {belief.id}")
    if before is not None and before.locked and not belief.locked and maker.author.kind is not AuthorKind.PERSON:
        raise Refused(f"{maker.author.name} is an agent: only a person may bring back the lock of {belief.id}")
    former = evolve(belief, status=BeliefStatus.RETIRED) if before is None else before
    return evolve(former, updated_at=maker.now), revision_of(belief, RevisionAction.ROLLBACK, maker, undoes=number)


def _check(belief: Belief, maker: Maker) -> None:
    _may_change(belief, maker.author)
    _must_be_active(belief)


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
