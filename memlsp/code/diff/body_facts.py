"""Compares two bodies by their facts alone: the source of the older one may be gone.

Facts hold local names as written. A local on one side only counts as renamed and is made anonymous before texts are
compared, so that a rename is never reported as a change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TypeVar

from memlsp.code.vocabulary import patterns, word_sets
from memlsp.model.change import Detail, DetailKind
from memlsp.model.symbol import Facts, NamedValue

_ALIKE = 0.5  # conditions, returns and loop headers less alike than this are not versions of one another
_PAIRED_AT_MOST = 24
_TEXT_COMPARED = 240

_NAME = patterns(__name__)["name"]
_KEY_BEFORE = re.compile(r"[{,]\s*$")
_KEYWORDS = word_sets(__name__)["keywords"]
_Item = TypeVar("_Item")
_PIECE = re.compile(r"\w+|[^\w\s]")


Normalize = Callable[[str], str]
"""Normalises the names in texts of one side: applies renames, makes locals that the other side lacks anonymous."""


def _normalizer(renames: Mapping[str, str], anonymous: frozenset[str]) -> Normalize:
    def normalize(text: str) -> str:
        numbers: dict[str, str] = {}

        def replace(found: re.Match[str]) -> str:
            name = found["name"]
            if name is None or _is_key(found):
                return found[0]
            name = renames.get(name, name)
            return numbers.setdefault(name, f"·{len(numbers)}") if name in anonymous else name

        return _NAME.sub(replace, text)

    return normalize


def _normalizers(old: Facts, new: Facts, renames: Mapping[str, str]) -> tuple[Normalize, Normalize]:
    """The normalizers of both sides, which make equal code equal text. `renames` maps old names to new ones."""
    before = {renames.get(name, name) for name in _names_in(old)}
    after = _names_in(new)
    fixed = _fixed_names(old) | _fixed_names(new) | {name for name in before | after if name[:1].isupper()}  # types
    return _normalizer(renames, frozenset(before - after - fixed)), _normalizer({}, frozenset(after - before - fixed))


def body_details(old: Facts, new: Facts, renames: Mapping[str, str]) -> list[Detail]:
    """The differing calls, exceptions, conditions, returns, loops and literals, the most important first."""
    read = _normalizers(old, new, renames)
    # The construction of a raised exception is no call of its own.
    calls = [[text for text in side.calls if text not in side.raises] for side in (old, new)]
    return [
        *_gained_and_lost(calls[0], calls[1], read, DetailKind.CALL_ADDED, DetailKind.CALL_REMOVED),
        *_gained_and_lost(old.raises, new.raises, read, DetailKind.RAISE_ADDED, DetailKind.RAISE_REMOVED),
        *_gained_and_lost(old.catches, new.catches, read, DetailKind.CATCH_ADDED, DetailKind.CATCH_REMOVED),
        *_versions(old.conditions, new.conditions, read, DetailKind.CONDITION),
        *_versions(old.returns, new.returns, read, DetailKind.RETURN),
        *_versions(old.loops, new.loops, read, DetailKind.LOOP),
        *literal_details(old, new, renames),
    ]


def literal_details(old: Facts, new: Facts, renames: Mapping[str, str]) -> Iterator[Detail]:
    """The literals that went, came or changed: named ones by their name, then the others in source order."""
    defaults = {parameter.name.rstrip(":") for side in (old, new) for parameter in side.parameters if parameter.default}
    lost, gained = _differing_values(old.values, new.values, defaults, renames)
    explained_old: Counter[str] = Counter()
    explained_new: Counter[str] = Counter()
    for name in dict.fromkeys([value.name for value in lost] + [value.name for value in gained]):
        befores = [value.value for value in lost if value.name == name]
        afters = [value.value for value in gained if value.name == name]
        explained_old.update(befores)
        explained_new.update(afters)
        for before, after in zip_longest(befores, afters):
            yield Detail(DetailKind.LITERAL, name, before, after)
    for side, explained in ((old, explained_old), (new, explained_new)):
        explained.update(p.default for p in side.parameters if p.default)
    left_old = _without(old.literals, Counter(new.literals) + explained_old)
    left_new = _without(new.literals, Counter(old.literals) + explained_new)
    yield from (Detail(DetailKind.LITERAL, "", before, after) for before, after in zip_longest(left_old, left_new))


def _differing_values(
    old: Sequence[NamedValue], new: Sequence[NamedValue], skipped: set[str], renames: Mapping[str, str]
) -> tuple[list[NamedValue], list[NamedValue]]:
    before = [NamedValue(renames.get(value.name, value.name), value.value) for value in old]
    spare_new, spare_old = Counter(new), Counter(before)
    lost = [value for value in before if value.name not in skipped and not _take(spare_new, value)]
    gained = [value for value in new if value.name not in skipped and not _take(spare_old, value)]
    for value in list(lost):
        # The same value under another new name: a local was renamed.
        heir = next((other for other in gained if other.value == value.value), None)
        if heir is not None and value.name not in {v.name for v in new} and heir.name not in {v.name for v in before}:
            lost.remove(value)
            gained.remove(heir)
    return lost, gained


def _gained_and_lost(
    old: Sequence[str], new: Sequence[str], read: tuple[Normalize, Normalize], gain: DetailKind, loss: DetailKind
) -> list[Detail]:
    before = {read[0](text): text for text in reversed(old)}
    after = {read[1](text): text for text in reversed(new)}
    gained = [text for key, text in reversed(after.items()) if key not in before]
    lost = [text for key, text in reversed(before.items()) if key not in after]
    return [Detail(gain, text, None, text) for text in gained] + [Detail(loss, text, text, None) for text in lost]


def _versions(
    old: Sequence[str], new: Sequence[str], read: tuple[Normalize, Normalize], kind: DetailKind
) -> list[Detail]:
    """The texts that differ, each with the most similar one of the other side."""
    before, after = [(read[0](text), text) for text in old], [(read[1](text), text) for text in new]
    spare_new, spare_old = Counter(key for key, _ in after), Counter(key for key, _ in before)
    lost = [entry for entry in before if not _take(spare_new, entry[0])]
    gained = [entry for entry in after if not _take(spare_old, entry[0])]
    scored = [
        (text_similarity(before, after), i, j)
        for i, (before, _) in enumerate(lost[:_PAIRED_AT_MOST])
        for j, (after, _) in enumerate(gained[:_PAIRED_AT_MOST])
    ]
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for score, i, j in sorted(scored, key=lambda entry: (-entry[0], entry[1], entry[2])):
        if score >= _ALIKE and i not in partner and j not in taken:
            partner[i] = j
            taken.add(j)
    details = [
        Detail(kind, "", text, gained[partner[i]][1] if i in partner else None) for i, (_, text) in enumerate(lost)
    ]
    return details + [Detail(kind, "", None, text) for j, (_, text) in enumerate(gained) if j not in taken]


def text_similarity(old: str, new: str) -> float:
    """The share of words and signs that two pieces of code have in common and in order, 0..1."""
    left, right = _PIECE.findall(old[:_TEXT_COMPARED]), _PIECE.findall(new[:_TEXT_COMPARED])
    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def _without(texts: Sequence[str], spare: Counter[str]) -> list[str]:
    left = Counter(spare)
    return [text for text in texts if not _take(left, text)]


def _take(spare: Counter[_Item], item: _Item) -> bool:
    if spare[item] > 0:
        spare[item] -= 1
        return True
    return False


def _is_key(found: re.Match[str]) -> bool:
    """True for the key `name` in `{name: ...}`, which is no local."""
    rest = found.string[found.end() : found.end() + 1]
    return rest == ":" and bool(_KEY_BEFORE.search(found.string[: found.start()]))


def _fixed_names(facts: Facts) -> set[str]:
    return {name.partition(".")[0] for name in facts.uses}


def _names_in(facts: Facts) -> set[str]:
    names = {parameter.name for parameter in facts.parameters}
    for text in (*facts.calls, *facts.raises, *facts.catches, *facts.conditions, *facts.returns, *facts.loops):
        names.update(found["name"] for found in _NAME.finditer(text) if found["name"] and not _is_key(found))
    return names - _KEYWORDS
