"""A conflict: two beliefs that cannot both be true where both apply."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import frozen


class Settlement(StrEnum):
    """What was decided about a conflict."""

    SUPERSEDED = "superseded"  # one takes the place of the other
    SCOPED = "scoped"  # they apply under different conditions
    KEPT = "kept"  # both stand, and nobody is asked again while neither is reworded
    RETIRED = "retired"  # one is no longer true


@frozen
class Conflict:
    """Two beliefs that contradict each other, `first` the one with the smaller id.

    `subject` and `predicate` name what both speak of, `values` what the first and the second say of it; `reason` is one
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
