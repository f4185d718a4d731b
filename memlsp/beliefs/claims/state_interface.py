"""Holds what a statement says that others see of the code against one state of it: HTTP statuses and routes, exit
codes, ports, variables of the environment, times of schedules, constants that are returned.

A value is contradicted only where the code has exactly one of its kind, and another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.clause_roles import is_aside, is_conditional, names_another
from memlsp.beliefs.claims.lost_terms import STATUSES
from memlsp.beliefs.claims.present_code import Finding, PresentCode, without_comments
from memlsp.beliefs.claims.symbol_state import simple
from memlsp.beliefs.vocabulary import patterns
from memlsp.code.syntax.names import words

_RE = patterns(__name__)
_KINDS = ("status", "exit", "port", "time", "method", "level", "variable", "header", "table", "column", "path")
_NAMED = frozenset({"variable", "header", "table", "column", "path"})
"""Kinds of names, of which only one that shares a word with the one said stands in its place."""

_NOTHING = {"none", "null", "nil", "undefined"}
_LITERAL = re.compile(r"-?\d+|True|False|true|false|None|null|nil")
_NUMBERS = frozenset(STATUSES.values())
_LABELS = {"status": "status ", "exit": "exit code ", "port": "port ", "level": "level "}
_LEVELS = {"d": "debug", "i": "info", "w": "warn", "e": "error"}


def interface_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about what others see."""
    source = without_comments(code.source, code.language)
    for kind in _KINDS:
        said = list(_RE[kind].finditer(claims.text))
        if len(said) == 1 and _counts(claims, code, said[0].start("value")):
            yield from _one_of(kind, said[0]["value"], source, code)
    for found in _RE["route"].finditer(claims.text):
        if _counts(claims, code, found.start()):
            yield from _route(found["method"], found["path"], source, code)
    if code.is_code and not code.overloaded:
        yield from _returned(claims, code, source)
    if code.is_plain:
        yield from _kind_of_function(claims, code, source)


def _counts(claims: Claims, code: PresentCode, at: int) -> bool:
    return not (claims.denied_at(at) or is_aside(claims.text, at) or names_another(claims, code.subject, at))


def _one_of(kind: str, said: str, source: str, code: PresentCode) -> Iterator[Finding]:
    """The value that the code has in place of the one said, where it has exactly one."""
    values = _values(kind, source)
    wanted = _normal(kind, said)
    if kind == "status":
        if int(said) not in _NUMBERS:
            return
        values = {value for value in values if int(value) in _NUMBERS and value[0] == said[0]}
    if wanted in values or (kind != "level" and re.search(rf"(?<!\w){re.escape(said)}(?!\w)", source)):
        yield Finding(said)
        return
    if kind in _NAMED:
        values = {value for value in values if set(words(said.lower())) & set(words(value.lower()))}
        if said.lower() in code.around:
            return
    if len(values) == 1 and not (code.reached and kind in {"status", "method"}):  # what it calls may do it too
        yield code.differs(said, f"has {_LABELS.get(kind, '')}{values.pop()}")


def _values(kind: str, source: str) -> set[str]:
    coded = _RE[f"coded_{kind}"].finditer(source)
    if kind == "time":
        return {f"{int(found['hour'])}:{int(found['minute']):02}" for found in coded}
    values = {_normal(kind, value) for found in coded for value in found.groups() if value}
    if kind == "status":
        squashed = re.sub(r"[\W_]", "", source).lower()
        values |= {str(number) for phrase, number in STATUSES.items() if len(phrase) > 6 and phrase in squashed}
    return values


def _normal(kind: str, value: str) -> str:
    if kind == "time":
        hour, _, minute = value.partition(":")
        return f"{int(hour)}:{minute}"
    if kind == "method":
        return value.upper()
    if kind == "level":
        bare = value.lower().removesuffix("s")
        return "warn" if bare.startswith("warn") else _LEVELS.get(bare, bare)
    return value


def _route(method: str, path: str, source: str, code: PresentCode) -> Iterator[Finding]:
    """The method with which the code serves or asks for a path."""
    others: set[str] = set()
    for found in _RE["coded_route"].finditer(source):
        place = found["path"] if found["path"] is not None else found["place"]
        if not _same_place(path, place):
            continue
        verb = (found["method"] or found["verb"]).upper()
        if verb == method:
            yield Finding(f"{method} {path}")
            return
        others.add(verb)
    if len(others) == 1:
        yield code.differs(f"{method} {path}", f"has {others.pop()} there")


def _same_place(said: str, place: str) -> bool:
    one, other = (
        [re.sub(r"^[{:<].*", "*", part) for part in text.strip("/").split("/") if part] for text in (said, place)
    )
    return bool(other) and one[-len(other) :] == other


def _returned(claims: Claims, code: PresentCode, source: str) -> Iterator[Finding]:
    """A constant that is returned: the code returns other constants alone, or raises where the statement has nothing
    returned."""
    found = list(_RE["returned"].finditer(claims.text))
    if len(found) != 1 or not _is_told_as_a_rule(claims, code, found[0]):
        return
    said, returned = found[0]["value"], list(dict.fromkeys(code.facts.returns))
    nothing = said.lower() in _NOTHING
    written = [each for each in _NOTHING if each in source.lower()] if nothing else [said]
    if any(re.search(rf"(?i)(?<![\w.]){re.escape(each)}(?![\w.])", text) for each in written for text in returned):
        yield Finding(said)
    elif nothing:
        if returned and code.facts.raises and not code.facts.catches and _RE["absent"].search(source) is None:
            yield code.differs(said, f"raises {' and '.join(dict.fromkeys(map(simple, code.facts.raises)))}")
    elif returned and all(_LITERAL.fullmatch(each) for each in returned):
        yield code.differs(said, f"returns {' or '.join(returned)}")


def _kind_of_function(claims: Claims, code: PresentCode, source: str) -> Iterator[Finding]:
    """A function that is to be awaited and is not asynchronous, that returns a list and yields, that panics and does
    not."""
    waiting, blocking, listed, panic = (
        _RE[name].search(claims.text) for name in ("waiting", "blocking", "listed", "panic")
    )
    own = code.symbol.simple_name in claims.text or claims.text.lower().startswith(("is ", "it ", "returns "))
    if (
        waiting
        and own
        and code.language in {"python", "typescript", "javascript"}
        and _is_told_as_a_rule(claims, code, waiting)
    ):
        if re.search(r"\b(?:async|await|Promise|Future|Awaitable|Coroutine|then)\b", source):
            yield Finding(waiting[0])
        else:
            yield code.differs(waiting[0], "is not asynchronous", instead=False)
    if blocking and own and _is_told_as_a_rule(claims, code, blocking) and "async" in code.facts.modifiers:
        yield code.differs(blocking[0], "is asynchronous", instead=False)
    yields = code.language == "python" and re.search(r"(?m)^\s+(?:\w+ = )?yield\b", source)
    if listed and own and yields and _is_told_as_a_rule(claims, code, listed):
        yield code.differs(listed[0], "is a generator", instead=False)
    if panic and own and code.language in {"go", "rust"} and _is_told_as_a_rule(claims, code, panic):
        if _RE["panicking"].search(" ".join((source, *(text for each in code.reached for text in each.facts.tokens)))):
            yield Finding(panic[0])
        else:
            yield code.differs(panic[0], "does not panic", instead=False)


def _is_told_as_a_rule(claims: Claims, code: PresentCode, found: re.Match[str]) -> bool:
    return _counts(claims, code, found.start()) and not is_conditional(claims.text, found.start())
