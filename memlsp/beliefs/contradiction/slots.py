"""Slots: the typed content of a clause, with its subject, verb, sense, amounts and conditions."""

from __future__ import annotations

from fractions import Fraction

from attrs import field, frozen

from memlsp.beliefs.claims.quantities import Quantity
from memlsp.beliefs.contradiction.conditions import Conditions
from memlsp.beliefs.contradiction.slot_words import NEUTRAL, USING, concepts


@frozen
class StatedAmount:
    """A number that a clause states: `bound` is "" for exactly, least, most, more or less; `per` is the period of a
    rate in seconds ("100 requests per minute"), None for none."""

    quantity: Quantity
    bound: str = ""
    per: Fraction | None = None

    @property
    def bases(self) -> tuple[Fraction, ...]:
        """Its values in base units; rates are by the second."""
        return tuple(each / self.per for each in self.quantity.bases) if self.per else self.quantity.bases

    @property
    def meant(self) -> tuple[object, ...]:
        """Equal for two amounts that mean the same."""
        return self.bases, self.bound, self.measures

    @property
    def measures(self) -> str:
        """The dimension; only amounts of the same one are compared."""
        dimension = self.quantity.unit.dimension.value if self.quantity.unit else "plain"
        return f"{dimension}/time" if self.per else dimension


@frozen
class Phrase:
    """A stretch of a clause after a preposition (`link`, "" for none): its terms in order. `named` words name one thing
    (an identifier, a capital, an article) and do not describe it; `article` led the phrase."""

    link: str
    terms: tuple[str, ...]
    named: bool = False
    article: str = ""
    listed: bool = False  # several things, with "and"
    names: tuple[str, ...] = ()  # those of the terms that are names of code
    choices: tuple[tuple[str, ...], ...] = ()  # the terms by alternative, where it has an "or"
    text: str = ""

    @property
    def all(self) -> frozenset[str]:
        """The terms as a set."""
        return frozenset(self.terms)

    @property
    def head(self) -> str:
        """The term that the others describe: the last."""
        return self.terms[-1] if self.terms else ""


@frozen
class Slot:
    """The content of one clause. `affirms` is False for a denial, where each opposite word turns it once; `orders` for
    a demand (do, never do); `partial` for "not every", which denies nothing else."""

    text: str
    subject: Phrase
    verb: str
    parts: tuple[Phrase, ...]
    affirms: bool = True
    orders: bool = False
    partial: bool = False
    only: bool = False  # "only X may": nothing else does
    pointing: bool = False  # its subject is "this" or "it", and only its place says what that is
    amounts: tuple[StatedAmount, ...] = ()
    conditions: Conditions = field(factory=Conditions)
    sequence: tuple[frozenset[str], frozenset[str]] | None = None  # what comes first and second, of "before"

    @property
    def terms(self) -> frozenset[str]:
        """All terms, with the verb unless it tells nothing by itself."""
        found = set(self.subject.terms)
        for part in self.parts:
            found.update(part.terms)
        if self.verb and self.verb not in concepts(NEUTRAL):
            found.add(self.verb)
        return frozenset(found)

    @property
    def heads(self) -> frozenset[str]:
        """The last term of each part and of the subject."""
        return frozenset(part.head for part in (self.subject, *self.parts) if part.terms)

    @property
    def used(self) -> tuple[Phrase, ...]:
        """The phrases that name a means: "use X", "depend on X", "deploy with X", "the database is X"."""
        if self.verb in concepts("depend rely"):
            return tuple(part for part in self.parts if part.link in {"", "in", "with"} and part.terms)
        if self.verb in concepts(USING) or self.verb == "be":
            return tuple(part for part in self.parts if part.link in {"", "with"} and part.terms)
        return tuple(part for part in self.parts if part.link == "with" and part.terms)
