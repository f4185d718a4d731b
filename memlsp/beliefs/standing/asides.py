"""Tells a change in nothing that a statement speaks of: the standing is `changed`, and no face interrupts for it.

Only where the statement's claims are in code that stayed as it was, or where the change enforces what it demands: a
word that is missing from a change says little, for most sentences share none with the change that makes them false.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from memlsp.beliefs.claims.case import Case
from memlsp.beliefs.claims.lost_wordings import names_characters
from memlsp.beliefs.claims.quantities import code_numbers, scale_between
from memlsp.beliefs.claims.stems import any_form, is_weak, prose_words, stem, stem_set
from memlsp.beliefs.claims.symbol_state import name_stems, names_in, simple
from memlsp.beliefs.rewording.rewording import arguments_of
from memlsp.beliefs.standing.relevance_model import speaks_of, stems_of
from memlsp.model.change import Detail, DetailKind, detail_kinds

_GENERAL = stem_set("throw raise error exception return fail failure give get answer type value")
_CAPITALS = re.compile(r"(?<![\w`'\"])[A-Z]{3,}(?![\w`'\"])")
_LINES = 2000
_LEAST_PLACES = 2  # of words of a statement without claims in code that stayed; of claims, where the code branches anew
_BRANCHING = detail_kinds("condition return raise_added catch_added catch_removed")
_COMING = detail_kinds("condition return raise_added call_added literal catch_added")
_RULE = re.compile(r"\b(?:must|never|no|not|without|cannot|may not|\w+n['\u2019]t)\b", re.IGNORECASE)
# What a test that leaves early does: a rule against it is broken by one.
_LEAVING = re.compile(
    r"\b(?:skip|ignor|drop|swallow|lose|lost|miss|omit|discard|silent|always|every|all|each)\w*", re.IGNORECASE
)
_LAYOUT = re.compile(
    r"\b(?:indent|align|column|layout|pad|width|trim|strip|separat|join|split|format|between|apart|charact|white"
    r"|empty line)\w*",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\b(?:always|never|every|all|any|only|each|no)\b", re.IGNORECASE)


def is_aside(case: Case, before: str, after: str) -> bool:
    """True when a change that broke no claim leaves the statement alone; `before` and `after` are the symbol's text."""
    return _is_enforced(case) or _is_message(case) or _is_blanks(case) or _is_elsewhere(case, before, after)


def _is_enforced(case: Case) -> bool:
    """True where a rule's words came in a guard, an exception or a message, and nothing went."""
    ruling = _RULE.search(case.claims.text) and not _LEAVING.search(case.claims.text)
    if not ruling or not any(d.kind in _BRANCHING for d in case.details):
        return False
    if any(detail.kind not in _COMING or detail.old is not None for detail in case.details):
        return False
    numbers = [number for detail in case.details for number in code_numbers(detail.new or "", detail.name)]
    if any(scale_between(amount.quantity, number) for amount in case.claims.amounts for number in numbers):
        return True
    came = stems_of(detail.new or "" for detail in case.details)
    return any(any_form((one,), came) for one in _said(case))


_MESSAGE = re.compile(r"'(?:\\.|[^'\\])*\s(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\s(?:\\.|[^\"\\])*\"")
_OF_TEXT = stem_set(
    "message text say said read word phrase print show display tell told name prompt label title usage help"
)


def _is_message(case: Case) -> bool:
    """True where only sentences in string literals have other words, none of which the statement has."""
    if any(_MESSAGE.sub("''", d.old or "") != _MESSAGE.sub("''", d.new or "") for d in case.details):
        return False
    had, has = (
        stems_of(_MESSAGE.findall(" ".join(side or "" for side in sides)))
        for sides in ([d.old for d in case.details], [d.new for d in case.details])
    )
    said = _said(case)
    return had != has and not said & _OF_TEXT and not any(any_form((one,), had ^ has) for one in said)


def _is_blanks(case: Case) -> bool:
    """True where only blanks in strings differ, and the statement speaks of none and of nothing that holds them."""
    text = case.claims.text
    if not case.details or _LAYOUT.search(text) or names_characters(text) or case.claims.quoted:
        return False
    for detail in case.details:
        old, new = ("".join((side or "").split()) for side in (detail.old, detail.new))
        if not old or detail.old == detail.new or old != new or speaks_of(case, detail):
            return False
    return True


