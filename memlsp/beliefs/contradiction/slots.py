"""Slots: the typed content of a clause, with its subject, verb, sense and conditions; and their vocabulary.

A word that says the opposite of another is the same concept with a minus: `disabled` is `enabled` with a minus. So "X
is disabled" and "X is not enabled" come out the same. Pairs that mostly name two things side by side (minimum and
maximum, client and server) are no opposites here.
"""

from __future__ import annotations

from functools import cache, lru_cache

from attrs import field, frozen

from memlsp.beliefs.claims.stems import forms, stem, word_set
from memlsp.beliefs.contradiction.conditions import Conditions
from memlsp.code.vocabulary import texts

_TEXTS = texts(__name__)


@cache
def _signed() -> dict[str, tuple[str, bool]]:
    table: dict[str, tuple[str, bool]] = {}
    for line in _TEXTS["pairs"].strip().splitlines():
        plus, _, minus = line.partition("|")
        concept = plus.split()[0]
        for words, sign in ((plus, True), (minus, False)):
            table.update((word, (concept, sign)) for word in words.split())
    return table


OPPOSED = frozenset(word for line in _TEXTS["pairs"].strip().splitlines() for word in line.split() if word != "|")
"""The words that have an opposite, and their opposites."""


@lru_cache(maxsize=16384)
def concept_of(word: str) -> tuple[str, bool]:
    """The concept that a lower-case word names, and False when it names the opposite or absence of it. `optional` is
    ("required", False), `non-blocking` is ("blocking", False), `retries` is ("retri", True)."""
    table = _signed()
    if word in table:
        return table[word]
    head, dash, last = word.rpartition("-")
    if dash and head == "non":
        concept, sign = concept_of(last)
        return concept, not sign
    if dash and last in table:
        concept, sign = table[last]
        return f"{canonical(head)}-{concept}", sign
    positive = word[2:] if word.startswith("un") and word.endswith("ed") and len(word) > 6 else ""
    return canonical(positive or word), not positive


@lru_cache(maxsize=16384)
def canonical(word: str) -> str:
    """One stem for a lower-case word and its synonyms here."""
    known = _SAME.get(word)
    return known if known is not None else min(forms(word), key=lambda each: (len(each), each))


_SAME = {word: group.split()[0] for group in _TEXTS["same_groups"].strip().splitlines() for word in group.split()}


def _variants(name: str) -> dict[str, str]:
    """The words of a list `plain:variant,variant`, by their variants."""
    pairs = (entry.partition(":") for entry in _TEXTS[name].split())
    return {variant: plain for plain, _, variants in pairs for variant in variants.split(",")}


DETERMINERS = word_set(_TEXTS["determiners"])
FILLERS = word_set(_TEXTS["fillers"])
AUXILIARIES = word_set(_TEXTS["auxiliaries"])
MODALS = word_set(_TEXTS["modals"])
DO = word_set(_TEXTS["do"])
PRONOUNS = word_set(_TEXTS["pronouns"])
PREPOSITIONS = word_set(_TEXTS["prepositions"])
LINKS = _variants("links")
"""Prepositions that stand for one another here."""

TELLING_LINKS = word_set(_TEXTS["telling_links"])
"""Prepositions that part two statements by themselves."""

_IRREGULAR = _variants("pasts")
_BASES = word_set(_TEXTS["verbs"])
_FINITE = _BASES - word_set(_TEXTS["mostly_nouns"])


USING, NEUTRAL = _TEXTS["using"], _TEXTS["neutral"]
"""Verbs whose object is a means, and that tell nothing beside their object."""


@cache
def concepts(words: str) -> frozenset[str]:
    """The concepts of words, separated by space, as slots have them."""
    return frozenset(concept_of(word)[0] for word in words.split())


@cache
def _base_of_stem() -> dict[str, str]:
    return {stem(verb): verb for verb in _TEXTS["verbs"].split()}


@lru_cache(maxsize=8192)
def verb_of(word: str) -> str | None:
    """The plain form of a verb in any of its forms, None for a word that is no listed verb."""
    base = _IRREGULAR.get(word)
    if base is not None:
        return base
    return word if word in _BASES else _base_of_stem().get(stem(word))


def is_base(word: str) -> bool:
    """True for the plain form of a listed verb, as in an order."""
    return word in _BASES


def is_third_person(word: str) -> bool:
    """True for a form such as `returns`."""
    return word.endswith("s") and not word.endswith("ss") and verb_of(word) is not None


def is_participle(word: str) -> bool:
    """True for `stored` and `written`."""
    return (word.endswith("ed") and verb_of(word) is not None) or word in _IRREGULAR or word in _UNCHANGED


_UNCHANGED = word_set("read put set run cut shut split")


def past_of(word: str) -> str | None:
    """The verb of a past form, also of unlisted verbs; None for other words."""
    if word in _IRREGULAR or word in _UNCHANGED:
        return verb_of(word)
    return (verb_of(word) or word) if word.endswith("ed") and len(word) > 3 else None


def running_of(word: str) -> str | None:
    """The verb of a form in -ing after `be`, also of unlisted verbs; None for other words."""
    return (verb_of(word) or word) if word.endswith("ing") and len(word) > 4 else None


def is_surely_verb(word: str) -> bool:
    """True for a plain form that is hardly ever a noun."""
    return word in _FINITE


@frozen
class Phrase:
    """A stretch of a clause after a preposition (`link`, "" for none): its terms in order. `named` words name one thing
    (an identifier, a capital) and do not describe it."""

    link: str
    terms: tuple[str, ...]
    named: bool = False
    listed: bool = False  # several things, with "and"
    names: tuple[str, ...] = ()  # those of the terms that are names of code
    choices: tuple[tuple[str, ...], ...] = ()  # the terms by alternative, where it has an "or"
    text: str = ""

    @property
    def all(self) -> frozenset[str]:
        """The terms as a set."""
        return frozenset(self.terms)

    @property
    def head(self) -> str:
        """The term that the others describe: the last."""
        return self.terms[-1] if self.terms else ""


@frozen
class Slot:
    """The content of one clause. `affirms` is False for a denial, where each opposite word turns it once; `orders` for
    a demand (do, never do); `partial` for "not every", which denies nothing else."""

    text: str
    subject: Phrase
    verb: str
    parts: tuple[Phrase, ...]
    affirms: bool = True
    orders: bool = False
    partial: bool = False
    pointing: bool = False  # its subject is "this" or "it", and only its place says what that is
    conditions: Conditions = field(factory=Conditions)
    sequence: tuple[frozenset[str], frozenset[str]] | None = None  # what comes first and second, of "before"

    @property
    def terms(self) -> frozenset[str]:
        """All terms, with the verb unless it tells nothing by itself."""
        found = set(self.subject.terms)
        for part in self.parts:
            found.update(part.terms)
        if self.verb and self.verb not in concepts(NEUTRAL):
            found.add(self.verb)
        return frozenset(found)

    @property
    def heads(self) -> frozenset[str]:
        """The last term of each part and of the subject."""
        return frozenset(part.head for part in (self.subject, *self.parts) if part.terms)

    @property
    def used(self) -> tuple[Phrase, ...]:
        """The phrases that name a means: "use X", "depend on X", "deploy with X", "the database is X"."""
        links = {"with"}
        if self.verb in concepts("depend rely"):
            links = {"", "in", "with"}
        elif self.verb in concepts(USING) or self.verb == "be":
            links = {"", "with"}
        return tuple(part for part in self.parts if part.link in links and part.terms)
