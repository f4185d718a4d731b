"""Evidence for matching from other symbols: names that their users exchanged, and holders that their content left.

A caller in which `load(url)` stands where `fetch(url)` stood is evidence that `fetch` became `load`, when `fetch` is
gone and `load` is new. Names in strings count too: a test that read `'Input5.java'` and now reads `'InputBlock.java'`.
Where a name was passed on, the content says which file or class is which.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from memlsp.code.diff.quotes import differing
from memlsp.code.diff.similarity import family
from memlsp.code.diff.symbol_relations import Place, grouped, is_tiny
from memlsp.model.symbol import Symbol

_NAME = re.compile(r"[^\W\d]\w*")
_LONGEST = 400  # tokens of a changed stretch; a longer one was written anew and is no evidence
_MOST = 2_000  # symbols that are compared
_SHORT = 8  # tokens of an exchange in which one name for another is taken for a rename

_MOVED_OUT = 3  # bodies or members from which a holder counts as renamed
_HOLDERS = 2  # holders of one body; with more it is boilerplate


def rename_votes(
    pairs: Iterable[tuple[Symbol, Symbol]], gone: Collection[str], come: Collection[str]
) -> Counter[tuple[str, str]]:
    """The number of symbols that exchanged a name that is `gone` for one that has `come`, by (old, new)."""
    found: Counter[tuple[str, str]] = Counter()
    compared = 0
    for old, new in pairs:
        if old.fingerprint.meaning == new.fingerprint.meaning or compared >= _MOST:
            continue
        left, right = differing(old.facts.tokens, new.facts.tokens)
        if not left or not right or max(len(left), len(right)) > _LONGEST:
            continue
        if not any(_names(token, gone) for token in left) or not any(_names(token, come) for token in right):
            continue
        compared += 1
        found.update(_exchanged(left, right, gone, come))
    return found


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


def shared_bodies(old: Sequence[Symbol], new: Sequence[Symbol], *, in_files: bool) -> Iterator[tuple[Place, Place]]:
    """Pairs of holders (files or else classes), once for each function body that only they share."""
    before, after = _bodies(old, in_files=in_files), _bodies(new, in_files=in_files)
    for meaning in after:
        if meaning in before and max(len(after[meaning]), len(before[meaning])) <= _HOLDERS:
            yield from ((left, right) for left in set(before[meaning]) for right in set(after[meaning]))


def _bodies(symbols: Sequence[Symbol], *, in_files: bool) -> dict[str, list[Place]]:
    """The holders of each function body that is not tiny."""
    functions = (symbol for symbol in symbols if family(symbol.kind) == "callable" and not is_tiny(symbol))
    return grouped((each.fingerprint.meaning, (each.path, "" if in_files else each.container)) for each in functions)


def swapped(
    shared: Iterable[tuple[Place, Place]],
    expected: Mapping[Place, Place],
    news: Collection[Place],
    names: Collection[Place],
) -> Iterator[tuple[Place, Place]]:
    """(Old, new place) of holders whose content went elsewhere: their name was taken, or an interface gave its own.

    `expected` has the place of its own name now for each unpaired old holder, `news` the unpaired new holders, `names`
    all new places.
    """
    flow, back = _flows(shared)
    taken: set[Place] = set()
    former = set(expected.values())
    for before, counts in flow.items():
        here = expected.get(before)
        if here is None:
            continue
        target, most = max(counts.items(), key=lambda entry: (entry[1], entry[0] == here))
        if target not in news or target in taken or target == here or most < _MOVED_OUT:
            continue
        # Content under the old name now: none, or some that came from elsewhere.
        own = counts[here]
        others = max((number for source, number in back[here].items() if source != before), default=0)
        inside = target[0] == here[0] and target[1].startswith(f"{here[1]}.")
        empty = here not in names and target in former and not back[target][target]
        replaced = (here in names and others > own and not inside) or empty
        if replaced and own * 4 <= most and max(back[target].values()) <= most:
            taken.add(target)
            yield before, target


def followed_members(
    moves: Iterable[tuple[Place, Place]], olds: Collection[Place], news: Collection[Place], sizes: Mapping[Place, int]
) -> Iterator[tuple[Place, Place]]:
    """Classes whose members are mostly in another one now. `moves` has the former and present holder of each member."""
    went, came = _flows(moves)
    for before in olds:
        if not went[before]:
            continue
        target, most = went[before].most_common(1)[0]
        if target not in news or most < _MOVED_OUT or most < max(came[target].values()):
            continue
        if most * 2 >= min(sizes[before], sizes[target]) and most * 2 > went[before].total():
            came[target][before] = len(sizes) + most  # taken
            yield before, target


def followed_classes(
    moves: Iterable[tuple[str, str]], olds: Collection[str], news: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Files whose classes all went to one file without others. `moves` has the two paths of each class."""
    went: defaultdict[str, set[str]] = defaultdict(set)
    came: defaultdict[str, set[str]] = defaultdict(set)
    for before, after in moves:
        went[before].add(after)
        came[after].add(before)
    for before in olds:
        if len(went[before]) == 1:
            (target,) = went[before]
            if target in news and len(came[target]) == 1:
                yield before, target


def _flows(
    moves: Iterable[tuple[Place, Place]],
) -> tuple[defaultdict[Place, Counter[Place]], defaultdict[Place, Counter[Place]]]:
    """The number of moves between each two places, forwards and backwards."""
    went: defaultdict[Place, Counter[Place]] = defaultdict(Counter)
    came: defaultdict[Place, Counter[Place]] = defaultdict(Counter)
    for before, after in moves:
        went[before][after] += 1
        came[after][before] += 1
    return went, came
