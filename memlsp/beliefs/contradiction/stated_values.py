"""Values of typed kinds, as statements give them to things."""

from __future__ import annotations

from fractions import Fraction

from attrs import frozen

from memlsp.beliefs.claims.quantities import Unit
from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.vocabulary import texts

_NEED_A_ROLE = word_set(texts(__name__)["roles"])
LACKING = "not"
"""The name of the value that is the opposite of a concept, or its absence."""


@frozen
class StatedAmount:
    """A number that a clause states: `bound` is "" for exactly, least, most, more or less; `per` is the period of a
    rate in seconds ("100 requests per minute"), None for none; `counted` the noun behind it."""

    number: Fraction
    unit: Unit | None
    bound: str = ""
    per: Fraction | None = None
    counted: str = ""

    @property
    def bases(self) -> frozenset[Fraction]:
        """Its values in base units; rates are by the second."""
        factors = self.unit.factors if self.unit else (Fraction(1),)
        return frozenset(self.number * factor / (self.per or 1) for factor in factors)

    @property
    def measures(self) -> str:
        """The dimension; only amounts of the same one are compared."""
        dimension = self.unit.dimension.value if self.unit else "plain"
        return f"{dimension}/time" if self.per else dimension


@frozen
class Value:
    """A value of one kind: a canonical name, an amount, or a version with its bound. `group` parts the names of a class
    that do not exclude each other; of a class with `many` a project has several; `endless` is an amount without end."""

    kind: str
    said: str
    name: str = ""
    group: int = 0
    amount: StatedAmount | None = None
    version: tuple[int, ...] = ()
    bound: str = ""
    many: bool = False
    endless: bool = False

    @property
    def lacks(self) -> bool:
        """True for what is denied by the value itself: it is not so, it has no end."""
        return self.endless or self.name == LACKING

    @property
    def needs_role(self) -> bool:
        """True for names that are mentioned more often than chosen, as of languages."""
        return self.kind in _NEED_A_ROLE


@frozen
class Found:
    """A value with the words that belong to its kind and tell nothing of the thing. `start` and `end` are the place of
    a name of a class, -1 for other values."""

    value: Value
    words: frozenset[str] = frozenset[str]()
    start: int = -1
    end: int = -1
