"""Reads from its wording where a statement applies (in staging, on Windows, since v2), and compares such conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from attrs import frozen

from memlsp.code import vocabulary
from memlsp.code.vocabulary import named_lines, patterns, texts

_PLACES = tuple(
    (key, value, re.compile(rf"(?:{pattern})", re.IGNORECASE))
    for key in texts(__name__)
    for value, pattern in named_lines(__name__, key)
)
_ANY_PLACE = "|".join(pattern.pattern.removeprefix("(?:").removesuffix(")") for _, _, pattern in _PLACES)
_RE = patterns(__name__)
_IN_PLACE = vocabulary.compiled(_RE.text("in_place").replace("PLACE", _ANY_PLACE))
_VERSIONS = ("from", "below", "to", "from_plus", "to_minus", "is")


@frozen
class VersionRange:
    """Versions from `low` (inclusive) to `high`, inclusive when `closed`. None is no bound."""

    low: tuple[int, ...] | None
    high: tuple[int, ...] | None
    closed: bool = True

    def meets(self, other: VersionRange) -> bool:
        """True when some version is in both ranges."""
        return self._reaches(other) and other._reaches(self)

    def _reaches(self, other: VersionRange) -> bool:
        if self.high is None or other.low is None:
            return True
        if self.closed:
            return other.low <= self.high or other.low[: len(self.high)] == self.high
        return other.low < self.high


@frozen
class Conditions:
    """Where a statement applies: `keys` are (key, values), `versions` (product, range); `universal` statements are
    meant for every place."""

    keys: tuple[tuple[str, frozenset[str]], ...] = ()
    versions: tuple[tuple[str, VersionRange], ...] = ()
    universal: bool = False


@lru_cache(maxsize=8192)
def read_conditions(text: str) -> tuple[str, Conditions]:
    """A sentence without the conditions that it names, and these. Pure."""
    keys: dict[str, set[str]] = {}
    versions: list[tuple[str, VersionRange]] = []
    universal = bool(_RE["everywhere"].search(text))

    def place(found: re.Match[str]) -> str:
        for key, value, pattern in _PLACES:
            if pattern.fullmatch(found["place"]):
                keys.setdefault(key, set()).add(value)
                break
        return " "

    def local(_: re.Match[str]) -> str:
        keys.setdefault("env", set()).add("local")
        return " "

    rest = _RE["locally"].sub(local, _IN_PLACE.sub(place, text))
    for name in _VERSIONS:
        sort = name.partition("_")[0]
        for found in list(_RE[name].finditer(rest)):
            marked = found["product"] or re.search(r"v\d", found[0], re.IGNORECASE)
            if not marked and _RE["unit_behind"].match(rest[found.end() :]):
                continue  # an amount
            number = tuple(int(part) for part in found["version"].split("."))
            versions.append(((found["product"] or "").lower(), _span(sort, number)))
            rest = rest.replace(found[0], " ", 1)
    named = tuple((key, frozenset(values)) for key, values in sorted(keys.items()))
    return rest, Conditions(named, tuple(versions), universal)


def _span(sort: str, number: tuple[int, ...]) -> VersionRange:
    if sort == "from":
        return VersionRange(number, None)
    if sort == "below":
        return VersionRange(None, number, closed=False)
    return VersionRange(None, number) if sort == "to" else VersionRange(number, number)


def with_keys(conditions: Conditions, given: Iterable[tuple[str, str]]) -> Conditions:
    """The conditions with those that somebody gave by key and value, which win over the wording."""
    keys: dict[str, frozenset[str]] = dict(conditions.keys)
    named: dict[str, set[str]] = {}
    for key, value in given:
        named.setdefault(key.strip().lower(), set()).add(canonical_value(key, value))
    keys.update({key: frozenset(values) for key, values in named.items()})
    return Conditions(tuple(sorted(keys.items())), conditions.versions, conditions.universal)


def canonical_value(key: str, value: str) -> str:
    """The canonical spelling of a value: `prod` is `production`."""
    plain = " ".join(value.split()).lower()
    for name, known, pattern in _PLACES:
        if name == key.strip().lower() and pattern.fullmatch(plain):
            return known
    return plain


_HOLDS_OTHERS: Mapping[str, frozenset[str]] = {
    "test": frozenset({"unit-test", "integration-test", "ci"}),
    "posix": frozenset({"linux", "macos"}),
    "development": frozenset({"local", "debug"}),
}
"""Values that hold others: what is said of tests is said of unit tests too."""


def apart(one: Conditions, other: Conditions) -> bool:
    """True when no place fulfils both."""
    others = dict(other.keys)
    for key, values in one.keys:
        if key in others and not any(_overlap(a, b) for a in values for b in others[key]):
            return True
    return any(
        product == name and not span.meets(stretch)
        for product, span in one.versions
        for name, stretch in other.versions
    )


def _overlap(one: str, other: str) -> bool:
    return one == other or other in _HOLDS_OTHERS.get(one, ()) or one in _HOLDS_OTHERS.get(other, ())


def is_exception(one: Conditions, other: Conditions, *, special: bool = False) -> bool:
    """True when one statement is for a part of the places of the other, and the other is not meant for every place.
    With `special` one of them speaks of a part by where it is tied to."""
    if special and not (one.universal or other.universal):
        return True
    return narrower(one, other) or narrower(other, one)


def narrower(one: Conditions, general: Conditions) -> bool:
    """True when `one` has a kind of condition that `general` leaves open."""
    open_keys = {key for key, _ in one.keys} - {key for key, _ in general.keys}
    return not general.universal and bool(open_keys or (one.versions and not general.versions))
