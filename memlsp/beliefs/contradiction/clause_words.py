"""The words of a clause: what each may be, and which of them is a verb."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memlsp.beliefs.claims.stems import stem, word_set
from memlsp.beliefs.contradiction import slots
from memlsp.beliefs.contradiction.slots import AUXILIARIES, DETERMINERS, MODALS, PREPOSITIONS, canonical, verb_of
from memlsp.beliefs.name_classes import Word
from memlsp.code.syntax.names import words as name_words
from memlsp.code.vocabulary import patterns, texts, word_sets

_LISTS = word_sets(__name__)
_RE = patterns(__name__)

EMPTY = _LISTS["empty"]
MEASURES = frozenset(map(canonical, _LISTS["measures"]))
"""Words that tell nothing beside an amount."""

_ACT_OF = {stem(verb): verb for verb in texts(__name__)["acts"].split()}
_AROUND_DONE = AUXILIARIES | word_set("get gets got has have had")
_BEFORE_BASE = MODALS | _LISTS["before_base"]


@lru_cache(maxsize=256)
def words_of(text: str) -> tuple[Word, ...]:
    """The words of a text; a name such as `POOL_SIZE` as the words that it is made of."""
    made: list[Word] = []
    code = False
    for found in _RE["word"].finditer(text):
        code = code or found[0][:1] == "`"
        bare = found[0].strip("\x01`.:!?*'=<>~^")
        if "\x01" not in bare and any(sign.isalnum() for sign in bare):
            parts = name_words(bare) if _RE["identifier"].fullmatch(bare) else ()
            if is_telling(parts):
                made += [Word(part, part.lower(), found.start(), found.end(), part=True) for part in parts]
            else:
                lower = re.sub(r"(?:'s|\(\))$", "", bare).lower()
                made.append(Word(bare, lower, found.start(), found.end(), code))
        code = code and found[0][-1:] != "`"
    return tuple(made)


def is_telling(parts: Iterable[str]) -> bool:
    """True for the words of a name of which some say what thing it is: not `MAX_SIZE`."""
    return any(part.lower() not in EMPTY and canonical(part.lower()) not in MEASURES for part in parts)


def is_act(words: Sequence[Word], at: int) -> bool:
    """True for an adverb, and for a verb unless it tells a direction, as reading does."""
    lower = words[at].lower
    base = verb_of(lower) or _ACT_OF.get(stem(lower))
    if base is None:
        return lower.endswith("ly") and len(lower) > 5 and not (words[at].code or words[at].part)
    return base not in _LISTS["directions"] and is_verb(words, at)


def is_verb(words: Sequence[Word], at: int) -> bool:
    """True for the word that is the verb of its clause, by its form and its neighbours."""
    word = words[at]
    lower = word.lower
    base = None if word.code or word.part else verb_of(lower) or _ACT_OF.get(stem(lower))
    inflected = lower == base or lower.endswith(("s", "ed", "ing")) or slots.is_participle(lower)
    if base is None or not inflected or _RE["nominal"].search(lower):
        return False
    before = words[at - 1].lower if at else ""
    behind = words[at + 1].lower if at + 1 < len(words) else ""
    sure = slots.is_surely_verb(base) or base in _LISTS["acts"]
    if slots.is_participle(lower) or lower.endswith("ed"):
        return _is_done(before, sure=sure or behind in PREPOSITIONS)
    if lower.endswith("ing"):
        return before in AUXILIARIES
    if lower != base:
        return _is_finite(before, behind, sure=sure)
    return _is_plain(before, behind, sure=sure) if at else _leads(words, behind, sure=sure)


def _is_done(before: str, *, sure: bool) -> bool:
    """True for a participle behind this word that does not describe a noun."""
    described = before in _LISTS["which"] or not before or before in PREPOSITIONS
    return before in _AROUND_DONE or (sure and not described)


def _leads(words: Sequence[Word], behind: str, *, sure: bool) -> bool:
    """True for the plain form of a verb that begins an order."""
    if behind in DETERMINERS:
        return True
    if any(_finite(each.lower) for each in words[1:]):
        return False  # "refresh tokens live", "release notes are written"
    return sure or behind in PREPOSITIONS


def _finite(lower: str) -> bool:
    sure = slots.is_third_person(lower) and is_surely_act(lower)
    return sure or lower in AUXILIARIES | MODALS | {"live", "expire", "have"}


def is_surely_act(lower: str) -> bool:
    """True for a form of a verb that is hardly ever a noun."""
    base = verb_of(lower) or _ACT_OF.get(stem(lower))
    return base is None or slots.is_surely_verb(base) or base in _LISTS["acts"]


def _is_plain(before: str, behind: str, *, sure: bool) -> bool:
    """True for a plain form between these words that is a verb."""
    if before in _BEFORE_BASE or (sure and before not in _LISTS["which"]):
        return True
    return before.endswith("s") and behind in DETERMINERS | PREPOSITIONS | _LISTS["particles"]


def _is_finite(before: str, behind: str, *, sure: bool) -> bool:
    """True for a form such as `returns` between these words that is a verb."""
    if before in _LISTS["which"] or not before:
        return False
    after_noun = before not in PREPOSITIONS | AUXILIARIES | MODALS and not before.endswith("s")
    return sure or (after_noun and (behind in DETERMINERS | PREPOSITIONS or verb_of(behind) is None))


def tells_state(words: Sequence[Word], at: int) -> bool:
    """True for a word that says how a thing is, and does not stand before a noun to say which one is meant."""
    word, before = words[at].lower, words[at - 1].lower if at else ""
    last = at + 1 == len(words) or words[at + 1].lower in EMPTY | PREPOSITIONS
    if word in _LISTS["opposed_verbs"]:
        return at > 0
    return at > 0 and last and (before in _LISTS["be"] if word in {"on", "off"} else before not in _LISTS["which"])


def stands_before_verb(words: Sequence[Word], at: int) -> bool:
    """True for a word that may belong to the subject: neither the verb nor one that ends what stands before it."""
    word = words[at]
    verb = slots.is_third_person(word.lower) or slots.is_participle(word.lower) or word.lower in AUXILIARIES | MODALS
    ends = verb or word.lower in PREPOSITIONS or word.lower in {"never", "not", "no"} or word.lower[:1].isdigit()
    return word.code or not (ends or is_verb(words, at) or word.lower in _BEFORE_BASE | _LISTS["having"])
