"""Finds an anchor's symbol.

In this order: its place; an identical body elsewhere in the file that was not there before; an identical body in
another file; a similar one in the file; a similar one of the same name in another file. Symbols that existed when the
anchor was verified are never taken for the moved one, and neither of two that fit equally well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from attrs import evolve, frozen

from memlsp.beliefs.files import Files
from memlsp.beliefs.standing.related_symbols import files_with, same_family, search_names, stands
from memlsp.code.diff.matching import successors
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.regions import find_region
from memlsp.model.belief import Anchor
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Candidate
from memlsp.model.symbol import Symbol, SymbolKind

_SURE = 0.65  # similarity from which a renamed and edited symbol is taken for the old one
_MARGIN = 0.1  # by which it must be ahead of the next
_STRANGER = 0.5  # below this the symbol of the old name is another one
_TINY = 8  # meaning tokens; fewer say nothing about who wrote them
_FILES_LOOKED_AT = 60
_CANDIDATES_TOLD = 5


class SearchEnd(StrEnum):
    """The result of the search."""

    IN_PLACE = "in place"
    ELSEWHERE = "elsewhere"  # renamed or moved
    GONE = "gone"
    AMBIGUOUS = "ambiguous"
    FILE_GONE = "file gone"
    UNPARSED = "unparsed"
    UNREADABLE = "unreadable"


@frozen
class Location:
    """The end of the search. `symbol` and `outline` are set when it was found."""

    where: SearchEnd
    symbol: Symbol | None = None
    outline: Outline | None = None
    candidates: tuple[Candidate, ...] = ()
    problem: str = ""


def locate(anchor: Anchor, worktree: Files) -> Location:
    """Find the anchor's symbol. One that stayed in its place costs one look-up of the file's outline."""
    try:
        outline = worktree.outline(anchor.path)
        if outline is None:
            data = worktree.read(anchor.path)
            if data is not None:
                return Location(SearchEnd.UNREADABLE, problem="it cannot be read as text")
    except (MemlspError, OSError) as problem:
        return Location(SearchEnd.UNREADABLE, problem=str(problem))
    if anchor.kind is SymbolKind.REGION:
        return _locate_region(anchor, outline, worktree)
    if outline is None:
        return _elsewhere(anchor, worktree, SearchEnd.FILE_GONE)
    here = _in_place(anchor, outline)
    if here is not None:
        if here.fingerprint.meaning == anchor.verified.fingerprint.meaning or not anchor.symbol:
            return Location(SearchEnd.IN_PLACE, here, outline)
        if outline.has_errors and _is_verbatim(anchor, worktree):
            return Location(SearchEnd.UNPARSED, outline=outline)  # what differs is how an error beside it was read
        return _displaced(anchor, here, outline, worktree)
    return _missing(anchor, outline, worktree)


def _in_place(anchor: Anchor, outline: Outline) -> Symbol | None:
    """The symbol of the old name; of overloads the one with the same meaning, else the most similar."""
    old = anchor.verified
    first = outline.find(anchor.symbol, old.ordinal)
    if first is not None and first.fingerprint.meaning == old.fingerprint.meaning:
        return first
    if not anchor.symbol:
        return outline.module
    found = [symbol for symbol in outline.named(anchor.symbol) if symbol.name == anchor.symbol]
    found = [symbol for symbol in found if same_family(symbol, old)] or found
    if len(found) <= 1:
        return next(iter(found), None)
    known = {n.meaning for n in anchor.neighbours if (n.path, n.name) == (anchor.path, anchor.symbol)}
    known.discard(old.fingerprint.meaning)
    free = [symbol for symbol in found if symbol.fingerprint.meaning not in known]
    same = [symbol for symbol in free if symbol.fingerprint.meaning == old.fingerprint.meaning]
    ranked = [symbol for symbol, _ in successors(old, free)]
    numbered = [symbol for symbol in free if symbol.ordinal == old.ordinal]
    return next(iter((*same, *ranked, *numbered, *free)), None)


def _displaced(anchor: Anchor, here: Symbol, outline: Outline, worktree: Files) -> Location:
    """The symbol of the old name has another body: take it, unless the old body has another name now."""
    stayed = Location(SearchEnd.IN_PLACE, here, outline)
    if anchor.verified.fingerprint.size < _TINY:
        return stayed
    alike = successors(anchor.verified, [here])
    known = any(n.meaning == here.fingerprint.meaning for n in anchor.neighbours)
    if alike and alike[0][1] >= _STRANGER and not known and _body_alike(anchor.verified, here):
        return stayed
    twins = _identical(anchor, outline.symbols) or _identical_in_other_files(anchor, worktree)
    chosen = _only(anchor, twins, worktree)
    if chosen is None:
        return stayed
    there = worktree.outline(chosen.path) if chosen.path != outline.path else outline
    return Location(SearchEnd.ELSEWHERE, chosen, there)


def _body_alike(old: Symbol, new: Symbol) -> bool:
    """True when the bodies share a quarter of their sketches, names and containers aside."""
    left, right = frozenset(old.fingerprint.sketch), frozenset(new.fingerprint.sketch)
    return len(left & right) * 4 >= min(len(left), len(right))


def _missing(anchor: Anchor, outline: Outline, worktree: Files) -> Location:
    twins = _identical(anchor, outline.symbols)
    chosen = _only(anchor, twins, worktree)
    if chosen is not None:
        return Location(SearchEnd.ELSEWHERE, chosen, outline)
    if outline.has_errors and _still_written(anchor, worktree):
        return Location(SearchEnd.UNPARSED, outline=outline)
    if twins:
        return Location(SearchEnd.AMBIGUOUS, candidates=_told([(twin, 1.0) for twin in twins]))
    return _elsewhere(anchor, worktree, SearchEnd.GONE, outline)


def _elsewhere(anchor: Anchor, worktree: Files, otherwise: SearchEnd, outline: Outline | None = None) -> Location:
    """Search other files, then similar symbols of this one."""
    twins = _identical_in_other_files(anchor, worktree)
    chosen = _only(anchor, twins, worktree)
    if chosen is not None:
        return Location(SearchEnd.ELSEWHERE, chosen, worktree.outline(chosen.path))
    if twins:
        return Location(SearchEnd.AMBIGUOUS, candidates=_told([(twin, 1.0) for twin in twins]))
    similar = _similar(anchor, outline.symbols) if outline is not None and anchor.symbol else []
    successor = _in_its_stead(anchor, outline, similar) if outline is not None else None
    if successor is not None:
        return Location(SearchEnd.ELSEWHERE, successor, outline)
    far = _similar_in_other_files(anchor, worktree) if not _is_sure(similar) else []
    for ranked in (similar, far):
        if _is_sure(ranked):
            best = ranked[0][0]
            return Location(SearchEnd.ELSEWHERE, best, worktree.outline(best.path))
    ranked = sorted([*similar, *far], key=lambda entry: -entry[1])
    known = _known_alike(anchor, outline)
    return Location(otherwise, candidates=_told([*ranked, *known]))


def _is_sure(ranked: Sequence[tuple[Symbol, float]]) -> bool:
    if not ranked or ranked[0][1] < _SURE:
        return False
    return len(ranked) == 1 or ranked[0][1] - ranked[1][1] >= _MARGIN


# --- identical bodies


def _identical(anchor: Anchor, symbols: Iterable[Symbol]) -> list[Symbol]:
    """Symbols with the old meaning that did not exist before."""
    meaning = anchor.verified.fingerprint.meaning
    known = {(n.path, n.name) for n in anchor.neighbours if n.meaning == meaning}
    return [symbol for symbol in _others(anchor, symbols, known) if symbol.fingerprint.meaning == meaning]


def _others(anchor: Anchor, symbols: Iterable[Symbol], known: set[tuple[str, str]]) -> list[Symbol]:
    """The symbols that the anchor's could have become, without those that are known to be others."""
    known = known | {(anchor.path, anchor.symbol)}
    return [each for each in symbols if same_family(each, anchor.verified) and (each.path, each.name) not in known]


