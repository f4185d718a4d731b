"""Numbers with units, in prose and in code, compared by value: 20 % is 0.2, 30 s is `timeout_ms=30000`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from functools import cache, lru_cache

from attrs import frozen

from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import named_lines, patterns, texts


class Dimension(StrEnum):
    """The dimension of a quantity."""

    PLAIN = "plain"
    RATIO = "ratio"  # of one
    TIME = "time"  # in seconds
    SIZE = "size"  # in bytes


@frozen
class Unit:
    """A unit with its size in base units. Sizes in bytes have two readings (1000 and 1024)."""

    dimension: Dimension
    factors: tuple[Fraction, ...]


@frozen
class Quantity:
    """A number as prose states it: `number` as written, in `unit` (None when it has none)."""

    number: Fraction
    unit: Unit | None
    text: str
    start: int = 0
    end: int = 0

    @property
    def bases(self) -> tuple[Fraction, ...]:
        """Its values in base units; two for sizes."""
        return tuple(self.number * f for f in self.unit.factors) if self.unit else (self.number,)


@frozen
class CodeNumber:
    """A number in code, constant products folded; `unit` where a name beside it tells."""

    number: Fraction
    unit: Unit | None
    text: str


_UNITS: dict[str, Unit] = {}
for _measure, _names in named_lines(__name__, "units"):
    _kind, *_factors = _measure.split()
    _UNITS.update(dict.fromkeys(_names.split(), Unit(Dimension(_kind), tuple(map(Fraction, _factors)))))
# Single letters and `min` are too often something else when they end an identifier.
_UNITS_IN_NAMES = {name: unit for name, unit in _UNITS.items() if name not in {"min", "d", "h", "%"}}

_ONES, _TENS = (texts(__name__)[each].split() for each in ("ones", "tens"))
_NUMBER_WORDS = {
    word: Fraction(value) for word, value in map(str.split, texts(__name__)["numbers"].strip().splitlines())
}
_NUMBER_WORDS.update((word, Fraction(n)) for n, word in enumerate(_ONES))
for _n, _ten in enumerate(_TENS, start=2):
    _NUMBER_WORDS[_ten] = Fraction(10 * _n)
    _NUMBER_WORDS.update((f"{_ten}-{one}", Fraction(10 * _n + m)) for m, one in enumerate(_ONES[:10]) if m)
for _line in texts(__name__)["number_words"].strip().splitlines():
    _NUMBER_WORDS.update((word, Fraction(n)) for n, word in enumerate(_line.split(), start=2) if word != "-")
_OF_A_WHOLE = r"[ -](?:halves|(?:third|quarter|fourth|fifth|sixth|eighth|tenth|hundredth)s)\b"
"""What makes a number a share of something that is said behind it: "three quarters of the width"."""

_POWERS = ["second", "third", "fourth", "fifth", "sixth"]
_SCALE_WORDS = {"hundred": 100, "thousand": 1000, "k": 1000, "million": 1_000_000}


@cache
def _prose_number() -> re.Pattern[str]:
    """Compiled on first use: it takes longer than all other expressions of this room together."""
    units = "|".join(sorted((re.escape(u) for u in _UNITS), key=len, reverse=True))
    scales = "|".join(_SCALE_WORDS)
    numbers = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
    return re.compile(
        rf"""(?<![\w.#@/])(?<![A-Za-z_]-)(?P<sign>(?<![\w)])-)?
    (?:(?P<part>half|quarter|third)\ (?:of\ )?an?\ (?=(?:{units})\b)
      |(?P<hex>0x[0-9a-f]+)
      |(?P<digits>\d+(?:[_,]\d{{3}})*(?:\.\d+)?|\.\d+)(?![\d.]*\d)(?!{_OF_A_WHOLE})
      |(?P<power>{"|".join(_POWERS)})(?=\ power\b)
      |(?P<word>(?:{numbers})\b(?!{_OF_A_WHOLE})|an?(?=[ -](?:half|quarter|{units})\b))
    )
    (?:[ -]?(?P<scale>{scales})\b)?
    (?P<times>x\b)?(?:[ -]?(?P<unit>{units})(?![\w]))?
    (?:(?<=[a-z%])|(?![\w/]))""",
        re.VERBOSE | re.IGNORECASE,
    )


_RE = patterns(__name__)
_BEFORE = 24  # characters before a number that say what it counts


@lru_cache(maxsize=4096)
def quantities_in(text: str) -> tuple[Quantity, ...]:
    """The amounts that prose states, in order, without dates, versions and numbers of issues, RFCs and lines."""
    dates = [found.span() for found in _RE["date"].finditer(text)]
    return tuple(
        quantity
        for found in _prose_number().finditer(text)
        if not any(start <= found.start() < end for start, end in dates)
        and not _RE["no_amount"].search(text, max(found.start() - _BEFORE, 0), found.start())
        and (quantity := _quantity(found)) is not None
    )


def _quantity(found: re.Match[str]) -> Quantity | None:
    word = (found["word"] or "").lower()
    if found["part"]:
        number = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "third": Fraction(1, 3)}[found["part"].lower()]
    elif found["power"]:
        number = Fraction(_POWERS.index(found["power"].lower()) + 2)
    elif found["hex"]:
        number = Fraction(int(found["hex"], 16))
    elif found["digits"] and _RE["mode"].fullmatch(found["digits"]):
        number = Fraction(int(found["digits"], 8))
    elif found["digits"]:
        number = Fraction(found["digits"].replace(",", "").replace("_", ""))
    else:
        number = _NUMBER_WORDS.get(word, Fraction(1))
    if found["scale"]:
        number *= _SCALE_WORDS[found["scale"].lower()]
    if found["sign"]:
        number = -number
    unit = _UNITS.get((found["unit"] or "").lower())
    behind = found.string[found.end() : found.end() + 12]
    if unit is not None and re.match(r" and a half\b", behind):
        number += Fraction(1, 2)
    if word in {"a", "an"} and unit is None:
        return None
    if word == "one" and unit is None and re.match(r" of\b| another\b| or more\b", behind):
        return None
    return Quantity(number, unit, found[0].strip(), found.start(), found.end())


@lru_cache(maxsize=8192)
def code_numbers(text: str, name: str = "") -> tuple[CodeNumber, ...]:
    """The numbers in a piece of source text, constant products folded (`60 * 60` is 3600 and nothing else).

    `name` names the holder of the text (`timeout_ms`): its last word can tell the unit, and so can a name right before
    the number (`seconds=30`, `from_secs(30)`) or a unit as a factor (`30 * time.Second`). Numbers inside string
    literals count too, with their units ('30s').
    """
    return tuple(_fold(list(_RE["code_token"].finditer(converted(text))), unit_of_name(name)))


def converted(text: str) -> str:
    """The text with Java's `SECONDS.toMillis(2)` as 2000."""

    def convert(found: re.Match[str]) -> str:
        unit, other = (_UNITS.get(found[each].lower()) for each in ("unit", "other"))
        if unit is None or other is None or {unit.dimension, other.dimension} != {Dimension.TIME}:
            return found[0]
        return str(int(found["number"].replace("_", "")) * unit.factors[0] // other.factors[0])

    return _RE["conversion"].sub(convert, text) if ".to" in text else text


def in_one_unit(text: str) -> str:
    """The text with durations in nanoseconds: `ofMinutes(2)` and `ofSeconds(120)` are one."""

    def convert(found: re.Match[str]) -> str:
        unit = _UNITS.get(found["unit"].lower())
        if unit is None or unit.dimension is not Dimension.TIME:
            return found[0]
        whole = Fraction(found["number"].replace("_", "")) * unit.factors[0] / _UNITS["ns"].factors[0]
        return f"{found['maker']}({whole})"

    return _RE["duration"].sub(convert, text)


def is_unit(word: str) -> bool:
    """True for the name of a unit, which tells nothing without its number."""
    return word.lower() in _UNITS


def unit_of_name(name: str) -> Unit | None:
    """The unit that an identifier carries in its last word: `timeout_ms`, `maxAgeSeconds`."""
    for part in reversed(re.split(r"[^\w]+", name)):
        if part:
            last = words(part)[-1:]
            unit = _UNITS_IN_NAMES.get(last[0].lower()) if last else None
            if unit is not None and (len(words(part)) > 1 or len(part) > 1):
                return unit
    return None


def _fold(tokens: list[re.Match[str]], outer: Unit | None) -> Iterator[CodeNumber]:
    unit = outer
    reach = 0  # a name tells the unit of the number right behind it, punctuation between
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token["string"]:
            for quantity in quantities_in(token["string"].lstrip("rbfuRBFU")[1:-1]):
                yield CodeNumber(quantity.number, quantity.unit or (unit if reach or outer else None), quantity.text)
        elif token["name"]:
            own = unit_of_name(token["name"])
            unit, reach = (own, 3) if own is not None else (outer, 0)
        elif token["number"]:
            folded, unit_behind, index = _product(tokens, index)
            yield CodeNumber(folded, unit_behind or (unit if reach or outer else None), token[0])
            unit, reach = outer, 0
        elif reach:
            reach -= 1
            if not reach:
                unit = outer
        index += 1


def _product(tokens: list[re.Match[str]], index: int) -> tuple[Fraction, Unit | None, int]:
    """The value of `number (op number)*` from `index`, the unit it is multiplied with, and the last index used."""
    negative = (
        index > 0
        and tokens[index - 1][0] == "-"
        and (index < 2 or tokens[index - 2]["operator"] not in {None, ")", "]"})
    )
    value = _value(tokens[index])
    unit = None
    while index + 2 < len(tokens) and tokens[index + 1][0] in {"*", "/", "<<", "**"}:
        operator, right = tokens[index + 1][0], tokens[index + 2]
        if right["number"]:
            outcome = _apply(value, operator, _value(right))
            if outcome is None:
                break
            value = outcome
            index += 2
        elif right["name"] and operator == "*" and (end := _unit_ahead(tokens, index + 2)) is not None:
            unit, index = end
            break
        else:
            break
    if unit is None:
        unit = _unit_as_argument(tokens, index)
    return (-value if negative else value), unit, index


def _apply(left: Fraction, operator: str, right: Fraction) -> Fraction | None:
    if operator == "*":
        return left * right
    if operator == "/":
        return left / right if right else None
    small = right.denominator == 1 and 0 <= right <= 64
    if not small:
        return None
    return left * 2**right.numerator if operator == "<<" else left**right.numerator


def _unit_ahead(tokens: list[re.Match[str]], index: int) -> tuple[Unit, int] | None:
    """The unit of `time.Second` from `index` on, and the index of its last token."""
    while index + 2 < len(tokens) and tokens[index + 1][0] == "." and tokens[index + 2]["name"]:
        index += 2
    unit = _UNITS.get(tokens[index][0].lower())
    return (unit, index) if unit is not None else None


def _unit_as_argument(tokens: list[re.Match[str]], index: int) -> Unit | None:
    """The unit in `30, TimeUnit.SECONDS` and `30.seconds`."""
    behind = [token[0] for token in tokens[index + 1 : index + 5]]
    if len(behind) >= 4 and behind[0] == "," and behind[2] == ".":
        return _UNITS_IN_NAMES.get(behind[3].lower())
    if len(behind) >= 2 and behind[0] == ".":
        return _UNITS_IN_NAMES.get(behind[1].lower())
    return None


def _value(token: re.Match[str]) -> Fraction:
    digits = token["number"].replace("_", "")
    lead = digits[:2].lower()
    if _RE["mode"].fullmatch(digits):
        return Fraction(int(digits, 8))
    if lead in {"0x", "0o", "0b"}:
        return Fraction(int(digits, {"0x": 16, "0o": 8, "0b": 2}[lead]))
    if "e" in digits.lower() and abs(int(re.split("[eE]", digits)[1])) > 30:
        return Fraction(0)
    return Fraction(digits)


def same_amount(old: str, new: str) -> bool:
    """True when two texts are the same but for one amount, which they state in other units: `30 * time.Second` and
    `30_000 * time.Millisecond`. Only where both name the unit, its size has one reading, and no other function is
    called."""
    (one, *more), (other, *others) = (code_numbers(text) or (None,) for text in (old, new))
    if one is None or other is None or more or others or one.unit is None or other.unit is None:
        return False
    if one.unit == other.unit or one.unit.dimension is not other.unit.dimension:
        return False
    sizes = [[number.number * factor for factor in number.unit.factors] for number in (one, other) if number.unit]
    return sizes[0] == sizes[1] and len(sizes[0]) == 1 and _without_amount(old) == _without_amount(new)


def _without_amount(text: str) -> str:
    bare = re.sub(r"\b\d[\w.]*", "#", text)
    return re.sub(
        r"[^\W\d]\w*\b(?!\s*\()",
        lambda name: "".join(word for word in words(name[0]) if word.lower() not in _UNITS_IN_NAMES),
        bare,
    )


def scale_between(said: Quantity, code: CodeNumber) -> str | None:
    """The scale in which `code` states the amount `said`, None when it does not.

    The answer names the reading ("as written", "x1000", "1+r"...), so that a later number is held to the same one: 30
    seconds is `30` or `30000`, but a change from the one to the other is a change.
    """
    if said.unit is None:
        return "as written" if code.number == said.number else None
    if code.unit is not None and code.unit.dimension is said.unit.dimension:
        bases = {code.number * factor for factor in code.unit.factors}
        return "as written" if bases & set(said.bases) else None
    if code.unit is not None:
        return None
    return _bare_scale(said, said.unit, code.number)


def _bare_scale(said: Quantity, unit: Unit, number: Fraction) -> str | None:
    if unit.dimension is Dimension.RATIO:
        ratio = said.bases[0]
        readings = {ratio: "of one", said.number: "as written", 1 + ratio: "1+r", 1 - ratio: "1-r"}
        return readings.get(number)
    if number == said.number:
        return "as written"
    for other in dict.fromkeys(_UNITS.values()):
        if other.dimension is unit.dimension and any(number * factor in said.bases for factor in other.factors):
            return f"x{other.factors[0]}"
    return None
