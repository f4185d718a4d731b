"""Takes the values of typed kinds out of one clause: amounts, versions, times, places, opposites, names of classes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, takewhile

from attrs import frozen

from memlsp.beliefs.claims.claims import COMPARISON
from memlsp.beliefs.claims.quantities import Dimension, Quantity, Unit, quantities_in
from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.contradiction import slots
from memlsp.beliefs.contradiction.clause_words import EMPTY, MEASURES, is_act, stands_before_verb, tells_state, words_of
from memlsp.beliefs.contradiction.slots import DETERMINERS, PREPOSITIONS, canonical, verb_of
from memlsp.beliefs.name_classes import ClassName, Word, all_names, names_in
from memlsp.code.vocabulary import named_lines, patterns, texts, word_sets

_TEXTS = texts(__name__)
_LISTS = word_sets(__name__)
_RE = patterns(__name__)
_NOTHING = frozenset[str]()


def _stems(name: str) -> frozenset[str]:
    return frozenset(canonical(word) for word in _TEXTS[name].split())


LIGHT = _stems("light")
"""Words that one of two statements about a thing may leave out."""

VAGUE = _stems("vague")
"""Light words that do not part two things either."""

MEMBERS = _stems("members")
"""What a size counts: the rows of a page, the connections of a pool."""

LANGUAGES = all_names("language")
LIGHT_NAMES = LANGUAGES.union(*(all_names(title) for title in _TEXTS["light_classes"].split()))

_OPPOSITES = frozenset(slots.concept_of(word)[0] for word in slots.OPPOSED) - _LISTS["not_opposed"]

_ROLES_OF = {title: word_set(words) for title, words in named_lines(__name__, "people")}
_MEASURED = ("lifetime", "timeout", "interval", "limit", "floor", "refused")
_SECONDS = {word: int(seconds) for word, _, seconds in (entry.partition(":") for entry in _TEXTS["periods"].split())}
_LONG = {
    name: Unit(Dimension.TIME, tuple(Fraction(86400 * count) for count in days))
    for name, days in (("month", (30, 28, 31)), ("year", (365, 366, 360, 372)))
}
"""Units of several lengths: a year is twelve months."""


LACKING = "not"
"""The name of the value that is the opposite of a concept, or its absence."""


@frozen
class StatedAmount:
    """A number that a clause states: `bound` is "" for exactly, least, most, more or less; `per` is the period of a
    rate in seconds ("100 requests per minute"), None for none; `counted` the noun behind it."""

    number: Fraction
    unit: Unit | None
    bound: str = ""
    per: Fraction | None = None
    counted: str = ""

    @property
    def bases(self) -> frozenset[Fraction]:
        """Its values in base units; rates are by the second."""
        factors = self.unit.factors if self.unit else (Fraction(1),)
        return frozenset(self.number * factor / (self.per or 1) for factor in factors)

    @property
    def measures(self) -> str:
        """The dimension; only amounts of the same one are compared."""
        dimension = self.unit.dimension.value if self.unit else "plain"
        return f"{dimension}/time" if self.per else dimension


@frozen
class Value:
    """A value of one kind: a canonical name, an amount, or a version with its bound. `group` parts the names of a class
    that do not exclude each other; of a class with `many` a project has several; `endless` is an amount without end."""

    kind: str
    said: str
    name: str = ""
    group: int = 0
    amount: StatedAmount | None = None
    version: tuple[int, ...] = ()
    bound: str = ""
    many: bool = False
    endless: bool = False

    @property
    def lacks(self) -> bool:
        """True for what is denied by the value itself: it is not so, it has no end."""
        return self.endless or self.name == LACKING

    @property
    def is_measured(self) -> bool:
        """True for an amount, also one without end."""
        return self.amount is not None or self.endless

    @property
    def needs_role(self) -> bool:
        """True for names that are mentioned more often than chosen, as of languages."""
        return self.kind in _LISTS["roles"]


@frozen
class Found:
    """A value with the words that belong to its kind and tell nothing of the thing. `start` and `end` are the place of
    a name of a class, -1 for other values."""

    value: Value
    words: frozenset[str] = frozenset[str]()
    start: int = -1
    end: int = -1


class ClauseValues:
    """One clause, from which the values are taken one kind after the other; what is left says of what they are. `about`
    is what of the thing is measured (its lifetime, a timeout, an interval), `chosen` that a choice is told."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._rest = re.sub(r"(?<=\s)--?[a-z][\w-]*(?:=\S*)?", spaces, text)
        self.frequencies = frozenset(found.lower() for found in _RE["which_of_them"].findall(self._rest))
        self._rest = _RE["which_of_them"].sub(spaces, self._rest)
        self._adjuncts = [found.span() for found in _RE["adjunct"].finditer(self._rest)]
        self.about = frozenset(name for name in _MEASURED[:3] if _RE[name].search(self._rest))
        self.chosen = _RE["chosen"].search(text) is not None
        self._denials = list(_RE["denial"].finditer(text))
        versions, names = list(self._versions()), list(self._classed())
        kinds = (self._endless, self._dated, self._placed, self._people, self._amounts, self._opposed)
        self.found = [*versions, *(found for kind in kinds for found in kind())]
        if any(each.value.kind.startswith("clock") for each in self.found):
            names = [each for each in names if each.value.kind != "timezone"]
        self.found += names

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words of the thing of which the values are."""
        rest = self._rest
        for name in _MEASURED:
            rest = _RE[name].sub(spaces, rest)
        telling = (word for word in words_of(rest) if word.code or word.lower not in EMPTY)
        return tuple(word for word in telling if not word.lower.isdigit())

    @cached_property
    def subject(self) -> str:
        """The words before the verb as they are written; without a noun among them, those that name the thing."""
        words = words_of(self._text)
        lead = [word for _, word in takewhile(lambda each: stands_before_verb(words, each[0]), enumerate(words))]
        written = [self._written(word) for word in lead if word.code or word.lower not in DETERMINERS | slots.PRONOUNS]
        named = any(word.code or word.part or word.lower not in EMPTY for word in lead)
        telling = [
            self._written(word) for word in self.words if not self.is_act(word) and word.lower not in PREPOSITIONS
        ]
        return " ".join(dict.fromkeys(written if named else telling))

    def _written(self, word: Word) -> str:
        """A word as it is written; of a part of an identifier the whole."""
        return self._text[word.start : word.end].strip("`.,:;!?*'=<>~^") if word.part else word.text

    @cached_property
    def said(self) -> frozenset[str]:
        """All words beside the values, and their stems."""
        words = [word.lower for word in words_of(self._rest)]
        return frozenset(words).union(map(canonical, words))

    @cached_property
    def _acts(self) -> frozenset[int]:
        words = words_of(self._text)
        return frozenset(word.start for at, word in enumerate(words) if is_act(words, at))

    def is_act(self, word: Word) -> bool:
        """True for the verb of the clause, and for an adverb, which say nothing of what a value is of."""
        return word.start in self._acts

    @cached_property
    def phrases(self) -> frozenset[frozenset[str]]:
        """The pairs of words that stand side by side and are no verb."""
        return frozenset(
            frozenset((canonical(one.lower), canonical(other.lower)))
            for one, other in pairwise(self.words)
            if not (self.is_act(one) or self.is_act(other)) and not self._text[one.end : other.start].strip(" -`")
        )

    @cached_property
    def purpose(self) -> frozenset[str]:
        """The words behind a preposition, but for the first words of the clause."""
        found = (_RE["purpose"].search(self._text[: word.start].rstrip("` ") + " ") for word in self.words)
        return frozenset(canonical(word.lower) for word, led in zip(self.words, found, strict=True) if led)

    def is_adjunct(self, word: Word) -> bool:
        """True for a word of "on every merge" and "in June", which say nothing of what a name is for."""
        return any(start <= word.start < end for start, end in self._adjuncts)

    def names_beside(self, found: Found) -> frozenset[str]:
        """The names of classes elsewhere in the clause, and versions of an interface, which say what is meant."""
        return frozenset(
            canonical(each.value.name)
            for each in self.found
            if (each.start >= 0 or each.value.kind == "route")
            and each.value.name != found.value.name
            and (each.start >= found.end or each.end <= found.start)
            and each.value.name not in found.words
        )

    def denies(self, found: Found) -> bool | None:
        """True when the clause denies the value; None when it denies something else of it. A name is denied by "no X",
        "never use X", "X is not supported"."""
        odd = len(self._denials) % 2 == 1
        if found.start < 0 or not odd:
            return odd
        if _RE["not_used"].match(self._text[found.end :]):
            return True
        idle = EMPTY | found.words
        for denial in self._denials:
            between = words_of(self._text[denial.end() : found.start])
            if denial.end() <= found.start and all(word.lower in idle for word in between):
                return True
        return None

    def _blank(self, start: int, end: int) -> None:
        self._rest = self._rest[:start] + "\x01" * (end - start) + self._rest[end:]

    def _take(self, found: re.Match[str]) -> str:
        self._blank(*found.span())
        return found[0].strip()

    def _endless(self) -> Iterator[Found]:
        """Never, forever, unlimited: amounts without an end."""
        found = _RE["endless"].search(self._rest)
        if found is not None:
            yield Found(Value("amount", self._take(found), endless=True))

    def _dated(self) -> Iterator[Found]:
        """Clock times, weekdays, months and dates."""
        for kind in ("clock", "weekday", "date", "month"):
            times = list(_RE[kind].finditer(self._rest))
            if not times:
                continue
            said = " ".join(self._take(found) for found in times)
            zone = (found := _RE["zone"].search(self._text)) and found[0].lower()
            name = ",".join(sorted({_time(kind, found) for found in times}))
            yield Found(Value(f"clock {zone or ''}" if kind == "clock" else kind, said, name), _LISTS["scheduling"])

    def _placed(self) -> Iterator[Found]:
        """Paths where something lies, addresses, and versions of an interface."""
        for kind in ("mail", "address", "route", "path"):
            places = list(_RE[kind].finditer(self._rest))
            for each in places:
                self._take(each)
            if len(places) == 1:
                told = places[0]["value"].strip("`.").lower()
                yield Found(Value(kind, told, told.rstrip("/")), _LISTS[kind])

    def _people(self) -> Iterator[Found]:
        """The person or the team that wrote, owns, reviews or manages the thing."""
        named = _RE["person"].search(self._rest)
        said = frozenset(word.lower for word in words_of(self._rest))
        title, words = next(((title, words) for title, words in _ROLES_OF.items() if words & said), ("", _NOTHING))
        known = [
            found
            for found in _RE["somebody"].finditer(self._rest)
            if found["team"] or found["named"] or found["name"].lower() in _LISTS["given_names"]
        ]
        if named is not None and title and not known:
            span, name = named.span("by" if named["by"] else "first"), named["by"] or named["first"]
        elif len(known) == 1:
            span, name = known[0].span(), known[0]["team"] or known[0]["named"] or known[0]["name"]
        else:
            return
        self._blank(*span)
        yield Found(Value(f"person {title or 'owner'}", name, name.lower().removesuffix("'s")), words)

    def _versions(self) -> Iterator[Found]:
        """The versions of products, unless several are named."""
        several = _RE["several_versions"].search(self._rest) is not None
        for found in list(_RE["version"].finditer(self._rest)):
            product, number = found["product"].lower(), found["number"]
            both = [Word(product.title(), product, 1, 2, True), Word(number, number, 3, 4)]
            known = [(end, each) for _, end, names in names_in(both) for each in names]
            if any(end == len(both) for end, _ in known) or not (known or product in _LISTS["products"]):
                if "." in number and canonical(product) not in MEASURES and product not in EMPTY:
                    self._blank(found.start("number"), found.end())  # a version of something, and no amount
                continue
            name, words = (known[0][1].name, known[0][1].of.words) if known else (product, _NOTHING)
            floor = found["later"] or found["least"] or _RE["floor"].search(self._text)
            bound = "least" if floor else "most" if found["earlier"] else ""
            self._blank(found.start("number"), found.end())
            if not several:
                parts = tuple(int(part) for part in number.split("."))
                value = Value(f"version of {name}", f"{found['product']} {number}", version=parts, bound=bound)
                yield Found(value, _LISTS["versioning"] | words | {product, name})

    def _classed(self) -> Iterator[Found]:
        """The names of classes, of each class the one that is named. Two names side by side are one."""
        words = words_of(self._rest)
        others = _RE["beside_others"].search(self._text) is not None
        for title, found in self._names_by_class(words).items():
            (name, start, end), rest = found[0], found[1:]
            if others or any(other.name != name.name and at != end for other, at, _ in rest):
                continue  # one of several
            end = next((behind for _, at, behind in rest if at == end), end)
            said = " ".join(word.text for word in words[start:end])
            if name.of.policy:
                own = name.of.words.union(word.lower for word in words[start:end])
                yield Found(Value(f"policy {title}", said, name.name, name.group), own)
                continue
            value = Value(title, said, name.name, name.group, many=name.of.many)
            yield Found(value, name.of.words, words[start].start, words[end - 1].end)

    def _names_by_class(self, words: Sequence[Word]) -> dict[str, list[tuple[ClassName, int, int]]]:
        units = [each for each in quantities_in(self._rest) if each.unit is not None]
        by_class: dict[str, list[tuple[ClassName, int, int]]] = {}
        for start, end, known in names_in(words):
            purpose = start > 0 and words[start - 1].lower in {"for", "of"} and len(known) == 1 and known[0].of.many
            if purpose or any(each.start <= words[start].start < each.end for each in units):
                continue  # "in the API of Stripe", "10 seconds"
            for each in known:
                by_class.setdefault(each.of.title, []).append((each, start, end))
            if not all(each.of.policy for each in known):
                self._blank(words[start].start, words[end - 1].end)
        return by_class

    def _amounts(self) -> Iterator[Found]:
        """The one number of the clause with its unit, bound and rate."""
        for found in list(_RE["named_number"].finditer(self._rest)):
            word = found["noun"].lower()
            if not (word in EMPTY | _LISTS["valued"] or canonical(word) in MEASURES or verb_of(word)):
                at = found.end("noun")  # GPIO 18 is one of several; retries 3 and port 8080 are values
                self._rest = f"{self._rest[:at]}~{self._rest[at + 1 :]}"
        masked = self._rest.replace("\x01", " ")
        stated = [each for each in quantities_in(masked) if masked[: each.start].rstrip()[-1:] not in {*"<>=~^"}]
        if _RE["so_far"].search(masked):
            return
        made = [value for each in stated if (value := self._amount(each, masked)) is not None]
        if len(stated) == len(made) == 1 and not _RE["totals"].search(masked):
            kind = "rate" if made[0].per else "amount"
            taken = len(self._rest) - len(self._rest[stated[0].start :].lstrip("\x01"))  # with its noun or period
            said, last = masked[stated[0].start : taken].strip(), re.compile(r"\s+(\w+)$")
            said = last.sub(lambda found: "" if found[1].lower() in EMPTY | PREPOSITIONS else found[0], said)
            yield Found(Value(kind, said, amount=made[0]), _LISTS["rating"] if made[0].per else _NOTHING)

    def _amount(self, quantity: Quantity, masked: str) -> StatedAmount | None:
        behind = masked[quantity.end :]
        per = _RE["per"].match(behind.replace("\x01", "x")) if quantity.unit is None else None
        noun = _RE["counted"].match(behind) if quantity.unit is None and per is None else None
        self._blank(quantity.start, quantity.end + max((found.end() for found in (per, noun) if found), default=0))
        if noun["noun"].lower() in _LISTS["not_counted"] if noun else not per and quantity.text.lower() == "one":
            return None
        word = noun["noun"].lower() if noun else ""
        counted = "" if word in EMPTY else canonical(word)
        bound = _bound_of(quantity, masked)
        if bound in {"more", ""} and _RE["refused"].search(masked):
            bound = "most"
        bound = bound or ("most" if _RE["limit"].search(masked) else "least" if _RE["floor"].search(masked) else "")
        period = Fraction(_SECONDS[per["unit"].lower()]) if per else None
        unit = _LONG.get(counted, quantity.unit)
        return StatedAmount(quantity.number, unit, bound, period, "" if counted in _LONG else counted)

    def _opposed(self) -> Iterator[Found]:
        """On, off, there is no; and words with an opposite that say how a thing is."""
        lacking = _RE["lacking"].search(self._rest)
        if lacking:
            yield Found(Value("opposite enabled", self._take(lacking), LACKING))
        words = words_of(self._rest)
        for at, word in enumerate(words):
            if word.lower not in slots.OPPOSED and "-" not in word.lower:
                continue
            concept, sign = slots.concept_of(word.lower)
            if concept in _OPPOSITES and tells_state(words, at):
                value = Value(f"opposite {concept}", word.text, "so" if sign else LACKING)
                yield Found(value, frozenset({concept, word.lower}))


def spaces(found: re.Match[str]) -> str:
    """As many spaces as what was found has characters."""
    return " " * len(found[0])


def _time(kind: str, found: re.Match[str]) -> str:
    if kind == "date":
        parts = found.groupdict()
        end = "1" if (parts["end"] or "").lower() == "first" else parts["end"]
        day = parts["day"] or parts["nth"] or parts["alone"] or end
        return f"{(parts['of'] or parts['in'] or '')[:3]} {day}".lower().strip() if day else found[0]
    if kind != "clock":
        return found[0].split()[-1].lower().rstrip("s")
    if found["word"]:
        return "12:00" if found["word"].lower() == "noon" else "00:00"
    hour, minute = int(found["hour"] or found["hour24"]), found["minute"] or found["minute24"] or "00"
    half = (found["half"] or "").replace(".", "").lower()
    return f"{hour % 12 + 12 * (half == 'pm') if half else hour:02}:{minute}"


def _bound_of(quantity: Quantity, masked: str) -> str:
    """The bound that the words around an amount give it: at least, at most, more than, less than."""
    before = masked[max(0, quantity.start - 26) : quantity.start]
    found = list(COMPARISON.finditer(before))
    if found and len(before) - found[-1].end() <= 12:
        bound = found[-1].lastgroup or ""
        ahead = masked[: quantity.start - len(before) + found[-1].start()]
        return {"more": "most", "less": "least"}.get(bound, bound) if _RE["turned"].search(ahead) else bound
    behind = COMPARISON.match(masked[quantity.end : quantity.end + 12].lstrip())
    return behind.lastgroup or "" if behind else ""
