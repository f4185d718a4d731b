"""Who bears witness to a rename: in symbols that are known to be the same, one name stands where another stood.

Where `fetch(url)` became `load(url)` in a caller, `fetch` is gone and `load` is new, the caller says that one became
the other. Names in strings count too: a test that reads `'Input5.java'` and now reads `'InputBlock.java'`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher

from memlsp.model.symbol import Symbol

_NAME = re.compile(r"[^\W\d]\w*")
_LONGEST = 400  # tokens of a stretch that is aligned; a longer one was written anew and witnesses nothing
_MOST = 2_000  # symbols that are heard
_SHORT = 8  # tokens of an exchange in which one name for one name is taken for the same thing


def rename_votes(
    pairs: Iterable[tuple[Symbol, Symbol]], gone: Collection[str], come: Collection[str]
) -> Counter[tuple[str, str]]:
    """How many symbols exchanged a name that is `gone` for one that has `come`, both simple names."""
    found: Counter[tuple[str, str]] = Counter()
    heard = 0
    for old, new in pairs:
        if old.fingerprint.meaning == new.fingerprint.meaning or heard >= _MOST:
            continue
        left, right = _stretch(old.facts.tokens, new.facts.tokens)
        if not left or not right or max(len(left), len(right)) > _LONGEST:
            continue
        if not any(_names(token, gone) for token in left) or not any(_names(token, come) for token in right):
            continue
        heard += 1
        found.update(_exchanged(left, right, gone, come))
    return found


def _stretch(left: Sequence[str], right: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Both without what they begin and end with alike."""
    first, last = 0, 0
    most = min(len(left), len(right))
    while first < most and left[first] == right[first]:
        first += 1
    while last < most - first and left[-1 - last] == right[-1 - last]:
        last += 1
    return left[first : len(left) - last], right[first : len(right) - last]


def _exchanged(
    left: Sequence[str], right: Sequence[str], gone: Collection[str], come: Collection[str]
) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "replace":
            continue
        if b - a == d - c:
            for old, new in zip(left[a:b], right[c:d], strict=True):
                found.update(_one_for_one(_names(old, gone), _names(new, come)))
        elif max(b - a, d - c) <= _SHORT:
            went = {name for token in left[a:b] for name in _names(token, gone)}
            came = {name for token in right[c:d] for name in _names(token, come)}
            found.update(_one_for_one(went, came))
    return found


def _one_for_one(old: Collection[str], new: Collection[str]) -> list[tuple[str, str]]:
    return [(*old, *new)] if len(old) == 1 and len(new) == 1 else []  # type: ignore[list-item]


def _names(token: str, wanted: Collection[str]) -> set[str]:
    if token in wanted:
        return {token}
    if len(token) < 3 or token[0] not in "'\"`":
        return set()
    return {name for name in _NAME.findall(token) if name in wanted}
