"""Classes of names of which a thing has one: databases, test runners, licences, formats, algorithms. They lie in
name_classes.toml; statements are compared by them with each other, and with what the code has."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from attrs import frozen

from memlsp.beliefs.claims.stems import word_set


class _Entry(TypedDict):
    words: str
    names: str
    near: NotRequired[str]
    strict: NotRequired[bool]
    many: NotRequired[bool]
    policy: NotRequired[bool]
    in_code: NotRequired[str]


@frozen
class NameClass:
    """A class of names that exclude each other. `words` tell the class and nothing of the thing, `near` make a name of
    what is an ordinary word too, with `strict` of any; of a class with `many` a project has several. A `policy` is
    no name, but what is done with a thing."""

    title: str
    words: frozenset[str]
    near: frozenset[str]
    many: bool
    strict: bool
    policy: bool = False


@frozen
class ClassName:
    """A name as a class has it: its canonical spelling and its group. Only names of one group exclude each other."""

    of: NameClass
    group: int
    name: str
    ordinary: bool

    def is_meant(self, beside: frozenset[str], *, named: bool) -> bool:
        """True for the name among those words; `named` when it is written as a name or as code."""
        return bool(self.of.near & beside) or not (self.of.strict or (self.ordinary and not named))


@frozen
class Word:
    """A word of a clause: as written, in lower case, its place in the clause, and whether it is written as code."""

    text: str
    lower: str
    start: int
    end: int
    code: bool = False
    part: bool = False  # of an identifier

    @property
    def capital(self) -> bool:
        """True for a capital that the beginning of the clause does not explain."""
        return self.start > 0 and self.text[:1].isupper()


_LONGEST = 4  # words of a name


@cache
def _entries() -> dict[str, _Entry]:
    return cast("dict[str, _Entry]", tomllib.loads(Path(__file__).with_name("name_classes.toml").read_text("utf-8")))


@cache
def _names() -> dict[tuple[str, ...], tuple[ClassName, ...]]:
    table: dict[tuple[str, ...], tuple[ClassName, ...]] = {}
    for title, entry in _entries().items():
        words = word_set(entry["words"])
        near = word_set(entry.get("near", "")) or words
        signs = (entry.get("many", False), entry.get("strict", False), entry.get("policy", False))
        of = NameClass(title, words, near, *signs)
        for group, line in enumerate(entry["names"].strip().splitlines()):
            for aliases in line.split():
                first = aliases.split("|")[0].rstrip("!")
                for alias in aliases.split("|"):
                    name = ClassName(of, group, first, alias.endswith("!"))
                    plain = alias.rstrip("!")
                    for key in {(plain,), tuple(plain.split("_"))}:
                        table[key] = (*table.get(key, ()), name)
    return table


@cache
def _first_words() -> frozenset[str]:
    return frozenset(key[0] for key in _names())


def names_in(words: Sequence[Word]) -> Iterator[tuple[int, int, tuple[ClassName, ...]]]:
    """The names of classes in a clause, the longest first at each place: index of the first word, index behind the
    last, and what it may be. An ordinary word is a name in code, as a capital, beside a word of its class, or where
    it is all that is used ("we use yarn here")."""
    at = 0
    table, first = _names(), _first_words()
    said = frozenset(word.lower for word in words)
    while at < len(words):
        longest = min(_LONGEST, len(words) - at) if words[at].lower in first else 0
        for length in range(longest, 0, -1):
            stretch = words[at : at + length]
            found = table.get(tuple(word.lower for word in stretch), ())
            named = any(word.capital or word.code for word in stretch) or _is_chosen(words, at, at + length)
            beside = said - {word.lower for word in stretch}
            known = tuple(each for each in found if each.is_meant(beside, named=named))
            if known:
                yield at, at + length, known
                at += length
                break
        else:
            at += 1


_CHOICE = re.compile(
    r"(?:use[sd]?|using|adopt(?:ed)?|switch(?:ed)?|migrated?|it's)"
    r"(?: (?:now|here|for|in|instead|with|not|and|over|everywhere|as|since|because|to|from))?"
)


def _is_chosen(words: Sequence[Word], start: int, end: int) -> bool:
    """True for words behind a verb of choosing with nothing after them that they could belong to."""
    before = [word.lower for word in words[max(start - 2, 0) : start] if word.lower != "to"][-1:]
    around = [*before, *(word.lower for word in words[end : end + 1])]
    return bool(before) and _CHOICE.fullmatch(" ".join(around)) is not None


def all_names(title: str) -> frozenset[str]:
    """The canonical names of one class."""
    return frozenset(each.name for names in _names().values() for each in names if each.of.title == title)


@cache
def families_in_code() -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The groups of names of which code has one in place of another, each name with all its spellings in code."""
    found: list[tuple[tuple[str, ...], ...]] = []
    for entry in _entries().values():
        parts = (listed.partition(":") for listed in entry.get("in_code", "").split())
        extra = {name: tuple(more.split(",")) if more else () for name, _, more in parts}
        for line in entry["names"].splitlines():
            groups = [[alias.rstrip("!") for alias in aliases.split("|")] for aliases in line.split()]
            family = tuple(
                (*(alias for alias in aliases if "_" not in alias), *extra[aliases[0]])
                for aliases in groups
                if aliases[0] in extra
            )
            if len(family) > 1:
                found.append(family)
    return tuple(found)


def is_class_name(text: str) -> bool:
    """True for a text that is the name of some class, as SHA-256 is."""
    return tuple(text.lower().split()) in _names()
