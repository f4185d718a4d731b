"""Decides whether two facts exclude each other: first whether they speak of the same thing, then whether their values
can be true together."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.contradiction.clause_values import MEMBERS, VAGUE, StatedAmount, Value
from memlsp.beliefs.contradiction.conditions import apart, is_exception
from memlsp.beliefs.contradiction.facts import Fact


def exclusion(
    one: Sequence[Fact], other: Sequence[Fact], *, special: bool, same_place: bool
) -> tuple[Fact, Fact] | None:
    """The first two facts that exclude each other, of a kind in which the statements agree nowhere. With `special` one
    statement speaks of a part of what the other speaks of; only with `same_place` is "it" the same in both."""
    alike = ((a, b) for a in one for b in other if a.value.kind == b.value.kind)
    pairs = [(a, b) for a, b in alike if same_place or not (a.pointing or b.pointing)]
    agreed = {a.value.kind for a, b in pairs if a.denied is b.denied and _same_thing(a, b) and not _differ(a, b)}
    for a, b in pairs:
        if a.value.kind in agreed or apart(a.conditions, b.conditions) or (a.denied and b.denied):
            continue
        # where the pipeline runs is no exception for what runs in the pipeline
        if a.value.kind != "ci" and is_exception(a.conditions, b.conditions, special=special):
            continue
        if _clash(a, b):
            return a, b
    return None


def _clash(a: Fact, b: Fact) -> bool:
    if a.denied or b.denied:
        return _denied(a, b) if a.denied else _denied(b, a)
    return _same_thing(a, b) and _differ(a, b)


# --- the same thing

_PLACES = frozenset({"path", "mail", "address", "weekday", "month", "date", "clock"})
_NEED_WORDS = _PLACES | {"opposite", "person", "policy", "route"}


def _sort(value: Value) -> str:
    return value.kind.partition(" ")[0]


def _same_thing(a: Fact, b: Fact) -> bool:
    if not _lighter(a.light, b.light) or (a.about != b.about and a.about and b.about):
        return False
    if _is_case_of(a, b) or _is_case_of(b, a):
        return True
    one, other = a.value, b.value
    if one.amount or other.amount or one.endless or other.endless:
        return _same_measured(a, b)
    if a.core or b.core:
        return a.core == b.core or ((a.named or _sort(one) == "policy") and _says_more(a, b))
    if a.light and a.light == b.light and one.kind not in {"month", "date"}:
        return True
    # Postgres is the project's database, whatever else is said
    both = a.role and b.role
    return both if one.many or one.kind == "route" else _sort(one) not in _NEED_WORDS


def _lighter(a: frozenset[str], b: frozenset[str]) -> bool:
    """True when one side leaves out what the other says; words such as app and code are never missed."""
    one, other = a - VAGUE, b - VAGUE
    return one <= other or other <= one


def _is_case_of(a: Fact, general: Fact) -> bool:
    """True when one is told of a sort of what the other is told of without exception: of every endpoint."""
    whole, said = general.core | general.light, a.core | a.light
    sort = len(said - whole) == 1 and any((said - whole) & pair and pair & whole for pair in a.nearby)
    return general.conditions.universal and whole <= said and sort


def _says_more(a: Fact, b: Fact) -> bool:
    """True when one side says one word more of the same thing, and the other says nothing more."""
    one, other = (a.core | a.light) - VAGUE, (b.core | b.light) - VAGUE
    nested = one < other or other < one
    return bool(a.core and b.core) and nested and _only_tells_more(a, b, a.core ^ b.core)


def _only_tells_more(a: Fact, b: Fact, more: frozenset[str]) -> bool:
    """True for one word that says nothing of which of several things is meant, as in "external ids" and "ids for X"."""
    beside = any(more & pair and pair & a.core & b.core for pair in a.nearby | b.nearby)
    return len(more) == 1 and not beside and more.isdisjoint(a.purpose | b.purpose)


def _same_measured(a: Fact, b: Fact) -> bool:
    counted = [fact.value.amount.counted if fact.value.amount else "" for fact in (a, b)]
    nouns = frozenset(counted) - {""}
    if any(nouns & fact.core and _is_sized(fact) for fact in (a, b)):
        return False  # "the line length is 88", and "files have 500 lines"
    one, other = (fact.core | (frozenset({noun}) - {""}) for fact, noun in zip((a, b), counted, strict=True))
    if one == other:
        whole = a.light == b.light and a.about == b.about and bool(a.light or a.about)
        return bool(one) or a.value.kind == "rate" or whole
    if a.core == b.core:
        return bool(a.core or a.light & b.light) and nouns <= MEMBERS
    # "two weeks of grace", and "customers get a month of grace"
    alike = a.about == b.about and (counted[0] == counted[1] or nouns <= MEMBERS) and bool(a.core and b.core)
    return alike and (a.core < b.core or b.core < a.core) and _only_tells_more(a, b, a.core ^ b.core)


# --- values that exclude each other


def _differ(a: Fact, b: Fact) -> bool:
    one, other = a.value, b.value
    if one.endless or other.endless:
        amount = (other if one.endless else one).amount
        return one.endless != other.endless and amount is not None and amount.bound != "least"
    if one.amount is not None and other.amount is not None:
        counts = any(_is_sized(each) or f"{each.value.said} times" in each.text for each in (a, b))
        return _amounts_differ(one.amount, other.amount, sized=counts)
    if one.version:
        shorter = min(len(one.version), len(other.version))
        x, y = one.version[:shorter], other.version[:shorter]
        return x != y if one.bound == other.bound else not _meet(x, one.bound, y, other.bound)
    if one.group != other.group or one.name == other.name:
        return False
    shorter, longer = sorted((one.name, other.name), key=len)
    return not (longer.startswith(shorter) or longer.endswith(f"_{shorter}"))  # one may be a part or sort of the other


def _denied(negative: Fact, positive: Fact) -> bool:
    """True when one says that a name is not used for what the other uses it for."""
    one, other = negative.value, positive.value
    if one.amount or one.endless or one.version or _sort(one) in _PLACES | {"route"}:
        return False
    if one.name != other.name or one.group != other.group:
        return False
    if _sort(one) in {"opposite", "policy"}:
        return _same_thing(negative, positive)
    part = bool(negative.core) and negative.core < positive.core
    return (part or (negative.core == positive.core and (bool(negative.core) or not one.many))) and (
        negative.light <= positive.light
    )


def _amounts_differ(a: StatedAmount, b: StatedAmount, *, sized: bool) -> bool:
    if a.measures != b.measures:  # a setting without a unit may be in any
        plain, other = (a, b) if a.unit is None else (b, a)
        if plain.unit is not None or plain.per or plain.counted or other.measures != "time" or sized:
            return False
        return not any(plain.number * each in other.bases for each in _READINGS)
    if a.bound == b.bound:
        return not a.bases & b.bases
    return not any(_meet(x, a.bound, y, b.bound) for x in a.bases for y in b.bases)


_READINGS = (Fraction(1), Fraction(1, 1000), Fraction(60), Fraction(3600), Fraction(86400))
"""Seconds of the units in which a setting may be."""


_SIZED = word_set("size count number length width")


def _is_sized(fact: Fact) -> bool:
    return not _SIZED.isdisjoint(fact.text.lower().split())


_Number = TypeVar("_Number", Fraction, tuple[int, ...])


def _meet(a: _Number, bound: str, b: _Number, other: str) -> bool:
    """True when a value within the one bound can be within the other too; "" is exactly the number."""
    if _upward(other) and not _upward(bound):
        a, bound, b, other = b, other, a, bound
    if _upward(bound) and _upward(other):
        return True
    if _upward(bound):  # the other one ends at its number
        return a < b or (a == b and bound == "least" and other in {"", "most"})
    if bound in {"most", "less"} and other in {"most", "less"}:
        return True
    exact, end, sort = (a, b, other) if not bound else (b, a, bound)
    return exact < end or (exact == end and sort != "less")


def _upward(bound: str) -> bool:
    return bound in {"least", "more"}
