"""Holds what a statement lists or counts against the lists of the code: "retries on 429 and 503", "seven methods",
"http and https only".

A list of the code is a literal one, of numbers or texts alone, or the members of an enum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.clause_roles import clause_bounds, speaks_plainly
from memlsp.beliefs.claims.quantities import quantities_in
from memlsp.beliefs.claims.stems import stem, stem_set, word_set
from memlsp.beliefs.claims.symbol_state import name_stems
from memlsp.beliefs.present.present_code import Finding, PresentCode, without_comments
from memlsp.code.vocabulary import patterns, texts
from memlsp.model.symbol import VALUE_KINDS, SymbolKind

_RE = patterns(__name__)
_WORDS = texts(__name__)
_PLACES = stem_set(_WORDS["places"])
_FAMILIES = [word_set(line) for line in _WORDS["families"].strip().splitlines()]
_FEWEST = 2
_MOST = 60


@frozen
class Listed:
    """A list of the code: its name ("" where it has none) and its entries, lower-case and without quotes."""

    name: str
    entries: tuple[str, ...]
    numeric: bool = False

    @property
    def stems(self) -> frozenset[str]:
        """The stems of its name."""
        return name_stems(self.name)


def lists_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about lists."""
    lists = list(_lists(code))
    if lists:
        yield from _counted(claims, code, lists)
        yield from _enumerated(claims, code, lists)
        yield from _belonging(claims, code, lists)


def _lists(code: PresentCode) -> Iterator[Listed]:
    if code.symbol.kind is SymbolKind.ENUM and code.facts.members:
        yield Listed(code.symbol.simple_name, tuple(name.lower() for name, _ in code.facts.members))
    source = without_comments(code.source, code.language)
    for found in _RE["list"].finditer(source):
        entries = [each["entry"] for each in _RE["entry"].finditer(found["inner"])]
        if _FEWEST <= len(entries) <= _MOST:
            numeric = all(each[0].isdigit() for each in entries)
            if numeric or all(each[0] in "'\"`" for each in entries):
                plain = tuple(each.strip("'\"`").lower() for each in entries)
                yield Listed(found["name"] or "", plain, numeric)


def _counted(claims: Claims, code: PresentCode, lists: list[Listed]) -> Iterator[Finding]:
    """How many entries a list has: the statement names the list, or what it is a list of."""
    for amount in claims.amounts:
        said = amount.quantity
        noun = _RE["counted"].match(claims.text, said.end)
        if noun is None or said.unit is not None or amount.comparison or said.number < _FEWEST:
            continue
        if not speaks_plainly(claims, code.subject, said.start):
            continue
        nouns = [stem(word) for word in re.findall(r"\w+", noun["nouns"])]
        near = {stem(word) for word in re.findall(r"[^\W\d_]+", claims.text)}
        for each in lists:
            named = each.stems and (each.stems <= near or each.name.lower() in claims.text.lower())
            kind = nouns[-1] in _PLACES or nouns[-1] in each.stems
            if not named or not kind or sum(1 for other in lists if other.stems & each.stems) > 1:
                continue
            yield code.answers(said.text, len(each.entries) == said.number, f"has {len(each.entries)} in {each.name}")


def _enumerated(claims: Claims, code: PresentCode, lists: list[Listed]) -> Iterator[Finding]:
    """A series of which most are entries of one list and one is not, or that is said to be all and is not."""
    for found in _RE["series"].finditer(claims.text):
        parts = [each.strip("`'\"") for each in re.split(r"\s*,\s*(?:and\s|or\s)?|\s+(?:and|or)\s+", found["series"])]
        lead = re.search(r"(?i)\b(?:for|on|at|of|with)\s*$", claims.text[: found.start()])
        at = lead.start() if lead else found.start()
        if len(parts) >= _FEWEST and speaks_plainly(claims, code.subject, at):
            numeric = all(re.fullmatch(r"\d+", each) for each in parts)
            for each in lists:
                if each.numeric == numeric:
                    yield from _compared(claims, code, found, parts, each)


def _compared(
    claims: Claims, code: PresentCode, found: re.Match[str], parts: list[str], listed: Listed
) -> Iterator[Finding]:
    outside = [part for part in parts if part.lower() not in listed.entries]
    if len(parts) - len(outside) < _FEWEST:
        return
    if not outside:
        said = {part.lower() for part in parts}
        lacking = [entry for entry in listed.entries if entry not in said]
        agrees = not (lacking and _is_all(claims, found))
        yield code.answers(found["series"], agrees, f"has {''.join(lacking[:1])} too", instead=False)
    elif len(outside) == 1 and len(listed.entries) <= len(parts) and outside[0].lower() not in code.around:
        yield code.differs(outside[0], f"has {', '.join(listed.entries)[:60]}")


def _is_all(claims: Claims, found: re.Match[str]) -> bool:
    """True for "only a and b", "a and b alone"."""
    start, end = clause_bounds(claims.text, found.start())
    before, behind = claims.text[start : found.start()], claims.text[found.end() : max(end, found.end())]
    return bool(re.search(r"(?i)\b(?:only|just|exactly|nothing but)\s*$", before)) or bool(
        re.match(r"(?i)\s+(?:\w+\s)?(?:only|alone|and nothing else)\b", behind)
    )


def _belonging(claims: Claims, code: PresentCode, lists: list[Listed]) -> Iterator[Finding]:
    """An entry of a list that is the symbol itself: "501 is retried too", "POST requests are retried as well"."""
    found = _RE["member"].match(claims.text)
    if found is None or code.symbol.kind not in VALUE_KINDS or len(lists) != 1:
        return
    if not speaks_plainly(claims, code.subject, found.start()):
        return
    (one,) = lists
    said = found["entry"].strip("`'\"").lower()
    if one.numeric:
        measured = quantities_in(claims.text[found.start() : found.end() + 12])  # "500 ms"
        alike = said.isdigit() and len(said) == len(one.entries[0]) and all(each.unit is None for each in measured)
    else:
        alike = any(said in family and family.issuperset(one.entries) for family in _FAMILIES)
    if said in one.entries:
        yield Finding(found["entry"])
    elif alike and not one.stems.isdisjoint(map(stem, re.findall(r"[^\W\d_]+", claims.text))):
        yield code.differs(found["entry"], f"has {', '.join(one.entries)[:60]}")
