"""Why an answer is there: clauses for a person."""

from __future__ import annotations

from memlsp.model.belief import Authority
from memlsp.model.standing import Judgement
from memlsp.recall.candidates import Found
from memlsp.recall.packing import shortened

_SAID = {
    Authority.LOCKED: "locked by a person",
    Authority.REVIEWED: "reviewed in the repository",
    Authority.PERSON: "said by a person",
    Authority.AGENT: "said by an agent",
    Authority.MINED: "mined from history",
    Authority.PROPOSED: "a proposal that nobody has reviewed",
}


def why(each: Found, judgement: Judgement) -> tuple[str, ...]:
    """Which words, which anchors, whose word it is, and what speaks against it."""
    clauses: list[str] = []
    if each.matched:
        clauses.append("matches " + ", ".join(f'"{shortened(word, 60)}"' for word in each.matched[:8]))
    if each.tie:
        clauses.append(each.tie)
    clauses.append(_SAID[judgement.belief.authority])
    if not judgement.standing.holds:
        reasons = "; ".join(reason.message for reason in judgement.reasons if reason.message)
        clauses.append(f"stale: {judgement.standing.value}{f', {shortened(reasons, 160)}' if reasons else ''}")
    return tuple(clauses)
