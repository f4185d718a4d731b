"""How likely a change of the code makes a statement false: a weighted sum of numbers about the change.

The weights were learnt from what people did to docstrings when they changed the code below them. They lie beside this
module, with the histories they were made from and their figures there; `python -m benchmarks.judgement.train_drift`
makes them. They decide nothing that the rules of `claim_check` decide.

Nothing here is understood. A reader could work out each number with a pencil, so the weight learnt for it can be argued
with. Others added nothing on histories that they had not seen: kinds of exceptions, loops and literals, removed
parameters, the share of a statement's words that went, its first sentence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from math import exp, log1p
from pathlib import Path

from attrs import frozen
from cattrs import structure

from memlsp.beliefs.claims.case import Case
from memlsp.beliefs.claims.quantities import Quantity, code_numbers, scale_between
from memlsp.beliefs.claims.stems import any_form, is_telling, is_weak, prose_words, stem, stem_set
from memlsp.beliefs.claims.symbol_state import name_stems, names_in, one_separator, simple, strings_in
from memlsp.code.diff.quotes import common_start
from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import patterns, texts, word_table
from memlsp.model.change import Detail, DetailKind, detail_kinds
from memlsp.model.symbol import BODY

_RE = patterns(__name__)
ABOUT = {name: ", ".join(said) for name, said in word_table(__name__, "features").items()}
_MOST = 6  # of one kind; more of them say no more
_LEAST_ABLE = 8  # letters of an adjective that a verb is in
_LONGEST_TEXT = 60  # characters of a string literal whose words count; a longer one is a message


def change_features(case: Case, *, contradicted: bool) -> Mapping[str, float]:
    """The numbers about a change, by the names in `ABOUT`; each is at least 0, and 0 is neutral."""
    return {**_edit(case), **_interface(case), **_names(case), **_prose(case), "contradicted": float(contradicted)}


def _edit(case: Case) -> dict[str, float]:
    before, after = Counter(case.old.facts.tokens), Counter(case.new.facts.tokens)
    changed = (before - after).total() + (after - before).total()
    return {
        "edit_size": log1p(changed),
        "edit_share": changed / max(1, before.total() + after.total()),
        "sentences": log1p(len(_RE["break"].findall(case.claims.text))),
    }


def _interface(case: Case) -> dict[str, float]:
    named = frozenset(_RE["name"].findall(case.claims.text))
    kinds = Counter(detail.kind for detail in case.details)
    renamed = (d for d in case.details if d.kind is DetailKind.PARAMETER_RENAMED)
    added = _few(kinds[DetailKind.PARAMETER_ADDED])
    warns = {simple(call) for call in case.new.facts.calls} - {simple(call) for call in case.old.facts.calls}
    return {
        "parameter_added": added,
        "parameter_added_to_list": added if _RE["parameter_list"].search(case.claims.text) else 0.0,
        "parameter_renamed_named": _few(sum((d.old or "").lstrip("*&") in named for d in renamed)),
        "default_changed": _few(kinds[DetailKind.DEFAULT]),
        "returns_changed": _few(kinds[DetailKind.RETURN] + kinds[DetailKind.RETURN_TYPE]),
        "began_to_warn": float("warn" in warns),
    }


def _few(count: int) -> float:
    return log1p(min(_MOST, count))


def _names(case: Case) -> dict[str, float]:
    """Names that the statement writes as names, without the symbol's own."""
    own = case.subject | {"self", "cls", "this"}
    before, after = _names_of(case.old.facts.tokens), _names_of(case.new.facts.tokens)
    said = {part for mention in case.claims.mentions for part in mention.parts}
    names = _RE["name"].findall(case.claims.text)
    said |= {each for each in names if "_" in each.strip("_") or not (each.islower() or each.istitle())}
    said -= own
    return {"names_said_found": _few(len(said & before)), "names_came_said": _few(len(said & (after - before)))}


def _names_of(tokens: Iterable[str]) -> set[str]:
    return {name for token in tokens if token[:1] not in "'\"`" for name in names_in(token)}


def _prose(case: Case) -> dict[str, float]:
    said = frozenset(stem(word) for word in prose_words(case.claims.text) if not is_weak(word))
    own = _own_stems(case)
    gone = stems_of(case.old.facts.tokens) - stems_of(case.new.facts.tokens)
    touched = stems_of(texts_of(case.details))
    hit = sum(any_form((one,), touched) for one in said - own)
    return {"words_gone_said": len(gone & said) / max(1, len(gone)), "touched_said": hit / max(1, len(touched))}


def said_stems(case: Case) -> frozenset[str]:
    """The stems of what a statement says and of the names in it, without those of the symbol itself."""
    said = {stem(word) for word in prose_words(case.claims.text) if not is_weak(word)}
    return frozenset(said.union(*(name_stems(mention.text) for mention in case.claims.mentions)) - _own_stems(case))


def stems_of_word(word: str) -> tuple[str, ...]:
    """The stem of a word, and those of the verb in an adjective such as `retryable`."""
    verb = word[:-4] if len(word) >= _LEAST_ABLE and word.lower().endswith("able") else ""
    return (stem(word), stem(verb), stem(f"{verb}e")) if verb else (stem(word),)


