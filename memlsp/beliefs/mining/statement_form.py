"""The form of a statement: what it says, without the words that only carry it. Two statements with one form say the
same; and a form shows which statement another one replaces.

A form is a set of terms. A term that is ruled out (`never`, `not`, `instead of`) has a minus, one that is the new value
of a move (`moved to`, `is now`) an arrow, and terms before and after something else (`before the tests`) a number.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from memlsp.beliefs.claims.stems import stem, word_set
from memlsp.code.vocabulary import patterns, texts

_RE = patterns(__name__)
_IDLE = word_set(texts(__name__)["idle"])
_MANNER = frozenset(texts(__name__)["manner"].split())
_DOERS = dict(line.split() for line in texts(__name__)["doers"].strip().splitlines())
_NEAR = 0.6
"""Share of terms (intersection over union) from which two statements may be one rule in other words."""
_NEAR_PART = 0.5
"""The same where one of them has all terms of the other."""
_MOST_NEW = 2  # terms of an old value

Form = frozenset[str]


@lru_cache(maxsize=4096)
def form_of(text: str) -> Form:
    """The form of a statement; empty for one that names nothing."""
    plain = _RE["henceforth"].sub("always", _plain(text))
    plain = _RE["paired"].sub(r"\g<1> not \g<2>", plain)
    order = _RE["ordered"].search(plain)
    if order is None:
        return frozenset(_terms(plain))
    head, tail = plain[: order.start()], plain[order.end() :]
    if not _RE["word"].search(head):  # before the tests, run it
        tail, _, head = tail.partition(",")
    first, second = (head, tail) if order["word"] in {"before", "prior to"} else (tail, head)
    return frozenset({f"\x01{term}" for term in _terms(first)} | {f"\x02{term}" for term in _terms(second)})


def is_same(one: str, other: str) -> bool:
    """True when two statements differ in their form of words alone."""
    form = form_of(one)
    if not form or form != form_of(other):
        return False
    # of a single word it matters what is done with it: `run redis` is not `avoid Redis`
    return len(form) > 1 or any(_is_name(term) for term in form) or _words(one) == _words(other)


def is_near(one: str, other: str) -> bool:
    """True when two statements may be one rule in other words: most terms in common, and the same names and numbers."""
    a, b = form_of(one), form_of(other)
    if {term for term in a if _is_name(term)} != {term for term in b if _is_name(term)} or _sign(a) != _sign(b):
        return False
    share = len(a & b) / max(len(a | b), 1)
    return share >= (_NEAR_PART if a <= b or b <= a else _NEAR)


def replaces(new: str, old: str) -> bool | None:
    """True when a statement surely takes the place of another one: it moves the subject of the other, or rules out all
    that the other says. None when that is likely and somebody has to be asked; False otherwise.

    Only terms that name something make a subject: two rules that both begin with `never` have none in common.
    """
    form, before = form_of(new), form_of(old)
    if form == before or not before or any(_rules_out(term) for term in before):
        return False
    was = frozenset(map(_bare, before))
    ruled_out = {_bare(term) for term in form if _rules_out(term)}
    values = {_bare(term) for term in form if term.startswith(">")}
    said = {_bare(term) for term in form} - ruled_out
    subject = said - values
    if said and ruled_out & was:
        if was <= ruled_out | subject:
            return True
        alone = len(said) == 1 and ruled_out <= was & {stem(m["what"]) for m in _RE["applied"].finditer(_plain(old))}
        return None if subject & was or alone else False
    if starts_now(new) and len(was - said) == len(said - was) == 1 and len(said & was) > 1:
        return None  # the same with another value
    return _moves(subject, values, was, old)


def _moves(subject: set[str], values: set[str], was: frozenset[str], old: str) -> bool | None:
    """True when `values` surely take the place of what the old statement says beside its subject, None when that is
    likely."""
    if not values or not subject or not subject <= was or values & was:
        return False
    rest = was - subject
    located = _RE["located"].search(old.casefold())
    if not rest or len(rest) > _MOST_NEW or located is None:
        return False
    told = {_bare(term) for term in _terms(old.casefold()[located.end() :])}
    return True if rest <= told or all(_is_name(term) for term in rest) else None


def tells_change(text: str) -> bool:
    """True for a statement that says that something is no longer as it was: "moved to", "now", "not X"."""
    return _RE["changed"].search(text.casefold()) is not None or _sign(form_of(text))


def starts_now(text: str) -> bool:
    """True for a statement that says that it holds from now on, whatever was said before."""
    return _RE["starting"].search(text.casefold()) is not None


def _terms(text: str) -> Iterator[str]:
    """The terms of a stretch without order."""
    for clause in _RE["clause"].split(text):
        negative = bool(_RE["negative"].search(clause))
        moved = _RE["moved_to"].search(clause)
        contrast = _RE["contrast"].search(clause)
        for word in _RE["term"].finditer(clause):
            term = word[0].strip("`'\"()[]").rstrip(".,:;!?").removeprefix("./")
            if not term or term in _IDLE:
                continue
            if term.isalpha():
                term = stem(term)
                term = _DOERS.get(term, term)
                if term in _IDLE:
                    continue
            if (negative and contrast is None) or (contrast is not None and word.start() >= contrast.end()):
                yield f"-{term}"
            elif moved is not None and word.start() >= moved.end():
                yield f">{term}"
            else:
                yield term


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")


def _words(text: str) -> set[str]:
    """The stems of all words that say what is done, and of what; without those of politeness, emphasis and denial."""
    found = {
        word[0].strip("`'\"()[].,:;!?") for word in _RE["term"].finditer(_RE["henceforth"].sub("always", _plain(text)))
    }
    return {stem(word) for word in found if word and word not in _MANNER}


def _bare(term: str) -> str:
    """The term without the signs of its part."""
    return term.lstrip("\x01\x02").lstrip("->")


def _rules_out(term: str) -> bool:
    return term.lstrip("\x01\x02").startswith("-")


def _sign(form: Form) -> bool:
    return any(_rules_out(term) for term in form)


def _is_name(term: str) -> bool:
    """True for a term that is a name or a number, and no word."""
    return not _bare(term).isalpha()
