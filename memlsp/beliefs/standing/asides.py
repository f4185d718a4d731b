"""Tells a change in nothing that a statement speaks of: the standing is `changed`, and no face interrupts for it.

Only where the statement's claims are in code that stayed as it was, or where the change enforces what it demands: a
word that is missing from a change says little, for most sentences share none with the change that makes them false.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from fractions import Fraction

from attrs import evolve

from memlsp.beliefs.claims.case import Case
from memlsp.beliefs.claims.lost_wordings import names_characters
from memlsp.beliefs.claims.quantities import CodeNumber, Quantity, code_numbers, in_one_unit, scale_between
from memlsp.beliefs.claims.stems import any_form, stem_sets
from memlsp.beliefs.claims.symbol_state import name_stems, names_in, simple
from memlsp.beliefs.present.present_code import without_comments
from memlsp.beliefs.rewording.rewording import arguments_of
from memlsp.beliefs.standing.relevance_model import said_stems, speaks_of, stems_of, texts_of
from memlsp.code.languages.detection import language_of
from memlsp.code.rewriting.normal_form import is_same_code
from memlsp.code.vocabulary import patterns
from memlsp.model.change import Detail, DetailKind, detail_kinds
from memlsp.model.symbol import BODY, CONSTANTS, HOME

_RE = patterns(__name__)

_STEMS = stem_sets(__name__)
_LINES = 2000
_MULTIPLE = 16  # of a number, from which a statement's amount may be reckoned
_LEAST_PLACES = 2  # of words of a statement without claims in code that stayed; of claims, where the code branches anew
_BRANCHING = detail_kinds("condition return raise_added catch_added catch_removed")
_COMING = detail_kinds("condition return raise_added call_added literal catch_added")
# What a test that leaves early does: a rule against it is broken by one.


def is_aside(case: Case, before: str, after: str) -> bool:
    """True when a change that broke no claim leaves the statement alone; `before` and `after` are the symbol's text."""
    if _is_enforced(case) or _is_message(case) or _is_blanks(case) or _is_another_amount(case):
        return True
    changed, stayed = _split(before.splitlines(), after.splitlines())
    return _is_logged(case, before, after) or _is_elsewhere(case, changed, stayed)


def is_of_other_members(case: Case, before: str, after: str) -> bool:
    """True where no line of a class or file that came or went has anything of what the statement says, and its words
    are in lines that stayed. What is said of all members, or ruled out for them, any of them may break."""
    claims, said = case.claims, said_stems(case)
    if claims.denials or _RE["whole"].search(claims.text):
        return False
    changed, stayed = _split(before.splitlines(), after.splitlines())
    if not changed or any_form(said - _STEMS["general"], stems_of(changed)):
        return False
    numbers = [number for line in changed for number in code_numbers(line, "")]
    if any(scale_between(amount.quantity, number) for amount in claims.amounts for number in numbers):
        return False
    text = "\n".join(changed).lower()
    if any(quote.text.lower() in text for quote in (*claims.quoted, *claims.mentions)):
        return False
    located = stems_of(stayed)
    return sum(any_form((one,), located) for one in said) >= _LEAST_PLACES


def differing_lines(detail: Detail) -> Detail | None:
    """A change of a callee's body, reduced to the lines that differ; None where it does the same in other words."""
    language = language_of(detail.path or "")
    if language is None or detail.old is None or detail.new is None:
        return detail
    before, after = (side.partition(f"{CONSTANTS}\n") for side in (detail.old, detail.new))
    same = is_same_code(before[0], after[0], language)
    old, new = (("" if same else without_comments(side[0], language)) + f"\n{side[2]}" for side in (before, after))
    gone, came = (
        [line.rpartition(HOME)[2].strip() for line in side.split("\n") if line.strip()] for side in (old, new)
    )
    kept = Counter(gone) & Counter(came)
    lines = ["\n".join((Counter(side) - kept).elements()) for side in (gone, came)]
    return evolve(detail, old=lines[0], new=lines[1]) if any(lines) else None


