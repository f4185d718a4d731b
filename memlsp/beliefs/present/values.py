"""Holds the values that a statement names against one state of the code: defaults, constants, amounts with a unit.

A value is contradicted only where the code has another one in the same role: under a name that the statement says, or
as the one default of that unit. Everything else is silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from memlsp.beliefs.claims import quantities
from memlsp.beliefs.claims.claims import Amount, Claims
from memlsp.beliefs.claims.clause_roles import affirms, clause_bounds, is_aside, is_conditional, names_another
from memlsp.beliefs.claims.quantities import Dimension, Quantity, code_numbers, quantities_in, scale_between
from memlsp.beliefs.claims.stems import any_form, stem, stem_set, word_set
from memlsp.beliefs.claims.symbol_state import Holder, name_stems, strings_in
from memlsp.beliefs.present.present_code import Finding, PresentCode, bare_name
from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import named_lines, patterns, texts

_RE = patterns(__name__)
_WORDS = texts(__name__)
_GENERIC = word_set(_WORDS["generic"])
_DIMENSION_WORDS = {Dimension(word): word_set(listed) for word, listed in named_lines(__name__, "dimensions")}
_ROLES = [stem_set(line) for line in _WORDS["roles"].strip().splitlines()]
_SMALL = stem_set("on in is to the a use with by of and or if enable enabled should")
_ANY_RATIO = word_set(_WORDS["any_ratio"])
_DETERMINERS = word_set("one single half quarter third a an once zero")
_MOST_RATIO = 100
_AN_HOUR = 3600  # "a second" is rarely meant to the second
_FACTORS = {Fraction(factor) ** sign for factor in (10, 12, 60, 100, 1000, 1024, 3600) for sign in (1, -1)}  # cents
_BESIDE = 6  # words between an amount and the name that it belongs to


def values_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about values."""
    yield from _settings(claims, code)
    yield from _choices(claims, code)
    yield from _switches(claims, code)
    yield from _flags(claims, code)
    yield from _separators(claims, code)
    yield from _texts(claims, code)
    for amount in claims.amounts:
        at = amount.quantity.start
        bound = amount.comparison in {"more", "less"}
        rough = _RE["rough_before"].search(claims.text[:at]) or _RE["range"].match(claims.text, amount.quantity.end)
        if not (amount.denied or bound or rough or is_aside(claims.text, at) or is_conditional(claims.text, at)):
            yield from _amount(claims, code, amount)


