"""Relations of symbols: places, holders, calls, and whether one can have become another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from memlsp.code.diff.similarity import EVIDENCE, family, label
from memlsp.model.change import SymbolRef
from memlsp.model.symbol import Symbol, SymbolKind

Place = tuple[str, str]
"""A path and a dotted name."""

Key = tuple[str, str, int]
"""A place with the number of the overload."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def grouped(keyed: Iterable[tuple[_Key, _Value]]) -> defaultdict[_Key, list[_Value]]:
    """The values by their keys, in order."""
    found: defaultdict[_Key, list[_Value]] = defaultdict(list)
    for key, value in keyed:
        found[key].append(value)
    return found


def is_module(symbol: Symbol) -> bool:
    """True for a whole file."""
    return symbol.kind is SymbolKind.MODULE


def is_tiny(symbol: Symbol) -> bool:
    """True for a body too short to be evidence."""
    return symbol.fingerprint.size < EVIDENCE


def may_become(old: Symbol, new: Symbol, same_container: bool) -> bool:
    """True unless their kinds forbid it, or their bodies are too small to tell."""
    if family(old.kind) != family(new.kind):
        return False
    if old.kind in (SymbolKind.REGION, SymbolKind.KEY, SymbolKind.SECTION) and old.path != new.path:
        return False
    tiny = is_tiny(old) or is_tiny(new)
    return not tiny or same_container or label(old) == label(new)


def holder_of(symbol: Symbol) -> Place:
    """The place of its holder."""
    return symbol.path, symbol.container


def place_of(symbol: Symbol) -> Place:
    """The place of the symbol; overloads share one."""
    return symbol.path, symbol.name


def place_now(place: Place, moved_to: Mapping[Place, Place]) -> Place:
    """The present place of a holder, also of one that is no symbol itself (a receiver in another file)."""
    if place in moved_to or not place[1]:
        return moved_to.get(place, place)
    outer, _, last = place[1].rpartition(".")
    there, holder = place_now((place[0], outer), moved_to)
    return there, f"{holder}.{last}" if holder else last


def key_of(symbol: Symbol) -> Key:
    """The place of the symbol and which of the overloads it is."""
    return symbol.path, symbol.name, symbol.ordinal


def ref_of(symbol: Symbol) -> SymbolRef:
    """The symbol without its content."""
    return SymbolRef(symbol.path, symbol.name, symbol.kind, symbol.ordinal)


def depth(symbol: Symbol) -> int:
    """The number of its holders in the file."""
    return symbol.name.count(".")


def is_typed(symbol: Symbol) -> bool:
    """True for classes, interfaces, enums and the like."""
    return symbol.kind.is_container and symbol.kind is not SymbolKind.MODULE


def is_member(symbol: Symbol) -> bool:
    """True for functions, fields, keys: symbols without members."""
    return not symbol.kind.is_container


def calls(caller: Symbol, called: Symbol) -> bool:
    """True when one symbol calls the simple name of the other."""
    name = called.simple_name
    return any(call.replace("::", ".").rpartition(".")[2] == name for call in caller.facts.calls)


def delegates(old: Symbol, new: Symbol) -> bool:
    """True for a function that kept its parameters and newly calls a namesake."""
    if old.facts.parameters != new.facts.parameters or not family(old.kind) == family(new.kind) == "callable":
        return False
    return _calls_itself(new) and not _calls_itself(old)


def _calls_itself(symbol: Symbol) -> bool:
    """True for a call of the own name or, in a constructor, of another constructor of the class."""
    return calls(symbol, symbol) or delegates_construction(symbol)


def delegates_construction(symbol: Symbol) -> bool:
    """True for a constructor that calls another one of its class, which facts do not count as a call."""
    constructs = symbol.simple_name == symbol.container.rpartition(".")[2]
    return constructs and any(a == "this" and b != "." for a, b in pairwise(symbol.facts.tokens))


def nested_indexes(symbols: Sequence[Symbol]) -> frozenset[int]:
    """The indexes of symbols inside a function or a value."""
    leaves = {place_of(symbol) for symbol in symbols if not symbol.kind.is_container}
    return frozenset(k for k, symbol in enumerate(symbols) if symbol.container and holder_of(symbol) in leaves)


def bare_name(symbol: Symbol) -> tuple[str, str]:
    """The name that identifies a body anywhere."""
    # two classes may each have an `__init__` of the same two lines
    return symbol.simple_name, symbol.container if is_tiny(symbol) else ""
