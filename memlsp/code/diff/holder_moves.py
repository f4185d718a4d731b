"""Which file or class another one is, told by what they hold: where a name was passed on, content says who is who."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from memlsp.code.diff.similarity import family
from memlsp.code.diff.symbol_relations import Place, is_tiny
from memlsp.model.symbol import Symbol

_MOVED_OUT = 3  # bodies or members that show that a holder has another name now
_HOLDERS = 2  # of one body: what more have is boilerplate


def shared_bodies(old: Sequence[Symbol], new: Sequence[Symbol], *, in_files: bool) -> Iterator[tuple[Place, Place]]:
    """Pairs of holders, files or else classes, once for each body of a function that both have and few others."""
    before: defaultdict[str, list[Place]] = defaultdict(list)
    for symbol in old:
        if family(symbol.kind) == "callable" and not is_tiny(symbol):
            before[symbol.fingerprint.meaning].append((symbol.path, "" if in_files else symbol.container))
    after: defaultdict[str, list[Place]] = defaultdict(list)
    for symbol in new:
        if symbol.fingerprint.meaning in before and family(symbol.kind) == "callable":
            after[symbol.fingerprint.meaning].append((symbol.path, "" if in_files else symbol.container))
    for meaning, places in after.items():
        if len(places) <= _HOLDERS and len(before[meaning]) <= _HOLDERS:
            yield from ((left, right) for left in set(before[meaning]) for right in set(places))


def swapped(
    shared: Iterable[tuple[Place, Place]],
    expected: Mapping[Place, Place],
    news: Collection[Place],
    names: Collection[Place],
) -> Iterator[tuple[Place, Place]]:
    """Holders whose content went to another name while something else stands under their own, old place and new.

    `expected` says of each old holder that is not paired yet where its name is now; `news` are the new ones that are
    not, `names` all places that there are.
    """
    flow, back = _flows(shared)
    taken: set[Place] = set()
    for before, counts in flow.items():
        here = expected.get(before)
        if here is None:
            continue
        target, most = max(counts.items(), key=lambda entry: (entry[1], entry[0] == here))
        if target not in news or target in taken or target == here or most < _MOVED_OUT:
            continue
        # Who stands under the old name now: nobody, or somebody whose content came from elsewhere.
        own = counts[here]
        others = max((number for source, number in back[here].items() if source != before), default=0)
        inside = target[0] == here[0] and target[1].startswith(f"{here[1]}.")
        replaced = here in names and (others > own or own == 0) and not inside
        if replaced and own * 4 <= most and max(back[target].values()) <= most:
            taken.add(target)
            yield before, target


def followed_members(
    moves: Iterable[tuple[Place, Place]], olds: Collection[Place], news: Collection[Place], sizes: Mapping[Place, int]
) -> Iterator[tuple[Place, Place]]:
    """Classes of which most members are now in the other. `moves` are the holders of each member, then and now."""
    went, came = _flows(moves)
    for before in olds:
        if not went[before]:
            continue
        target, most = went[before].most_common(1)[0]
        if target not in news or most < _MOVED_OUT or most < max(came[target].values()):
            continue
        if most * 2 >= min(sizes[before], sizes[target]) and most * 2 > went[before].total():
            came[target][before] = len(sizes) + most  # nobody else can have it
            yield before, target


def followed_classes(
    moves: Iterable[tuple[str, str]], olds: Collection[str], news: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Files all of whose classes went to one other, which holds no others. `moves` are paths of each class."""
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
    """How many went from where to where, and the same backwards."""
    went: defaultdict[Place, Counter[Place]] = defaultdict(Counter)
    came: defaultdict[Place, Counter[Place]] = defaultdict(Counter)
    for before, after in moves:
        went[before][after] += 1
        came[after][before] += 1
    return went, came
