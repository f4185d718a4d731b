"""Finds the verb of a clause."""

from __future__ import annotations

from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.contradiction.slot_tokens import Token
from memlsp.beliefs.contradiction.slots import (
    AUXILIARIES,
    DETERMINERS,
    DO,
    FILLERS,
    MODALS,
    PREPOSITIONS,
    PRONOUNS,
    concept_of,
    is_base,
    is_participle,
    is_surely_verb,
    is_third_person,
    past_of,
    running_of,
    verb_of,
)
from memlsp.beliefs.vocabulary import patterns

ORDERED = patterns(__name__)["ordered"]
"""What leads an order, behind which the first word is the verb."""


def find_verb(tokens: list[Token], *, ordered: bool = False) -> tuple[int, str, bool] | None:
    """Index and plain form of the clause's verb, and whether the clause is an order; None where there is no verb.
    Auxiliaries, and words before an order's verb, are taken out of the tokens."""
    for at, token in enumerate(tokens):
        if token.code:
            continue
        if token.word in AUXILIARIES:
            return _after_be(tokens, at)
        if token.word in _HAVING and at and (done := _after_have(tokens, at)) is not None:
            return done
        if token.word in DO and not at and not ordered and _does(tokens):
            return 0, "do", True
        if token.word in MODALS or token.word in DO:
            return _after_modal(tokens, at)
    found = _plain_verb(tokens)
    if found is None and ordered:
        lead = next((at for at, token in enumerate(tokens) if token.word not in _LEADING), None)
        if lead is not None and not tokens[lead].code and tokens[lead].word not in _NO_VERBS:
            _drop(tokens, lead)
            return 0, tokens[0].word, True
    return found


_HAVING = word_set("have has had 've")
_BETWEEN = word_set("always also only now still already ever never recently just previously personally")


def _after_have(tokens: list[Token], at: int) -> tuple[int, str, bool] | None:
    """The verb of "has used", "have been using"; None where `have` is the verb itself."""
    ahead = at + 1
    while ahead < len(tokens) and tokens[ahead].word in _BETWEEN:
        ahead += 1
    if ahead >= len(tokens) or tokens[ahead].code:
        return None
    if tokens[ahead].word == "been":
        index, verb, order = _after_be(tokens, ahead)
        return _moved(tokens, at, index), verb, order
    done = past_of(tokens[ahead].word)
    return None if done is None else (_moved(tokens, at, ahead), done, False)


def _does(tokens: list[Token]) -> bool:
    """True for "do" as the verb itself: "do 5 retries"."""
    return len(tokens) < 2 or tokens[1].word[:1].isdigit() or verb_of(tokens[1].word) is None


def _after_modal(tokens: list[Token], at: int) -> tuple[int, str, bool] | None:
    for later in range(at + 1, len(tokens)):
        word = tokens[later].word
        if word in AUXILIARIES:
            index, verb, _ = _after_be(tokens, later)
            return _moved(tokens, at, index), verb, False
        if tokens[later].code or word in _BETWEEN or word in FILLERS or word.endswith("ly") or not word.isalpha():
            continue
        if word in DETERMINERS or word in PREPOSITIONS:
            return None
        return _moved(tokens, at, later), verb_of(word) or word, not at
    return None


_LEADING = word_set("always please just only also then we i you they first")
_NOUNS_FIRST = word_set("log cache test page build request queue map index record match process batch image stream")
"""Plain forms that begin a sentence as a noun when another verb comes: "log files are rotated"."""


def _plain_verb(tokens: list[Token]) -> tuple[int, str, bool] | None:
    lead = 0
    while lead < len(tokens) and tokens[lead].word in _LEADING:
        lead += 1
    first = tokens[lead] if lead < len(tokens) else None
    spoken = any(token.word in PRONOUNS for token in tokens[:lead])
    finite = next((at for at in range(lead, len(tokens)) if _is_finite(tokens, at)), None)
    if first is not None and not first.code and is_base(first.word):
        later = next((at for at in range(lead + 1, len(tokens)) if _is_finite(tokens, at)), None)
        if spoken or later is None or first.word not in _NOUNS_FIRST:
            _drop(tokens, lead)
            return 0, verb_of(tokens[0].word) or "", not spoken
    if finite is not None:
        return finite, verb_of(tokens[finite].word) or "", False
    if spoken and first is not None and not first.code:  # "we switched to X"
        past = past_of(first.word) or verb_of(first.word)
        if past is not None:
            _drop(tokens, lead)
            return 0, past, False
    return None


_NO_VERBS = DETERMINERS | PREPOSITIONS | PRONOUNS | word_set("and or of not no because new old all both")


def _drop(tokens: list[Token], count: int) -> None:
    del tokens[:count]


def _moved(tokens: list[Token], auxiliary: int, verb: int) -> int:
    """Take out the auxiliary and everything up to the verb; the verb's index afterwards."""
    del tokens[auxiliary:verb]
    return auxiliary


def _after_be(tokens: list[Token], at: int) -> tuple[int, str, bool]:
    """The verb of a clause with a form of `be`: a participle behind it, else `be` itself."""
    ahead = at + 1
    while ahead < len(tokens) and tokens[ahead].word in (
        AUXILIARIES | {"always", "also", "only", "now", "still", "all", "never", "both"}
    ):
        ahead += 1
    if ahead < len(tokens) and not tokens[ahead].code:
        word = tokens[ahead].word
        done = verb_of(word) if is_participle(word) else past_of(word) if word.isalpha() else None
        if done is not None and concept_of(word)[0] not in _STATES:
            del tokens[at:ahead]
            return at, done, False
        doing = running_of(word)
        if doing is not None and ahead + 1 < len(tokens):
            del tokens[at:ahead]
            return at, doing, False
    del tokens[at + 1 : ahead]
    switch, behind = [*tokens[at + 1 : at + 3], *_NO_TOKENS][:2]
    if switch.word in {"on", "off"} and not (behind.code or behind.capital or behind.word in DETERMINERS):
        tokens[at + 1] = Token(switch.text, "enabled" if switch.word == "on" else "disabled")
    return at, "be", False


_NO_TOKENS = (Token("", ""), Token("", ""))
_STATES = word_set("enabled required sorted ordered encrypted allowed supported used typed trusted known includes")
"""Participles that are read as states, with their opposites."""


def _is_finite(tokens: list[Token], at: int) -> bool:
    token = tokens[at]
    if token.code or token.word[:1].isdigit() or at == 0:
        return False
    before = tokens[at - 1]
    if before.word[:1].isdigit() or before.word in DETERMINERS or before.word in PREPOSITIONS:
        return False
    if is_third_person(token.word):
        return before.word in PRONOUNS or at + 1 == len(tokens) or not is_third_person(tokens[at + 1].word)
    if is_base(token.word) and not token.capital:
        plural = _is_plural(before)
        if not plural and (is_surely_verb(token.word) or token.word == "use"):
            plural = any(_is_plural(each) for each in tokens[:at])  # "modules in src use..."
        return before.word in PRONOUNS or plural
    return False


def _is_plural(token: Token) -> bool:
    return token.word.endswith("s") and not token.word.endswith("ss") and not token.code
