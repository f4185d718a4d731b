"""Holds what a statement says that others see of the code against one state of it: HTTP statuses and routes, exit
codes, ports, variables of the environment, times of schedules, constants that are returned.

A value is contradicted only where the code has exactly one of its kind, and another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.clause_roles import speaks_here, speaks_plainly
from memlsp.beliefs.claims.lost_terms import STATUSES
from memlsp.beliefs.claims.symbol_state import simple
from memlsp.beliefs.present.present_code import Finding, PresentCode, without_comments
from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import patterns, word_table

_RE = patterns(__name__)
_KINDS = ("status", "exit", "port", "time", "method", "level", "variable", "header", "table", "column", "path")
_NAMED = frozenset({"variable", "header", "table", "column", "path"})
"""Kinds of names, of which only one that shares a word with the one said stands in its place."""

_NOTHING = {"none", "null", "nil", "undefined"}
_NUMBERS = frozenset(STATUSES.values())
_LABELS = {"status": "status ", "exit": "exit code ", "port": "port ", "level": "level "}
_AWAITING = frozenset({"python", "typescript", "tsx", "javascript"})
_LEVELS = {"d": "debug", "i": "info", "w": "warn", "e": "error"}


def interface_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about what others see."""
    source = without_comments(code.source, code.language)
    for kind in _KINDS:
        said = list(_RE[kind].finditer(claims.text))
        if len(said) == 1 and speaks_here(claims, code.subject, said[0].start("value")):
            yield from _one_of(kind, said[0]["value"], source, code)
    for found in _RE["route"].finditer(claims.text):
        if speaks_here(claims, code.subject, found.start()):
            yield from _route(found["method"], found["path"], source, code)
    yield from _module_system(claims, code, source)
    yield from _versions(claims, code, source)
    yield from _scheduled(claims, code, source)
    if code.is_code and not code.overloaded:
        yield from _returned(claims, code, source)
        yield from _absent(claims, code, source)
    if code.is_plain:
        yield from _kind_of_function(claims, code, source)


def _one_of(kind: str, said: str, source: str, code: PresentCode) -> Iterator[Finding]:
    """The value that the code has in place of the one said, where it has exactly one."""
    values = _values(kind, source)
    wanted = _normal(kind, said)
    if kind == "status":
        if int(said) not in _NUMBERS:
            return
        values = {value for value in values if int(value) in _NUMBERS and value[0] == said[0]}
    if kind in _NAMED:
        own = _is_written(kind, said.lower(), source.lower())
    else:
        own = kind != "level" and re.search(rf"(?<!\w){re.escape(said)}(?!\w)", source) is not None
    if wanted in values or own:
        yield Finding(said)
        return
    if kind in _NAMED:
        own = set(words(said.lower()))
        alike = {value: len(own & set(words(value.lower()))) for value in values}
        values = {value for value, shared in alike.items() if shared and shared == max(alike.values())}
        if _is_written(kind, said.lower(), code.around):
            return
    if len(values) == 1 and not (kind in {"status", "method"} and _may_be_beyond(wanted, code)):
        yield code.differs(said, f"has {_LABELS.get(kind, '')}{values.pop()}")


def _is_written(kind: str, said: str, around: str) -> bool:
    """True where the file has the name in such a role: as a text or a variable of the shell, or anywhere for paths."""
    if kind in {"table", "column", "variable"}:
        return re.search(rf"['\"`]{re.escape(said)}['\"`]|\$\{{?{re.escape(said)}\b", around) is not None
    return said in around


def _may_be_beyond(wanted: str, code: PresentCode) -> bool:
    """True where a function that is called has the value too, in digits or in words."""
    phrases = [phrase for phrase, number in STATUSES.items() if str(number) == wanted]
    for each in code.reached:
        text = re.sub(r"[\W_]", "", " ".join(each.facts.tokens)).lower()
        if wanted.lower() in text or any(phrase in text for phrase in phrases) or "httperror" in text:
            return True
    return False


def _values(kind: str, source: str) -> set[str]:
    coded = _RE[f"coded_{kind}"].finditer(source)
    if kind == "time":
        return {f"{int(found['hour'])}:{int(found['minute']):02}" for found in coded}
    listed = list(coded)
    named = [found for found in listed if kind == "port" and "port" in found[0].lower()]
    values = {_normal(kind, value) for found in named or listed for value in found.groups() if value}
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