def _settings(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """`name=value` of what is no parameter, and "name defaults to value"."""
    for name, value, at in _settings_said(claims, code):
        before = claims.text[:at]
        held = [holder for holder in code.holders if holder.name == name]
        if not held or is_aside(claims.text, at) or before.count("(") > before.count(")"):
            continue
        if any(_same(value, holder.text) is not False for holder in held):
            yield Finding(f"{name}={value}")
        elif not is_conditional(claims.text, at, sentence=True):
            yield _answer(code, held[0], value)


def _settings_said(claims: Claims, code: PresentCode) -> Iterator[tuple[str, str, int]]:
    """Each name with the value that the statement gives it, and where it says so."""
    given = {parameter.name for parameter in code.facts.parameters}
    for m in claims.mentions:
        handed_in = _RE["handed_in"].search(claims.text[: m.start])
        if m.value and m.parts and not m.denied and m.parts[-1] not in given and not handed_in:
            yield m.parts[-1], m.value, m.start
    for found in _RE["setting"].finditer(claims.text):
        name = found["name"]
        named = not found["being"] or name == code.symbol.simple_name or _RE["code_name"].search(name)
        if named and not claims.denied_at(found.start()) and not _has_unit(claims, found.start("value")):
            yield name.rpartition(".")[2], found["value"].strip("`"), found.start()


def _choices(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The default of a setting in words, as in "the format is json unless ...": the code knows both words, and its
    default is the other."""
    for found in _RE["choice"].finditer(claims.text):
        name, value = found["name"].lower(), found["value"].lower()
        held = [each for each in code.holders if each.name.lower() == name and strings_in(each.text)]
        if not held or claims.denied_at(found.start()) or is_aside(claims.text, found.start()):
            continue
        agrees = value in {text.lower() for each in held for text in strings_in(each.text)}
        if agrees or f"'{value}'" in code.around or f'"{value}"' in code.around:
            yield _answer(code, held[0], found["value"], agrees)


def _switches(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """A switch that is on or off by default."""
    for found in _RE["switch"].finditer(claims.text):
        at, word = found.start(), found["word"] or found["value"]
        near = stem_set(claims.text[slice(*clause_bounds(claims.text, at))])
        held = {
            each.name: each
            for each in reversed(code.holders)  # its own come first, and win
            if each.text.lower() in {"true", "false"}
            and not _RE["negative_name"].search(each.name)
            and stem(words(each.name)[0]) in near
        }
        if len(held) != 1 or not affirms(claims, at):
            continue
        ((_, holder),) = held.items()
        agrees = (holder.text.lower() == "true") is (word.lower() in {"on", "enabled", "active", "true"})
        yield _answer(code, holder, word, agrees)


def _separators(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The character between the parts of something: "comma separated", `delimiter=";"`."""
    found = _RE["separated"].search(claims.text)
    if found is None or claims.denied_at(found.start()) or is_aside(claims.text, found.start()):
        return
    said = _CHARACTERS[(found["character"] or found["by"]).lower().rstrip("s")]
    held = [each for each in code.holders if _RE["separator"].search(each.name) and strings_in(each.text)]
    has = {text.replace("\\t", "\t") for each in held for text in strings_in(each.text)}
    if said in has or (len(has) == 1 and has <= set(_CHARACTERS.values())):
        yield _answer(code, held[0], found[0], said in has)


def _texts(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """A text by the name of what holds it, where the code has another of the same shape: "the region is us-east-1",
    `REGION = "eu-west-1"`."""
    for found in _RE["text_of"].finditer(claims.text):
        named, said, at = stem_set(found["name"]), found["text"].rstrip("."), found.start()
        held = [each for each in code.holders if frozenset() < name_stems(each.name) <= named]
        held = [each for each in held if [*map(_shape, strings_in(each.text))] == [_shape(said)]]
        if len(held) == 1 and affirms(claims, at):
            yield _answer(code, held[0], said, said in strings_in(held[0].text))


def _shape(text: str) -> str:
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", text))


_CHARACTERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "colon": ":", "space": " ", "blank": " "}


def _flags(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """A switch whose words the clause has as its verb and object: "flushes on overflow by default"."""
    for found in _RE["flagged"].finditer(claims.text):
        at = found.start()
        start, end = clause_bounds(claims.text, at)
        near = stem_set(" ".join(re.findall(r"[^\W\d_]+", claims.text[start:end])))
        held: dict[str, Holder] = {}
        for each in code.made_with:
            name = bare_name(each.name)
            telling = {stem(word) for word in words(name)} - _SMALL
            if (each.default or "").lower() in {"true", "false"} and len(telling) > 1 and telling <= near:
                held[name] = Holder(name, each.default or "")
        if len(held) != 1 or is_aside(claims.text, at) or _RE["provided"].search(claims.text[start:end]):
            continue
        ((name, holder),) = held.items()
        if _RE["negative_name"].search(name) or _RE["switch"].search(claims.text):
            continue
        denied = _RE["negated"].search(claims.text[start:end]) is not None
        agrees = (holder.text.lower() == "true") is not denied
        yield code.answers(found[0], agrees, f"has {name}={holder.text}", instead=False)


def _has_unit(claims: Claims, at: int) -> bool:
    return any(each.quantity.start == at and each.quantity.unit is not None for each in claims.amounts)


_NOTHING = {"null": "none", "nil": "none", "undefined": "none"}
_SWITCHED = {
    **dict.fromkeys(("on", "enabled", "active"), "true"),
    **dict.fromkeys(("off", "disabled", "inactive"), "false"),
}


def _same(said: str, text: str) -> bool | None:
    """Whether a written value is this one; None where that cannot be told."""
    if not _RE["literal"].match(text):
        return None
    one, other = said.strip("'\"`").rstrip(".").lower(), text.strip("'\"`").lower()
    if other in {"true", "false"}:
        one = _SWITCHED.get(one, one)
    if one == other:
        return True
    if re.match(r"^-?\d", one):
        own, numbers = code_numbers(one), code_numbers(text)
        return own[0].number == numbers[0].number if len(own) == len(numbers) == 1 else None
    if _RE["literal"].match(said) or one in {"true", "false", "none", *_NOTHING}:
        return _NOTHING.get(one, one) == _NOTHING.get(other, other)
    return False if strings_in(text) and re.fullmatch(r"[\w.+-]+", one) else None


def _amount(claims: Claims, code: PresentCode, amount: Amount) -> Iterator[Finding]:
    said = amount.quantity
    if names_another(claims, code.subject, said.start):
        return
    rival = _rival(claims, code, amount)
    bounded = amount.comparison or _RE["reached"].search(claims.text[: said.start])
    if rival is not None and rival.text[0] in "<>" and not bounded:
        rival = None  # a bound says nothing of another number under its name
    if rival is not None and rival.name and not _is_held(code, rival, said, 1 if amount.comparison else 0):
        yield _answer(code, rival, said.text)
    else:
        numbers = [number for each in (code.state, *code.beyond) for _, number in each.numbers()]
        numbers += [number for each in code.holders for number in code_numbers(each.text, each.name)]
        if any(_states(number, said) for number in numbers):
            yield Finding(said.text)


def _is_held(code: PresentCode, rival: Holder, said: Quantity, slack: int) -> bool:
    """True where a holder of the rival's name, or the function itself, has the amount too: "at most 5" is `< 6`."""
    same = [each for each in code.holders if each.name == rival.name]
    numbers = [number for each in same for number in code_numbers(each.text, each.name)]
    numbers += [number for _, number in code.state.numbers()] if said.number > 2 else []
    return any(_states(one, said) or (slack and abs(one.number - said.number) == slack) for one in numbers)


def _states(number: quantities.CodeNumber, said: Quantity) -> bool:
    """True where a number of the code is the amount; 0 and 1 only where they have a unit: 1 is no week."""
    telling = said.unit is None or said.unit.dimension is Dimension.RATIO or abs(number.number) > 1
    return (telling or number.unit is not None or number.number == said.number) and bool(scale_between(said, number))


def _rival(claims: Claims, code: PresentCode, amount: Amount) -> Holder | None:
    """The holder of another number in the role of the amount: its name is said beside it, or it holds the one value of
    its dimension, and the statement speaks of a default or of what such a holder is for."""
    said = amount.quantity
    if said.text.lower().split()[0] in _DETERMINERS and (said.unit is None or said.bases[0] < _AN_HOUR):
        return None
    by_default = _RE["by_default"].search(claims.text) is not None
    others = _others(code, amount, by_default=by_default)
    bounded = said.unit is not None or _RE["bounding"].search(claims.text) is not None
    for each in others:
        if _is_said(each.name, amount) and _is_beside(claims.text, amount, each):
            bound = _RE["bounding"].search(each.name.replace("_", " "))
            if bounded or not bound or _has_role(each.name, amount):  # "two requests" are within any max_requests
                return each
    return _alike(claims, code, amount, others, by_default=by_default)


def _others(code: PresentCode, amount: Amount, *, by_default: bool) -> list[Holder]:
    """The holders of another number that could be the amount's."""
    own = {bare_name(each.name): each.default for each in code.made_with if each.default is not None}
    around = words(code.symbol.simple_name)
    others = [each for each in code.holders if _is_other(amount, each, around if each.name in own else ())]
    if others or not by_default:
        return others
    return [each for each in code.holders if own.get(each.name) == each.text and _is_other(amount, each, zero=True)]


def _alike(
    claims: Claims, code: PresentCode, amount: Amount, others: list[Holder], *, by_default: bool
) -> Holder | None:
    """The holder of the one other value of the amount's dimension, where the statement has one amount of it."""
    kind = _dimension(amount)
    if sum(1 for each in claims.amounts if _dimension(each) is kind) != 1:
        return None
    fitting = [each for each in others if _has_role(each.name, amount)]
    if kind is None or not by_default:
        return fitting[0] if len({_bases(each) for each in fitting}) == 1 else None
    given = {bare_name(each.name) for each in code.facts.parameters if each.default is not None}
    return _one_default([each for each in others if each.name in given] or others, fitting)


def _one_default(others: list[Holder], fitting: list[Holder]) -> Holder | None:
    """The one of several that is a default by its name, or is for what the statement speaks of."""
    if len({_bases(each) for each in others}) > 1:
        declared = [each for each in others if "default" in each.name.lower()]
        others = declared if len(declared) == 1 else [each for each in fitting if each in others]
    return others[0] if len(others) == 1 else None


def _dimension(amount: Amount) -> Dimension | None:
    return amount.quantity.unit.dimension if amount.quantity.unit is not None else None


def _bases(holder: Holder) -> tuple[Fraction, ...]:
    """The value of a holder in base units; as it is written where no unit is told."""
    (found,) = code_numbers(holder.text, holder.name)
    return tuple(found.number * factor for factor in found.unit.factors) if found.unit else (found.number,)


def _has_role(name: str, amount: Amount) -> bool:
    """True where the words around the amount say what a holder of this name is for: "gives up after 30 s" and
    `timeout`. A ratio without a name of its own may be any of which the statement says no more."""
    own = {stem(word) for word in words(name)}
    said = [role for role in _ROLES if amount.near & role]
    if said:
        return any(own & role for role in said)
    ratio = amount.quantity.unit is not None and amount.quantity.unit.dimension is Dimension.RATIO
    return ratio and all(word.lower() in _ANY_RATIO for word in words(name))


def _is_beside(text: str, amount: Amount, holder: Holder) -> bool:
    """True where a word of the holder's name stands a few words from the amount, and no other number between."""
    own = frozenset(stem(word) for word in words(holder.name) if word.lower() not in _GENERIC)
    start, end = clause_bounds(text, amount.quantity.start)
    before = _RE["word_or_number"].findall(text[start : amount.quantity.start])[::-1]
    behind = _RE["word_or_number"].findall(text[amount.quantity.end : end])
    for listed in (before[:_BESIDE], behind[:_BESIDE]):
        for word in listed:
            if word[0].isdigit() or quantities_in(word):
                break
            if any(any_form((stem(part),), own) for part in words(word)):
                return True
    return False


def _is_other(amount: Amount, holder: Holder, around: Sequence[str] = (), *, zero: bool = False) -> bool:
    """True where the holder has one number, which could be the amount's and is not, as its unit and the words `around`
    the holder tell; nought only where a default is spoken of, for it often means something else."""
    numbers = code_numbers(holder.text, holder.name)
    if len(numbers) != 1 or numbers[0].number < 0 or (numbers[0].number == 0 and not zero):
        return False
    (number,), kind = numbers, _dimension(amount)
    if kind is None:
        said = amount.quantity.number
        return number.unit is None and said > 0 and number.number / said not in _FACTORS
    if number.unit is not None:
        return number.unit.dimension is kind
    has_word = not _DIMENSION_WORDS[kind].isdisjoint(word.lower() for word in (*words(holder.name), *around))
    if kind is Dimension.RATIO:
        return abs(number.number) <= _MOST_RATIO and (has_word or abs(number.number) < 1)
    return has_word


def _is_said(name: str, amount: Amount) -> bool:
    """True where the statement says every word of the holder's name that tells something, around the amount."""
    telling = [word for word in words(name) if not quantities.is_unit(word) and word.lower() not in _GENERIC]
    if not telling or any(len(word) < 2 for word in telling):
        return False
    exact = amount.quantity.unit is not None  # "waits 5 s" is of no certain delay
    return all(stem(w) in amount.near if exact else any_form((stem(w),), amount.near) for w in telling)


def _answer(code: PresentCode, holder: Holder, said: str, agrees: bool = False) -> Finding:
    """What the code says of a value: the holder has it, or has another."""
    text = " ".join(holder.text.split())[:60]
    if holder.name == code.symbol.simple_name:
        return code.answers(said, agrees, f"is {text}")
    return code.answers(said, agrees, f"has {holder.name}{' ' if text[0] in '<>' else '='}{text}")
