"""Reads one clause into a slot: counts its denials, finds the verb, separates its phrases.

The words before the verb are the subject, those after it are phrases, each led by a preposition or by none. A misread
clause mostly has terms that no other clause has, and so contradicts nothing.
"""

from __future__ import annotations

import re

from attrs import evolve

from memlsp.beliefs.contradiction import slots
from memlsp.beliefs.contradiction.slot_tokens import Token, tokens_of
from memlsp.beliefs.contradiction.slots import AUXILIARIES, DETERMINERS, PREPOSITIONS, Phrase, Slot, concept_of, verb_of
from memlsp.code.vocabulary import patterns, word_sets

_RE = patterns(__name__)
_WORDS = word_sets(__name__)
_NO_VERBS = DETERMINERS | PREPOSITIONS | slots.PRONOUNS | _WORDS["no_verbs"]
_NO_TOKENS = (Token("", ""), Token("", ""))


def slot_of(clause: str) -> Slot | None:
    """The slot of a clause, None where it has no verb."""
    denials, orders = 0, False
    partial = bool(_RE["partly"].search(clause))
    text = _RE["forget"].sub("", clause)
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
    found = _find_verb(tokens, ordered=_RE["ordered"].match(text) is not None)
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
    subject, turns = in_one_sense(_subject_of(before))
    turned += turns
    sequence: tuple[frozenset[str], frozenset[str]] | None = None
    done: list[Phrase] = []
    for part in parts_of(behind):
        whole, turns = in_one_sense(part)
        turned += turns
        if part.link in {"before", "after"}:
            left = frozenset(subject.terms).union(*(each.terms for each in done), (concept,) if concept else ())
            left, right = left - slots.concepts(slots.NEUTRAL), whole.all - {"before"}
            sequence = (left, right) if left and right and left != right else None
            turned += part.link == "after"
        done.append(whole)
    kept = tuple(part for part in done if part.terms or part.link in slots.TELLING_LINKS)
    return Slot(
        clause.strip(" ."),
        subject,
        concept,
        kept,
        affirms=turned % 2 == 0,
        orders=orders,
        partial=partial,
        sequence=sequence,
        pointing=bool(before) and not subject.terms and any(token.word in _WORDS["pointing"] for token in before),
    )


def _subject_of(tokens: list[Token]) -> Phrase:
    """The words before the verb as one phrase; an opposite among them says which thing is meant."""
    parts = parts_of(tokens)
    terms = [term for part in parts for term in part.terms]
    which = tuple(f"\x03{term}" if term in slots.OPPOSED else term for term in terms[:-1])
    names = tuple(name for part in parts for name in part.names)
    text = " ".join(token.text for token in tokens)
    return Phrase("", (*which, *terms[-1:]), any(part.named for part in parts), names=names, text=text)


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
        elif word in {"no", "not"} and (behind := [*tokens[number + 1 :], *_NO_TOKENS])[0].word in _WORDS["comparing"]:
            count += behind[0].word == "longer" and behind[1].word != "than"
        elif word == "without" and count:
            kept.append(token)
        elif word in _WORDS["denying"] or word.endswith("n't") or (word == "nobody" and not number):
            if word.endswith("n't") and word[:-3] in slots.DO | AUXILIARIES | _WORDS["before_not"]:
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
            link, held = slots.LINKS.get(token.word, token.word), []
        else:
            held.append(token)
    close()
    return tuple(parts)


def _part(link: str, tokens: list[Token]) -> Phrase:
    terms: list[str] = []
    names: list[str] = []
    named = False
    if link in slots.TELLING_LINKS and link not in {"before", "after"}:
        terms.append(f"\x03{link}")
    for token in tokens:
        if not token.word or (token.word in slots.FILLERS | AUXILIARIES and not token.code):
            continue
        named = named or token.code or token.capital
        plain = not token.code or re.fullmatch(r"[a-z]+", token.word)
        terms.append(token.word if plain else f"\x03{token.word}")
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


def plain_parts(tokens: list[Token]) -> list[Phrase]:
    """The phrases with terms of a stretch without a verb, whatever the sense of their words."""
    return [part for part, _ in map(in_one_sense, parts_of(tokens)) if part.terms]


# --- the verb


def _find_verb(tokens: list[Token], *, ordered: bool = False) -> tuple[int, str, bool] | None:
    """Index and plain form of the clause's verb, and whether the clause is an order; None where there is no verb.
    Auxiliaries, and words before an order's verb, are taken out of the tokens."""
    for at, token in enumerate(tokens):
        if token.code:
            continue
        if token.word in AUXILIARIES:
            return _after_be(tokens, at)
        if token.word in _WORDS["having"] and at and (done := _after_have(tokens, at)) is not None:
            return done
        if token.word in slots.MODALS or token.word in slots.DO:
            return _after_modal(tokens, at)
    found = _plain_verb(tokens)
    if found is None and ordered:
        lead = next((at for at, token in enumerate(tokens) if token.word not in _WORDS["leading"]), None)
        if lead is not None and not tokens[lead].code and tokens[lead].word not in _NO_VERBS:
            del tokens[:lead]
            return 0, tokens[0].word, True
    return found


