"""Holds a tool that a statement says is used against the code, which may have another in its place; and one of two
opposites: UTC or local time, soft or hard deletes. `patterns.toml` has each by what people say and by what code writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.clause_roles import is_conditional, speaks_here
from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.name_classes import families_in_code
from memlsp.beliefs.present.present_code import Finding, PresentCode, without_comments
from memlsp.code.vocabulary import named_lines, patterns, texts

_RE = patterns(__name__)
_Names = tuple[str, ...]
_Family = tuple[_Names, ...]
_FAMILIES: list[_Family] = [*families_in_code()]
for _, _family in named_lines(__name__, "alternatives"):
    _groups = (names.split() for names in _family.split("|"))
    _FAMILIES.append(tuple(tuple(name.replace("+", " ") for name in names) for names in _groups))
_OPPOSITES = [line.split() for line in texts(__name__)["opposites"].strip().splitlines()]
_UNMISTAKABLE = [family for family in _FAMILIES if family[0][0] in word_set(texts(__name__)["unmistakable"])]
"""Those whose names mean nothing else, and count wherever they stand."""


def alternatives_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about tools: the code imports or runs another of the same family, and has not the one said."""
    for family, names, found in _tools_said(claims.text.lower()):
        at = found.start("name")
        if not speaks_here(claims, code.subject, at):
            continue
        word = claims.text[at : found.end("name")]
        if any(re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", code.around) for name in names):
            yield Finding(word)
        elif not is_conditional(claims.text, at):
            working = ([name for name in each if _is_at_work(code, name)] for each in family if each is not names)
            others = [found[0] for found in working if found]
            if len(others) == 1:
                yield code.differs(word, f"has {others[0]}")


@lru_cache(maxsize=2048)
def _tools_said(lowered: str) -> tuple[tuple[_Family, _Names, re.Match[str]], ...]:
    """The families of which a statement says exactly one, with its names."""
    chosen: list[tuple[_Family, _Names, re.Match[str]]] = []
    for family in _FAMILIES:
        plain = family in _UNMISTAKABLE
        near = (names for names in family if any(map(lowered.__contains__, names)))  # most are not said at all
        said = [(names, found) for names in near if (found := _said(lowered, names, plain=plain))]
        chosen += [(family, names, found) for names, found in said if len(said) == 1]
    return tuple(chosen)


def _said(lowered: str, names: Sequence[str], *, plain: bool = False) -> re.Match[str] | None:
    listed = "|".join(map(re.escape, names))
    before = r"(?<![\w/.-])" if plain else _RE["using"].pattern
    return re.search(rf"{before}(?P<name>{listed})(?![\w/-]|\.\w)", lowered)


def _is_at_work(code: PresentCode, name: str) -> bool:
    """True where the symbol uses a module of this name, or where a command or text of it begins with it."""
    used = {part for text in (*code.facts.uses, *code.facts.calls) for part in re.findall(r"\w+", text)}
    modules = [module for local, module in code.imports if not code.is_code or local in used]
    if any(name in re.split(r"[^a-z0-9]+", each.lower()) for each in (*modules, *used)):
        return True
    source = without_comments(code.source, code.language).lower()
    begins = rf"(?:^\s*|['\"`]|(?:&&|;|\||run:)\s*){re.escape(name)}(?=['\"`]|\s+[\w-])"
    named = rf"\b{re.escape(name)}(?:\+\w+)?:/?/|\bimage:\s*{re.escape(name)}\b"
    return re.search(rf"(?m){begins}|{named}", source) is not None


def opposites_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about opposites: the code has exactly one of the others, and not the one said."""
    source = without_comments(code.source, code.language)
    for group in _OPPOSITES:
        said = [(name, found) for name in group if (found := _RE[f"said_{name}"].search(claims.text))]
        if len(said) != 1:
            continue
        ((name, found),) = said
        at = found.start()
        if not speaks_here(claims, code.subject, at):
            continue
        has = {each: written for each in group if (written := _RE[f"code_{each}"].search(source))}
        if name in has:
            yield Finding(found[0])
        elif len(has) == 1 and not is_conditional(claims.text, at) and not _is_beyond(name, code):
            (written,) = has.values()
            yield code.differs(found[0], f"has `{written[0].strip('.( ')}`")


def _is_beyond(name: str, code: PresentCode) -> bool:
    """True where a function that is called does it."""
    return any(
        _RE[f"code_{name}"].search(re.sub(r" (?=\()|(?<=[.(]) | (?=\.)", "", " ".join(each.facts.tokens)))
        for each in code.reached
    )
