"""Splits a statement into sentences and clauses, with their conditions and alternatives, and reads them into slots."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from attrs import evolve

from memlsp.beliefs.claims.prose import SETTING
from memlsp.beliefs.contradiction.conditions import read_conditions
from memlsp.beliefs.contradiction.slot_clauses import plain_parts, slot_of
from memlsp.beliefs.contradiction.slot_tokens import LONGEST, plain_text, tokens_of
from memlsp.beliefs.contradiction.slots import Phrase, Slot, concept_of, running_of
from memlsp.code.vocabulary import patterns

_RE = patterns(__name__)
_MOST_SLOTS = 64


@lru_cache(maxsize=4096)
def slots_of(text: str) -> tuple[Slot, ...]:
    """The slots of a statement, in its order. Never raises."""
    plain = text[:LONGEST].replace("\u2019", "'").replace("\0", " ").replace("``", "`")
    plain = re.sub(r"[\x00-\x09\x0b-\x1f]|[^\S\n]+", " ", plain)  # long runs of space cost more than they say
    plain = re.sub(r"`([\w.-]+)=([^`\n]+)`", r"`\1` is \2", plain)
    plain = SETTING.sub(lambda found: f"`{found['name']}` is {found['value']}", plain)
    plain = re.sub(r"`(\d[\w.%]*)`", r"\1", plain)
    reverted = reverted_text(plain)
    if reverted is not None:
        return tuple(evolve(slot, affirms=not slot.affirms) for slot in slots_of(reverted))
    plain = _RE["aside"].sub(" ", plain_text(plain))
    try:
        found = (slot for sentence in _sentences(plain) for slot in _of_sentence(sentence))
        return tuple(islice(found, _MOST_SLOTS))
    except (ValueError, LookupError, ArithmeticError, RecursionError):
        return ()  # a text that nobody meant to be read; what was remembered is kept whatever is found in it


def reverted_text(text: str) -> str | None:
    """The quoted text of a statement `Revert "..."`, else None."""
    found = _RE["revert"].match(text)
    return found["what"] if found else None


def _supposed_within(clause: str) -> tuple[str, list[Phrase]]:
    """The clause up to its supposition ("if", "when"), and the supposition as a phrase."""
    found = _RE["within"].search(clause)
    if found is None or not clause[: found.start()].strip():
        return clause, []
    terms = sorted({term for part in _plain_parts_of(clause[found.start() :]) for term in part.terms})
    return clause[: found.start()], [Phrase("when", tuple(terms))] if terms else []


def _plain_parts_of(clause: str) -> list[Phrase]:
    return plain_parts(tokens_of(_RE["supposed"].sub("", clause)))


def _sentences(text: str) -> Iterator[str]:
    for sentence in _RE["sentence"].split(text):
        if sentence and sentence.strip() and not sentence.rstrip().endswith(":"):
            yield sentence.strip()


def _of_sentence(sentence: str) -> Iterator[Slot]:
    reason = _RE["reason"].search(sentence)
    if reason is not None and reason.start() > 0:
        sentence = sentence[: reason.start()]
    plain, conditions = read_conditions(sentence)
    pending: list[Phrase] = []
    last: Slot | None = None
    for clause in _RE["clause"].split(plain):
        if not clause.strip(" .!?,"):
            continue
        if _RE["supposed"].match(clause):  # what is said behind it holds only then
            terms = frozenset(term for part in _plain_parts_of(clause) for term in part.terms)
            pending.append(Phrase("when", tuple(sorted(terms))))
            continue
        main, then = _supposed_within(clause)
        found = [evolve(slot, parts=(*slot.parts, *then)) for slot in _of_clause(main)]
        if not found:
            if last is None:
                pending += plain_parts(tokens_of(clause))
            continue
        for slot in found:
            whole = evolve(slot, parts=(*slot.parts, *pending), conditions=conditions)
            last = whole
            yield from _alternatives(whole)
        pending = []


def _of_clause(clause: str) -> Iterator[Slot]:
    """The slots of one clause: two for "this instead of that"."""
    order = _as_order(_RE["relative"].sub(r"\g<how> \g<what>", clause))
    if order != clause:
        yield from (evolve(slot, text=clause.strip(" .")) for slot in _of_clause(order))
        return
    moved = _RE["from_to"].search(clause) or _RE["replaced"].search(clause) or _RE["replaces"].search(clause)
    if moved is not None:
        yield _use(moved["new"], clause, affirms=True)
        yield _use(moved["old"], clause, affirms=False)
        return
    left = _RE["left"].search(clause)
    told = left is not None and re.match(r"\s*(?:we|they|i|the project)\b", clause, re.IGNORECASE)
    left = left if told else _RE["drops"].match(clause)
    if left is not None:
        yield _use(left["old"], clause, affirms=False)
        return
    instead = _RE["instead"].search(clause)
    if instead is not None:
        slot = slot_of(clause[: instead.start()])
        if slot is not None:
            told = tuple(_plain_parts_of(clause[instead.end() :])[1:])  # for what, of both
            yield evolve(slot, parts=(*slot.parts, *told))
            yield from _denied(slot, clause[instead.end() :], clause)
            return
    slot = slot_of(clause)
    if slot is not None:
        yield slot


def _alternatives(slot: Slot) -> Iterator[Slot]:
    """The slot, or one for each alternative where it rules out several with "or"."""
    yield slot
    chosen = next((part for part in slot.parts if part.choices), None)
    if slot.affirms or chosen is None:
        return
    for terms in chosen.choices:
        parts = (evolve(part, terms=terms, choices=()) if part is chosen else part for part in slot.parts)
        yield from _alternatives(evolve(slot, parts=tuple(part for part in parts if part.terms)))


def _as_order(clause: str) -> str:
    """What is allowed or forbidden, as an order: "amending is fine" is "amend", "no mocks" is "never use mocks"."""
    told = _RE["allowed"].match(clause) or _RE["no_such"].match(clause)
    if told is None:
        return clause
    what, parts = told["what"].strip(), told.groupdict()
    behind = _RE["without"].split(parts.get("rest") or "")[0]
    rest = re.sub(r"\bafter\b", "once", behind)  # a condition, and no order of two acts
    first, _, behind = what.partition(" ")
    head, dash, last = first.rpartition("-")
    doing = running_of(last.lower())
    act = f"{head}{dash}{doing.removesuffix('ing')} {behind}" if doing else f"use {what}"
    return f"{'always' if parts.get('yes') and not parts['no'] else 'never'} {act} {rest}"


def _use(what: str, clause: str, *, affirms: bool) -> Slot:
    parts = plain_parts(tokens_of(what))
    return Slot(clause.strip(" ."), Phrase("", ()), concept_of("use")[0], tuple(parts), affirms=affirms)


def _denied(slot: Slot, rest: str, clause: str) -> Iterator[Slot]:
    """The slot of the rejected alternative: the same clause with another object and the opposite sense."""
    parts = plain_parts(tokens_of(rest))
    if not parts:
        return
    taken = next((part.link for part in slot.parts if part.link in {"", "with"}), "")
    given = {"", "with", *(part.link for part in parts[1:])}
    theirs = [part for part in slot.parts if part.link not in given]
    first = evolve(parts[0], link=taken)
    yield evolve(slot, text=clause.strip(), parts=(first, *parts[1:], *theirs), affirms=not slot.affirms)
