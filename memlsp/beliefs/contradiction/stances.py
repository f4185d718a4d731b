"""Reads a clause as a stance: what it speaks of as a bag of concepts, and whether it affirms, denies, allows or forbids
it. Two stances on the same thing exclude each other, however the sentences are built.

A stance has no grammar: "no direct commits to main" and "committing straight to main is fine" have one bag and two
senses. Words that only one of them has make its thing a special one, which a general rule covers and another thing
does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from attrs import evolve, frozen

from memlsp.beliefs.contradiction.clause_values import BE, EMPTY, LIGHT, VAGUE, is_surely_act, is_verb, spaces, words_of
from memlsp.beliefs.contradiction.conditions import Conditions, apart, is_exception
from memlsp.beliefs.contradiction.facts import POINTING, clauses_of
from memlsp.beliefs.contradiction.slots import MODALS, OPPOSED, PREPOSITIONS, TELLING_LINKS, concept_of
from memlsp.beliefs.name_classes import Word, is_class_name
from memlsp.beliefs.vocabulary import patterns, word_sets

_RE = patterns(__name__)
_WORDS = word_sets(__name__)
_IDLE = EMPTY - _WORDS["telling"]
_RULING = MODALS | _WORDS["allowing"] | _WORDS["banning"]
_SAYING_NOTHING = _IDLE | PREPOSITIONS | _WORDS["hedges"] | _WORDS["all"] | _WORDS["some"]
_NOTHING = frozenset[str]()
_MOST = 32
_MOST_MORE = 3
"""Words that a permission may add to what a ban names."""

_LINK = "\x03"  # in front of a preposition that parts two statements


@frozen
class Stance:
    """The sense of a clause on a bag of concepts. `ruling` is True for an order, a ban or a permission; `partial` for
    one that speaks of some; `lead` are the concepts before the verb, of whom "only" may speak."""

    text: str
    subject: str  # as it is written
    said: frozenset[str]
    affirms: bool
    ruling: bool
    universal: bool
    sweeping: bool  # it says of its subject that it is always so, or of all of them
    partial: bool
    only: bool
    lead: frozenset[str]
    act: tuple[str, ...]  # its verb, and the two concepts behind it
    poles: frozenset[str]  # concepts that have an opposite
    mere: frozenset[str]  # verbs that tell nothing beside an opposite
    nearby: frozenset[frozenset[str]]  # pairs of words that stand side by side and are no verb
    pointing: bool
    gone: bool  # it speaks of what was replaced
    conditions: Conditions


@lru_cache(maxsize=4096)
def stances_of(text: str) -> tuple[Stance, ...]:
    """The stances of a statement, in its order. Pure; never raises for any text."""
    found: list[Stance] = []
    for clause, replaced, conditions in clauses_of(text):
        if "?" in clause or replaced == "passed" or _RE["unclear"].search(clause):
            continue
        stance = _StanceReader(clause).stance(conditions, gone=bool(replaced))
        if stance is not None:
            found.append(stance)
    return tuple(found[:_MOST])


class _StanceReader:
    """Reads one clause word by word."""

    def __init__(self, clause: str) -> None:
        self._words = [part for word in words_of(_RE["idle"].sub(spaces, clause)) for part in _parts(word)]
        self._clause = clause
        self._verb = 0
        self._beside: Word | None = None
        self._start = self._led = self._end = 0
        self.said: list[str] = []
        self.lead: frozenset[str] = _NOTHING
        self.poles: set[str] = set()
        self.mere: set[str] = set()
        self.nearby: set[frozenset[str]] = set()
        self.turns = 0
        self.ruling = any(_RE[name].search(clause) for name in ("order", "lacking"))
        for at, word in enumerate(self._words):
            if word.code:
                self._say(word, word.lower)
            elif not self._rules(at, word.lower) and word.lower not in _SAYING_NOTHING:
                self._read(at, word)

    def stance(self, conditions: Conditions, *, gone: bool) -> Stance | None:
        """The stance of the clause; None where it says nothing."""
        if not self.said:
            return None
        spoken = frozenset(word.lower for word in self._words)
        return Stance(
            self._clause.strip(" .,"),
            self._clause[self._start : self._led or self._end].strip(" `"),
            frozenset(self.said),
            (self.turns + gone) % 2 == 0,
            self.ruling or gone,
            conditions.universal or not spoken.isdisjoint(_WORDS["all"]),
            _RE["sweeping"].search(self._clause) is not None,
            not spoken.isdisjoint(_WORDS["some"]) or _RE["partly"].search(self._clause) is not None,
            _RE["only"].search(self._clause) is not None,
            self.lead,
            tuple(self.said[self._verb - 1 : self._verb + 2]) if self._verb else (),
            frozenset(self.poles),
            frozenset(self.mere),
            frozenset(self.nearby),
            POINTING.search(self._clause) is not None,
            gone,
            conditions,
        )

    def _rules(self, at: int, lower: str) -> bool:
        """Take a word that denies, allows, forbids or demands; False for any other."""
        denies = lower in _WORDS["denials"] or lower.endswith("n't")
        self.turns += denies
        verb = lower.removesuffix("n't")
        if denies or verb in _RULING:
            self._lead()
        if verb in _RULING:
            self.ruling = True
            self.turns += verb in _WORDS["banning"]
        elif lower in _WORDS["needing"] or (lower == "without" and not self._verb):
            self.said.append("required")
        elif lower in {"on", "off"} and self._is_switch(at):
            self.ruling = True
            self.turns += lower == "off"
        elif lower in TELLING_LINKS:
            self.said.append(f"{_LINK}{lower}")
        else:
            return denies
        return True

    def _is_switch(self, at: int) -> bool:
        behind = self._words[at + 1].lower if at + 1 < len(self._words) else ""
        return at > 0 and self._words[at - 1].lower in BE and behind in _IDLE | {""}

    def _read(self, at: int, word: Word) -> None:
        concept, sign = concept_of(word.lower)
        verb = is_verb(self._words, at)
        if concept == "enabled":
            self.ruling = True
        elif word.lower in OPPOSED and not verb and self._tells_which(at):
            self._say(word, word.lower)
            return
        elif word.lower in OPPOSED:
            self.poles.add(concept)
        elif verb and is_surely_act(word.lower):
            self.mere.add(concept)
        self.turns += not sign
        if verb:
            self._lead()
            self._verb = self._verb or len(self.said) + 1
            self._beside = None
        if concept != "enabled":
            self._say(word, concept, verb=verb)

    def _tells_which(self, at: int) -> bool:
        """True for an opposite in front of a noun, which says which thing is meant: "dynamic widths"."""
        if at + 1 == len(self._words):
            return False
        behind = self._words[at + 1]
        noun = behind.lower not in _SAYING_NOTHING and not is_verb(self._words, at + 1)
        return noun and behind.start - self._words[at].end == 1

    def _say(self, word: Word, concept: str, *, verb: bool = False) -> None:
        if not verb:
            if self._beside is not None and word.start - self._beside.end <= 1:
                self.nearby.add(frozenset((self.said[-1], concept)))
            self._beside = word
        self._start = self._start if self.said else word.start
        self._end = word.end
        self.said.append(concept)

    def _lead(self) -> None:
        """What was said so far stands before the verb."""
        if not self.lead and self.said:
            self.lead, self._led = frozenset(self.said), self._end


def _parts(word: Word) -> tuple[Word, ...]:
    """The words of a compound that says how something is: "case-insensitive"."""
    head, dash, last = word.lower.rpartition("-")
    if not dash or word.code or last not in OPPOSED or head == "non":
        return (evolve(word, lower=word.lower[:-1]),) if re.fullmatch(r"\d+s", word.lower) else (word,)
    return evolve(word, lower=head), evolve(word, lower=last)


def opposed(
    one: Sequence[Stance], other: Sequence[Stance], *, special: bool, same_place: bool
) -> tuple[Stance, Stance] | None:
    """The first two stances that exclude each other. With `special` one statement speaks of a part of what the other
    speaks of; only with `same_place` is "it" the same in both."""
    for a in one:
        for b in other:
            if apart(a.conditions, b.conditions) or ((a.pointing or b.pointing) and not same_place):
                continue
            if a.affirms != b.affirms:
                negative, positive = (b, a) if a.affirms else (a, b)
                if _excludes(negative, positive, special=special):
                    return a, b
            elif a.only is not b.only and a.affirms and not is_exception(a.conditions, b.conditions, special=special):
                sole, free = (a, b) if a.only else (b, a)
                if _reserved(sole, free):
                    return a, b
    return None


def _excludes(negative: Stance, positive: Stance, *, special: bool) -> bool:
    if not _may_meet(negative, positive) or (special and not (negative.universal or negative.ruling)):
        return False
    denied, done = negative.said - VAGUE or negative.said, positive.said - VAGUE or positive.said
    if negative.poles & positive.poles:  # what is told is the opposite, whatever the verb is
        denied, done = _bare(denied - negative.mere), _bare(done - positive.mere)
    elif any(each[0] == _LINK for each in denied ^ done):
        return False
    if denied == done:
        return len(denied) > 1 or (not denied <= LIGHT and (negative.ruling or positive.ruling))
    if denied < done:
        return _covers(negative, positive, denied, done - denied)
    return done < denied and len(done) > 1 and positive.sweeping and len(denied - done) == 1


def _may_meet(negative: Stance, positive: Stance) -> bool:
    """False where one speaks of some, and the other not of all, or where one is for a part of the places."""
    if negative.partial and (positive.partial or not positive.universal):
        return False
    if positive.partial and not negative.universal:
        return False
    return not (negative.only or positive.only or is_exception(negative.conditions, positive.conditions))


def _covers(negative: Stance, positive: Stance, denied: frozenset[str], more: frozenset[str]) -> bool:
    """True when what is denied covers a thing of which the other statement says `more` words."""
    behind = positive.act[1:]
    if negative.act[:1] == positive.act[:1] and behind and denied.isdisjoint(behind):
        return False  # "never edit generated files", and "edit the templates of generated files"
    if negative.gone:
        return _is_name(denied) and positive.said.isdisjoint(_WORDS["former"])
    if negative.ruling and positive.ruling:
        return len(more) <= _MOST_MORE
    if len(denied) < 2 or negative.universal:
        return len(denied) > 1
    return len(more) == 1 and not any(more & pair and pair & denied for pair in positive.nearby)


def _bare(said: frozenset[str]) -> frozenset[str]:
    return frozenset(each for each in said if each[0] != _LINK)


def _is_name(said: frozenset[str]) -> bool:
    """True for one name, of a class or of something in the code."""
    return len(said) == 1 and all(is_class_name(each) or not each.isalpha() for each in said)


def _reserved(sole: Stance, free: Stance) -> bool:
    """True when one reserves an act for one subject and the other lets another subject do it."""
    act = sole.said - sole.lead
    others = free.said - free.lead
    told = act == others if len(act) > 1 else free.universal and bool(act) and act <= others
    return bool(sole.lead) and told and not sole.lead & free.lead and (bool(free.lead) or free.universal)
