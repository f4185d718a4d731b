"""Arrange judgements by the place to show them: lenses on symbols, findings on the lines of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from memlsp.beliefs.reasons import ReasonCode, code_of
from memlsp.beliefs.standing.story import brief_of, reasons_at
from memlsp.code.diff.comparison import compare
from memlsp.model.change import Detail, DetailKind
from memlsp.model.standing import Standing
from memlsp.model.view import Lens, SymbolSpot, UnheldBelief

if TYPE_CHECKING:
    from memlsp.code.syntax.outline import Outline
    from memlsp.model.place import Span
    from memlsp.model.standing import Judgement, Reason, Tie
    from memlsp.model.symbol import Symbol, SymbolKind

SHOWN_AS_FINDING = frozenset({Standing.CONTRADICTED, Standing.CHANGED, Standing.ORPHANED, Standing.EXPIRED})


def spot_of(symbol: Symbol) -> SymbolSpot:
    """The place of a symbol's defining name."""
    return spot_at(symbol.path, symbol.name, symbol.kind, symbol.name_span)


def spot_at(path: str, name: str, kind: SymbolKind, span: Span) -> SymbolSpot:
    """The place of a span; of several lines the first, since an editor underlines to the end of that."""
    width = max(span.end_byte - span.start_byte, 0) if span.start_line == span.end_line else 0
    return SymbolSpot(path, name, kind, span.start_line, span.start_column, span.start_column + width)


def _spot_for(tie: Tie, outline: Outline) -> SymbolSpot:
    """The nearest thing to a tie's symbol that is still in the file: itself, what held it, or the file's first line."""
    name = tie.symbol
    if tie.found:
        return SymbolSpot(tie.path, name, tie.anchor.kind, max(tie.line - 1, 0), tie.start_column, tie.end_column)
    while name := name.rpartition(".")[0]:
        container = outline.find(name)
        if container is not None:
            return spot_of(container)
    return spot_of(outline.module)


def findings(
    path: str, judgements: Iterable[Judgement], outline: Outline, source: Sequence[str] = ()
) -> tuple[UnheldBelief, ...]:
    """The beliefs that do not hold in this file, in its order, worst first on one line. `source` are its lines.

    Each is shown where the code was changed, and else at the name. An anchor whose symbol is gone is shown on its
    container, or on the first line of the file.
    """
    found: list[UnheldBelief] = []
    for judgement in judgements:
        base_fell = any(reason.code == ReasonCode.BASE_FALLEN.value for reason in judgement.reasons)
        for tie in judgement.ties:
            if tie.path != path or (tie.aside and tie.standing is judgement.standing):
                continue
            # a belief past its date, or whose base has fallen, is shown at its anchors although the code is as it was
            standing = tie.standing if tie.standing in SHOWN_AS_FINDING else judgement.standing
            if standing is not Standing.EXPIRED and standing is not tie.standing and not base_fell:
                continue
            if standing in SHOWN_AS_FINDING:
                why = next(iter(reasons_at(judgement, tie)), None)
                spot = _changed_spot(_spot_for(tie, outline), tie, why, outline, source)
                found.append(UnheldBelief(judgement, tie, spot, standing, *brief_of(why, tie.symbol, path)))
    found.sort(key=lambda f: (f.spot.line, -f.standing.severity, f.judgement.belief.id))
    return tuple(found)


_MOST_ROWS = 2_000
_TOKEN = re.compile(r"\w+|[^\w\s]")


def _changed_spot(
    spot: SymbolSpot, tie: Tie, why: Reason | None, outline: Outline, source: Sequence[str]
) -> SymbolSpot:
    """The place of the code that a reason is about; `spot` where that is gone, or is not to be told from other code."""
    now = outline.find(tie.symbol) if tie.found and why is not None else None
    if now is None or why is None or not source:
        return spot
    rows = range(now.span.start_line, min(now.span.end_line + 1, now.span.start_line + _MOST_ROWS, len(source)))
    for detail in _details_told(tie, why, now)[:1]:
        places = sorted(_places_of(detail, rows, source), key=lambda place: -place[0])
        if places and (len(places) == 1 or places[0][0] > places[1][0] or detail.kind is not DetailKind.LITERAL):
            _, row, start, end = places[0]
            return evolve(spot, line=row, start_column=start, end_column=end)
    return spot


def _details_told(tie: Tie, why: Reason, now: Symbol) -> list[Detail]:
    """The changes of a symbol that a reason may be about, the likeliest first."""
    if why.code == ReasonCode.DEPENDENCY_CHANGED.value:
        names = re.findall(r"`([^`]+)`", why.message)[1:2]
        return [Detail(DetailKind.DEPENDENCY, name, None, name) for name in names]
    details = [each for each in compare(tie.anchor.verified, now).details if each.new]
    named = [each for each in details if str(each.new) in why.message]
    both = [each for each in named if code_of(each).value == why.code]
    return both + [each for each in details if each in named or code_of(each).value == why.code]


def _places_of(detail: Detail, rows: range, source: Sequence[str]) -> Iterator[tuple[bool, int, int, int]]:
    """Where the new code of a detail begins, however it is laid out and quoted: whether its name is on that line too,
    the line and the columns."""
    tokens = [re.escape(token).replace("'", "[\"']") for token in _TOKEN.findall((detail.new or "").replace('"', "'"))]
    named = re.compile(rf"\b{re.escape(detail.name.rpartition('.')[2])}\b") if detail.name != detail.new else None
    pattern, text = r"\s*".join(tokens), "\n".join(source[row] for row in rows)
    for found in re.finditer(rf"(?<!\w){pattern}(?!\w)", text) if tokens else ():
        begin = text.rfind("\n", 0, found.start()) + 1
        row, start = rows.start + text.count("\n", 0, begin), found.start() - begin
        line = source[row]
        end = min(start + len(found[0]), len(line))
        is_named = bool(detail.name) and named is not None and named.search(line) is not None
        yield is_named, row, len(line[:start].encode()), len(line[:end].encode())


def lenses(path: str, judgements: Iterable[Judgement], outline: Outline) -> tuple[Lens, ...]:
    """One lens for each symbol of the file that carries beliefs, in the file's order. None in a generated file."""
    if outline.generated:
        return ()
    groups: dict[tuple[int, str], tuple[SymbolSpot, dict[str, Judgement]]] = {}
    for judgement in judgements:
        for tie in judgement.ties:
            if tie.path == path:
                spot = _spot_for(tie, outline)
                groups.setdefault((spot.line, spot.name), (spot, {}))[1][judgement.belief.id] = judgement
    found: list[Lens] = []
    for _, (spot, here) in sorted(groups.items()):
        judged = tuple(sorted(here.values(), key=lambda each: (-each.standing.severity, each.belief.id)))
        briefs = (brief_of(next(iter(each.reasons), None), spot.name, path)[0] for each in judged)
        found.append(Lens(spot, judged, tuple(briefs)))
    return tuple(found)
