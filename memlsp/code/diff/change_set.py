"""The symbol changes of a change set, each reported once, at the place where it happened."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from attrs import evolve

from memlsp.code.diff.comparison import compare
from memlsp.code.diff.matching import Ambiguous, Pair, match
from memlsp.code.diff.refactorings import Refactoring, find_refactorings
from memlsp.model.change import ChangeKind, Detail, DetailKind, SymbolChange, SymbolRef
from memlsp.model.symbol import Symbol, SymbolKind

_MEMBER_DETAILS = frozenset(kind for kind in DetailKind if kind.name.startswith("MEMBER_"))
_BODY_DETAILS = frozenset(
    {DetailKind.CONDITION, DetailKind.RETURN, DetailKind.LOOP, DetailKind.BODY}
    | {kind for kind in DetailKind if kind.name.startswith(("CALL_", "RAISE_", "CATCH_"))}
)
_Place = tuple[str, str]
_Key = tuple[str, str, int]


class HasSymbols(Protocol):
    """The part of an outline that is compared."""

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """In document order, the module first."""
        ...


def diff(old: Sequence[HasSymbols], new: Sequence[HasSymbols]) -> tuple[SymbolChange, ...]:
    """The symbol changes between the old and the new state of some files, in the order of the new files.

    Members of a container that was added, removed, renamed or moved as a whole are not listed for that, nor a container
    for the changes of its members. Unchanged files may be left out.
    """
    before = [symbol for outline in old for symbol in outline.symbols]
    after = [symbol for outline in new for symbol in outline.symbols]
    found = match(before, after)
    moved_to = {(pair.old.path, pair.old.name): (pair.new.path, pair.new.name) for pair in found.pairs}
    order = {_key(symbol): index for index, symbol in enumerate(after)}

    refactored = {_key(part.symbol): part for part in find_refactorings(found)}

    placed: list[tuple[tuple[int, int], SymbolChange]] = []
    for index, pair in enumerate(found.pairs):
        change = _change_of(pair, moved_to)
        if change is not None:
            placed.append(((order[_key(pair.new)], index), change))
    placed += [
        ((order[_key(symbol)], 0), _came(symbol, refactored.get(_key(symbol))))
        for symbol in _outermost(found.added, kept={key for key, part in refactored.items() if _is_new(part)})
    ]
    last = len(after)
    open_ends = {_key(entry.old): entry for entry in found.ambiguous}
    gone = [*found.removed, *(entry.old for entry in found.ambiguous)]
    placed += [
        ((last, index), _lost(symbol, open_ends.get(_key(symbol)), refactored.get(_key(symbol))))
        for index, symbol in enumerate(
            _outermost(gone, kept={*open_ends, *(key for key, part in refactored.items() if not _is_new(part))})
        )
    ]
    placed.sort(key=lambda entry: entry[0])
    return tuple(change for _, change in placed)


def _change_of(pair: Pair, moved_to: Mapping[_Place, _Place]) -> SymbolChange | None:
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
    if kinds <= {ChangeKind.COSMETIC} and pair.new.kind.is_container and not details:
        # The layout inside a container is that of its members.
        return None
    if not kinds:
        return None
    return evolve(change, kinds=frozenset(kinds), details=details)


def _is_constructor(symbol: Symbol) -> bool:
    return symbol.simple_name == symbol.container.rpartition(".")[2] != ""


def _followed(pair: Pair, moved_to: Mapping[_Place, _Place]) -> bool:
    """True when the symbol moved with its container."""
    if pair.old.kind is SymbolKind.MODULE:
        return False
    holder = moved_to.get((pair.old.path, pair.old.container))
    return holder == (pair.new.path, pair.new.container)


def _outermost(symbols: Iterable[Symbol], kept: Collection[_Key]) -> list[Symbol]:
    """The symbols whose containers are not among them; those in `kept` always stay."""
    everything = list(symbols)
    places = {(symbol.path, symbol.name) for symbol in everything}
    found: list[Symbol] = []
    for symbol in everything:
        inside = any((symbol.path, holder) in places for holder in _holders(symbol))
        if not inside or _key(symbol) in kept:
            found.append(symbol)
    return found


def _holders(symbol: Symbol) -> list[str]:
    if not symbol.name:
        return []
    parts = symbol.name.split(".")
    return [".".join(parts[:length]) for length in range(len(parts))]


def _is_new(part: Refactoring) -> bool:
    return part.kind is ChangeKind.EXTRACTED


def _came(symbol: Symbol, part: Refactoring | None) -> SymbolChange:
    kinds, others = _of_part(ChangeKind.ADDED, part)
    return SymbolChange(kinds, None, _ref(symbol), similarity=0.0, others=others)


def _of_part(kind: ChangeKind, part: Refactoring | None) -> tuple[frozenset[ChangeKind], tuple[SymbolRef, ...]]:
    if part is None:
        return frozenset({kind}), ()
    return frozenset({kind, part.kind}), tuple(_ref(other) for other in part.others)


def _lost(symbol: Symbol, open_end: Ambiguous | None, part: Refactoring | None) -> SymbolChange:
    kinds, others = _of_part(ChangeKind.REMOVED, part)
    if part is not None:
        return SymbolChange(kinds, _ref(symbol), None, similarity=0.0, others=others)
    candidates = open_end.candidates if open_end else ()
    return SymbolChange(
        kinds=kinds,
        old=_ref(symbol),
        new=None,
        similarity=candidates[0][1] if candidates else 0.0,
        alternatives=tuple(_ref(candidate) for candidate, _ in candidates),
    )


def _key(symbol: Symbol) -> _Key:
    return symbol.path, symbol.name, symbol.ordinal


def _ref(symbol: Symbol) -> SymbolRef:
    return SymbolRef(symbol.path, symbol.name, symbol.kind, symbol.ordinal)
