"""Matching the overloads of a name before and after a commit.

An overload is identified by the types of its parameters (their names in languages without types), not by its position,
which changes when another one is inserted. The others are paired one to one by similarity; an overload without a pair
is new, however similar to an older sibling, because that sibling still exists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memlsp.code.diff.similarity import EVIDENCE, body_similarity, similarity
from memlsp.model.symbol import Symbol

STRANGERS = 0.3  # bodies of one name with less in common than this may be two symbols

_MARK = re.compile(r"@[\w.]+(?:\([^()]*\))?\s*")
_PACKAGE = re.compile(r"\b(?:\w+\.)+(?=\w)")


def interface(symbol: Symbol) -> tuple[str, ...]:
    """The types of the parameters, or their names without types, by which overloads are told apart. Qualifiers and
    annotations of types do not count (`java.io.File` is `File`)."""
    types = [_PACKAGE.sub("", _MARK.sub("", parameter.type or "")).strip() for parameter in symbol.facts.parameters]
    if any(types):
        return tuple(types)
    # A getter and a setter of one property differ by their decorators and take what they take.
    return (*symbol.facts.decorators, *(parameter.name for parameter in symbol.facts.parameters))


def are_strangers(old: Symbol, new: Symbol) -> bool:
    """True when two symbols of one name share so little that they may be unrelated; never for tiny ones."""
    if not old.name or min(old.fingerprint.size, new.fingerprint.size) < EVIDENCE:
        return False
    return body_similarity(old, new) < STRANGERS


def former(old: Sequence[Symbol], new: Sequence[Symbol], wanted: Symbol) -> Symbol | None:
    """The `old` overload that became `wanted`, one of the `new` ones; None when it was added."""
    present = same_text(new, wanted)
    if present is None:
        return None
    before, after = _by_interface(old), _by_interface(new)
    same = interface(present)
    if len(before.get(same, ())) == len(after[same]) == 1:
        return before[same][0]
    sure = {key for key, found in before.items() if len(found) == len(after.get(key, ())) == 1}
    return _ranked(
        [symbol for key, found in before.items() if key not in sure for symbol in found],
        [symbol for key, found in after.items() if key not in sure for symbol in found],
        present,
    )


def _ranked(old: Sequence[Symbol], new: Sequence[Symbol], present: Symbol) -> Symbol | None:
    ranked = sorted(
        ((_rank(before, after), -i, -j) for i, before in enumerate(old) for j, after in enumerate(new)), reverse=True
    )
    taken: set[int] = set()
    given: set[int] = set()
    for (same, _, _), i, j in ranked:
        before, after = old[-i], new[-j]
        if i in taken or j in given or (not same and are_strangers(before, after)):
            continue
        taken.add(i)
        given.add(j)
        if after is present:
            return before
    return None


def _by_interface(symbols: Sequence[Symbol]) -> dict[tuple[str, ...], list[Symbol]]:
    found: dict[tuple[str, ...], list[Symbol]] = {}
    for symbol in symbols:
        found.setdefault(interface(symbol), []).append(symbol)
    return found


def same_text(symbols: Sequence[Symbol], wanted: Symbol) -> Symbol | None:
    """The symbol with the text of `wanted`, preferably of its name and position."""
    alike = [symbol for symbol in symbols if symbol.fingerprint.text == wanted.fingerprint.text]
    return min(alike, key=lambda symbol: (symbol.name != wanted.name, symbol.ordinal != wanted.ordinal), default=None)


def _rank(old: Symbol, new: Symbol) -> tuple[bool, bool, float]:
    same = interface(old) == interface(new)
    equal = old.fingerprint.meaning == new.fingerprint.meaning
    return same, equal, similarity(old, new, same_container=True)
