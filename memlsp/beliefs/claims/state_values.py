"""Holds the values that a statement names against one state of the code: numbers, settings, constants, demands.

A value is contradicted only where the code has another one in the same role: under a name that the statement says, as
the one default, or as the only amount of that dimension. Everything else is silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from memlsp.beliefs.claims.claims import Action, Amount, Claims, Constant
from memlsp.beliefs.claims.clause_roles import clause_at, clause_bounds, is_aside, is_conditional, names_another
from memlsp.beliefs.claims.lost_terms import status_of
from memlsp.beliefs.claims.present_code import Finding, PresentCode, without_comments
from memlsp.beliefs.claims.quantities import CodeNumber, Dimension, code_numbers, is_unit, quantities_in, scale_between
from memlsp.beliefs.claims.stems import any_form, is_weak, stem, word_set
from memlsp.beliefs.claims.symbol_state import Holder, name_stems, names_in, strings_in
from memlsp.beliefs.vocabulary import patterns, texts
from memlsp.code.syntax.names import words
from memlsp.model.symbol import VALUE_KINDS, SymbolKind

_RE = patterns(__name__)
_WORDS = texts(__name__)
_GENERIC = {
    word: word_set(cues) for line in _WORDS["generic"].strip().splitlines() for word, _, cues in [line.partition(":")]
}
_DIMENSION_WORDS = {
    Dimension(word): word_set(listed)
    for line in _WORDS["dimensions"].strip().splitlines()
    for word, _, listed in [line.partition(":")]
}
_ROLE_CUES = {
    Dimension(word): word_set(listed)
    for line in _WORDS["cues"].strip().splitlines()
    for word, _, listed in [line.partition(":")]
}
_TRIES = word_set("retry retries attempt attempts try tries repeat repeats")
_DETERMINERS = word_set("one single half quarter third a an once zero")
_MONEY = word_set("cent cents euro euros eur dollar dollars usd gbp pound pounds chf francs yen percent pct")
_MOST_RATIO = 100
_BESIDE = 6  # words between an amount and the name that it belongs to
_WORD_OR_NUMBER = re.compile(r"[^\W\d]\w*|\d[\d.,]*")
_FACTORS = {Fraction(factor) ** sign for factor in (10, 12, 60, 100, 1000, 1024, 3600, 10**6) for sign in (1, -1)}


def values_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about values."""
    yield from _settings(claims, code)
    yield from _sole_number(claims, code)
    yield from _thresholds(claims, code)
    yield from _literals(claims, code)
    for amount in claims.amounts:
        if not amount.denied:
            yield from _amount(claims, code, amount)
    for constant in claims.constants:
        if not constant.denied and constant.action is not Action.RETURN:
            yield from _constant(claims, code, constant)
    yield from _demands(claims, code)
    yield from _statuses(claims, code)


# --- `name=value`, and "name defaults to value"


