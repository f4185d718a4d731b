"""Splits a clause into words, and spells texts in one way before they are read."""

from __future__ import annotations

import re
from functools import lru_cache

from attrs import frozen

from memlsp.beliefs.name_classes import is_class_name
from memlsp.code.vocabulary import patterns, texts

LONGEST = 1_200
"""Characters of a statement that are read."""


@frozen
class Token:
    """One word of a clause. `capital` is True for a capitalised word that does not begin the clause."""

    text: str  # as written
    word: str  # lower-case, without what surrounds it
    code: bool = False
    name: bool = False  # of something in the code: in backticks, or with a sign that prose has not
    capital: bool = False


_RE = patterns(__name__)
_EDGES = " \t.,;:!?()[]{}\"'*"
_SPOKEN = tuple(
    (re.compile(rf"\b{spoken}\b" if spoken[0].isalpha() else spoken, re.IGNORECASE), spelling)
    for spoken, _, spelling in (line.rpartition("|") for line in texts(__name__)["spoken"].strip().splitlines())
)


@lru_cache(maxsize=64)
def plain_text(text: str) -> str:
    """The text without a label in front ("ADR 12: ..."), with numbers and schedules in one spelling, and with one word
    for each noun with the number that names the thing and is no value: `step_2`, `pr_901`."""
    plain = _RE["shouted"].sub(lambda found: found[0].lower(), _RE["label"].sub("", text, count=1))
    for pattern, spelling in _SPOKEN:
        plain = pattern.sub(spelling, plain)
    return _RE["names"].sub(_as_one_word, plain)


def _as_one_word(found: re.Match[str]) -> str:
    return found[0] if is_class_name(found[0]) else re.sub(r"[^a-z0-9.]", "_", found[0].lower())


def tokens_of(clause: str) -> list[Token]:
    """The words of a clause, in order; a stretch in backticks or quotes is one word."""
    ticks: list[str] = []

    def hide(found: re.Match[str]) -> str:
        ticks.append(next(group for group in found.groups() if group is not None))
        return f"\x02{chr(0xE000 + len(ticks) - 1)}\x02"

    tokens: list[Token] = []
    for raw in _RE["ticked"].sub(hide, clause).split():
        bare = raw.strip(_EDGES)
        if not bare:
            continue
        hidden = re.fullmatch(r".*?\x02(.)\x02.*", bare)
        if hidden is not None:
            inner = ticks[ord(hidden[1]) - 0xE000].strip()
            tokens.append(Token(inner, re.sub(r"\(.*\)$", "", inner).lstrip("@").lower(), code=True, name=True))
            continue
        capital = bare[:1].isupper() and bool(tokens)
        word = re.sub(r"(?:'s|\(\))$", "", bare).lower()
        code, name = (_RE[sort].match(bare) is not None for sort in ("code", "name"))
        tokens.append(Token(bare, word, code, name, capital))
    return tokens
