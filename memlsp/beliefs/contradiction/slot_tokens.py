"""Splits a clause into words: code, amounts, and plain words."""

from __future__ import annotations

import re
from fractions import Fraction

from attrs import frozen

from memlsp.beliefs.claims.claims import COMPARISON
from memlsp.beliefs.claims.quantities import Dimension, Quantity, Unit, quantities_in
from memlsp.beliefs.contradiction.slots import StatedAmount
from memlsp.beliefs.vocabulary import texts


@frozen
class Token:
    """One word of a clause, or one amount. `capital` is True for a capitalised word that does not begin the clause."""

    text: str  # as written
    word: str  # lower-case, without what surrounds it; "" for an amount
    code: bool = False
    name: bool = False  # of something in the code: in backticks, or with a sign that prose has not
    capital: bool = False
    amount: StatedAmount | None = None


_TICKED = re.compile(r"`([^`]*)`|\"([^\"]{1,80})\"|\u201c([^\u201d]{1,80})\u201d")
_PER = re.compile(
    r"\s*(?:[\w-]+\s+){0,2}?(?:per|an?|each|every|/)\s*(?P<unit>sec(?:ond)?|min(?:ute)?|hour|day|week|month)s?\b",
    re.IGNORECASE,
)


def _seconds(table: str) -> dict[str, int]:
    pairs = (entry.partition(":") for entry in texts(__name__)[table].split())
    return {word: int(seconds) for word, _, seconds in pairs}


_SECONDS, _EVERY = _seconds("periods"), _seconds("adverbs")
_CODE = re.compile(r"\w[\w.]*[._/:#]\w|.*\(\)$|[a-z]+[A-Z]|[A-Z][a-z]+[A-Z]|.*\d.*[a-zA-Z]|[A-Za-z]+.*\d|[A-Z]{2,}")
_NAME = re.compile(r"\w+(?:[._/#]|::)\w|.*\(\)$|[a-z]+[A-Z]|[A-Z][a-z]+[A-Z]")
_EDGES = " \t.,;:!?()[]{}\"'*"


def tokens_of(clause: str) -> list[Token]:
    """The words and amounts of a clause, in order; a stretch in backticks or quotes is one word."""
    ticks: list[str] = []

    def hide(found: re.Match[str]) -> str:
        ticks.append(next(group for group in found.groups() if group is not None))
        return f"\x02{chr(0xE000 + len(ticks) - 1)}\x02"

    masked = _TICKED.sub(hide, clause)
    tokens: list[Token] = []
    at = 0
    for quantity in quantities_in(masked):
        if quantity.start < at or _inside_word(quantity, masked):
            continue
        tokens += _words(masked[at : quantity.start], ticks, first=at == 0)
        amount = amount_at(quantity, masked)
        at = quantity.end
        if amount.per is not None and quantity.unit is None and quantity.text.lower() in {"once", "twice", "thrice"}:
            every = Quantity(amount.per / quantity.number, _SECOND, quantity.text)  # once a minute is every 60 seconds
            tokens.append(Token(quantity.text, "", amount=StatedAmount(every)))
            rate = _PER.match(masked, quantity.end)
            at = rate.end() if rate else at
            continue
        tokens.append(Token(quantity.text, "", amount=amount))
        times = re.compile(r"\s+times?\b").match(masked, at)
        at = times.end() if times and quantity.unit is None else at
        if amount.per is not None and (rate := _PER.match(masked, quantity.end)) is not None:
            tokens += _words(re.sub(r"\s*\b(?:per|an?|each|every)\s+\w+$|/\w+$", "", rate[0]), ticks, first=False)
            at = rate.end()
    return tokens + _words(masked[at:], ticks, first=at == 0)


def _inside_word(quantity: Quantity, masked: str) -> bool:
    """True for the "ten" of "tense"."""
    return quantity.text[-1:].isalpha() and masked[quantity.end : quantity.end + 1].isalpha()


_SECOND = Unit(Dimension.TIME, (Fraction(1),))


def _words(text: str, ticks: list[str], *, first: bool) -> list[Token]:
    tokens: list[Token] = []
    for raw in text.split():
        bare = raw.strip(_EDGES)
        if not bare:
            continue
        hidden = re.fullmatch(r".*?\x02(.)\x02.*", bare)
        if hidden is not None:
            inner = ticks[ord(hidden[1]) - 0xE000].strip()
            tokens.append(Token(inner, re.sub(r"\(.*\)$", "", inner).lstrip("@").lower(), code=True, name=True))
            continue
        if bare.lower() in _EVERY:
            every = Quantity(Fraction(_EVERY[bare.lower()]), _SECOND, bare)
            tokens.append(Token(bare, "", amount=StatedAmount(every)))
            continue
        capital = bare[:1].isupper() and not (first and not tokens)
        code = bool(_CODE.match(bare))
        word = re.sub(r"(?:'s|\(\))$", "", bare).lower()
        tokens.append(Token(bare, word, code=code, name=bool(_NAME.match(bare)), capital=capital))
    return tokens


def amount_at(quantity: Quantity, masked: str) -> StatedAmount:
    """The amount with its bound (at least, at most) and its rate (per minute) from the words around it."""
    before = masked[max(0, quantity.start - 26) : quantity.start]
    bound = ""
    found = list(COMPARISON.finditer(before))
    if found and len(before) - found[-1].end() <= 12:
        bound = found[-1].lastgroup or ""
        if re.search(
            r"\b(?:never|not|n't|no)\s+(?:\w+\s+){0,2}$", masked[: quantity.start - len(before) + found[-1].start()]
        ):
            bound = {"more": "most", "less": "least"}.get(bound, bound)
    else:
        behind = COMPARISON.match(masked[quantity.end : quantity.end + 12].lstrip())
        bound = behind.lastgroup or "" if behind else ""
    rate = _PER.match(masked, quantity.end) if quantity.unit is None else None
    return StatedAmount(quantity, bound, Fraction(_SECONDS[rate["unit"].lower()]) if rate else None)
