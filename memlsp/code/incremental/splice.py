"""The symbols of a file after an edit in one definition: its new ones, and the others moved to where they are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from attrs import evolve

from memlsp.code.incremental.replacement import Replacement
from memlsp.code.syntax.fingerprints import digest_bytes, merged
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.symbols import AROUND, Built
from memlsp.model.place import Span
from memlsp.model.symbol import Fingerprint, Symbol


def spliced(
    old: Built,
    new: Built | None,
    first: int,
    after: int,
    chain: Sequence[int],
    edit: Replacement,
    source: bytes,
    line_starts: list[int],
    lines: int,
    language: Language,
) -> Built:
    """`old` with the symbols `first` to `after` replaced by `new` ones, after an edit inside of them or beside them.

    `chain` has the numbers of what holds them, the closest first, the module last. `lines` were added.
    """
    move = _Shift(edit, source, line_starts, lines)
    more = (len(new.symbols) if new else 0) - (after - first)
    symbols = [*old.symbols[:first], *(new.symbols if new else ()), *map(move.symbol, old.symbols[after:])]
    delta = edit.delta
    begins = (*old.begins[:first], *(new.begins if new else ()), *(each + delta for each in old.begins[after:]))
    ends = [*old.ends[:first], *(new.ends if new else ()), *(each + delta for each in old.ends[after:])]
    holders = [
        *old.holders[:first],
        *(_inner(each, first, chain[0]) for each in (new.holders if new else ())),
        *(each + more if each >= after else each for each in old.holders[after:]),
    ]
    cores = {number + more if number >= after else number: core for number, core in old.cores.items()
             if not first <= number < after}  # fmt: skip
    if new is not None:
        cores.update((number + first, core) for number, core in new.cores.items())
    for number in chain:
        ends[number] += delta
    given = [*old.given[:first], *(new.given if new else ()), *old.given[after:]]
    for number in chain:
        core = cores[number]
        from_members = [each for each, holder in zip(given, holders, strict=True) if holder == number]
        given[number] = tuple(core.names(from_members, level) for level in range(1, len(core.uses)))
        members = [symbol for symbol, holder in zip(symbols, holders, strict=True) if holder == number]
        known = symbols[number]
        span = move.whole() if number == 0 else move.around(known, ends[number])
        sketches = (core.sketch, *(each.fingerprint.sketch for each in members))
        expected = known.fingerprint.sketch[-1] if len(known.fingerprint.sketch) > 1 else 0
        fingerprint = Fingerprint(
            text=digest_bytes(source[span.start_byte : span.end_byte]),
            meaning=core.meaning(members),
            signature=core.signature(members, language),
            shape=known.fingerprint.shape,
            sketch=merged(sketches, expected) if expected else merged(sketches),
            size=core.size + sum(each.fingerprint.size for each in members),
        )
        symbols[number] = evolve(
            known,
            span=span,
            name_span=move.span(known.name_span) if number else known.name_span,
            fingerprint=fingerprint,
            facts=evolve(known.facts, uses=tuple(sorted(core.names(from_members))), members=core.members(members)),
        )
    return Built(tuple(symbols), begins, tuple(ends), tuple(holders), cores, tuple(given))


def _inner(holder: int, first: int, container: int) -> int:
    if holder == AROUND:
        return container
    return holder + first if holder >= 0 else holder


class _Shift:
    """Places behind an edit, as they are after it."""

    def __init__(self, edit: Replacement, source: bytes, line_starts: list[int], lines: int) -> None:
        self._edit = edit
        self._source = source
        self._starts = line_starts
        self._lines = lines
        self._line = bisect_right(line_starts, edit.new_end) - 1  # what is left of this line moves sideways

    def symbol(self, symbol: Symbol) -> Symbol:
        """The same definition, where it is now."""
        return Symbol(
            symbol.path,
            symbol.name,
            symbol.kind,
            self.span(symbol.span),
            self.span(symbol.name_span),
            symbol.fingerprint,
            symbol.facts,
            symbol.ordinal,
        )

    def span(self, span: Span) -> Span:
        """A range that lies wholly before or behind the edit."""
        if span.start_byte < self._edit.old_end:
            return span
        start, end = span.start_byte + self._edit.delta, span.end_byte + self._edit.delta
        line = span.start_line + self._lines
        column = start - self._starts[line] if line == self._line else span.start_column
        return Span(start, end, line, span.end_line + self._lines, column)

    def around(self, symbol: Symbol, end: int) -> Span:
        """The range of what holds the edit and ends at byte `end`."""
        start = symbol.span.start_byte
        while end > start + 1 and self._source[end - 1] in b" \t\r\n":
            end -= 1
        return Span(start, end, symbol.span.start_line, self._line_of(max(start, end - 1)), symbol.span.start_column)

    def whole(self) -> Span:
        """The range of the file."""
        size = len(self._source)
        return Span(0, size, 0, self._line_of(max(0, size - 1)))

    def _line_of(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1
