"""What can be said of a change beside a statement, in numbers: how large it is, what of the interface it altered, and
how much of it the statement speaks of.

Nothing here is understood. Each number is one that a reader could work out with a pencil, so that the weight which was
learnt for it can be argued with. Others were tried and told nothing more on histories that they had not seen: kinds of
exceptions, loops and literals, removed parameters, the share of a statement's words that went, its first sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from math import log1p
from typing import TYPE_CHECKING

from memlsp.beliefs.claims.evidence import name_stems, names_in, one_separator, simple, strings_in
from memlsp.beliefs.claims.stems import any_form, prose_words, stem, tells, weak
from memlsp.code.syntax.names import words
from memlsp.model.change import Detail, DetailKind

if TYPE_CHECKING:
    from memlsp.beliefs.standing.claim_check import Case

ABOUT: Mapping[str, str] = {
    "edit_size": "tokens that came or went, as a logarithm",
    "edit_share": "tokens that came or went, of all there were and are",
    "sentences": "sentences and list entries of the statement, as a logarithm",
    "parameter_added": "parameters that came, as a logarithm",
    "parameter_added_to_list": "the same, where the statement lists parameters",
    "parameter_renamed_named": "parameters with a new name whose old one the statement has",
    "default_changed": "defaults that came, went or are others",
    "returns_changed": "returned expressions that came, went or are others",
    "began_to_warn": "it calls `warn` now and did not before",
    "names_said_found": "names in the statement that the code had",
    "names_came_said": "names in the statement that the code has only now",
    "words_gone_said": "words of names that left the code: the share that the statement has",
    "touched_said": "words of what changed: the share that the statement has",
    "contradicted": "a claim of the statement is broken, by the rules",
}
_BREAK = re.compile(r"[.!?](?:\s|$)|\n\s*\n|\n\s*[-*:]")
_PARAMETER_LIST = re.compile(
    r"(?m)^\s*(?::param\b|@param\b|:arg\b|Parameters\s*\n\s*-{3,}|(?:Args|Arguments|Parameters):\s*$|[-*]\s*`\w+`)"
)
_NAME = re.compile(r"[^\W\d]\w*")
_MOST = 6  # of one kind; more of them say no more
_LONGEST_TEXT = 60  # characters of a string literal whose words count; a longer one is a message


def touching(case: Case, *, contradicted: bool) -> Mapping[str, float]:
    """The numbers, by the names in `ABOUT`; each is at least 0, and 0 says nothing."""
    return {
        **_edit(case),
        **_interface(case),
        **_names(case),
        **_prose(case),
        "contradicted": float(contradicted),
    }


def _edit(case: Case) -> dict[str, float]:
    before, after = Counter(case.old.facts.tokens), Counter(case.new.facts.tokens)
    changed = (before - after).total() + (after - before).total()
    return {
        "edit_size": log1p(changed),
        "edit_share": changed / max(1, before.total() + after.total()),
        "sentences": log1p(len(_BREAK.findall(case.claims.text))),
    }


def _interface(case: Case) -> dict[str, float]:
    named = frozenset(_NAME.findall(case.claims.text))
    kinds = Counter(detail.kind for detail in case.details)
    renamed = (d for d in case.details if d.kind is DetailKind.PARAMETER_RENAMED)
    added = _few(kinds[DetailKind.PARAMETER_ADDED])
    warns = {simple(call) for call in case.new.facts.calls} - {simple(call) for call in case.old.facts.calls}
    return {
        "parameter_added": added,
        "parameter_added_to_list": added if _PARAMETER_LIST.search(case.claims.text) else 0.0,
        "parameter_renamed_named": _few(sum((d.old or "").lstrip("*&") in named for d in renamed)),
        "default_changed": _few(kinds[DetailKind.DEFAULT]),
        "returns_changed": _few(kinds[DetailKind.RETURN] + kinds[DetailKind.RETURN_TYPE]),
        "began_to_warn": float("warn" in warns),
    }


def _few(count: int) -> float:
    return log1p(min(_MOST, count))


def _names(case: Case) -> dict[str, float]:
    """Names that the statement writes as names, those of the symbol itself left out."""
    own = case.subject | {"self", "cls", "this"}
    before, after = _names_of(case.old.facts.tokens), _names_of(case.new.facts.tokens)
    said = {part for mention in case.claims.mentions for part in mention.parts}
    said |= {name for name in _NAME.findall(case.claims.text) if _is_codelike(name)}
    said -= own
    return {
        "names_said_found": _few(len(said & before)),
        "names_came_said": _few(len(said & (after - before))),
    }


def _names_of(tokens: Iterable[str]) -> set[str]:
    return {name for token in tokens if token[:1] not in "'\"`" for name in names_in(token)}


def _is_codelike(word: str) -> bool:
    return "_" in word.strip("_") or (not word.islower() and not word.istitle())


def _prose(case: Case) -> dict[str, float]:
    said = frozenset(stem(word) for word in prose_words(case.claims.text) if not weak(word))
    own = frozenset(one for name in case.subject for one in name_stems(name))
    gone = stems_of(case.old.facts.tokens) - stems_of(case.new.facts.tokens)
    touched = stems_of(texts_of(case.details))
    hit = sum(any_form((one,), touched) for one in said - own)
    return {
        "words_gone_said": len(gone & said) / max(1, len(gone)),
        "touched_said": hit / max(1, len(touched)),
    }


def texts_of(details: Iterable[Detail]) -> list[str]:
    """All that details say, as pieces of source text."""
    return [text for detail in details for text in (detail.name, detail.old or "", detail.new or "")]


def stems_of(texts: Iterable[str]) -> frozenset[str]:
    """The stems of the telling words of all names in pieces of source text, and of those in short string literals."""
    found: set[str] = set()
    for text in texts:
        inside = (name for held in strings_in(text) if len(held) < _LONGEST_TEXT for name in _NAME.findall(held))
        for name in (*names_in(text), *inside):
            found.update(stem(word) for word in words(one_separator(name)) if tells(word))
    return frozenset(found)
