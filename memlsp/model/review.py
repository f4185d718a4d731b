"""Conflicts between beliefs, and the items that wait for a decision."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import evolve, frozen

from memlsp.model.belief import Author
from memlsp.model.standing import Judgement


class Settlement(StrEnum):
    """The decision about a conflict."""

    SUPERSEDED = "superseded"  # one takes the place of the other
    SCOPED = "scoped"  # they apply under different conditions
    KEPT = "kept"  # both stand, and nobody is asked again while neither is reworded
    RETIRED = "retired"  # one is no longer true


@frozen
class Conflict:
    """Two beliefs that cannot both be true where both apply, `first` the one with the smaller id.

    `subject` and `predicate` are common to both, `values` are what the first and the second say; `reason` is one
    sentence for a person. `settlement` is None while nobody decided.
    """

    first: str
    second: str
    subject: str
    predicate: str
    values: tuple[str, str]
    reason: str
    found_at: datetime
    settlement: Settlement | None = None
    settled_by: str = ""
    settled_at: datetime | None = None
    note: str = ""

    @property
    def id(self) -> str:
        """Both ids with a plus between them."""
        return f"{self.first}+{self.second}"

    def other(self, id: str) -> str:
        """The id of the belief on the other side."""
        return self.second if id == self.first else self.first

    def settled(self, settlement: Settlement, by: Author, at: datetime, note: str) -> Conflict:
        """The conflict with this decision."""
        return evolve(self, settlement=settlement, settled_by=by.name, settled_at=at, note=note)


class ReviewKind(StrEnum):
    """Why a decision waits."""

    CONFLICT = "conflict"  # two beliefs contradict each other
    STALE = "stale"  # the code or a belief it depends on no longer agrees, or somebody followed it in vain
    PROPOSAL = "proposal"  # mined or proposed, and nobody has admitted it


@frozen
class ReviewItem:
    """A decision that waits. `judgements` are the beliefs that it is about, `question` is one sentence, `evidence` has
    a line for each argument, `choices` are the answers that `Review.settle` takes. `impact` orders: larger first.
    `replaces` is the belief that a proposal would replace, or the first of the two sides of a contradiction."""

    id: str
    kind: ReviewKind
    question: str
    judgements: tuple[Judgement, ...]
    evidence: tuple[str, ...]
    choices: tuple[str, ...]
    impact: float
    conflict: Conflict | None = None
    replaces: Judgement | None = None


@frozen
class CodeChange:
    """An anchor's code as it was verified and as it is now.

    `lines` start with "-", "+" or a space; "…" stands for equal lines. They are empty when only something that the code
    uses is different. `now` is "" when the code is gone.
    """

    was: str  # the place as it was verified: path, or path#symbol
    now: str
    verified_at: datetime
    commit: str
    lines: tuple[str, ...]


@frozen
class Decision:
    """The decision about an item. `judgement` is the belief to show for it; `revisions` are those it wrote, as (id,
    number)."""

    item: str
    choice: str
    author: Author
    at: datetime
    revisions: tuple[tuple[str, int], ...]
    judgement: Judgement | None = None
