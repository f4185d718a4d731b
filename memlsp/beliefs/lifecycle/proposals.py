"""From what was found to a belief that waits: nothing is held true before a person, or a rule of theirs, admits it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve

from memlsp.beliefs.lifecycle.admission import Draft, Limits, Maker, References, Revised, checked_statement, new_belief
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
    references: References | None = None,
    source: str = "mining",
    personal: Sequence[str] = (),
) -> Revised | None:
    """A proposal and the first entry of its history; None for what cannot be kept or had a secret in it, or `personal`
    data of a kind that is taken out.

    Its id comes from what it says, so that the same is never proposed twice. Control characters are gone from the
    statement; the quotation keeps its lines.
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
    return _proposal(proposal_id(found.text), draft, maker, evolve(evidence, quote=_quotation(found.quote)), references)


def _proposal(id: str, draft: Draft, maker: Maker, evidence: Evidence, references: References | None) -> Revised:
    belief = new_belief(id, draft, maker, Authority.PROPOSED, references)
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
    references: References | None = None,
) -> Revised:
    """A proposal that somebody makes who may not decide: an agent, about a rule or about what a person said.

    `instead_of` is the belief in whose place it wants to stand: it has its kind, scope and conditions; `about` is the
    id of a contradiction of which both sides would go. Its id comes from what it says, as that of other proposals.
    Raises BadValue for a statement that cannot be kept.
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
    return _proposal(proposal_id(statement), draft, maker, evidence, references)


def replaced_by(belief: Belief) -> tuple[str, ...]:
    """The ids of the beliefs in whose place a proposal wants to stand: none, one, or both sides of a contradiction."""
    about = next((each.about for each in belief.evidence if each.about), "")
    return tuple(id for id in about.split("+") if id)


def admit_proposal(belief: Belief, maker: Maker, *, by_rule: bool = False) -> Revised:
    """Held true from now on: by a person, who stands behind it then and is its author, or by a rule that a person
    wrote. Where it was found stays in its evidence, and who proposed it in its history.

    Raises Refused for an agent, and for what is no proposal.
    """
    if belief.status is not BeliefStatus.PROPOSED:
        raise Refused(f"{belief.id} is no proposal", "memlsp proposals lists them")
    if maker.author.kind is not AuthorKind.PERSON:
        raise Refused(
            f"{belief.id} is a proposal, and {maker.author.name} is an agent",
            f"a person admits it: memlsp revise {belief.id} admit",
        )
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
    """Not wanted, and never proposed again. Raises Refused for an agent, and for what is no proposal."""
    if belief.status is not BeliefStatus.PROPOSED:
        raise Refused(f"{belief.id} is no proposal", "memlsp proposals lists them")
    if maker.author.kind is not AuthorKind.PERSON:
        raise Refused(f"{belief.id} is a proposal, and {maker.author.name} is an agent", "a person decides about it")
    after = evolve(belief, status=BeliefStatus.RETIRED, updated_at=maker.now)
    return after, revision_of(belief, RevisionAction.RETIRE, maker, maker.note or "rejected")


def _quotation(quote: str) -> str:
    lines = [printable(line) for line in quote.splitlines()]
    return "\n".join(lines).strip()[:LONGEST_QUOTE]