def _settings(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    said = [(m.parts[-1], m.value, m.start) for m in claims.mentions if m.value and m.parts and not m.denied]
    said += [
        (found["name"].rpartition(".")[2], found["value"].strip("`"), found.start())
        for found in _RE["setting"].finditer(claims.text)
        if not claims.denied_at(found.start())
    ]
    given = {parameter.name for parameter in code.facts.parameters}
    for name, value, at in said:
        before = claims.text[:at]
        if is_aside(claims.text, at) or _RE["handed_in"].search(before) or before.count("(") > before.count(")"):
            continue
        if name in given and not re.search(r"\bdefaults?\b(?!=)", claims.text, re.IGNORECASE):
            continue  # a parameter's value in a call, and not what it is without one
        held = [holder for holder in code.holders if holder.name == name]
        if not held:
            continue
        if any(_same(value, holder.text) is not False for holder in held):
            yield Finding(f"{name}={value}")
        else:
            yield _instead(code, held[0], value)


_LITERAL = re.compile(r"^(?:-?[\d.]|['\"`]|(?:True|False|None|true|false|null|nil|undefined)$)")


def _same(said: str, text: str) -> bool | None:
    """Whether a written value is this one; None where that cannot be told."""
    if not _LITERAL.match(text):
        return None
    one, other = said.strip("'\"`").rstrip(".").lower(), text.strip("'\"`").lower()
    if one == other:
        return True
    numbers = code_numbers(text)
    if re.match(r"^-?\d", one):
        own = code_numbers(one)
        if len(numbers) != 1 or len(own) != 1:
            return None
        return own[0].number == numbers[0].number
    nothing = {"none": "none", "null": "none", "nil": "none", "undefined": "none"}
    if _LITERAL.match(said) or one in {"true", "false", *nothing}:
        return nothing.get(one, one) == nothing.get(other, other)
    return False if strings_in(text) and re.fullmatch(r"[\w.+-]+", one) else None


# --- numbers

_OFF = frozenset({"false", "False", "None", "null"})


def _amount(claims: Claims, code: PresentCode, amount: Amount) -> Iterator[Finding]:
    said, at = amount.quantity, amount.quantity.start
    if is_aside(claims.text, at) or names_another(claims, code.subject, at):
        return
    rivals = _rivals(claims, code, amount)
    held = [(holder, number) for holder in code.holders for number in code_numbers(holder.text, holder.name)]
    kept = [holder for holder, number in held if scale_between(said, number)]
    named = {holder.name for holder, fit in rivals if fit}
    if (
        any(holder.name in named or not rivals for holder in kept)
        or (kept and not named)
        or _is_elsewhere(code, amount, kept)
    ):
        yield Finding(said.text)
    elif rivals and not (kept and not all(fit for _, fit in rivals)):
        yield _instead(code, rivals[0][0], said.text)


def _is_elsewhere(code: PresentCode, amount: Amount, kept: list[Holder]) -> bool:
    """True when the number stands in the code without a name, or in a function that it calls."""
    of_all = sum(1 for _, number in code.state.numbers() if scale_between(amount.quantity, number))
    if not kept and of_all:
        return True
    unnamed = [*code.facts.returns, *code.facts.conditions, *code.facts.loops, *code.facts.decorators]
    if any(scale_between(amount.quantity, number) for text in unnamed for number in code_numbers(text)):
        return True
    if any(scale_between(amount.quantity, number) for each in code.beyond for _, number in each.numbers()):
        return True
    return amount.quantity.number.denominator == 1 and code.has_name(str(amount.quantity.number))


def _rivals(claims: Claims, code: PresentCode, amount: Amount) -> list[tuple[Holder, bool]]:
    """The holders of another number in the role of the amount, and whether their name says so; the best first."""
    said = amount.quantity
    if said.text.lower().split()[0] in _DETERMINERS:
        return []
    conditional = is_conditional(claims.text, said.start)
    others = [each for each in (code.compared if conditional else code.holders) if _is_other(amount, each)]
    by_name: list[tuple[int, Holder]] = []
    for holder in others:
        fit = _fit(holder.name, amount) if _is_beside(claims.text, amount, holder) else 0
        if fit and (holder not in code.compared or _is_threshold(amount, holder, conditional=conditional)):
            by_name.append((fit, holder))
    if by_name:
        by_name.sort(key=lambda each: -each[0])
        return [(holder, True) for _, holder in by_name]
    if said.unit is None or conditional or len(_of_dimension(claims, amount)) != 1:
        return []
    return _by_role(claims, code, amount, [each for each in others if each not in code.compared])


def _is_beside(text: str, amount: Amount, holder: Holder) -> bool:
    """True where a word of the holder's name stands a few words from the amount, and no other number between."""
    own = frozenset(stem(word) for word in words(holder.name) if word.lower() not in _GENERIC)
    start, end = clause_bounds(text, amount.quantity.start)
    before = _WORD_OR_NUMBER.findall(text[start : amount.quantity.start])[::-1]
    behind = _WORD_OR_NUMBER.findall(text[amount.quantity.end : end])
    for listed in (before[:_BESIDE], behind[:_BESIDE]):
        for word in listed:
            if word[0].isdigit() or quantities_in(word):
                break
            if not own or any(any_form((stem(part),), own) for part in words(word)):
                return True
    return False


def _is_other(amount: Amount, holder: Holder) -> bool:
    """True where the holder has a number that could be the amount's, and is not."""
    said = amount.quantity
    if holder.text in _OFF:
        return amount.times
    numbers = code_numbers(holder.text, holder.name)
    if len(numbers) != 1 or numbers[0].number <= 0 or scale_between(said, numbers[0]):
        return False
    if _is_converted(amount, numbers[0]) or not _is_plausible(amount, holder, numbers[0]):
        return False
    return not (amount.comparison and _satisfied(amount, numbers[0]))


def _is_threshold(amount: Amount, holder: Holder, *, conditional: bool) -> bool:
    """True where the statement compares too. Below 3 is up to 2."""
    numbers = code_numbers(holder.text, holder.name)
    near = any(abs(number.number - amount.quantity.number) == 1 for number in numbers)
    return (conditional or bool(amount.comparison)) and not near


def _by_role(claims: Claims, code: PresentCode, amount: Amount, others: list[Holder]) -> list[tuple[Holder, bool]]:
    """The one default of this dimension, or the one amount of it, where the statement speaks of such."""
    assert amount.quantity.unit is not None
    kind = amount.quantity.unit.dimension
    others = [each for each in others if each.text not in _OFF]
    if _RE["by_default"].search(claims.text):
        given = {parameter.name for parameter in code.facts.parameters if parameter.default is not None}
        of_default = [holder for holder in others if holder.name in given]
        if len(of_default) == 1:
            return [(of_default[0], False)]
    if not others or not _ROLE_CUES[kind] & amount.near or not _is_only(code, amount):
        return []
    return [(next((each for each in others if _has_word(each, kind)), others[0]), False)]


def _of_dimension(claims: Claims, amount: Amount) -> list[Amount]:
    assert amount.quantity.unit is not None
    kind = amount.quantity.unit.dimension
    return [a for a in claims.amounts if a.quantity.unit is not None and a.quantity.unit.dimension is kind]


def _is_converted(amount: Amount, number: CodeNumber) -> bool:
    """True for amounts that differ as euros and cents, kilos and grams, counts from 0 and from 1 do not: by a factor
    between units that nobody names."""
    said = amount.quantity.number
    return amount.quantity.unit is None and said != 0 and (number.number / said) in _FACTORS


def _is_only(code: PresentCode, amount: Amount) -> bool:
    """True when the code has one number of the amount's dimension, those of functions it calls included."""
    assert amount.quantity.unit is not None
    kind = amount.quantity.unit.dimension
    found: dict[bool, set[Fraction]] = {True: set(), False: set()}
    for holder in code.holders:
        for number in code_numbers(holder.text, holder.name):
            if _is_plausible(amount, holder, number):
                found[_has_word(holder, kind)].add(number.number)
    return len(found[True] or found[False]) == 1


def _has_word(holder: Holder, kind: Dimension) -> bool:
    return not _DIMENSION_WORDS[kind].isdisjoint(word.lower() for word in words(holder.name))


def _is_plausible(amount: Amount, holder: Holder, number: CodeNumber) -> bool:
    """True when the number can be of the amount's dimension."""
    said = amount.quantity
    if said.unit is None:
        return number.unit is None or said.text[:1].isdigit()
    kind = said.unit.dimension
    if number.unit is not None:
        return number.unit.dimension is kind
    listed = {word.lower() for word in words(holder.name)}
    if kind is Dimension.RATIO:
        if not 0 < abs(number.number) <= _MOST_RATIO:
            return False
        return bool(listed & _DIMENSION_WORDS[kind]) or 0 < abs(number.number) < 1
    return bool(listed & _DIMENSION_WORDS[kind])


def _fit(name: str, amount: Amount) -> int:
    """How many words of the holder's name the statement says around the amount; 0 unless it says all that tell."""
    own = [word.lower() for word in words(name) if not is_unit(word) and word.lower() not in _MONEY]
    telling = [word for word in own if word not in _GENERIC]
    if amount.times and telling and all(word in _TRIES for word in telling):
        return 1  # "is asked three times"
    if not telling:
        telling, own = own, own[:0]
    if not telling or any(len(word) < 2 for word in telling):
        return 0
    for word in own:
        cues = _GENERIC.get(word)
        if cues and not cues & {*amount.near, amount.comparison}:
            return 0
    # a pause is no attempt, though both are words of retrying; and "waits 5 s" is of no certain delay
    exact = amount.quantity.unit is not None
    own_stems = {word: stem(word) for word in telling}
    said = [
        one in amount.near if exact or word == "backoff" else any_form((one,), amount.near)
        for word, one in own_stems.items()
    ]
    return len(telling) if all(said) else 0


def _satisfied(amount: Amount, number: CodeNumber) -> bool:
    """True for a limit that the code keeps although it has another number: at most 5, and it is 3."""
    said, has = amount.quantity.number, number.number
    if amount.quantity.unit is not None or number.unit is not None:
        bases = [has * factor for factor in number.unit.factors] if number.unit else [has]
        said, has = amount.quantity.bases[0], bases[0]
    return {"most": has <= said, "less": has < said, "least": has >= said, "more": has > said}[amount.comparison]


def _instead(code: PresentCode, holder: Holder, said: str) -> Finding:
    text = " ".join(holder.text.split())[:60]
    if holder.name == code.symbol.simple_name:
        return code.differs(said, f"is {text}")
    if holder in code.compared:
        return code.differs(said, f"compares {holder.name} with {text}")
    return code.differs(said, f"has {holder.name}={text}")


def _sole_number(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The one number of a constant or of small code that the statement names, where it says another and no second."""
    numbers = {
        number.number: holder
        for holder in code.named
        for number in code_numbers(holder.text, holder.name)
        if number.number not in _EVERYWHERE
    }
    beside = set(numbers)
    if len(beside) != 1:
        return
    holder = numbers[beside.pop()]
    said = [each for each in claims.amounts if not each.denied and not _is_trivial(each)]
    if not said or len(said) > 2 or holder in code.compared:
        return
    if any(is_aside(claims.text, each.quantity.start) or each.comparison for each in said):
        return
    if any(each.quantity.text.lower().split()[0] in _DETERMINERS for each in said):
        return
    if any(names_another(claims, code.subject, each.quantity.start) for each in said):
        return
    held = code_numbers(holder.text, holder.name)
    if len(held) != 1 or any(scale_between(each.quantity, held[0]) or _is_converted(each, held[0]) for each in said):
        return
    if not _is_subject(claims, code, holder) or not all(_is_plausible(each, holder, held[0]) for each in said):
        return
    if not any(_is_elsewhere(code, each, []) for each in said):
        yield _instead(code, holder, said[-1].quantity.text)


_EVERYWHERE = frozenset(map(Fraction, (-1, 0, 1, 2)))


def _is_trivial(amount: Amount) -> bool:
    return amount.quantity.unit is None and (amount.quantity.number <= 2 or 100 <= amount.quantity.number < 600)


def _is_subject(claims: Claims, code: PresentCode, holder: Holder) -> bool:
    """True where the statement has the telling words of the symbol's name, or of the holder's; of a constant one."""
    said = claims.stems | {one for mention in claims.mentions for one in name_stems(mention.text)}
    for name in (code.symbol.simple_name, holder.name):
        own = [word for word in words(name) if not is_unit(word) and word.lower() not in _GENERIC and not is_weak(word)]
        enough = any if code.symbol.kind in VALUE_KINDS or code.symbol.kind is SymbolKind.KEY else all
        if own and enough(any_form((stem(word),), said) for word in own):
            return True
    return False


# --- `rooms < 1`


def _thresholds(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """A comparison that the statement quotes, where the code compares the same with another number."""
    for found in _RE["quoted_test"].finditer(claims.text):
        if claims.denied_at(found.start()) or is_aside(claims.text, found.start()):
            continue
        squeezed = "".join(found[0].strip("`").split())
        if squeezed in "".join(code.source.split()):
            yield Finding(found[0])
            continue
        others = [each for each in code.compared if each.name == found["name"].rpartition(".")[2]]
        if len(others) == 1 and not _same_number(found["number"], others[0].text):
            yield code.differs(found[0].strip("`"), f"compares {others[0].name} with {others[0].text}")


def _same_number(one: str, other: str) -> bool:
    return [each.number for each in code_numbers(one)] == [each.number for each in code_numbers(other)]


# --- addresses


def _literals(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """An address of mail, a URL or a bucket, where the code has one of that sort, and another."""
    text = without_comments(code.source, code.language)
    for sort in ("mail", "url", "address"):
        said = {found[0].rstrip(".,;") for found in _RE[sort].finditer(claims.text)}
        has = {found[0].rstrip(".,;") for found in _RE[sort].finditer(text)}
        if len(said) != 1 or len(has) != 1:
            continue
        one, other = said.pop(), has.pop()
        at = claims.text.find(one)
        linked = claims.text[max(0, at - 1) : at] in {"<", "("}
        if linked or _RE["possible"].search(clause_at(claims.text, at)):
            continue
        if one == other or one in text or other.startswith(one) or one.startswith(other):
            yield Finding(one)
        elif not is_aside(claims.text, at) and not is_conditional(claims.text, at) and not claims.denied_at(at):
            yield code.differs(one, f"has {other}")


# --- none, true, false


_OF = {
    "none": frozenset({"None", "null", "nil", "undefined"}),
    "true": frozenset({"True", "true"}),
    "false": frozenset({"False", "false"}),
}
_OPPOSITE = {"true": _OF["false"], "false": _OF["true"], "none": frozenset[str]()}


def _constant(claims: Claims, code: PresentCode, constant: Constant) -> Iterator[Finding]:
    text, at = claims.text, constant.start
    spelt = _OF.get(constant.word)
    if spelt is None or is_aside(text, at) or is_conditional(text, at, sentence=True):
        return
    if not (_RE["is_so"].search(text[:at]) or _RE["so_by_default"].match(text[at:])):
        return
    if any(mention.value and mention.value.lower() == constant.word for mention in claims.mentions):
        return  # `_settings` holds `name=value` against the code
    clause = frozenset(stem(word) for word in re.findall(r"[^\W\d_]+", clause_at(text, at)))
    for holder in code.holders:
        telling = [word for word in words(holder.name) if word.lower() not in {"is", "use", "enable", "enabled"}]
        if not telling or not all(any_form((stem(word),), clause) for word in telling):
            continue
        if holder.text in spelt:
            yield Finding(f"{holder.name} {constant.word}")
            return
        if holder.text in _OPPOSITE[constant.word] or (
            constant.word == "none" and Action.DEFAULT is constant.action and _LITERAL.match(holder.text)
        ):
            yield _instead(code, holder, constant.word)
            return


# --- "timeout is required", "strict is optional"


def _demands(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    for found in _RE["demanded"].finditer(claims.text):
        one = next((p for p in code.facts.parameters if p.name == found["name"]), None)
        if one is None or is_aside(claims.text, found.start()) or claims.denied_at(found.start()):
            continue
        wants_default = found["word"].lower() == "optional"
        said = f"{one.name} {found['word']}"
        if wants_default is (one.default is not None) or (wants_default and "Option" in (one.type or "")):
            yield Finding(said)
        elif one.default is not None:
            yield code.differs(found["word"], f"has {one.name}={one.default}")
        elif code.language == "python":
            yield code.differs(found["word"], f"has no default for {one.name}", instead=False)


# --- statuses of HTTP


def _statuses(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    said = _RE["status_said"].search(claims.text)
    if said is None or claims.denied_at(said.start("number")) or is_aside(claims.text, said.start("number")):
        return
    number = int(said["number"])
    has = {int(found["number"]) for found in _RE["status_held"].finditer(code.source)}
    has |= {status for name in names_in(code.source) if (status := status_of(name)) is not None}
    if number in has or code.has_name(str(number)):
        yield Finding(str(number))
        return
    alike = sorted(each for each in has if each // 100 == number // 100)
    if alike and not code.facts.raises and not code.facts.bases:
        yield code.differs(str(number), f"answers {' or '.join(map(str, alike))}")
