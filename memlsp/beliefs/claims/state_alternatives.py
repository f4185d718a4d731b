"""Holds one tool, format or way that a statement names against the code, which may have another in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.clause_roles import is_aside, names_another
from memlsp.beliefs.claims.present_code import Finding, PresentCode
from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.vocabulary import patterns, texts

_RE = patterns(__name__)
_WORDS = texts(__name__)


def _families() -> tuple[tuple[tuple[frozenset[str], frozenset[str]], ...], ...]:
    """For each family its alternatives: the words that say one, and those by which code has it."""
    found: list[tuple[tuple[frozenset[str], frozenset[str]], ...]] = []
    for line in _WORDS["alternatives"].strip().splitlines():
        family: list[tuple[frozenset[str], frozenset[str]]] = []
        for part in line.partition(":")[2].split("|"):
            listed = part.split()
            said = frozenset(re.sub("[_-]", " ", word.lstrip("?")) for word in listed if word[0] != "=")
            has = frozenset(word.lstrip("=").lower() for word in listed if word[0] != "?")
            family.append((said, has))
        found.append(tuple(family))
    return tuple(found)


_FAMILIES = _families()
_AMBIGUOUS = word_set(_WORDS["ambiguous"])


def alternatives_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about tools, formats and ways: the code has another of the same family, and not the one said."""
    text = claims.text.lower().replace("_", " ").replace("-", " ")
    removed = _removed(claims)
    for family in _FAMILIES:
        said = [(at, word, has) for names, has in family if (found := _first(text, names)) for at, word in [found]]
        affirmed = [
            (at, word, has)
            for at, word, has in said
            if not claims.denied_at(at) and not is_aside(claims.text, at) and word not in removed
        ]
        if len(affirmed) != 1 or names_another(claims, code.subject, affirmed[0][0]):
            continue
        at, word, has = affirmed[0]
        if has & code.all_words or any(_has(code, one) for one in has):
            yield Finding(claims.text[at : at + len(word)])
            continue
        others = [
            one
            for _, evidence in family
            if evidence != has
            for one in sorted(evidence)
            if one in code.own_words or ("." in one and _has(code, one))
        ]
        if others:
            yield code.differs(claims.text[at : at + len(word)], f"has {others[0]}")


def _has(code: PresentCode, word: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", code.around) is not None


def _first(text: str, names: frozenset[str]) -> tuple[int, str] | None:
    for name in sorted(names, key=len, reverse=True):
        found = re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", text)
        if found and (name not in _AMBIGUOUS or _RE["using"].search(text[: found.start()])):
            return found.start(), name
    return None


def _removed(claims: Claims) -> dict[str, str]:
    """The names that a plan wants gone, in lower case."""
    found = [each["name"] or each["name_b"] for each in _RE["removal"].finditer(claims.text)]
    return {name.lower(): name for name in found}


def removals_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """What a decision, rule or plan wants gone and the code still has, or wants and the code has not yet. A description
    that says "removes" speaks of what the code does."""
    known = {word for family in _FAMILIES for _, has in family for word in has}
    known |= {name.lower() for each in code.imports for name in each}
    known -= {parameter.name.lower() for parameter in code.facts.parameters}
    for name, written in _removed(claims).items():
        given = {parameter.name.lower() for parameter in code.facts.parameters}
        if name not in given and (
            name in known or name in {module.lower() for each in code.imports for module in each}
        ):
            if _has(code, name):
                yield code.differs(written, f"still has {written}", instead=False)
            else:
                yield Finding(written)
    for mention in claims.mentions:
        last = mention.parts[-1] if mention.parts else ""
        if mention.denied or mention.value or last in code.subject or is_aside(claims.text, mention.start):
            continue
        if not _RE["wanting"].search(claims.text[max(0, mention.start - 30) : mention.start]):
            continue
        if _has(code, last.lower()) or code.has_name(last):
            yield Finding(mention.text)
        else:
            yield code.differs(mention.text, f"has no {mention.text}", instead=False)