def _is_enforced(case: Case) -> bool:
    """True where a rule's words came in a guard, an exception or a message, and nothing went."""
    ruling = _RE["rule"].search(case.claims.text) and not _RE["leaving"].search(case.claims.text)
    if not ruling or not any(d.kind in _BRANCHING for d in case.details):
        return False
    if any(detail.kind not in _COMING or detail.old is not None for detail in case.details):
        return False
    numbers = [number for detail in case.details for number in code_numbers(detail.new or "", detail.name)]
    if any(scale_between(amount.quantity, number) for amount in case.claims.amounts for number in numbers):
        return True
    came = stems_of(detail.new or "" for detail in case.details)
    return any_form(said_stems(case) - _STEMS["general"], came)


def _is_message(case: Case) -> bool:
    """True where only sentences in string literals have other words, none of which the statement has."""
    if any(_RE["message"].sub("''", d.old or "") != _RE["message"].sub("''", d.new or "") for d in case.details):
        return False
    had, has = (
        stems_of(_RE["message"].findall(" ".join(side or "" for side in sides)))
        for sides in ([d.old for d in case.details], [d.new for d in case.details])
    )
    said = said_stems(case)
    return had != has and not said & _STEMS["of_text"] and not any_form(said, had ^ has)


def _is_blanks(case: Case) -> bool:
    """True where only blanks in strings differ, and the statement speaks of none and of nothing that holds them."""
    text = case.claims.text
    if not case.details or _RE["layout"].search(text) or names_characters(text) or case.claims.quoted:
        return False
    for detail in case.details:
        old, new = ("".join((side or "").split()) for side in (detail.old, detail.new))
        if not old or detail.old == detail.new or old != new or speaks_of(case, detail):
            return False
    return True


def _is_another_amount(case: Case) -> bool:
    """True where only amounts are others, neither zero, of things that the statement does not name, and from which none
    of its own amounts follows; also where they are the same in another unit. A statement without an amount may mean
    any ("very short terms")."""
    if case.details and all(in_one_unit(d.old or "") == in_one_unit(d.new or "") for d in case.details):
        return True
    pairs: list[tuple[CodeNumber, CodeNumber]] = []
    for detail in case.details:
        apart = _numbers_apart(detail)
        if apart is None or _names_holder(case, detail):
            return False
        pairs += apart
    if not pairs or not all(each.number for pair in pairs for each in pair) or _RE["factor"].search(case.claims.text):
        return False
    said = [amount.quantity for amount in case.claims.amounts]
    return bool(said) and not any(_follows(each, one) for each in said for one, _ in pairs)


def _numbers_apart(detail: Detail) -> list[tuple[CodeNumber, CodeNumber]] | None:
    """The pairs of numbers in which the sides of a detail differ; None where they differ in more, or not at all."""
    old, new = (_RE["number"].sub("0", side or "") for side in (detail.old, detail.new))
    numbers = [code_numbers(side or "", detail.name) for side in (detail.old, detail.new)]
    if old != new or detail.old == detail.new or len(numbers[0]) != len(numbers[1]):
        return None
    return [(one, other) for one, other in zip(*numbers, strict=True) if one.number != other.number]


def _names_holder(case: Case, detail: Detail) -> bool:
    """True where the statement names what the numbers of a detail belong to."""
    text = _RE["number"].sub("0", detail.old or "")
    holders = name_stems(detail.name or " ".join(names_in(text)))
    holders |= name_stems(text if detail.name.endswith(BODY) else "")
    return bool(holders) and holders <= case.claims.stems | said_stems(case)


def _follows(said: Quantity, code: CodeNumber) -> bool:
    """True where an amount is near a number of the code, or a small multiple or part of it."""
    held = {code.number, *(code.number * factor for factor in (code.unit.factors if code.unit else ()))}
    stated = {said.number, *said.bases, *(1000 * base for base in said.bases)}
    return any(
        abs(one - other) <= 1 or (other and max(one / other, other / one) <= _MULTIPLE and _is_whole(one, other))
        for one in held
        for other in stated
    )


def _is_whole(one: Fraction, other: Fraction) -> bool:
    return 1 in {(one / other).denominator, (other / one).denominator}