def _own_stems(case: Case) -> frozenset[str]:
    return frozenset[str]().union(*map(name_stems, case.subject))


def texts_of(details: Iterable[Detail]) -> list[str]:
    """All pieces of source text in details."""
    return [text for detail in details for text in (detail.name, detail.old or "", detail.new or "")]


def stems_of(texts: Iterable[str]) -> frozenset[str]:
    """The stems of the rare words of all names in pieces of source text, and of short string literals."""
    found: set[str] = set()
    for text in texts:
        inside = (name for held in strings_in(text) if len(held) < _LONGEST_TEXT for name in _RE["name"].findall(held))
        for name in (*names_in(text), *inside):
            found.update(stem(word) for word in words(one_separator(name)) if is_telling(word))
    return frozenset(found)


WEIGHTS_FILE = "relevance_model.json"


@frozen
class RelevanceWeights:
    """The learnt weights. `mark` is the likelihood from which a change is worth interrupting somebody; below `aside` a
    change is unrelated to the statement."""

    bias: float
    of: Mapping[str, float]
    mark: float
    aside: float

    def likelihood(self, numbers: Mapping[str, float]) -> float:
        """The likelihood, from 0 to 1, for the numbers of `change_features`."""
        total = self.bias + sum(weight * numbers[name] for name, weight in self.of.items())
        return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


@cache
def weights() -> RelevanceWeights:
    """The weights shipped with the package."""
    content = Path(__file__).with_name(WEIGHTS_FILE).read_text("utf-8")
    found = structure(json.loads(content), RelevanceWeights)
    assert set(found.of) <= ABOUT.keys()
    return found


def relevance(case: Case) -> float:
    """The likelihood, from 0 to 1, that the author of the statement would have to reword it now, where the change broke
    no claim."""
    return weights().likelihood(change_features(case, contradicted=False))


LEAST_SIZE = 120  # meaning tokens of the function before: some fifteen lines
LARGEST_SHARE = 0.1  # of its tokens that came or went
NEAR = 25  # tokens around what changed: some three lines
_INSIDE = detail_kinds(texts(__name__)["inside"])


def is_unrelated(case: Case) -> bool:
    """True when a change that broke no claim clearly does not touch the statement.

    The change must be small, in a large function, and away from everything that the statement names. Everything bears
    on everything in a function of ten lines, and a sentence that names nothing can be about anything.
    """
    if not case.details or any(detail.kind not in _INSIDE for detail in case.details):
        return False
    if len(case.old.facts.tokens) < LEAST_SIZE:
        return False
    numbers = change_features(case, contradicted=False)
    if numbers["edit_share"] > LARGEST_SHARE or weights().likelihood(numbers) >= weights().aside:
        return False
    said = said_stems(case)
    touched = stems_of(texts_of(case.details))
    return not case.claims.denials and not any_form(said, touched) and _is_far(case, said)


def speaks_of(case: Case, detail: Detail) -> bool:
    """True when the statement has all the telling words of what the detail is about, or one of its values."""
    every = case.claims.stems.union(*(name_stems(mention.text) for mention in case.claims.mentions))
    every = every.union(*(denial.stems for denial in case.claims.denials))
    said = every - _own_stems(case)
    if _has_name(every, detail):
        return True
    if detail.name.endswith(" raises") and said & _REFUSING:
        return True
    if detail.name.endswith("()") and _RE["of_all"].search(case.claims.text):
        return True  # what it returns in one case may be the exception
    if any(_loses(amount.quantity, detail) for amount in case.claims.amounts):
        return True
    had, has = stems_of((detail.old or "",)), stems_of((detail.new or "",))
    return any_form(had | has if detail.name.endswith(BODY) else had ^ has, said)


def _has_name(stems: frozenset[str], detail: Detail) -> bool:
    """True when all the telling words of a detail's name are there."""
    own = [word for word in words(simple(detail.name)) if is_telling(word) and not is_weak(word)]
    telling = [stems_of_word(word) for word in own if stem(word) not in _GENERAL] or [*map(stems_of_word, own)]
    return bool(telling) and all(any_form(each, stems) for each in telling)


def _loses(said: Quantity, detail: Detail) -> bool:
    """True when an amount was in a detail and is no more, or not alone."""
    had, has = (
        {bool(scale_between(said, number)) for number in code_numbers(side or "", detail.name)}
        for side in (detail.old, detail.new)
    )
    return True in had and (True not in has or (had == {True} and has != had))


_GENERAL = stem_set("kind type error value result status data info state case")
_REFUSING = stem_set("raise throw fail reject refuse error exception panic")


def _is_far(case: Case, said: frozenset[str]) -> bool:
    """True when the statement's words occur in the code, and none of them near the change."""
    before, after = case.old.facts.tokens, case.new.facts.tokens
    start = common_start(before, after)
    end = len(before) - common_start(before[start:][::-1], after[start:][::-1])
    places = [index for index, token in enumerate(before) if len(token) > 1 and any_form(stems_of((token,)), said)]
    return bool(places) and not any(start - NEAR < place < end + NEAR for place in places)