def _is_elsewhere(case: Case, before: str, after: str) -> bool:
    changed, stayed = _split(before.splitlines(), after.splitlines())
    told = [
        text for d in case.details if d.kind is DetailKind.DEPENDENCY for text in (d.name, d.old or "", d.new or "")
    ]
    if not changed and not told:
        return False
    said = _said(case)
    if any(any_form((one,), stems_of((*changed, *told))) for one in said - _GENERAL):
        return False
    kinds = {detail.kind for detail in case.details}
    coming = _BRANCHING - {DetailKind.RAISE_ADDED} if DetailKind.RAISE_REMOVED in kinds else _BRANCHING
    branching = any(detail.old is None and detail.kind in coming for detail in case.details)
    claims = _kept(case)
    if claims is None or (kinds & _BRANCHING and _WHOLE.search(case.claims.text)):
        return False
    if branching and claims < _LEAST_PLACES:
        return False  # it may be an exception to what the statement says
    if claims or any(detail.kind in _BRANCHING for detail in case.details):
        return claims > 0
    located = stems_of(stayed)
    return sum(any_form((one,), located) for one in said) >= _LEAST_PLACES


_PRINTED = re.compile(r"(?P<name>[\w.$<>:~]+)\((?P<parameters>.*)\)(?P<result>[^()]*)", re.DOTALL)


def passes_itself(detail: Detail, source: str) -> bool:
    """True for another default of a callee's parameters, each of which every call in `source` gives a value itself."""
    old, new = _PRINTED.fullmatch(detail.old or ""), _PRINTED.fullmatch(detail.new or "")
    if detail.kind is not DetailKind.DEPENDENCY or old is None or new is None or old["result"] != new["result"]:
        return False
    before, _ = arguments_of(old["parameters"] + ")", 0)
    after, _ = arguments_of(new["parameters"] + ")", 0)
    if [each.partition(" = ")[0] for each in before] != [each.partition(" = ")[0] for each in after]:
        return False
    other = [at for at, (left, right) in enumerate(zip(before, after, strict=True)) if left != right]
    calls = list(re.finditer(rf"(?<!\w){re.escape(simple(detail.name))}\s*\(", source))
    return bool(other and calls) and all(
        _is_given(at, after[at], arguments_of(source, call.end())[0]) for call in calls for at in other
    )


def _is_given(at: int, parameter: str, arguments: Sequence[str]) -> bool:
    name = re.escape((re.search(r"\w+", parameter) or [""])[0])
    named = re.compile(rf"\s*{name}\s*(?:=(?!=)|:)")
    placed = [each for each in arguments if not re.match(r"\s*\w+\s*(?:=(?!=)|:(?!:))", each)]
    return any(named.match(each) for each in arguments) or len(placed) > at


def _kept(case: Case) -> int | None:
    """The number of claims that the code bears out as often as it did, none of them in a change; None where one is not
    borne out, or is."""
    found = 0
    touched = [(side, detail.name) for detail in case.details for side in (detail.old or "", detail.new or "")]
    for amount in case.claims.amounts:
        had = [1 for _, number in case.before.numbers() if scale_between(amount.quantity, number)]
        has = [1 for _, number in case.after.numbers() if scale_between(amount.quantity, number)]
        inside = any(scale_between(amount.quantity, n) for text, name in touched for n in code_numbers(text, name))
        if not had or len(had) != len(has) or inside:
            return None
        found += 1
    for mention in case.claims.mentions:
        last = mention.parts[-1] if mention.parts else ""
        if last in case.subject or not last:
            continue
        sides = [sum(names_in(token).count(last) for token in side.facts.tokens) for side in (case.old, case.new)]
        known = last in case.before.names and last in case.after.names
        if not known or sides[0] != sides[1] or any(last in names_in(text) for text, _ in touched):
            return None
        found += 1
    capitals = [word for word in _CAPITALS.findall(case.claims.text) if word.lower() in case.before.strings]
    for quoted in (*(quote.text for quote in case.claims.quoted), *capitals):
        text = quoted.lower()
        if text not in case.before.strings or text not in case.after.strings:
            return None
        if any(quoted in side for side, _ in touched):
            return None
        found += 1
    return found


def _said(case: Case) -> frozenset[str]:
    said = {stem(word) for word in prose_words(case.claims.text) if not is_weak(word)}
    said |= {one for mention in case.claims.mentions for one in name_stems(mention.text)}
    return frozenset(said - {one for name in case.subject for one in name_stems(name)})


def _split(before: Sequence[str], after: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines that came or went, and those that stayed."""
    old, new = ([line.strip() for line in side[:_LINES]] for side in (before, after))
    changed, stayed = list[str](), list[str]()
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            stayed += old[a:b]
        else:
            changed += (*old[a:b], *new[c:d])
    return changed, stayed
