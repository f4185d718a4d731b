"""Decides whether a belief bears on a prompt: from the words that both have, how rare they are, and how much of the
belief they are.

The score is a linear model of a few counted features; `benchmarks/injection` measures it and
`benchmarks/injection/train.py` fits such weights. Silence is the normal answer, so a belief needs evidence of more than
one common word.
"""

from __future__ import annotations

import os
from math import log

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memlsp.store.tables.hook_beliefs import HookBelief, Words

BINDING = frozenset({"rule", "gotcha", "procedure", "decision"})
"""Kinds of which one is told sooner than a fact."""

FEW = 30
"""A store of fewer beliefs is taken for one of so many: there every word is rare."""

_NOT_ALONE = frozenset({"now", "instead", "split", "jetzt", "ahora", "maintenant"})
_STATING = frozenset({"is", "are", "go", "goes", "run", "runs", "lives", "called", "can", "use"})

MOST_WORDS = 40
"""Different words of a prompt that are looked up, the first."""


class WordLists:
    """The word lists of this room. `stop` are stems and words that say nothing, `common` stems that stand in prompts of
    any project, `related` gives each stem the number of its group of related words. `asking` begin a question, `slight`
    are the verbs of small edits, `moving` those of what is elsewhere or otherwise now. `stemmed` splits a text into
    words with their stems."""

    def __init__(self, stemmed: Callable[[str], Words]) -> None:
        sections: dict[str, list[str]] = {}
        name = ""
        with open(os.path.join(os.path.dirname(__file__), "words.txt"), encoding="utf-8") as file:
            for line in file:
                if line[0] == "[":
                    name = line.strip("[]\n")
                elif line[0] != "#":
                    sections.setdefault(name, []).append(line)
        self.stop = frozenset(each for pair in stemmed(" ".join(sections["stop"])) for each in pair)
        self.common = frozenset(stem for _, stem in stemmed(" ".join(sections["common"])))
        self.asking = frozenset(" ".join(sections["asking"]).split())
        self.slight = frozenset(" ".join(sections["slight"]).split())
        self.moving = frozenset(" ".join(sections["moving"]).split())
        self.related: dict[str, int] = {}
        for number, line in enumerate(sections["related"]):
            for _, stem in stemmed(line):
                self.related.setdefault(stem, number)

    def is_telling(self, word: str, stem: str) -> bool:
        """True for a word that may say what a text is about."""
        return stem not in self.stop and word not in self.stop and (len(stem) > 1 or stem.isdigit())

    def weight(self, stem: str) -> float:
        """How much a stem counts: little where it stands in prompts of any project."""
        return 0.35 if stem in self.common else 1.0


class Prompt:
    """The words of a prompt that may say what it is about: each stem once, with the word that the index knows."""

    def __init__(self, text: str, words: Words, lists: WordLists) -> None:
        self.stems: dict[str, str] = {}
        for word, stem in words:
            if lists.is_telling(word, stem):
                self.stems.setdefault(stem, word)
                if len(self.stems) >= MOST_WORDS:
                    break
        first = [word for word, _ in words[:6]]
        self.asks = first[:1] != [] and (first[0] in lists.asking or text.rstrip().endswith("?"))
        self.slight = not lists.slight.isdisjoint(first)
        self.names, self.every = names_in(text)
        # what a prompt says to be otherwise now is not to be told as it was
        self.corrects = bool(
            (lists.moving & self.every) - _NOT_ALONE or ("now" in self.every and not _STATING.isdisjoint(self.every))
        )
        self.related = {lists.related[stem] for stem in self.stems if stem in lists.related}


def names_in(text: str) -> tuple[set[str], set[str]]:
    """The words of a text in lower case: those that are written like names of code, files, versions and products, and
    all of them."""
    names: set[str] = set()
    every: set[str] = set()
    begins = True
    for word in text.split():
        bare = word.strip("\"'`.,;:!?()[]{}<>*")
        every.add(bare.lower())
        if len(bare) > 2 and (
            (bare[0].isupper() and not begins)
            or (bare[1:] != bare[1:].lower() and not bare.isupper())
            or (not bare.isalpha() and ("'" not in bare or word.startswith((".", "--", "`"))))
        ):
            names.add(bare.lower())
        begins = word.endswith((".", "!", "?", ":"))
    return names, every


def features(
    prompt: Prompt, belief: HookBelief, words: Words, rarity: Callable[[str], float], lists: WordLists
) -> tuple[float, ...]:
    """The features of a prompt and a belief, whose text has these words, in the order of `NAMES`."""
    weights = {stem: lists.weight(stem) * rarity(stem) for word, stem in words if lists.is_telling(word, stem)}
    shared = [stem for stem in weights if stem in prompt.stems]
    others = weights.keys() - prompt.stems.keys()
    related = {lists.related[stem] for stem in others if stem in lists.related} & prompt.related
    own = sum(weights.values()) or 1.0
    mass = sum(weights[stem] for stem in shared)
    rare = [stem for stem in shared if stem not in lists.common]
    named, every = names_in(belief.text)
    names = (named & prompt.every) | (prompt.names & every)
    prompt_mass = sum(map(lists.weight, prompt.stems)) or 1.0
    shared_mass = sum(map(lists.weight, shared))
    return (
        1.0,
        min(mass, 4.0),
        mass / own,
        shared_mass / prompt_mass,
        float(min(len(rare), 4)),
        float(len(rare) >= 2),
        max((weights[stem] for stem in shared), default=0.0),
        float(min(len(related), 3)),
        float(bool(related and rare)),
        float(min(len(names), 2)),
        float(bool(shared)),
        float(prompt.asks),
        float(prompt.slight),
        float(belief.kind in BINDING),
        float(belief.kind == "preference"),
        float(bool(names) and not lists.moving.isdisjoint(every)),
    )


NAMES = (
    *("bias", "mass", "share of the belief", "share of the prompt", "rare words", "two rare words"),
    *("rarest", "related words", "related and rare", "shared names", "any"),
    *("question", "small edit", "binding", "preference", "moved and named"),
)

_RARE_WORDS = NAMES.index("rare words")
_SHARED_NAMES = NAMES.index("shared names")

WEIGHTS = (-5.88, 2.13, 10.49, 2.51, -1.62, 0.27, 0.62, 1.82, -1.23, 0.66, 0.36, -1.51, -2.07, 1.50, 0.26, 1.40)

MARK = -0.2
"""The score from which a belief of a small store is told."""

_STEEPER, _STEEPEST = 0.3, 0.8
"""By how much the mark rises with the logarithm of the store's size, and at most: among more beliefs, more share words
by chance."""


def score(found: Sequence[float]) -> float:
    """The score of features. Words that stand in prompts of any project are no evidence alone."""
    if not found[_RARE_WORDS] and not found[_SHARED_NAMES]:
        return -9.0
    return sum(weight * value for weight, value in zip(WEIGHTS, found, strict=True))


def mark(total: int) -> float:
    """The score from which a belief of a store with about `total` beliefs is told."""
    return MARK + min(_STEEPEST, _STEEPER * log(max(total, FEW) / FEW))


def rarity(beliefs: int, total: int) -> float:
    """From 1 for a word of one belief towards 0 for a word of all of `total`, where a few say little."""
    whole = max(total, FEW)
    return log(1 + whole / max(beliefs, 1)) / log(1 + whole)
