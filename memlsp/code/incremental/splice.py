"""The symbols of a file after an edit in one definition: the reread ones, and the others moved to their new place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from attrs import evolve, frozen

from memlsp.code.incremental.replacement import Replacement
from memlsp.code.syntax.definitions import Core
from memlsp.code.syntax.fingerprints import digest_bytes, merged
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.symbols import AROUND, FileSymbols
from memlsp.model.place import Span
from memlsp.model.symbol import Fingerprint, Symbol


@frozen(eq=False)
class EditedText:
    """A text after an edit, with the starts of its lines. `lines` were added (negative: removed)."""

    source: bytes
    edit: Replacement
    line_starts: list[int]
    lines: int


@frozen(eq=False)
class TouchedSymbols:
    """The numbers of the symbols that an edit touched, `first` to `after` (exclusive), and of those that hold them:
    the closest first, the module last."""

    first: int
    after: int
    holders: Sequence[int]


def spliced(
    old: FileSymbols, new: FileSymbols | None, touched: TouchedSymbols, text: EditedText, language: Language
) -> FileSymbols:
    """`old` with the touched symbols replaced by `new` ones, the later ones moved and the holders recomputed."""
    first, after, delta = touched.first, touched.after, text.edit.delta
    shift = _Shift(text)
    new = new if new is not None else _NOTHING
    more = len(new.symbols) - (after - first)
    symbols = [*old.symbols[:first], *new.symbols, *map(shift.symbol, old.symbols[after:])]
    ends = [*old.ends[:first], *new.ends, *(each + delta for each in old.ends[after:])]
    holders = (
        *old.holders[:first],
        *(_inner(each, first, touched.holders[0]) for each in new.holders),
        *(each + more if each >= after else each for each in old.holders[after:]),
    )
    cores = {
        number + more if number >= after else number: core
        for number, core in old.cores.items()
        if not first <= number < after
    }
    cores.update((number + first, core) for number, core in new.cores.items())
    given = [*old.given[:first], *new.given, *old.given[after:]]
    for number in touched.holders:
        ends[number] += delta
    for number in touched.holders:
        core = cores[number]
        inside = [each for each, holder in enumerate(holders) if holder == number]
        from_members = [given[each] for each in inside]
        given[number] = tuple(core.names(from_members, level) for level in range(1, len(core.uses)))
        holder = symbols[number]
        span = shift.whole() if number == 0 else shift.around(holder, ends[number])
        source, members = text.source[span.start_byte : span.end_byte], [symbols[each] for each in inside]
        symbols[number] = evolve(
            holder,
            span=span,
            name_span=shift.span(holder.name_span) if number else holder.name_span,
            fingerprint=_fingerprint(core, members, holder.fingerprint, source, language),
            facts=evolve(holder.facts, uses=tuple(sorted(core.names(from_members))), members=core.members(members)),
        )
    begins = (*old.begins[:first], *new.begins, *(each + delta for each in old.begins[after:]))
    return FileSymbols(tuple(symbols), begins, tuple(ends), holders, cores, tuple(given))


def _fingerprint(
    core: Core, members: Sequence[Symbol], known: Fingerprint, source: bytes, language: Language
) -> Fingerprint:
    """The fingerprint of a holder, from the `known` one and its present members and text."""
    sketches = (core.sketch, *(each.fingerprint.sketch for each in members))
    expected = known.sketch[-1] if len(known.sketch) > 1 else 0
    return Fingerprint(
        text=digest_bytes(source),
        meaning=core.meaning(members),
        signature=core.signature(members, language),
        shape=known.shape,
        sketch=merged(sketches, expected) if expected else merged(sketches),
        size=core.size + sum(each.fingerprint.size for each in members),
    )


_NOTHING = FileSymbols((), (), (), (), {}, ())


def _inner(holder: int, first: int, container: int) -> int:
    if holder == AROUND:
        return container
    return holder + first if holder >= 0 else holder


class _Shift:
    """Moves places behind an edit to where they are after it."""

    def __init__(self, text: EditedText) -> None:
        self._edit, self._source, self._starts, self._lines = text.edit, text.source, text.line_starts, text.lines
        self._line = bisect_right(text.line_starts, text.edit.new_end) - 1  # the rest of this line moves sideways

    def symbol(self, symbol: Symbol) -> Symbol:
        """A definition behind the edit, moved."""
        return Symbol(  # not `evolve`, which takes longer than all the rest
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
        """A range that lies wholly before or behind the edit, moved."""
        if span.start_byte < self._edit.old_end:
            return span
        start, end = span.start_byte + self._edit.delta, span.end_byte + self._edit.delta
        line = span.start_line + self._lines
        column = start - self._starts[line] if line == self._line else span.start_column
        return Span(start, end, line, span.end_line + self._lines, column)

    def around(self, symbol: Symbol, end: int) -> Span:
        """The range of a holder of the edit that ends at byte `end`."""
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
