"""What waits for somebody's decision."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen

from memlsp.model.conflict import Conflict
from memlsp.model.standing import Judgement


class ReviewKind(StrEnum):
    """Why something waits."""

    CONFLICT = "conflict"  # two beliefs contradict each other
    STALE = "stale"  # the code, or a belief that it rests on, no longer agrees
    PROPOSAL = "proposal"  # mined or proposed, and nobody has admitted it


@frozen
class ReviewItem:
    """One decision that waits. `judgements` are the beliefs that it is about, `question` what is asked in a sentence,
    `evidence` what speaks for and against, a line each, `choices` the answers that `Review.settle` takes for it.
    `impact` orders: larger first."""

    id: str
    kind: ReviewKind
    question: str
    judgements: tuple[Judgement, ...]
    evidence: tuple[str, ...]
    choices: tuple[str, ...]
    impact: float
    conflict: Conflict | None = None