def _after_have(tokens: list[Token], at: int) -> tuple[int, str, bool] | None:
    """The verb of "has used", "have been using"; None where `have` is the verb itself."""
    ahead = at + 1
    while ahead < len(tokens) and tokens[ahead].word in _WORDS["between"]:
        ahead += 1
    if ahead >= len(tokens) or tokens[ahead].code:
        return None
    if tokens[ahead].word == "been":
        index, verb, order = _after_be(tokens, ahead)
        return _moved(tokens, at, index), verb, order
    done = slots.past_of(tokens[ahead].word)
    return None if done is None else (_moved(tokens, at, ahead), done, False)


def _after_modal(tokens: list[Token], at: int) -> tuple[int, str, bool] | None:
    for later in range(at + 1, len(tokens)):
        word = tokens[later].word
        if word in AUXILIARIES:
            index, verb, _ = _after_be(tokens, later)
            return _moved(tokens, at, index), verb, False
        idle = word in slots.FILLERS | _WORDS["between"] or word.endswith("ly") or not word.isalpha()
        if tokens[later].code or idle:
            continue
        if word in DETERMINERS | PREPOSITIONS:
            return None
        return _moved(tokens, at, later), verb_of(word) or word, not at
    return None


def _plain_verb(tokens: list[Token]) -> tuple[int, str, bool] | None:
    lead = next((at for at, token in enumerate(tokens) if token.word not in _WORDS["leading"]), len(tokens))
    first = tokens[lead].word if lead < len(tokens) and not tokens[lead].code else ""
    spoken = any(token.word in slots.PRONOUNS for token in tokens[:lead])
    finite = [at for at in range(lead, len(tokens)) if _is_finite(tokens, at)]
    is_noun = first in _WORDS["nouns_first"] and any(at > lead for at in finite)
    begins = slots.is_base(first) and (spoken or not is_noun)
    if begins:
        del tokens[:lead]
        return 0, verb_of(first) or "", not spoken
    if finite:
        return finite[0], verb_of(tokens[finite[0]].word) or "", False
    past = slots.past_of(first) or verb_of(first) if spoken and first else None  # "we switched to X"
    if past is None:
        return None
    del tokens[:lead]
    return 0, past, False


def _moved(tokens: list[Token], auxiliary: int, verb: int) -> int:
    """Take out the auxiliary and everything up to the verb; the verb's index afterwards."""
    del tokens[auxiliary:verb]
    return auxiliary


def _after_be(tokens: list[Token], at: int) -> tuple[int, str, bool]:
    """The verb of a clause with a form of `be`: a participle behind it, else `be` itself."""
    ahead = at + 1
    while ahead < len(tokens) and tokens[ahead].word in AUXILIARIES | _WORDS["beside_be"]:
        ahead += 1
    if ahead < len(tokens) and not tokens[ahead].code:
        word = tokens[ahead].word
        done = verb_of(word) if slots.is_participle(word) else slots.past_of(word) if word.isalpha() else None
        if done is not None and concept_of(word)[0] not in _WORDS["states"]:
            del tokens[at:ahead]
            return at, done, False
        doing = slots.running_of(word)
        if doing is not None and ahead + 1 < len(tokens):
            del tokens[at:ahead]
            return at, doing, False
    del tokens[at + 1 : ahead]
    return at, "be", False


def _is_finite(tokens: list[Token], at: int) -> bool:
    token = tokens[at]
    if token.code or token.word[:1].isdigit() or at == 0:
        return False
    before = tokens[at - 1]
    if before.word[:1].isdigit() or before.word in DETERMINERS or before.word in PREPOSITIONS:
        return False
    if slots.is_third_person(token.word):
        return before.word in slots.PRONOUNS or at + 1 == len(tokens) or not slots.is_third_person(tokens[at + 1].word)
    if slots.is_base(token.word) and not token.capital:
        plural = _is_plural(before)
        if not plural and (slots.is_surely_verb(token.word) or token.word == "use"):
            plural = any(_is_plural(each) for each in tokens[:at])  # "modules in src use..."
        return before.word in slots.PRONOUNS or plural
    return False


def _is_plural(token: Token) -> bool:
    return token.word.endswith("s") and not token.word.endswith("ss") and not token.code
