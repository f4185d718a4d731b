"""Reads a statement into facts: what it speaks of as a bag of words, and the values that it gives, each of a kind.

A fact has no grammar: "we deploy to Vercel" and "Vercel is the deployment target" are the same. That is why only kinds
are read whose values exclude each other: amounts, versions, times, places, opposites, and names of one class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from attrs import frozen

from memlsp.beliefs.claims.prose import SETTING
from memlsp.beliefs.claims.quantities import unit_of_name
from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.contradiction import clause_values, clause_words, slots
from memlsp.beliefs.contradiction.clause_values import LIGHT, ClauseValues, Found, Value
from memlsp.beliefs.contradiction.clause_words import MEASURES
from memlsp.beliefs.contradiction.conditions import Conditions, read_conditions
from memlsp.beliefs.contradiction.slot_tokens import LONGEST, plain_text
from memlsp.beliefs.contradiction.slots import AUXILIARIES, MODALS, canonical, concept_of, concepts
from memlsp.code.syntax.names import words as name_words
from memlsp.code.vocabulary import patterns, texts

_RE = patterns(__name__)
POINTING = re.compile(r"^\W*(?:this|it|that|they|these|those)\b|\bhere\W*$", re.IGNORECASE)
_MOST_FACTS = 48
_SWITCH = {"true": "on", "yes": "on", "false": "off", "no": "off"}


@frozen
class Fact:
    """A value that a statement gives to a thing. `core` are the words that name the thing, which have to be the same in
    two statements; `light` are those that one of them may leave out. `about` says what of the thing is measured."""

    text: str
    subject: str  # as it is written
    value: Value
    core: frozenset[str]
    light: frozenset[str]
    nearby: frozenset[frozenset[str]]  # pairs of words of one phrase, of which one says which the other is
    purpose: frozenset[str]  # words behind "for", "of" and the like, which say which of several things is meant
    about: frozenset[str]
    denied: bool
    named: bool  # the value is the name of a class
    role: bool  # a word of the class says what the name is here
    pointing: bool  # "it" and "this": only its place says what is meant
    conditions: Conditions


@lru_cache(maxsize=4096)
def facts_of(text: str) -> tuple[Fact, ...]:
    """The facts of a statement, in its order. Pure; never raises for any text."""
    found: list[Fact] = []
    for clause, replaced, conditions in clauses_of(text):
        found += _of_clause(clause, replaced, conditions)
    return tuple(found[:_MOST_FACTS])


@lru_cache(maxsize=64)
def clauses_of(text: str) -> tuple[tuple[str, str, Conditions], ...]:
    """The clauses of a statement with their conditions; between them "gone" for what was replaced, "passed" for what
    was passed over, "" for what holds."""
    found: list[tuple[str, str, Conditions]] = []
    for sentence in _RE["sentence"].split(_plain(text)):
        reason = _RE["reason"].search(sentence or "")
        main = sentence[: reason.start()] if reason and reason.start() else sentence or ""
        if not main.strip():
            continue
        over = _RE["over"].search(main)
        if over is not None:
            found.append((main[: over.start()], "gone", Conditions()))
            continue
        plain, conditions = read_conditions(main)
        lead = ""
        for clause, replaced in _clauses(plain):
            if _RE["scope"].match(clause) and not replaced:
                lead = f"{lead} {_RE['supposed_not'].sub(' ', clause)}"  # where or when what follows holds
                continue
            found.append((f"{lead} {clause}", replaced, conditions))
            lead = ""
    return tuple(found)


def _plain(text: str) -> str:
    plain = text[:LONGEST].replace("\u2019", "'").replace("``", "`").replace("\0", " ").replace("\x01", " ")
    plain = re.sub(r"`([\w.-]+)=([^`\n]+)`", r"\1=\2", plain)
    plain = re.sub(r"(?<![\w./@-])(\w+)\.(?=\w+=)", r"\1 ", plain)
    plain = SETTING.sub(_spelled_out, plain)
    plain = plain_text(re.sub(r"\s\([^()`]*\)", " ", plain))
    plain = _RE["of_environment"].sub(_in_environment, plain.strip())
    plain = _RE["based_on"].sub(r"\1 upon ", plain)
    return re.sub(r"^(?:In|On|With)\b", lambda found: found[0].lower(), plain.strip())


def _in_environment(found: re.Match[str]) -> str:
    """An environment as the subject, or before another noun, as the place: "staging runs X", "the staging database"."""
    told = found["next"]
    if told is None:
        return f"in {found['inner'] or found['ci']} the "
    doing = told.lower() in AUXILIARIES | MODALS or slots.past_of(told) or slots.is_third_person(told) or told in _PAST
    subject = "there is" if told in {"has", "have"} else f"we {told}" if doing else f"the {told}"
    return f"in {found['env'].split()[-1]} {subject}"


_PAST = word_set("got went sat sits")


def _spelled_out(found: re.Match[str]) -> str:
    """`POOL_SIZE_MB=5` as prose: pool size is 5 MB."""
    parts = [part.lower() for part in name_words(found["name"])]
    value = found["value"].strip("'\"")
    if value.lower() in _SWITCH:
        value, parts = _SWITCH[value.lower()], [part for part in parts if part not in {"enable", "enabled"}]
    unit = parts.pop() if len(parts) > 1 and value.isdigit() and unit_of_name(found["name"]) is not None else ""
    spoken = " ".join(parts) if clause_words.is_telling(parts) else f"`{found['name']}`"
    return f" {spoken} is {value} {unit}".rstrip()


def _clauses(sentence: str) -> Iterator[tuple[str, str]]:
    """The clauses and whether each is of what was replaced or passed over. What was before is left out."""
    for part in _RE["clause"].split(sentence):
        if not part or not part.strip(" .,!?"):
            continue
        moved = _RE["moved"].search(part)
        if moved is not None:
            yield f"{part[: moved.start()]} {moved['new'] or moved['by'] or moved['later'] or ''}", ""
            yield f"{part[: moved.start()]} {moved['old'] or moved['gone'] or moved['former'] or ''}", "gone"
        elif (out := _RE["out"].match(part)) is not None:
            yield out["what"], "gone"
        elif not _RE["past"].search(part):
            instead = _RE["instead"].search(part)
            yield part[: instead.start()] if instead else part, ""
            if instead:
                yield part[instead.end() :], "passed"


def _of_clause(clause: str, replaced: str, conditions: Conditions) -> Iterator[Fact]:
    values = ClauseValues(clause)
    in_code = {canonical(word.lower) for word in values.words if word.code}
    for found in values.found:
        value, role = found.value, values.chosen or not values.said.isdisjoint(found.words)
        denied = bool(replaced) or values.denies(found)
        if denied is None or (value.needs_role and not role):
            continue
        core = _core(values, found)
        light = core & (LIGHT - in_code | clause_values.LIGHT_NAMES)
        bounded = value.lacks or (value.amount is not None and value.amount.bound != "")
        yield Fact(
            clause.strip(" .,"),
            values.subject,
            value,
            core - light,
            light | values.frequencies,
            values.phrases,
            values.purpose,
            values.about if value.is_measured else frozenset(),
            denied and not bounded,
            found.start >= 0,
            role,
            bool(POINTING.search(clause)) and found.start < 0 and not value.version,
            conditions,
        )


def _core(values: ClauseValues, found: Found) -> frozenset[str]:
    """The words that name the thing of which a value is told."""
    value, named = found.value, found.start >= 0
    bag = {canonical(word.lower) for word in values.words if not (named and values.is_adjunct(word))}
    dropped = found.words.union(map(canonical, found.words), MEASURES if value.is_measured else ())
    core = frozenset(bag) - dropped | values.names_beside(found)
    timed = value.amount is not None and value.amount.measures == "time" and not values.about and not named
    if timed or value.kind.startswith("policy"):
        return core  # what takes 30 s, and who may do what, is told by the verb
    by_name = named or bool(value.version)
    acts = (word.lower for word in values.words if values.is_act(word))
    said = core - {canonical(lower) for lower in acts if by_name or clause_words.is_surely_act(lower)}
    return said if said - LIGHT or by_name else core


def may_answer_one_question(one: str, other: str) -> bool:
    """False for two texts of which one gives times or amounts alone and the other nothing of the sort: a day, and a
    place."""
    return bool(_sorts(one) & _sorts(other))


def _sorts(text: str) -> set[str]:
    """The sorts of the values in a text: when, how many, and everything else."""
    found = {_SORTS.get(each.value.kind.partition(" ")[0], "what") for each in facts_of(text)} or {"what"}
    if found == {"what"} and tells_time({concept_of(word)[0] for word in text.lower().split()}):
        return {"when"}
    return found


_SORTS = {"clock": "when", "weekday": "when", "month": "when", "date": "when", "amount": "amount", "rate": "amount"}


def tells_time(said: AbstractSet[str]) -> bool:
    """True for concepts of which one is a day, a month, or a part of the day or the year."""
    return not said.isdisjoint(concepts(texts(__name__)["times"]))
