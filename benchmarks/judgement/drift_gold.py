"""Gold of the suite `drift`: an author's change of a docstring, from the two docstrings alone.

Layout, markup, inflection, typing errors and little words are nothing; a word that went or came is.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from enum import StrEnum

from memlsp.beliefs.claims.stems import stem, word_set


class Fate(StrEnum):
    """What the author did to the docstring in the commit that changed the code."""

    LEFT = "left"  # untouched, or touched in layout and spelling alone
    EXTENDED = "extended"  # something was added, nothing taken back
    REWRITTEN = "rewritten"  # something that it said went or is said in another way


_ROLE = re.compile(r":[a-z:]+:(?=`)|[~`*|]|\.\. |::")
_SAYING_NOTHING = word_set("a an the of to in on at is are be this that it its and or for will with by as")
_TYPO = 0.8  # likeness of two spellings of one word


def fate_of(old: str, new: str) -> Fate:
    """What became of a docstring. Layout, markup, inflection, typing errors and little words are nothing."""
    before, after = _words(old), _words(new)
    if before == after:
        return Fate.LEFT
    lost: list[str] = []
    gained: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal" or _is_typing(before[a:b], after[c:d]):
            continue
        lost += before[a:b]
        gained += after[c:d]
    moved = Counter(lost) & Counter(gained)
    lost_in_all, gained_in_all = Counter(lost) - moved, Counter(gained) - moved
    if lost_in_all:
        return Fate.REWRITTEN
    return Fate.EXTENDED if gained_in_all else Fate.LEFT


def _words(text: str) -> list[str]:
    plain = _ROLE.sub("", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    found = re.findall(r"[^\W_]+(?:['_.][^\W_]+)*", plain.lower())
    return [stem(word) for word in found if word not in _SAYING_NOTHING]


def _is_typing(before: list[str], after: list[str]) -> bool:
    """One word for one other that is nearly the same: a typing error put right."""
    if len(before) != len(after) or not before:
        return False
    return all(
        one.isalpha()
        and other.isalpha()
        and min(len(one), len(other)) > 3
        and SequenceMatcher(None, one, other).ratio() >= _TYPO
        for one, other in zip(before, after, strict=True)
    )


# --- sentences

_UNDERLINE = re.compile(r"(?m)^\s*[-=~^]{3,}\s*$")
_SENTENCE_END = re.compile(r"\n\s*\n|(?<=[.!?])\s+(?=[A-Z`:*])|\n(?=\s*(?::|[-*] |\w[\w, *]* ?:))")
_LEAST_WORDS = 4
_NO_SENTENCE = ("..", ">>>")  # directives with versions and links, and examples


def sentences_of(text: str, *, most: int) -> list[str]:
    """The sentences and list entries that say something; of more than `most` those evenly spread over the text."""
    parts = [part.strip() for part in _SENTENCE_END.split(_UNDERLINE.sub("", text))]
    telling = [
        part
        for part in parts
        if len(re.findall(r"[A-Za-z]{2,}", part)) >= _LEAST_WORDS and not part.startswith(_NO_SENTENCE)
    ]
    step = max(1.0, len(telling) / most)
    return [telling[int(k * step)] for k in range(min(most, len(telling)))]


def is_kept(sentence: str, told: str) -> bool:
    """True when the new docstring still has the sentence, word for word."""
    return f" {' '.join(_words(sentence))} " in f" {' '.join(_words(told))} "
