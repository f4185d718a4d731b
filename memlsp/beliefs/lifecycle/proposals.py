"""Proposals: found or suggested statements, which become active when a person or a person's rule admits them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve

from memlsp.beliefs.lifecycle.admission import Draft, Maker, Revised, Verify, checked_statement, new_belief
from memlsp.beliefs.lifecycle.confidence import starting_confidence
from memlsp.beliefs.lifecycle.revisions import revision_of
from memlsp.beliefs.mining.findings import MinedStatement, printable, proposal_id
from memlsp.capture.redaction.redaction import redact
from memlsp.model.belief import (
    Anchor,
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefKind,
    BeliefStatus,
    Evidence,
    EvidenceKind,
    Limits,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.model.errors import BadValue, Refused

MINER = Author("memlsp", AuthorKind.AGENT)
"""Who proposes what nobody said to us."""

LONGEST_QUOTE = 2_000
"""Characters of a passage that is kept as evidence."""


def propose(
    found: MinedStatement,
    evidence: Evidence,
    *,
    now: datetime,
    anchors: Sequence[Anchor] = (),
    verify: Verify | None = None,
    source: str = "mining",
    personal: Sequence[str] = (),
) -> Revised | None:
    """A proposal for a found statement with the first entry of its history; None where the statement cannot be kept or
    holds a secret or `personal` data.

    The id follows from the content, so that the same is never proposed twice. The statement loses control characters;
    the quotation keeps its lines.
    """
    if redact(found.quote, personal).found or redact(found.text, personal).found:
        return None  # a passage with a hole in it says something else, and cannot be found again in its file
    try:
        statement = checked_statement(printable(found.text))
    except BadValue:
        return None
    scope = None if anchors else Scope(ScopeKind.GLOB, found.pattern) if found.pattern else Scope(ScopeKind.WORKSPACE)
    draft = Draft(statement, found.kind, Limits(scope=scope), anchors)
    maker = Maker(MINER, source, now)
    return _proposal(proposal_id(found.text), draft, maker, evolve(evidence, quote=_quotation(found.quote)), verify)


def _proposal(id: str, draft: Draft, maker: Maker, evidence: Evidence, verify: Verify | None) -> Revised:
    belief = new_belief(id, draft, maker, Authority.PROPOSED, verify)
    belief = evolve(belief, status=BeliefStatus.PROPOSED, evidence=(evidence,))
    return belief, revision_of(belief, RevisionAction.PROPOSE, maker)


def suggest(
    text: str,
    maker: Maker,
    *,
    instead_of: Belief | None = None,
    about: str = "",
    kind: BeliefKind | None = None,
    anchors: Sequence[Anchor] = (),
    verify: Verify | None = None,
) -> Revised:
    """A proposal by somebody who may not decide: an agent, about a rule or a person's statement.

    It takes kind, scope and conditions of the belief `instead_of` that it would replace; `about` is the id of a
    contradiction both of whose sides it would replace. The id follows from the content. Raises BadValue for a statement
    that cannot be kept.
    """
    statement = checked_statement(printable(text))
    evidence = Evidence(
        EvidenceKind.SUGGESTION,
        _quotation(redact(maker.note).text),
        session=maker.session,
        source=maker.author.name,
        at=maker.now,
        about=about if instead_of is None else instead_of.id,
    )
    draft = Draft(statement, kind, anchors=anchors)
    if instead_of is not None:
        is_wide = instead_of.scope.kind not in {ScopeKind.SYMBOL, ScopeKind.FILE}
        scope = instead_of.scope if is_wide else None
        draft = evolve(
            draft,
            kind=kind or instead_of.kind,
            limits=Limits(instead_of.conditions, stale_after=instead_of.stale_after, scope=scope),
            guards=instead_of.guards,
            because_of=instead_of.because_of,
        )
    return _proposal(proposal_id(statement), draft, maker, evidence, verify)


def replaced_by(belief: Belief) -> tuple[str, ...]:
    """The ids of the beliefs that a proposal would replace: none, one, or both sides of a contradiction."""
    about = next((each.about for each in belief.evidence if each.about), "")
    return tuple(id for id in about.split("+") if id)


def admit_proposal(belief: Belief, maker: Maker, *, by_rule: bool = False) -> Revised:
    """Make a proposal active: by a person, who becomes its author, or by a rule that a person wrote. Its evidence and
    history keep the source and the proposer. Raises Refused for an agent, and for what is no proposal."""
    _check(belief, maker, f"a person admits it: memlsp revise {belief.id} admit")
    authority = Authority.MINED if by_rule else Authority.PERSON
    after = evolve(
        belief,
        status=BeliefStatus.ACTIVE,
        authority=authority,
        author=belief.author if by_rule else maker.author,
        confidence=starting_confidence(authority),
        updated_at=maker.now,
    )
    return after, revision_of(belief, RevisionAction.ADMIT, maker)


def reject_proposal(belief: Belief, maker: Maker) -> Revised:
    """Retire a proposal so that it is never proposed again. Raises Refused for an agent, and for what is no
    proposal."""
    _check(belief, maker, "a person decides about it")
    after = evolve(belief, status=BeliefStatus.RETIRED, updated_at=maker.now)
    return after, revision_of(belief, RevisionAction.RETIRE, maker, maker.note or "rejected")


def _check(belief: Belief, maker: Maker, hint: str) -> None:
    if belief.status is not BeliefStatus.PROPOSED:
        raise Refused(f"{belief.id} is no proposal", "memlsp proposals lists them")
    if maker.author.kind is not AuthorKind.PERSON:
        raise Refused(f"{belief.id} is a proposal, and {maker.author.name} is an agent", hint)


def _quotation(quote: str) -> str:
    lines = [printable(line) for line in quote.splitlines()]
    return "\n".join(lines).strip()[:LONGEST_QUOTE]