def _module_system(claims: Claims, code: PresentCode, source: str) -> Iterator[Finding]:
    """ES modules or CommonJS, of a file of JavaScript or a manifest of npm."""
    found = _RE["modules"].search(claims.text)
    if found is None or code.is_code or not speaks_here(claims, code.subject, found.start()):
        return
    modern = re.search(r"(?m)^\s*(?:import|export)\b|\"type\":\s*\"module\"", source) is not None
    old = re.search(r"\bmodule\.exports\b|\brequire\(|\"type\":\s*\"commonjs\"", source) is not None
    if modern is not old:
        has = "has ES modules" if modern else "has CommonJS"
        yield code.answers(found[0], modern is (found.lastgroup == "modern"), has)


_CONFIGURED = frozenset({"toml", "json", "yaml", "dockerfile", "ini", ""})


def _versions(claims: Claims, code: PresentCode, source: str) -> Iterator[Finding]:
    """The version of a runtime or package, as a manifest has it: "needs Node 18", `"node": ">=22"`."""
    if code.is_code or code.language not in _CONFIGURED:
        return
    for found in _RE["version"].finditer(claims.text):
        if not speaks_here(claims, code.subject, found.start()):
            continue
        tool, said = found["tool"].lower(), found["value"]
        names = [tool, *word_table(__name__, "runtimes").get(tool, ())]
        named = "|".join(re.escape(name) for name in names)
        pattern = _RE["coded_version"].pattern.replace("TOOL", named)
        values = {re.sub(r"^3(\d{1,2})$", r"3.\1", each["value"]) for each in re.finditer(pattern, source)}
        if not values:
            continue
        if any(_is_same_version(said, each) for each in values):
            yield Finding(found[0])
        elif len(values) == 1 and not (_is_later(said, next(iter(values))) and not _RE["needing"].search(claims.text)):
            yield code.differs(found[0], f"has {names[0]} {values.pop()}")


def _is_same_version(said: str, has: str) -> bool:
    one, other = said.split("."), has.split(".")
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _is_later(said: str, has: str) -> bool:
    """True for a version above the one of the code, which may be the least."""
    return [int(part) for part in said.split(".")] > [int(part) for part in has.split(".")]


_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_HOURS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "noon")


def _scheduled(claims: Claims, code: PresentCode, source: str) -> Iterator[Finding]:
    """The days and the hour of the one schedule of the code."""
    schedules = list(_RE["cron"].finditer(source))
    if len({each[0] for each in schedules}) != 1:
        return
    cron = schedules[0]
    days = _days(cron["days"])
    for found in _RE["days"].finditer(claims.text):
        said = _days_said(found)
        if said is None or days is None or not speaks_here(claims, code.subject, found.start()):
            continue
        every = len(days) == 7
        agrees = said == days or (found["weekly"] and not every) or (every and cron["date"] not in {"*", "?"})
        when = "every day" if every else f"on {', '.join(_DAYS[day].title() for day in sorted(days))}"
        yield code.answers(found[0], bool(agrees), f"runs {when}")
    found = _RE["hour"].search(claims.text)
    if found and cron["hour"].isdigit() and speaks_here(claims, code.subject, found.start()):
        said, has = _hour(found), int(cron["hour"])
        agrees = said == has or (not found["half"] and said + 12 == has)
        yield code.answers(found[0], agrees, f"runs at {has}:{cron['minute'].zfill(2)}")


def _days(field: str) -> frozenset[int] | None:
    """The days of the week of a field of cron, Sunday is 0."""
    if field in {"*", "?"}:
        return frozenset(range(7))
    days: set[int] = set()
    for part in field.lower().split(","):
        first, _, last = part.partition("-")
        low, high = (_day(each) for each in (first, last or first))
        if low is None or high is None:
            return None
        days.update(day % 7 for day in range(low, (high if high >= low else high + 7) + 1))
    return frozenset(days)


def _day(name: str) -> int | None:
    """The number of a day that is given by its number or by how its name begins."""
    named = next((n for n, day in enumerate(_DAYS) if name.isalpha() and day.startswith(name)), None)
    return int(name) if name.isdigit() else named


def _days_said(found: re.Match[str]) -> frozenset[int] | None:
    if found["daily"]:
        return frozenset(range(7))
    if found["weekdays"]:
        return frozenset(range(1, 6))
    if found["day"]:
        return frozenset({_DAYS.index(found["day"].lower())})
    return frozenset({7}) if found["weekly"] else None


