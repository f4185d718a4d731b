"""Reads one clause into a slot: counts its denials, finds the verb, separates its phrases.

The words before the verb are the subject, those after it are phrases, each led by a preposition or by none. A misread
clause mostly has terms that no other clause has, and so contradicts nothing.
"""

from __future__ import annotations

import re

from attrs import evolve

from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.contradiction.slot_tokens import Token, tokens_of
from memlsp.beliefs.contradiction.slot_verbs import ORDERED, find_verb
from memlsp.beliefs.contradiction.slots import (
    AUXILIARIES,
    DO,
    FILLERS,
    LINKS,
    NEUTRAL,
    OPPOSED,
    PREPOSITIONS,
    TELLING_LINKS,
    Phrase,
    Slot,
    concept_of,
    concepts,
    verb_of,
)
from memlsp.beliefs.vocabulary import patterns

_NOT = word_set("not never cannot no neither nor without avoid avoids avoiding lacks lack")
_RE = patterns(__name__)
_FORGET = re.compile(r"\b(?:do not|don't|never|not)\s+(?:ever\s+)?(?:forget|fail|neglect|omit)\s+to\s+", re.IGNORECASE)
_PARTLY = re.compile(r"\bnot\s+(?:all|every|each|always|only|necessarily|just)\b|\bonly\b", re.IGNORECASE)


def slot_of(clause: str) -> Slot | None:
    """The slot of a clause, None where it has no verb."""
    denials, orders = 0, False
    partial = bool(_PARTLY.search(clause))
    text = _FORGET.sub("", clause)
    forbidden = _RE["it_is"].match(text)
    if forbidden is not None and (forbidden["no"] or forbidden["yes"]):
        denials, orders = int(bool(forbidden["no"])), True
        text = text[forbidden.end() :]
    decided = _RE["decided"].match(text)
    if decided is not None:
        denials += int(bool(re.search(r"\bnot\b", decided[0])))
        orders, text = True, text[decided.end() :]
    tokens = tokens_of(text)
    tokens, more = _without_denials(tokens)
    denials += more
    if more and tokens and re.match(r"\s*avoid", text, re.IGNORECASE):
        doing = verb_of(tokens[0].word) if tokens[0].word.endswith("ing") and not tokens[0].code else None
        return built(clause, doing or "use", [], tokens[1:] if doing else tokens, denials, orders=True, partial=partial)
    told = any(token.word in {"must", "should", "shall", "may", "can"} for token in tokens)
    found = find_verb(tokens, ordered=ORDERED.match(text) is not None)
    if found is None:
        return None
    at, verb, imperative = found
    subject_tokens, rest = tokens[: max(at, 0)], tokens[at + 1 :]
    demands = orders or imperative or told
    return built(clause, verb, subject_tokens, rest, denials, orders=demands, partial=partial)


def built(
    clause: str, verb: str, before: list[Token], behind: list[Token], denials: int, *, orders: bool, partial: bool
) -> Slot:
    """The slot of a clause: its verb, the words before and after it, and the number of its denials."""
    concept, sign = concept_of(verb) if verb else ("", True)
    turned = denials + int(not sign)
    subject_parts = parts_of(before)
    parts = list(parts_of(behind))
    terms: list[str] = []
    named = False
    for part in subject_parts:
        terms += part.terms
        named = named or part.named
    names = tuple(name for part in subject_parts for name in part.names)
    text = " ".join(token.text for token in before)
    which = tuple(f"\x03{term}" if term in OPPOSED else term for term in terms[:-1])  # it says which one is meant
    subject, turns = in_one_sense(Phrase("", (*which, *terms[-1:]), named, names=names, text=text))
    turned += turns
    sequence: tuple[frozenset[str], frozenset[str]] | None = None
    done: list[Phrase] = []
    for part in parts:
        whole, turns = in_one_sense(part)
        turned += turns
        if part.link in {"before", "after"}:
            left = frozenset(subject.terms).union(*(each.terms for each in done), (concept,) if concept else ())
            left, right = left - concepts(NEUTRAL), whole.all - {"before"}
            sequence = (left, right) if left and right and left != right else None
            turned += part.link == "after"
        done.append(whole)
    kept = tuple(part for part in done if part.terms or part.link in TELLING_LINKS)
    slot = Slot(
        clause.strip(" ."),
        subject,
        concept,
        kept,
        affirms=turned % 2 == 0,
        orders=orders,
        partial=partial,
        sequence=sequence,
        pointing=bool(before) and not subject.terms and any(token.word in _POINTING for token in before),
    )
    return _owned(slot)