def _identical_in_other_files(anchor: Anchor, worktree: Files) -> list[Symbol]:
    tiny = anchor.verified.fingerprint.size < _TINY
    found: dict[tuple[str, str, int], Symbol] = {}
    for needles in search_names(anchor.verified):
        by_name = needles == (anchor.verified.simple_name,)
        for path in files_with(worktree, anchor.path, needles, limit=_FILES_LOOKED_AT):
            outline = worktree.outline(path) if path != anchor.path else None
            for symbol in _identical(anchor, outline.symbols) if outline is not None else ():
                # A few tokens are alike by chance; then the name has to be the same.
                if not tiny or symbol.simple_name == anchor.verified.simple_name:
                    found.setdefault((symbol.path, symbol.name, symbol.ordinal), symbol)
        if by_name and any(s.simple_name == anchor.verified.simple_name for s in found.values()):
            break
    return list(found.values())


def _only(anchor: Anchor, twins: Sequence[Symbol], worktree: Files) -> Symbol | None:
    """The only candidate, or the only one that kept the name; None when that is open."""
    named = [twin for twin in twins if twin.simple_name == anchor.verified.simple_name]
    held = [twin for twin in twins if twin.container == anchor.verified.container and twin.path == anchor.path]
    chosen = next((group[0] for group in (twins, named, held) if len(group) == 1), None)
    if chosen is None:
        return None
    # An identical one that stood elsewhere before, and does no more, may as well be the one that came here.
    for neighbour in anchor.neighbours:
        if neighbour.meaning != anchor.verified.fingerprint.meaning:
            continue
        old_name = neighbour.name.rpartition(".")[2]
        unlike = chosen.simple_name == anchor.verified.simple_name != old_name
        if not unlike and not stands(neighbour.path, neighbour.name, worktree):
            return None
    return chosen


