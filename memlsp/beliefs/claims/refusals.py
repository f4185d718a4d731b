"""Finds things that a statement rules out (never, must not, no, without) and the code does now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from memlsp.beliefs.claims.case import Case
from memlsp.beliefs.claims.claims import Action, Denial, Mention
from memlsp.beliefs.claims.effects import effect_that_came
from memlsp.beliefs.claims.quantities import code_numbers, scale_between
from memlsp.beliefs.claims.stems import any_form, stem, stem_sets
from memlsp.beliefs.claims.symbol_state import FALSE, NOTHING, has_dotted, name_stems, names_in, simple, strings_in
from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import patterns, texts, word_sets
from memlsp.model.change import Detail, DetailKind, detail_kinds

_RE = patterns(__name__)
_GAINING = detail_kinds(texts(__name__)["gaining"])
_STEMS = stem_sets(__name__)
_NAMES = word_sets(__name__)
_FAR = 16  # tokens between a test and what it guards


@frozen
class BrokenDenial:
    """Something that came although the statement rules it out, with the detail that brought it where there is one."""

    found: str
    detail: Detail | None = None


def broken_denials(case: Case) -> Iterator[BrokenDenial]:
    """Everything that the statement rules out, the verified code lacked, and the new code has."""
    for mention in case.claims.mentions:
        if mention.denied and mention.parts and _came(case, mention):
            last, predicate = mention.parts[-1], _predicate_at(case, mention.start)
            detail = _telling(case.details, last)
            if detail is None or detail.kind in _GAINING or not enforces(case, detail, last, predicate):
                yield BrokenDenial(mention.text, detail)
    for denial in case.claims.denials:
        yield from _broken(case, denial)
    yield from _forbidden_values(case)
    act = effect_that_came(case.claims, case.old.facts, case.new.facts)
    caught = any(detail.kind is DetailKind.CATCH_ADDED for detail in case.details)
    if act is not None and not (caught and not _NAMES["network_names"].isdisjoint(words(act))):
        yield BrokenDenial(act)


def _came(case: Case, mention: Mention) -> bool:
    last = mention.parts[-1]
    if mention.action is Action.CATCH:
        return last in case.after.catches and last not in case.before.catches
    if mention.action is Action.RAISE:
        return last in case.after.raises and last not in case.before.raises
    if len(mention.parts) > 1:
        return has_dotted(mention.text, case.after) and not has_dotted(mention.text, case.before)
    return last in case.after.names and last not in case.before.names


def _telling(details: Iterable[Detail], name: str) -> Detail | None:
    return next((d for d in details if name in names_in(d.new or "") and name not in names_in(d.old or "")), None)


def _broken(case: Case, denial: Denial) -> Iterator[BrokenDenial]:
    if _RE["leading_case"].search(case.claims.text[: denial.start].rpartition(". ")[2]):
        return  # "when it cannot be read, it is not skipped": what came may be about other cases
    if (brought := _brought(case, denial)) is not None:
        yield brought
        return
    if _denies_raising(case, denial):
        if case.after.raises and not case.before.raises:
            yield BrokenDenial("raise", next((d for d in case.details if d.kind is DetailKind.RAISE_ADDED), None))
        if (beyond := _raised_beyond(case)) is not None:
            yield beyond
            return
    if denial.predicate == stem("panic") and (panic := _panic_that_came(case)) is not None:
        yield panic
        return
    if "default" in denial.text.lower():
        yield from _default_that_came(case, denial)


def _denies_raising(case: Case, denial: Denial) -> bool:
    """True for "never raises", where nothing is named that is not raised."""
    loud = denial.predicate in _STEMS["raising"] and not denial.stems & _STEMS["quietly"]
    return loud and not any(denial.start <= mention.start < denial.end for mention in case.claims.mentions)


def _raised_beyond(case: Case) -> BrokenDenial | None:
    """What a function that is called raises now, where nothing catches it."""
    raising = (d for d in case.details if d.kind is DetailKind.DEPENDENCY and d.name.endswith("() raises"))
    beyond = next((d for d in raising if d.old is None), None)
    return None if beyond is None or case.after.catches else BrokenDenial(beyond.new or "", beyond)


def _panic_that_came(case: Case) -> BrokenDenial | None:
    came = [((d.new or "").rpartition(".")[2], d) for d in case.details if d.kind is DetailKind.CALL_ADDED]
    return next((BrokenDenial(called, each) for called, each in came if called in _NAMES["panicking"]), None)


def _brought(case: Case, denial: Denial) -> BrokenDenial | None:
    """The first thing with a name that came and is ruled out."""
    for detail in case.details:
        came = _thing_that_came(detail)
        if came is None:
            continue
        named = _is_log(came) and (name_stems(came) - _STEMS["levels"]) & denial.stems
        if (named or not enforces(case, detail, came, denial.predicate)) and _ruled_out(denial, came, detail, case):
            return BrokenDenial(came, detail)
    return None


def _thing_that_came(detail: Detail) -> str | None:
    """The name of the thing that this detail added, None when it added nothing with a name."""
    if detail.kind in _GAINING:
        name = detail.name if detail.kind is DetailKind.PARAMETER_ADDED else detail.new or detail.name
        return name.partition("(")[0]
    if detail.kind in {DetailKind.LITERAL, DetailKind.VALUE, DetailKind.DEFAULT, DetailKind.DEPENDENCY}:
        off = {None, *NOTHING, *FALSE}
        if detail.old in off and detail.new not in off and detail.name:
            return detail.name
        return None
    if detail.kind is DetailKind.LOOP and detail.old is None:
        return " ".join(names_in(detail.new or ""))
    return None


def _predicate_at(case: Case, offset: int) -> str:
    return next((denial.predicate for denial in case.claims.denials if denial.start <= offset < denial.end), "")


def enforces(case: Case, detail: Detail, came: str, predicate: str) -> bool:
    """True where the words that a statement rules out came in a test, an exception, a handler, a log or a message. All
    of these may enforce a rule; a test does not where the denied act follows it ("does not retry on 404")."""
    added = detail.kind is DetailKind.CALL_ADDED
    if added and _is_log(came):
        return predicate not in _STEMS["logging"]
    if predicate in _STEMS["raising"] or predicate in _STEMS["catching"]:
        return False
    if detail.kind in {DetailKind.RAISE_ADDED, DetailKind.CATCH_ADDED}:
        return True
    if added and any(d.kind is DetailKind.CATCH_ADDED for d in case.details):
        return not _NAMES["network_names"].isdisjoint(words(came))  # with a way out where it fails
    acts = any_form((predicate,), frozenset(map(stem, words(simple(came))[:1])))
    if added and acts and not _asks_for_state(case, came):
        return False  # the denied act itself, though its result is tested: `if err := retry(); err != nil`
    tokens = case.new.facts.tokens
    places = _places(tokens, {came, simple(came)}) or _places(tokens, {*names_in(came), *strings_in(came)})
    if _is_tested(case, detail, came):
        return not any(_acts(tokens[at + 1 : at + _FAR], predicate) and not _is_told(tokens, at) for at in places)
    literal = detail.kind is DetailKind.LITERAL and predicate not in _STEMS["logging"]
    return bool(places) and literal and all(_is_told(tokens, at) for at in places)


def _is_tested(case: Case, detail: Detail, came: str) -> bool:
    """True where it came in a condition."""
    tests = (d for d in case.details if d.kind is DetailKind.CONDITION)
    return detail.kind is DetailKind.CONDITION or any(
        came in (d.new or "") and came not in (d.old or "") for d in tests
    )


def _is_told(tokens: Sequence[str], at: int) -> bool:
    """True for a text in an exception or a log."""
    return any(_is_log(token) or token in {"raise", "throw", "panic"} for token in tokens[max(0, at - 8) : at])


def _asks_for_state(case: Case, came: str) -> bool:
    """True for a call that is a test and names a state that is ruled out: `s.closed()`, "with a closed session"."""
    word = re.escape((words(simple(came)) or ("",))[0])
    said = re.search(rf"\b(?:be|is|are|been|stays?|an?|the|with|on) {word}\b", case.claims.text, re.IGNORECASE)
    tests = (d.new or "" for d in case.details if d.kind is DetailKind.CONDITION)
    return said is not None and any(re.fullmatch(rf"(?:not |!)?{re.escape(came)}(?:\(\))?", each) for each in tests)


def _places(tokens: Sequence[str], wanted: set[str]) -> list[int]:
    return [at for at, token in enumerate(tokens) if token in wanted or token.strip("'\"`") in wanted]


def _acts(behind: Sequence[str], predicate: str) -> bool:
    """True where the denied act comes right behind a test, before anything else is left."""
    for at, token in enumerate(behind):
        if token[:1] not in {"'", '"', "`"} and any_form((predicate,), name_stems(token)):
            return True
        if token in _NAMES["leaving"]:
            named = (name_stems(each) for each in behind[at + 1 : at + 3])
            return any(any_form((predicate,), each) and not each & _STEMS["errors"] for each in named)
    return False


def _is_log(name: str) -> bool:
    return not _NAMES["telling_words"].isdisjoint(word.lower() for word in words(name))


def _ruled_out(denial: Denial, came: str, detail: Detail, case: Case) -> bool:
    numbered = (each for each in _NUMBERED.findall(came) if each.lower() not in denial.text.lower())
    for each in numbered:  # `http2` is another word than "http"
        came = came.replace(each, "")
    came_stems = name_stems(came)
    if not denial.predicate:
        return False
    objects = denial.stems - _STEMS["needs_object"]
    if denial.predicate not in _STEMS["needs_object"] and any_form((denial.predicate,), came_stems):
        rest = {one for one in objects if not any_form((one,), came_stems)}
        return len(rest) < 2 or _object_is_there(frozenset(rest), detail, case)  # else it may be of another thing
    if objects & _STEMS["network"] and set(words(came)) & _NAMES["network_names"]:
        return True
    if denial.predicate in _STEMS["logging"]:
        # "never logs the token" is broken by logging the token, not by logging.
        objects |= denial.subject
        return any_form((denial.predicate,), came_stems) and (not objects or _object_is_there(objects, detail, case))
    if denial.predicate in _STEMS["needs_object"]:
        return any_form(objects, came_stems)
    # "no retry loop", "no caching layer": the thing may stand behind the first word.
    return detail.kind in _GAINING and len(objects) > 0 and all(any_form((one,), objects) for one in came_stems)


_NUMBERED = re.compile(r"[A-Za-z]{2,}\d+")


def _object_is_there(objects: frozenset[str], detail: Detail, case: Case) -> bool:
    """True when the tokens right after the new call have the forbidden object."""
    tokens = case.new.facts.tokens
    name = simple(detail.new or detail.name)
    calls = (at for at, token in enumerate(tokens) if token == name or token.endswith(f".{name}"))
    return any(any_form(objects, name_stems(each)) for at in calls for each in tokens[at + 1 : at + 25])


def _default_that_came(case: Case, denial: Denial) -> Iterator[BrokenDenial]:
    named = {one for m in case.claims.mentions for one in name_stems(m.text)} | case.claims.stems | denial.stems
    for detail in case.details:
        if detail.kind is DetailKind.DEFAULT and detail.old is None and detail.new is not None:
            own = name_stems(detail.name)
            others = {stem(word) for p in case.old.facts.parameters for word in words(p.name)} & named
            if own & named or not others:
                yield BrokenDenial(f"{detail.name}={detail.new}", detail)
                return


def _forbidden_values(case: Case) -> Iterator[BrokenDenial]:
    """Texts, numbers and constants that must not be there."""
    for detail in case.details:
        for said, came, at in (*_forbidden_texts(case, detail), *_forbidden_numbers(case, detail)):
            if not enforces(case, detail, came, _predicate_at(case, at)):
                yield BrokenDenial(said, detail)
    for constant in case.claims.constants:
        if constant.denied and constant.word == "none" and constant.action is Action.RETURN:
            had, has = ({*each.facts.returns} & NOTHING for each in (case.old, case.new))
            if has and not had:
                yield BrokenDenial(min(has), next((d for d in case.details if d.kind is DetailKind.RETURN), None))


def _forbidden_texts(case: Case, detail: Detail) -> Iterator[tuple[str, str, int]]:
    for content in strings_in(detail.new or ""):
        offset = case.claims.phrase(content)
        came = content.lower() not in case.before.strings
        if offset is not None and came and case.claims.denied_at(offset):
            yield content, content, offset


def _forbidden_numbers(case: Case, detail: Detail) -> Iterator[tuple[str, str, int]]:
    for said in (each.quantity for each in case.claims.amounts if each.denied and not each.comparison):
        came = any(scale_between(said, n) for n in code_numbers(detail.new or "", detail.name))
        if came and not any(scale_between(said, n) for _, n in case.before.numbers()):
            yield said.text, detail.new or said.text, said.start