def _hour(found: re.Match[str]) -> int:
    if found["name"]:
        name = found["name"].lower()
        return 0 if name == "midnight" else _HOURS.index(name)
    hour = int(found["hour"]) % 12 if found["half"] else int(found["hour"])
    return hour + 12 if (found["half"] or "").lower().startswith("p") else hour


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
    elif not others and code.is_code:
        own = {found[1].upper() for each in code.facts.decorators if (found := _RE["mapped"].search(each))}
        if len(own) == 1 and own != {method}:
            yield code.differs(f"{method} {path}", f"answers {own.pop()}")


def _same_place(said: str, place: str) -> bool:
    parts = [[part for part in path.strip("/").split("/") if part] for path in (said, place)]
    one, other = ([re.sub(r"^[{:<].*", "*", part) for part in each] for each in parts)
    return bool(other) and one[-len(other) :] == other


def _returned(claims: Claims, code: PresentCode, source: str) -> Iterator[Finding]:
    """A constant that is returned: the code returns other constants alone, or raises where the statement has nothing
    returned."""
    found = list(_RE["returned"].finditer(claims.text))
    if len(found) != 1 or not speaks_plainly(claims, code.subject, found[0].start()):
        return
    said, returned = found[0]["value"], list(dict.fromkeys(code.facts.returns))
    nothing = said.lower() in _NOTHING
    written = [each for each in _NOTHING if each in source.lower()] if nothing else [said]
    if any(re.search(rf"(?i)(?<![\w.]){re.escape(each)}(?![\w.])", text) for each in written for text in returned):
        yield Finding(said)
    elif nothing:
        if returned and code.facts.raises and not code.facts.catches and _RE["absent"].search(source) is None:
            yield code.differs(said, f"raises {' and '.join(dict.fromkeys(map(simple, code.facts.raises)))}")
    elif code.facts.conditions or not _RE["case"].match(claims.text, found[0].end()):
        # else a stub, of which the statement says what others do
        constants = _constants(said, returned)
        if constants:
            yield code.differs(said, f"returns {' or '.join(constants)}")


def _absent(claims: Claims, code: PresentCode, source: str) -> Iterator[Finding]:
    """What a caller gets where something is missing: the code raises, and the statement has an empty value returned."""
    found = _RE["soft"].search(claims.text)
    if found is None or not speaks_plainly(claims, code.subject, found.start()) or code.facts.catches:
        return
    raised = [name for name in map(simple, code.facts.raises) if _RE["lacking"].search(name)]
    raised += _RE["thrown_absent"].findall(source)
    if raised and not _RE["emptiness"].search(" ".join(code.facts.returns)):
        yield code.differs(found["said"], f"raises {' and '.join(dict.fromkeys(raised))}")


def _branches(text: str) -> list[str]:
    """The values of an expression, of which a condition has two."""
    chosen = re.fullmatch(r"(\S+) if .+ else (\S+)", text) or re.fullmatch(r".+\? (\S+) : (\S+)", text)
    return [*chosen.groups()] if chosen else [text]


def _constants(said: str, returned: list[str]) -> list[str]:
    """The constants that are returned, where nothing else is and one is a number, or a truth value, as the one said."""
    values = list(dict.fromkeys(part for text in returned for part in _branches(text)))
    alike = any(each[-1:].isdigit() == said[-1:].isdigit() for each in values)
    return values if alike and all(map(_RE["literal"].fullmatch, values)) else []


def _kind_of_function(claims: Claims, code: PresentCode, source: str) -> Iterator[Finding]:
    """A function that is to be awaited and is not asynchronous, that returns a list and yields, that panics and does
    not."""
    if code.symbol.simple_name not in claims.text and not claims.text.lower().startswith(("is ", "it ", "returns ")):
        return
    waiting, blocking, listed, panic = (
        found[0]
        if (found := _RE[name].search(claims.text)) and speaks_plainly(claims, code.subject, found.start())
        else ""
        for name in ("waiting", "blocking", "listed", "panic")
    )
    if waiting and code.language in _AWAITING:
        awaited = re.search(r"\b(?:async|await|Promise|Future|Awaitable|Coroutine|then)\b", source) is not None
        yield code.answers(waiting, awaited, "is not asynchronous", instead=False)
    if blocking and "async" in code.facts.modifiers:
        yield code.differs(blocking, "is asynchronous", instead=False)
    if listed and code.language == "python" and re.search(r"(?m)^\s+(?:\w+ = )?yield\b", source):
        yield code.differs(listed, "is a generator", instead=False)
    if panic and code.language in {"go", "rust"}:
        everything = " ".join((source, *(text for each in code.reached for text in each.facts.tokens)))
        yield code.answers(panic, _RE["panicking"].search(everything) is not None, "does not panic", instead=False)
