"""Decides whether two statements contradict each other where both apply, with typed facts, slots and scopes; nothing is
learned.

Facts come first: values of one kind that exclude each other, of the same thing. Slots find what facts cannot: who does
what, denied or not, and in which order; and the one value of a thing whose class nobody listed. A word that only one
statement has mostly means that they speak of two things. What the words do not decide is left alone: a false alarm
costs more trust than a contradiction found later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from attrs import evolve, frozen

from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.contradiction.clause_values import LANGUAGES, Value
from memlsp.beliefs.contradiction.conditions import apart, is_exception, with_keys
from memlsp.beliefs.contradiction.exclusion import exclusion
from memlsp.beliefs.contradiction.facts import Fact, facts_of, tells_time
from memlsp.beliefs.contradiction.slot_sentences import reverted_text, slots_of
from memlsp.beliefs.contradiction.slots import DETERMINERS, PRONOUNS, USING, Phrase, Slot, concepts
from memlsp.code.vocabulary import texts
from memlsp.model.belief import Anchor, Belief, ScopeKind

RULES = 6
"""Moves when the rules do, so that what was looked at by others is looked at again."""


@frozen
class Contradiction:
    """A contradiction: the common subject, the value on each side, and a sentence for a person."""

    subject: str
    predicate: str
    values: tuple[str, str]
    reason: str

    def turned(self) -> Contradiction:
        """The contradiction with the sides exchanged."""
        return evolve(self, values=(self.values[1], self.values[0]))


def contradiction_of(one: Belief, other: Belief) -> Contradiction | None:
    """The contradiction between two beliefs, None where they agree or where no place has both. Pure."""
    if one.id == other.id:
        return None
    same = any(_nested(a, b) for a in one.anchors for b in other.anchors)
    bound, other_bound = _is_bound(one), _is_bound(other)
    # both may name the same thing of the code, wherever they are tied to
    ours = _names(one.text) if bound or other_bound else frozenset[str]()
    named = bool(ours) and not ours.isdisjoint(_names(other.text))
    if bound and other_bound and not named and not same:
        return None  # the scopes have no place in common
    special = bound != other_bound and not named
    return contradiction_between(
        one.text, other.text, one.conditions, other.conditions, special=special, same_place=same
    )


def contradiction_between(
    one: str,
    other: str,
    conditions: Sequence[tuple[str, str]] = (),
    other_conditions: Sequence[tuple[str, str]] = (),
    *,
    special: bool = False,
    same_place: bool = False,
) -> Contradiction | None:
    """The contradiction between two texts with the conditions given for them.

    With `special` one of them speaks of a part of what the other speaks of: an exception, and no contradiction unless
    the other one allows for none. Only with `same_place` do "this" and "it" in both mean the same thing.
    """
    if _is_revert(one, other) or _is_revert(other, one):
        subject = _short(min(one, other, key=len), 60)
        return Contradiction(subject, "revert", (_short(one), _short(other)), f"one takes back the other: “{subject}”")
    ours, theirs = tuple(conditions), tuple(other_conditions)
    facts = exclusion(
        _given(facts_of(one), ours), _given(facts_of(other), theirs), special=special, same_place=same_place
    )
    if facts is not None:
        found = _of_facts(*facts)
        return found if found.reason else _quoting(found, one, other)
    for a in _given(slots_of(one), ours):
        for b in _given(slots_of(other), theirs):
            if apart(a.conditions, b.conditions) or ((a.pointing or b.pointing) and not same_place):
                continue
            for rule in (_sense, _alone, _outcome, _value):
                found = rule(a, b, special=special)
                if found is not None:
                    return found if found.reason else _quoting(found, one, other)
    return None


_WHOLE = 90
"""Characters up to which a statement is quoted as a whole, and not the clause of it that matters."""


def _quoting(found: Contradiction, one: str, other: str) -> Contradiction:
    """The contradiction with both sides quoted as its reason."""
    ours, theirs = (
        _short(whole if len(whole) <= _WHOLE else part) for whole, part in zip((one, other), found.values, strict=True)
    )
    return evolve(found, values=(ours, theirs), reason=f"one says “{ours}”, the other “{theirs}”")


_Read = TypeVar("_Read", Fact, Slot)


def _given(read: tuple[_Read, ...], given: tuple[tuple[str, str], ...]) -> tuple[_Read, ...]:
    """What was read, under the conditions that somebody gave for the statement."""
    return tuple(evolve(each, conditions=with_keys(each.conditions, given)) for each in read) if given else read


def _of_facts(a: Fact, b: Fact) -> Contradiction:
    kind = a.value.kind.split(" ")[-1].replace("_", " ")
    spoken = _words(a.value.said) | _words(b.value.said)
    subjects = (each for each in (a.subject, b.subject) if each and not spoken & _words(each))
    subject = next(subjects, "")
    if a.denied is not b.denied:
        return Contradiction(subject or kind, kind, (a.text, b.text), "")
    if not subject and not a.named:  # "amount" says nothing of what is counted
        return Contradiction(kind, kind, (a.text, b.text), "")
    return _two_values(subject or kind, kind, _said(a.value), _said(b.value))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _two_values(subject: str, predicate: str, one: str, other: str) -> Contradiction:
    return Contradiction(subject, predicate, (one, other), f"{subject}: one says {one}, the other {other}")


_BOUNDS = {"least": "at least ", "most": "at most ", "more": "more than ", "less": "less than "}


def _said(value: Value) -> str:
    return f"{_BOUNDS.get(value.amount.bound if value.amount else value.bound, '')}{value.said}"


def _is_revert(one: str, other: str) -> bool:
    """True for `Revert "X"`, as git writes it, and X."""
    taken = reverted_text(one)
    return taken is not None and " ".join(taken.split()) == " ".join(other.split()).rstrip(".")


# --- where they apply


def _is_bound(belief: Belief) -> bool:
    return bool(belief.anchors) and belief.scope.kind in {ScopeKind.SYMBOL, ScopeKind.FILE}


def _nested(one: Anchor, other: Anchor) -> bool:
    if one.path != other.path:
        return False
    a, b = one.symbol, other.symbol
    return not a or not b or a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.")


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    return frozenset(term for slot in slots_of(text) for part in (slot.subject, *slot.parts) for term in part.names)


# --- the sense


def _sense(a: Slot, b: Slot, *, special: bool) -> Contradiction | None:
    if a.sequence is not None and b.sequence is not None:
        found = _sequences(a, b)
        if found is not None or a.sequence != b.sequence:
            return found
    if a.affirms == b.affirms:
        return None
    negative, positive = (b, a) if a.affirms else (a, b)
    if (negative.partial and not positive.conditions.universal) or positive.partial or not _denies(negative, positive):
        return None
    if is_exception(negative.conditions, positive.conditions):
        return None
    if special and not (negative.conditions.universal or negative.orders):
        return None
    subject = _subject_of(negative, positive)
    return Contradiction(subject, positive.verb or "be", (a.text, b.text), "")


def _denies(negative: Slot, positive: Slot) -> bool:
    """True when the positive clause does what the negative one rules out."""
    denied, done = negative.terms, positive.terms
    if not denied or not done:
        return False
    if negative.verb in concepts(USING):
        return _uses(negative, positive)
    if not denied - {negative.verb} or (denied != done and len(denied) < 2):
        return False  # "it is not called" says too little of what is not
    same = negative.verb == positive.verb or not (negative.verb in denied or positive.verb in done)
    if denied == done or not same:
        return denied == done and (same or len(denied) > 2)
    another = negative.subject.terms and not positive.subject.all <= denied  # "the search API", and "the API"
    return denied < done and not another and negative.heads <= positive.heads | {positive.verb}


def _uses(negative: Slot, positive: Slot) -> bool:
    banned = [part for part in negative.parts if part.link in {"", "with"} and part.terms]
    if not banned:
        return False
    others = frozenset[str]().union(*(part.all for part in negative.parts if part not in banned), negative.subject.all)
    used = positive.parts if _MAY.search(positive.text) else positive.used
    taken = [part for part in used if not part.listed or part.head]
    if not LANGUAGES & positive.terms:
        others -= LANGUAGES  # a project that speaks of one language leaves it out
    if not any(
        part.all == use.all or (part.all < use.all and part.head == use.head) for part in banned for use in taken
    ):
        named = any(part.terms == (positive.verb,) for part in banned)  # "mocks are banned, you may mock the clock"
        return named and others <= positive.terms and _MAY.search(positive.text) is not None
    return others <= positive.terms


_MAY = re.compile(r"\b(?:may|can|could|fine|ok|okay|allowed)\b", re.IGNORECASE)


def _sequences(a: Slot, b: Slot) -> Contradiction | None:
    """Before and after: the same two things in another order."""
    assert a.sequence is not None
    assert b.sequence is not None
    ours, theirs = (tuple(terms - _COMING for terms in each) for each in (a.sequence, b.sequence))
    same = ours == theirs and a.affirms != b.affirms and all(ours)
    # one thing before itself has no order that could be turned
    crossed = a.affirms == b.affirms and ours[0] != ours[1] and ours == theirs[::-1]
    if not same and not crossed:
        return None
    return Contradiction(_subject_of(a, b), "before", (a.text, b.text), "")


_COMING = concepts("come run call happen go through take start begin do get be before")


def _alone(a: Slot, b: Slot, *, special: bool) -> Contradiction | None:
    """Only these do something, and others do it too."""
    only, beside = concepts("only"), concepts("direct new own")
    one, other = (a, b) if a.subject.all & only else (b, a)
    told = [frozenset[str]().union(*(part.all for part in each.parts)) - beside for each in (one, other)]
    if not told[0] or told[0] != told[1] or one.verb != other.verb or not (one.affirms and other.affirms) or special:
        return None
    if not other.subject.terms or not one.subject.all > only or one.subject.all & other.subject.all:
        return None
    return Contradiction(_subject_of(one, other), one.verb, (a.text, b.text), "")


def _outcome(a: Slot, b: Slot, *, special: bool) -> Contradiction | None:
    """One statement returns and the other raises in the same case."""
    both = {a.verb, b.verb}
    if len(both) != 2 or not both <= concepts("return raise throw") or not (a.affirms and b.affirms):
        return None
    cases = [{part.all for part in slot.parts if part.link in {"when", "for", "in"}} for slot in (a, b)]
    if not cases[0] or cases[0] != cases[1] or not a.subject.terms or a.subject.all != b.subject.all:
        return None
    if is_exception(a.conditions, b.conditions, special=special):
        return None
    return Contradiction(_subject_of(a, b), "return", (a.text, b.text), "")


# --- the one value that a thing has

_SINGLE_LINKED = texts(__name__)["single_linked"]
_LOCATING = word_set("in next near from to with as by")
_KINDS = texts(__name__)["kinds"]
_MOST_WORDS = 3


def _value(a: Slot, b: Slot, *, special: bool) -> Contradiction | None:
    if not (a.affirms and b.affirms) or a.partial or b.partial or a.verb != b.verb:
        return None
    if a.sequence or b.sequence or is_exception(a.conditions, b.conditions, special=special):
        return None
    pair = _one_difference(a, b) if a.subject.all == b.subject.all else None
    if pair is None or not _exclusive(a, *pair):
        return None
    one, other = pair
    return _two_values(_subject_of(a, b), a.verb, one.text.strip(" ."), other.text.strip(" ."))


def _one_difference(a: Slot, b: Slot) -> tuple[Phrase, Phrase] | None:
    """The two phrases in which slots differ, when only one of the same link differs."""
    ours = {_way(part): part for part in a.parts}
    theirs = {_way(part): part for part in b.parts}
    if len(ours) != len(a.parts) or len(theirs) != len(b.parts) or ours.keys() != theirs.keys():
        return None
    differing = [link for link in ours if ours[link].all != theirs[link].all]
    if len(differing) != 1:
        return None
    one, other = ours[differing[0]], theirs[differing[0]]
    if one.all <= other.all or other.all <= one.all or one.listed or other.listed:
        return None
    return one, other


def _way(part: Phrase) -> str:
    """The link of a phrase; "stored as JSON" is "stored in JSON"."""
    return "in" if part.link == "as" else part.link


def _exclusive(slot: Slot, one: Phrase, other: Phrase) -> bool:
    if len(one.terms) > _MOST_WORDS or len(other.terms) > _MOST_WORDS:
        return False
    if any(term[:1].isdigit() for term in one.terms + other.terms):
        return False  # an amount or a version, which is a fact
    if tells_time(one.all) is not tells_time(other.all):
        return False  # when, and where or how
    return _one_object(slot, one, other) if one.link == "" else _one_place(slot, one)


def _one_object(slot: Slot, one: Phrase, other: Phrase) -> bool:
    """True for verbs of which a thing has one object: it is this, returns this, raises this."""
    if slot.verb in concepts("be return mean"):
        return bool(slot.subject.terms) and _comparable(one, other)
    named = one.named and other.named
    rest = [part for part in slot.parts if part.link]
    if slot.verb in concepts("raise throw"):
        return bool(slot.subject.terms) and named and bool(rest)
    return slot.verb in concepts("name") and bool(slot.subject.terms)


def _one_place(slot: Slot, one: Phrase) -> bool:
    """True for verbs of which a thing has one place or means: stored in, sent to, built with."""
    direct = any(part.link == "" and part.terms for part in slot.parts)
    told = bool(slot.subject.terms) or direct or one.named
    return told and slot.verb in concepts(_SINGLE_LINKED) and one.link in _LOCATING


def _comparable(one: Phrase, other: Phrase) -> bool:
    """True for two names, or two words for a sort of value."""
    if one.named and other.named:
        return True
    kinds = (bool(one.all & concepts(_KINDS)), bool(other.all & concepts(_KINDS)))
    return all(kinds) or (any(kinds) and (one.named or other.named))


# --- wording


def _subject_of(a: Slot, b: Slot) -> str:
    for slot in (a, b):
        words = " ".join(word for word in slot.subject.text.split() if word.lower() not in DETERMINERS | PRONOUNS)
        if slot.subject.terms and words:
            return words.strip(" ,.")
    for slot in (a, b):
        for part in slot.parts:
            if part.terms and part.text:
                return part.text.strip(" ,.")
    return a.verb or "the same thing"


def _short(text: str, most: int = 90) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= most else f"{line[: most - 1]}…"
