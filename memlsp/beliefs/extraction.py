"""Was a part of the body only taken out into a new function that is called in its place?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from memlsp.beliefs.evidence import names_in, simple
from memlsp.beliefs.stems import listed
from memlsp.code import Outline
from memlsp.model.belief import Anchor
from memlsp.model.symbol import Facts, Symbol

_LEAST_MOVED = 6  # meaning tokens; less is no body
_PLUMBING = 3  # literals that may come with the call: None, a flag, an index
_LOCAL = re.compile(r"[^\W\d]\w*")


def extracted_into(anchor: Anchor, new: Symbol, outline: Outline) -> tuple[Symbol, ...]:
    """The new functions that hold what the symbol did itself when it was verified; empty when that is not certain.

    Certain means: the interface is the same, the symbol calls functions of its file that were not there before, and
    together with them it does everything that it did (calls, exceptions, conditions, literals) and nothing more.
    """
    old = anchor.verified
    if old.fingerprint.signature != new.fingerprint.signature:
        return ()
    known = {(n.path, n.name) for n in anchor.neighbours}
    called = {simple(call) for call in new.facts.calls} - {simple(call) for call in old.facts.calls}
    fresh = tuple(
        symbol
        for symbol in outline.symbols
        if symbol.simple_name in called
        and not symbol.kind.is_container
        and (symbol.path, symbol.name) not in known
        and symbol.fingerprint.size >= _LEAST_MOVED
    )
    if not fresh or {symbol.simple_name for symbol in fresh} != called:
        return ()
    return fresh if _same_together(old.facts, (new.facts, *(symbol.facts for symbol in fresh)), called) else ()


def _same_together(old: Facts, parts: tuple[Facts, ...], helpers: set[str]) -> bool:
    helped = parts[1:]
    wrapped = any(facts.decorators or "async" in facts.modifiers for facts in helped)
    if wrapped and "async" not in old.modifiers:
        return False
    for before, after in (
        (Counter(map(simple, old.calls)), Counter(simple(c) for f in parts for c in f.calls)),
        (Counter(old.raises), Counter(r for f in parts for r in f.raises)),
        (Counter(old.catches), Counter(c for f in parts for c in f.catches)),
        (_anonymous(old.conditions, old), _anonymous_in(parts, lambda f: f.conditions)),
        (_anonymous(old.loops, old), _anonymous_in(parts, lambda f: f.loops)),
    ):
        if before - after or any(name not in helpers for name in after - before):
            return False
    literals = Counter(literal for facts in parts for literal in facts.literals)
    return (
        not Counter(old.literals) - literals
        and (literals - Counter(old.literals)).total() <= _PLUMBING
        and _operators(old) <= _sum(parts)
    )


def _operators(facts: Facts) -> Counter[str]:
    """The tokens that are neither names nor punctuation: `*`, `<=`, `return`."""
    return Counter(token for token in facts.tokens if token in _TELLING)


def _sum(parts: Iterable[Facts]) -> Counter[str]:
    total: Counter[str] = Counter()
    for facts in parts:
        total += _operators(facts)
    return total


_TELLING = listed(
    "+ - * / % ** // << >> & | ^ ~ < > <= >= == != === !== not and or && || ! in is await yield += -= *= /="
)


def _anonymous(texts: Iterable[str], facts: Facts) -> Counter[str]:
    fixed = {name for text in (*facts.uses, *facts.calls) for name in names_in(text)}
    return Counter(
        _LOCAL.sub(lambda found: found[0] if found[0] in fixed or found[0] in _WORDS else "_", text) for text in texts
    )


def _anonymous_in(parts: Iterable[Facts], of: _Part) -> Counter[str]:
    total: Counter[str] = Counter()
    for facts in parts:
        total += _anonymous(of(facts), facts)
    return total


_WORDS = listed("not and or in is for while if else True False None true false null nil async await of as let")


class _Part(Protocol):
    """The type of a function that takes a part of facts."""

    def __call__(self, facts: Facts, /) -> tuple[str, ...]: ...
