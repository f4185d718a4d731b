"""Arrange judgements by the place to show them: lenses on symbols, findings on the lines of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memlsp.beliefs.reasons import ReasonCode
from memlsp.beliefs.standing.story import story_of
from memlsp.model.standing import Standing
from memlsp.model.view import Lens, SymbolSpot, UnheldBelief

if TYPE_CHECKING:
    from memlsp.code.syntax.outline import Outline
    from memlsp.model.place import Span
    from memlsp.model.standing import Judgement, Tie
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


def findings(path: str, judgements: Iterable[Judgement], outline: Outline) -> tuple[UnheldBelief, ...]:
    """The beliefs that do not hold in this file, in its order, worst first on one line.

    An anchor whose symbol is gone is shown on its container, or on the first line of the file.
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
                message = story_of(judgement, tie)
                found.append(UnheldBelief(judgement, tie, _spot_for(tie, outline), standing, message))
    found.sort(key=lambda f: (f.spot.line, -f.standing.severity, f.judgement.belief.id))
    return tuple(found)


def lenses(path: str, judgements: Iterable[Judgement], outline: Outline) -> tuple[Lens, ...]:
    """One lens for each symbol of the file that carries beliefs, in the file's order. None in a generated file."""
    if outline.generated:
        return ()
    groups: dict[tuple[int, str], list[tuple[SymbolSpot, Judgement, Tie]]] = {}
    for judgement in judgements:
        for tie in judgement.ties:
            if tie.path == path:
                spot = _spot_for(tie, outline)
                groups.setdefault((spot.line, spot.name), []).append((spot, judgement, tie))
    return tuple(_lens(group) for _, group in sorted(groups.items()))


def _lens(group: Sequence[tuple[SymbolSpot, Judgement, Tie]]) -> Lens:
    judgements = {judgement.belief.id: judgement for _, judgement, _ in group}
    kinds = Counter(str(judgement.belief.kind) for judgement in judgements.values())
    standings = Counter(judgement.standing for judgement in judgements.values())
    return Lens(
        spot=group[0][0],
        total=len(judgements),
        by_kind=tuple(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
        by_standing=tuple(sorted(standings.items(), key=lambda item: (-item[0].severity, item[0]))),
        ids=tuple(sorted(judgements)),
    )