def _is_logged(case: Case, before: str, after: str) -> bool:
    """True where only lines that log or count for a monitor came or went, and the statement speaks of neither."""
    said = said_stems(case)
    (old, gone), (new, came) = map(_without_logging, (before, after))
    lines = [*(Counter(gone) - Counter(came)), *(Counter(came) - Counter(gone))]
    if not lines or said & _STEMS["of_log"] or texts_of(_dependencies(case)):
        return False
    if _RE["rule"].search(case.claims.text) and any_form(said, stems_of(_RE["text"].sub("", line) for line in lines)):
        return False
    return old.split() == new.split() or is_same_code(old, new, language_of(case.new.path) or "")


def _without_logging(text: str) -> tuple[str, list[str]]:
    """The text without the lines that only log, and those lines."""
    lines = text.splitlines()
    logging = [line.strip() for line in lines if _RE["logged"].fullmatch(line.strip())]
    return "\n".join(line for line in lines if line.strip() not in logging), logging


def _dependencies(case: Case) -> list[Detail]:
    return [detail for detail in case.details if detail.kind is DetailKind.DEPENDENCY]


def _is_elsewhere(case: Case, changed: Sequence[str], stayed: Sequence[str]) -> bool:
    told = texts_of(_dependencies(case))
    if not changed and not told:
        return False
    said = said_stems(case)
    if any_form(said - _STEMS["general"], stems_of((*changed, *told))):
        return False
    borne = list(_claims_kept(case))
    branches = any(detail.kind in _BRANCHING for detail in case.details)
    if not all(borne) or (branches and _RE["whole"].search(case.claims.text)):
        return False
    if len(borne) < _LEAST_PLACES and _branches_anew(case):
        return False  # it may be an exception to what the statement says
    if borne or branches:
        return bool(borne)
    located = stems_of(stayed)
    return sum(any_form((one,), located) for one in said) >= _LEAST_PLACES


def _branches_anew(case: Case) -> bool:
    kinds = {detail.kind for detail in case.details}
    coming = _BRANCHING - {DetailKind.RAISE_ADDED} if DetailKind.RAISE_REMOVED in kinds else _BRANCHING
    return any(detail.old is None and detail.kind in coming for detail in case.details)


def passes_itself(detail: Detail, source: str) -> bool:
    """True for another default of a callee's parameters, each of which every call in `source` gives a value itself."""
    old, new = _RE["printed"].fullmatch(detail.old or ""), _RE["printed"].fullmatch(detail.new or "")
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


def _claims_kept(case: Case) -> Iterator[bool]:
    """For each claim that can be looked for, whether the code bears it out as often as it did, outside of the
    change."""
    yield from _amounts_kept(case)
    yield from _mentions_kept(case)
    touched = [side or "" for detail in case.details for side in (detail.old, detail.new)]
    capitals = [word for word in _RE["capitals"].findall(case.claims.text) if word.lower() in case.before.strings]
    for quoted in (*(quote.text for quote in case.claims.quoted), *capitals):
        text = quoted.lower()
        is_there = text in case.before.strings and text in case.after.strings
        yield is_there and not any(quoted in side for side in touched)


def _amounts_kept(case: Case) -> Iterator[bool]:
    touched = [n for d in case.details for side in (d.old, d.new) for n in code_numbers(side or "", d.name)]
    for amount in case.claims.amounts:
        had, has = (
            sum(bool(scale_between(amount.quantity, number)) for _, number in state.numbers())
            for state in (case.before, case.after)
        )
        yield 0 < had == has and not any(scale_between(amount.quantity, number) for number in touched)


def _mentions_kept(case: Case) -> Iterator[bool]:
    touched = {name for d in case.details for side in (d.old, d.new) for name in names_in(side or "")}
    for last in (mention.parts[-1] for mention in case.claims.mentions if mention.parts):
        if last and last not in case.subject:
            had, has = (
                sum(names_in(token).count(last) for token in side.facts.tokens) for side in (case.old, case.new)
            )
            known = last in case.before.names and last in case.after.names
            yield known and had == has and last not in touched


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
