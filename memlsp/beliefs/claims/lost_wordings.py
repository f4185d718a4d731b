"""Finds what a statement says in words that no name of the code has: characters by their names, what a modifier is for,
lists that are complete."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.claims.case import Case, Loss
from memlsp.beliefs.claims.quantities import quantities_in
from memlsp.beliefs.claims.symbol_state import strings_in
from memlsp.beliefs.reasons import ReasonCode
from memlsp.code.vocabulary import patterns, word_table
from memlsp.model.change import Detail, DetailKind

_RE = patterns(__name__)
_NAMES = "blank tab newline comma semicolon colon pipe slash hyphen underscore dot asterisk"
_CHARACTERS: dict[str, str] = dict(zip(_NAMES.split(), " \t\n,;:|/-_.*", strict=True))
_ESCAPED = {"\\t": "\t", "\\n": "\n", "\\r": "\r"}


def lost_wordings(case: Case) -> Iterator[Loss]:
    """The claims in such words that the change broke."""
    yield from _lost_characters(case)
    yield from _lost_modifiers(case)
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


def _lost_modifiers(case: Case) -> Iterator[Loss]:
    """What a removed modifier was for: "cannot be extended", and it is `final` no longer."""
    for detail in case.details:
        if detail.kind is DetailKind.MODIFIER_REMOVED:
            for said in _RE["modifiers"].finditer(case.claims.text):
                if said.lastgroup in word_table(__name__, "purposes").get(detail.old or detail.name, ()):
                    yield Loss(said[0], detail)
                    return


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
