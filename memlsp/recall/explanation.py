"""Why an answer is there: clauses for a person."""

from __future__ import annotations

from memlsp.model.belief import Authority
from memlsp.model.standing import Judgement
from memlsp.recall.budget import shortened
from memlsp.recall.candidates import FoundBelief
from memlsp.recall.score_fusion import MIN_COSINE

FILES_OF_NOW = "files-of-now"
"""The code of the reason that says that the past was asked for, and judged by the present."""

_SAID = {
    Authority.LOCKED: "locked by a person",
    Authority.REVIEWED: "reviewed in the repository",
    Authority.PERSON: "said by a person",
    Authority.AGENT: "said by an agent",
    Authority.MINED: "mined from history",
    Authority.PROPOSED: "a proposal that nobody has reviewed",
}


def why(each: FoundBelief, judgement: Judgement) -> tuple[str, ...]:
    """Which words, which anchors, whose word it is, and what speaks against it."""
    clauses: list[str] = []
    if each.matched:
        clauses.append("matches " + ", ".join(f'"{shortened(word, 60)}"' for word in each.matched[:8]))
    if each.likeness >= MIN_COSINE:
        clauses.append(f"near in meaning ({each.likeness:.2f})")
    if each.tie:
        clauses.append(each.tie)
    clauses.append(_SAID[judgement.belief.authority])
    if not judgement.standing.holds:
        told = [reason for reason in judgement.reasons if reason.message and reason.code != FILES_OF_NOW]
        reasons = "; ".join(reason.message for reason in told)
        clauses.append(f"stale: {judgement.standing.value}{f', {shortened(reasons, 160)}' if reasons else ''}")
    clauses += [each.message for each in judgement.reasons if each.code == FILES_OF_NOW]
    return tuple(clauses)
