"""Removes repetitions from a change set: what a container repeats of its members, and a caller of a rename."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from memlsp.model.change import ChangeKind, Detail, DetailKind, SymbolChange

_EMPTY = DetailKind.BODY
_GONE, _CAME = frozenset({ChangeKind.REMOVED}), frozenset({ChangeKind.ADDED})
_HARMLESS = frozenset({ChangeKind.COSMETIC, ChangeKind.DOCS})
_PLACES = frozenset({ChangeKind.RENAMED, ChangeKind.MOVED})
_WORD = re.compile(r"[^\W\d][\w$]*")
_ONE_SIDED = {
    DetailKind[f"{what}_REMOVED"]: DetailKind[f"{what}_ADDED"]
    for what in ("CALL", "RAISE", "CATCH", "DECORATOR", "BASE", "STATEMENT")
}


@frozen
class ReportedChange:
    """A change without repetitions. `follows` has the renamed symbols where it only writes their new names."""

    change: SymbolChange
    follows: tuple[str, ...] = ()


def without_repetitions(changes: Sequence[SymbolChange]) -> tuple[ReportedChange, ...]:
    """The changes of a change set without repetitions.

    A function or file does not repeat the changes of a nested one, a container not those of its members, and a caller
    not the new name of a symbol that was renamed in the same change set.
    """
    changes = _with_other_kinds(changes)
    renames = renamed(changes)
    inner = _inner(changes)
    reported = (_reported(change, inner.get(index), renames) for index, change in enumerate(changes))
    return tuple(each for each in reported if each is not None)


def _reported(
    change: SymbolChange, below: frozenset[Detail] | None, renames: Mapping[str, str]
) -> ReportedChange | None:
    """A change without what `below`, the changes of the symbols inside, and the renames say; None when that is all."""
    details = tuple(detail for detail in change.details if detail not in (below or ()))
    follows: tuple[str, ...] = ()
    if renames and change.old is not None and change.new is not None:
        details, follows = _without_renames(details, renames)
    if below is not None:
        # an excerpt of placeholders for locals and the symbol's own name says nothing
        details = tuple(
            each for each in details if each.kind is not _EMPTY or f"{each.old or ''}{each.new or ''}".strip("$@ ,")
        )
    is_whole = len(details) == len(change.details)
    if is_whole and (details or not _is_hollow(change, inside_reported=below is not None)):
        return ReportedChange(change)
    places = change.kinds & (_PLACES | {ChangeKind.DOCS})
    if details or places:
        left = evolve(change, details=details)
        remains = any(detail.kind not in (DetailKind.DOCS, DetailKind.HINT) for detail in details)
        return ReportedChange(left if remains else evolve(left, kinds=places or change.kinds), follows)
    return ReportedChange(evolve(change, details=()), follows) if follows else None


def _is_hollow(change: SymbolChange, *, inside_reported: bool) -> bool:
    """True for a file or a container whose change only repeats its imports and its symbols."""
    if change.new is None or change.old is None or not change.alters_meaning or change.kinds & _PLACES:
        return False
    if change.new.kind is not change.old.kind:
        return False
    return inside_reported or not change.new.name


def _with_other_kinds(changes: Sequence[SymbolChange]) -> list[SymbolChange]:
    """The changes with a removal and an addition under one name as one change: a field that became a method."""
    gone = {
        (change.old.path, change.old.name): change
        for change in changes
        if change.kinds == _GONE and change.old is not None and not change.alternatives
    }
    came = {
        (change.new.path, change.new.name): change
        for change in changes
        if change.kinds == _CAME and change.new is not None and change.new.name
    }
    both = gone.keys() & came.keys()
    found: list[SymbolChange] = []
    for change in changes:
        ref = change.new or change.old
        place = (ref.path, ref.name) if ref else ("", "")
        if place not in both or change not in (gone[place], came[place]):
            found.append(change)
        elif change.new is not None:
            old = gone[place].old
            found.append(evolve(change, kinds=frozenset({ChangeKind.SIGNATURE}), old=old, similarity=0.0))
    return found


def renamed(changes: Sequence[SymbolChange]) -> dict[str, str]:
    """Old simple names to new ones, of renames without a contradicting one."""
    found: dict[str, str] = {}
    crowded: set[str] = set()
    for change in changes:
        if ChangeKind.RENAMED not in change.kinds or change.old is None or change.new is None:
            continue
        old, new = change.old.name.rpartition(".")[2], change.new.name.rpartition(".")[2]
        if found.setdefault(old, new) != new:
            crowded.add(old)
    return {old: new for old, new in found.items() if old not in crowded and old and new}


def _inner(changes: Sequence[SymbolChange]) -> dict[int, frozenset[Detail]]:
    """For each change (index) the details of the changes inside of it; no entry where nothing inside changed."""
    places: dict[tuple[str, str], int] = {}
    for index, change in enumerate(changes):
        if change.new is not None:
            places[change.new.path, change.new.name] = index
    found: dict[int, frozenset[Detail]] = {}
    for change in changes:
        ref = change.new or change.old
        if ref is None or change.kinds <= _HARMLESS:
            continue
        holder = ref.name
        while holder:
            holder = holder.rpartition(".")[0]
            index = places.get((ref.path, holder))
            if index is not None:
                found[index] = found.get(index, frozenset()) | frozenset(change.details)
    return found


def _without_renames(
    details: Sequence[Detail], renames: Mapping[str, str]
) -> tuple[tuple[Detail, ...], tuple[str, ...]]:
    """The details that are no mere renames, and the old names of the others."""
    follows: dict[str, None] = {}
    left: list[Detail] = []
    for detail in details:
        names = _rewritten(detail.old, detail.new, renames) if detail.old is not None and detail.new is not None else ()
        follows.update(dict.fromkeys(names))
        if not names:
            left.append(detail)
    for gone in [detail for detail in left if detail.kind in _ONE_SIDED and detail.old]:
        for came in [detail for detail in left if detail.kind is _ONE_SIDED[gone.kind] and detail.new]:
            names = _rewritten(gone.old or "", came.new or "", renames)
            if names:
                follows.update(dict.fromkeys(names))
                left.remove(gone)
                left.remove(came)
                break
    return tuple(left), tuple(follows)


def _rewritten(old: str, new: str, renames: Mapping[str, str]) -> tuple[str, ...]:
    """The renamed names that turn one text into the other; empty when the texts differ otherwise."""
    used: list[str] = []

    def name(found: re.Match[str]) -> str:
        word = found[0]
        if word in renames:
            used.append(word)
        return renames.get(word, word)

    return tuple(dict.fromkeys(used)) if _WORD.sub(name, old) == new and used else ()