# --- similar bodies


def _similar(anchor: Anchor, symbols: Iterable[Symbol]) -> list[tuple[Symbol, float]]:
    known = {(n.path, n.name) for n in anchor.neighbours}
    return list(successors(anchor.verified, [each for each in _others(anchor, symbols, known) if each.name]))


def _in_its_stead(anchor: Anchor, outline: Outline, similar: Sequence[tuple[Symbol, float]]) -> Symbol | None:
    """The only symbol that came where only this one went, if it has the same signature and is similar."""
    if len(similar) != 1:
        return None
    heir = similar[0][0]
    known = {n.name for n in anchor.neighbours if n.path == anchor.path}
    around = anchor.verified.container
    here = [s for s in outline.symbols if s.container == around and same_family(s, anchor.verified)]
    went = any(name.rpartition(".")[0] == around and outline.find(name) is None for name in known)
    alone = [s.name for s in here if s.name not in known] == [heir.name] and not went
    return heir if alone and heir.fingerprint.signature == anchor.verified.fingerprint.signature else None


def _similar_in_other_files(anchor: Anchor, worktree: Files) -> list[tuple[Symbol, float]]:
    """Similar symbols of the same name only: another one may have stood there for years."""
    found: list[tuple[Symbol, float]] = []
    if not anchor.symbol:
        return _similar_files(anchor, worktree)
    for path in files_with(worktree, anchor.path, (anchor.verified.simple_name,), limit=_FILES_LOOKED_AT):
        outline = worktree.outline(path) if path != anchor.path else None
        if outline is not None:
            named = [s for s in outline.symbols if s.simple_name == anchor.verified.simple_name]
            found += _similar(anchor, named)
    return sorted(found, key=lambda entry: -entry[1])


def _similar_files(anchor: Anchor, worktree: Files) -> list[tuple[Symbol, float]]:
    known = {n.path for n in anchor.neighbours}
    modules: list[Symbol] = []
    for needles in search_names(anchor.verified):
        for path in files_with(worktree, anchor.path, needles[:2], limit=_FILES_LOOKED_AT):
            outline = worktree.outline(path)
            if outline is not None and path not in known and path != anchor.path:
                modules.append(outline.module)
    return list(successors(anchor.verified, modules))


def _known_alike(anchor: Anchor, outline: Outline | None) -> list[tuple[Symbol, float]]:
    """Similar symbols that existed before: no successors, and still worth showing."""
    if outline is None or not anchor.symbol:
        return []
    known = {(n.path, n.name) for n in anchor.neighbours}
    return list(successors(anchor.verified, [s for s in outline.symbols if (s.path, s.name) in known]))


def _told(ranked: Sequence[tuple[Symbol, float]]) -> tuple[Candidate, ...]:
    candidates = dict.fromkeys(
        Candidate(symbol.path, symbol.name, symbol.kind, symbol.name_span.start_line + 1, round(score, 2))
        for symbol, score in ranked
    )
    return tuple(candidates)[:_CANDIDATES_TOLD]


# --- half-typed files, and lines of unknown languages


def _still_written(anchor: Anchor, worktree: Files) -> bool:
    data = worktree.read(anchor.path) or b""
    named = re.search(rb"(?<!\w)" + re.escape(anchor.verified.simple_name.encode()) + rb"(?!\w)", data)
    return named is not None or _is_verbatim(anchor, worktree)


def _is_verbatim(anchor: Anchor, worktree: Files) -> bool:
    """True when the symbol's verified text stands in its file, layout aside."""
    lines = _lines(anchor.snapshot.encode())
    data = b"\n".join(_lines(worktree.read(anchor.path) or b""))
    return bool(lines) and b"\n".join(lines) in data


def _lines(text: bytes) -> list[bytes]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _locate_region(anchor: Anchor, outline: Outline | None, worktree: Files) -> Location:
    data = worktree.read(anchor.path) if outline is not None else None
    if data is not None:
        found = find_region(anchor.verified, data)
        return Location(SearchEnd.IN_PLACE if found else SearchEnd.GONE, found, outline)
    lines = sorted((line.strip() for line in anchor.snapshot.splitlines()), key=len, reverse=True)[:1]
    if not lines or len(lines[0]) < 8:
        return Location(SearchEnd.FILE_GONE)
    same: list[tuple[Symbol, Outline]] = []
    for path in files_with(worktree, anchor.path, (lines[0],), limit=_FILES_LOOKED_AT):
        there = worktree.outline(path)
        moved = evolve(anchor.verified, path=path)
        found = find_region(moved, worktree.read(path) or b"") if there is not None else None
        if found is not None and there is not None:
            same.append((found, there))
    if len(same) == 1:
        return Location(SearchEnd.ELSEWHERE, *same[0])
    candidates = _told([(symbol, 1.0) for symbol, _ in same])
    return Location(SearchEnd.AMBIGUOUS if same else SearchEnd.FILE_GONE, candidates=candidates)