_POINTING = word_set("this that it they these those here")


def _owned(slot: Slot) -> Slot:
    """Read "Ann maintains X" and "X belongs to Ann" as: X is maintained by Ann."""
    if slot.verb != concept_of("maintain")[0]:
        return slot
    if len(slot.parts) == 1 and slot.parts[0].link == "" and slot.subject.terms:
        return evolve(slot, subject=slot.parts[0], parts=(evolve(slot.subject, link="by"),))
    return evolve(slot, parts=tuple(evolve(part, link="by") if part.link == "to" else part for part in slot.parts))


def in_one_sense(part: Phrase) -> tuple[Phrase, int]:
    """The phrase with its opposite words as concepts, and the number of them that turn the sense."""
    terms: list[str] = []
    turns = 0
    for term in part.terms:
        if term.startswith("\x03"):
            terms.append(term[1:])
            continue
        concept, sign = concept_of(term)
        turns += not sign
        terms.append(concept)
    kept = tuple(term for term in terms if term != "allowed")
    choices = tuple(in_one_sense(Phrase("", choice))[0].terms for choice in part.choices)
    return evolve(part, terms=kept, choices=choices), turns


def _without_denials(tokens: list[Token]) -> tuple[list[Token], int]:
    kept: list[Token] = []
    count = 0
    for number, token in enumerate(tokens):
        word = token.word
        if token.code:
            kept.append(token)
        elif (
            word in {"no", "not"}
            and number + 1 < len(tokens)
            and tokens[number + 1].word in {"more", "less", "fewer", "longer", "later"}
        ):
            nxt = tokens[number + 1].word
            count += nxt == "longer" and not (number + 2 < len(tokens) and tokens[number + 2].word == "than")
        elif word == "without" and count:
            kept.append(token)
        elif word in _NOT or word.endswith("n't") or (word == "nobody" and not number):
            if word.endswith("n't") and word[:-3] in {
                *DO,
                "wo",
                "ca",
                "must",
                "should",
                "would",
                "could",
                *AUXILIARIES,
            }:
                kept.append(Token(word[:-3], {"wo": "will", "ca": "can"}.get(word[:-3], word[:-3])))
            count += 1
            if word == "without":
                kept.append(Token("with", "with"))
        else:
            kept.append(token)
    return kept, count


def parts_of(tokens: list[Token]) -> tuple[Phrase, ...]:
    """The phrases between prepositions."""
    parts: list[Phrase] = []
    link, held = "", list[Token]()

    def close() -> None:
        if held or link:
            parts.append(_part(link, held))

    for token in tokens:
        if not token.code and token.word in PREPOSITIONS and token.word != "of":
            close()
            link, held = LINKS.get(token.word, token.word), []
        else:
            held.append(token)
    close()
    return tuple(parts)


def _part(link: str, tokens: list[Token]) -> Phrase:
    terms: list[str] = []
    names: list[str] = []
    named = False
    if link in TELLING_LINKS and link not in {"before", "after"}:
        terms.append(f"\x03{link}")
    for token in tokens:
        if not token.word or (token.word in FILLERS | AUXILIARIES and not token.code):
            continue
        named = named or token.code or token.capital
        terms.append(_term(token))
        if token.name:
            names.append(token.word)
    if link in {"before", "after"} and terms:
        terms.append("\x03before")
    text = " ".join(token.text for token in tokens)
    several = any(token.word == "and" for token in tokens)
    unique = tuple(dict.fromkeys(terms))
    return Phrase(link, unique, named, several, tuple(names), _choices(link, tokens), text)


def _choices(link: str, tokens: list[Token]) -> tuple[tuple[str, ...], ...]:
    """The terms of each alternative; () where there is only one."""
    at = next((at for at, token in enumerate(tokens) if token.word in {"or", "nor"} and not token.code), None)
    if at is None or not 0 < at < len(tokens) - 1:
        return ()
    rest = _choices(link, tokens[at + 1 :]) or (_part(link, tokens[at + 1 :]).terms,)
    return (_part(link, tokens[:at]).terms, *rest)


def _term(token: Token) -> str:
    if not token.code:
        return token.word
    plain = token.word
    return plain if re.fullmatch(r"[a-z]+", plain) else f"\x03{plain}"


def plain_parts(tokens: list[Token]) -> list[Phrase]:
    """The phrases with terms of a stretch without a verb, whatever the sense of their words."""
    return [part for part, _ in map(in_one_sense, parts_of(tokens)) if part.terms]
