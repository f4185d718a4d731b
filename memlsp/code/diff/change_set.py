"""The symbol changes of a change set, each reported once, at the place where it happened."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from attrs import evolve

from memlsp.code.diff.comparison import compare
from memlsp.code.diff.matching import Ambiguous, Pair, match
from memlsp.code.diff.refactorings import Refactoring, find_refactorings
from memlsp.code.diff.symbol_relations import Key, Place, holder_of, key_of, place_now, place_of, ref_of
from memlsp.code.syntax.outline import Outline
from memlsp.model.change import ChangeKind, Detail, SymbolChange, detail_kinds
from memlsp.model.symbol import Symbol, SymbolKind

_MEMBER_DETAILS = detail_kinds("member_")
_BODY_DETAILS = detail_kinds("condition return loop body call_ raise_ catch_")


def diff(old: Sequence[Outline], new: Sequence[Outline]) -> tuple[SymbolChange, ...]:
    """The symbol changes between the old and the new state of some files, in the order of the new files.

    Members of a container that was added, removed, renamed or moved as a whole are not listed for that, nor a container
    for the changes of its members. Unchanged files may be left out.
    """
    before = [symbol for outline in old for symbol in outline.symbols]
    after = [symbol for outline in new for symbol in outline.symbols]
    found = match(before, after)
    moved_to = {place_of(pair.old): place_of(pair.new) for pair in found.pairs}
    order = {key_of(symbol): index for index, symbol in enumerate(after)}

    refactored = {key_of(part.symbol): part for part in find_refactorings(found)}

    placed: list[tuple[tuple[int, int], SymbolChange]] = []
    for index, pair in enumerate(found.pairs):
        change = _change_of(pair, moved_to)
        if change is not None:
            placed.append(((order[key_of(pair.new)], index), change))
    placed += [
        ((order[key_of(symbol)], 0), _came(symbol, refactored.get(key_of(symbol))))
        for symbol in _outermost(found.added, kept={key for key, part in refactored.items() if _is_new(part)})
    ]
    last = len(after)
    open_ends = {key_of(entry.old): entry for entry in found.ambiguous}
    gone = [*found.removed, *(entry.old for entry in found.ambiguous)]
    placed += [
        ((last, index), _lost(symbol, open_ends.get(key_of(symbol)), refactored.get(key_of(symbol))))
        for index, symbol in enumerate(
            _outermost(gone, kept={*open_ends, *(key for key, part in refactored.items() if not _is_new(part))})
        )
    ]
    placed.sort(key=lambda entry: entry[0])
    return tuple(change for _, change in placed)


def _change_of(pair: Pair, moved_to: Mapping[Place, Place]) -> SymbolChange | None:
    """The change of a pair, without what the changes of its container or members say; None when nothing is left."""
    change = compare(pair.old, pair.new)
    kinds = set(change.kinds)
    if _followed(pair, moved_to):
        kinds.discard(ChangeKind.MOVED)
    if _is_constructor(pair.old) and _is_constructor(pair.new):
        # It has the name of its class, whose change says so.
        kinds.discard(ChangeKind.RENAMED)
    details: tuple[Detail, ...] = change.details
    if pair.new.kind.is_container:
        details = tuple(detail for detail in details if detail.kind not in _MEMBER_DETAILS)
        if len(details) < len(change.details) and not any(detail.kind in _BODY_DETAILS for detail in details):
            kinds.discard(ChangeKind.BEHAVIOUR)
    # the layout inside a container is that of its members
    if not kinds or (kinds <= {ChangeKind.COSMETIC} and pair.new.kind.is_container and not details):
        return None
    return evolve(change, kinds=frozenset(kinds), details=details)


def _is_constructor(symbol: Symbol) -> bool:
    return symbol.simple_name == symbol.container.rpartition(".")[2] != ""


def _followed(pair: Pair, moved_to: Mapping[Place, Place]) -> bool:
    """True when the symbol moved with its container."""
    return pair.old.kind is not SymbolKind.MODULE and place_now(holder_of(pair.old), moved_to) == holder_of(pair.new)


def _outermost(symbols: Iterable[Symbol], kept: Collection[Key]) -> list[Symbol]:
    """The symbols whose containers are not among them; those in `kept` always stay."""
    everything = list(symbols)
    places = {place_of(symbol) for symbol in everything}
    return [
        symbol
        for symbol in everything
        if key_of(symbol) in kept or not any((symbol.path, holder) in places for holder in _holders(symbol))
    ]


def _holders(symbol: Symbol) -> list[str]:
    parts = symbol.name.split(".") if symbol.name else []
    return [".".join(parts[:length]) for length in range(len(parts))]


def _is_new(part: Refactoring) -> bool:
    return part.kind is ChangeKind.EXTRACTED


def _came(symbol: Symbol, part: Refactoring | None) -> SymbolChange:
    return _with_part(SymbolChange(frozenset({ChangeKind.ADDED}), None, ref_of(symbol), similarity=0.0), part)


def _lost(symbol: Symbol, open_end: Ambiguous | None, part: Refactoring | None) -> SymbolChange:
    change = SymbolChange(frozenset({ChangeKind.REMOVED}), ref_of(symbol), None, similarity=0.0)
    if part is not None or open_end is None:
        return _with_part(change, part)
    candidates = open_end.candidates
    similarity = candidates[0][1] if candidates else 0.0
    return evolve(change, similarity=similarity, alternatives=tuple(ref_of(each) for each, _ in candidates))


def _with_part(change: SymbolChange, part: Refactoring | None) -> SymbolChange:
    if part is None:
        return change
    return evolve(change, kinds=change.kinds | {part.kind}, others=tuple(map(ref_of, part.others)))
