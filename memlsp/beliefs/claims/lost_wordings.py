"""Finds what a statement says in words that no name of the code has: characters by their names, factors, what a
modifier is for, switches that are off unless set, lists that are complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from memlsp.beliefs.claims.case import Case, Loss
from memlsp.beliefs.claims.quantities import code_numbers, quantities_in
from memlsp.beliefs.claims.symbol_state import FALSE, TRUE, strings_in
from memlsp.beliefs.reasons import ReasonCode
from memlsp.code.vocabulary import patterns, word_table
from memlsp.model.change import Detail, DetailKind, detail_kinds

_RE = patterns(__name__)
_NAMES = "blank tab newline comma semicolon colon pipe slash hyphen underscore dot asterisk"
_CHARACTERS: dict[str, str] = dict(zip(_NAMES.split(), " \t\n,;:|/-_.*", strict=True))
_ESCAPED = {"\\t": "\t", "\\n": "\n", "\\r": "\r"}
_FACTORS = {"double": (Fraction(2),), "triple": (Fraction(3),), "halve": (Fraction(1, 2), Fraction(2))}
_NUMBERED = detail_kinds("literal return condition value default body")


def lost_wordings(case: Case) -> Iterator[Loss]:
    """The claims in such words that the change broke."""
    yield from _lost_characters(case)
    yield from _lost_factors(case)
    yield from _lost_modifiers(case)
    yield from _flipped_switches(case)
    yield from _opened_lists(case)


def names_characters(text: str) -> bool:
    """True for a statement that names a character: a tab, two blanks, a comma."""
    return _RE["characters"].search(text) is not None


def _lost_characters(case: Case) -> Iterator[Loss]:
    """Characters such as those of "separated by tabs" and "two blanks", which no string of the change has any more."""
    before = [(text, detail) for detail in case.details for text in map(_unescaped, strings_in(detail.old or ""))]
    after = [text for detail in case.details for text in map(_unescaped, strings_in(detail.new or ""))]
    for found in _RE["characters"].finditer(case.claims.text):
        sign = _CHARACTERS[str(found.lastgroup)]
        wanted, said = re.escape(sign), quantities_in(found[0].partition(" ")[0])
        if said and said[0].number > 1:
            wanted = rf"(?<!{wanted}){wanted}{{{int(said[0].number)}}}(?!{wanted})"
        had = any(re.search(wanted, text) for text, _ in before)
        if had and not any(re.search(wanted, text) for text in after) and not case.claims.denied_at(found.start()):
            detail = next(detail for text, detail in before if sign in text)
            yield Loss(found[0], detail, ReasonCode.LITERAL_CHANGED)


def _unescaped(text: str) -> str:
    return re.sub(r"\\.", lambda found: _ESCAPED.get(found[0], found[0]), text)


def _lost_factors(case: Case) -> Iterator[Loss]:
    """A factor such as that of "doubles", where the only 2 is a 3 now."""
    for found in _RE["factors"].finditer(case.claims.text):
        wanted = _FACTORS[str(found.lastgroup)]
        held = [number for _, number in case.before.numbers() if number.number in wanted]
        if len(held) > 2 or case.claims.denied_at(found.start()):
            continue
        for detail in case.details:
            had = [number.number for number in code_numbers(detail.old or "", detail.name)]
            has = [number.number for number in code_numbers(detail.new or "", detail.name)]
            gone = any(one in had and one not in has for one in wanted)
            if detail.kind in _NUMBERED and gone and has:
                yield Loss(found[0], detail)
                return


def _lost_modifiers(case: Case) -> Iterator[Loss]:
    """What a removed modifier was for: "cannot be extended", and it is `final` no longer."""
    for detail in case.details:
        if detail.kind is DetailKind.MODIFIER_REMOVED:
            for said in _RE["modifiers"].finditer(case.claims.text):
                if said.lastgroup in word_table(__name__, "purposes").get(detail.old or detail.name, ()):
                    yield Loss(said[0], detail)
                    return


def _flipped_switches(case: Case) -> Iterator[Loss]:
    """Switches that are on by default now: "unless `clamp` is set"."""
    for detail in case.details:
        switched = detail.old in FALSE and detail.new in TRUE and bool(detail.name)
        if detail.kind in {DetailKind.DEFAULT, DetailKind.LITERAL} and switched:
            wanted = rf"\b(?:unless|only (?:with|when|if)|without)\b[^.;,]*?\b{re.escape(detail.name)}\b"
            said = re.search(wanted, case.claims.text, re.IGNORECASE)
            if said is not None:
                yield Loss(said[0], detail)


def _opened_lists(case: Case) -> Iterator[Loss]:
    """Lists said to be complete: "only GET and HEAD", and there is a third."""
    only = _RE["only"].search(case.claims.text)
    if only is None:
        return
    for detail in case.details:
        before, after = strings_in(detail.old or ""), strings_in(detail.new or "")
        if _is_list(detail) and len(before) > 1 and set(before) < set(after):
            behind = case.claims.text[only.end() :]
            if all(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", behind, re.IGNORECASE) for each in before):
                yield Loss(" ".join((only[0], *behind.split()[:3])), detail)
                return


def _is_list(detail: Detail) -> bool:
    return all((side or "").rstrip()[-1:] in {"]", ")", "}"} for side in (detail.old, detail.new))
