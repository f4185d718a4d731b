"""Finds a few lines of a file again by their content, for files of an unknown language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from attrs import evolve

from memlsp.code.syntax.decoding import Decoded
from memlsp.code.syntax.outline import lines_symbol
from memlsp.model.place import Span
from memlsp.model.symbol import Symbol, SymbolKind

AROUND = 3  # lines kept before and after the chosen line
LIKE_ENOUGH = 0.6  # similarity from which lines are still those that were meant
_NAME = re.compile(r"L(\d+)$")
_WIDEST = 20_000  # lines of a file that are searched


def source_of(symbol: Symbol, source: bytes) -> str:
    """The definition's text, decorators and documentation included."""
    piece = source[symbol.span.start_byte : symbol.span.end_byte]
    try:
        return piece.decode("utf-8-sig")
    except UnicodeDecodeError:
        return piece.decode("latin-1" if Decoded.read(source).widened else "utf-8", "replace")


def region(path: str, source: bytes, line: int) -> Symbol:
    """The 0-based `line` with up to three lines before and after it, named `L<line + 1>`. `name_span` is the line
    itself. A line behind the end is taken for the last one."""
    rows = source.split(b"\n")
    line = max(0, min(line, len(rows) - 1))
    symbol = lines_symbol(path, f"L{line + 1}", SymbolKind.REGION, source, line - AROUND, line + AROUND + 1)
    start = sum(len(row) + 1 for row in rows[:line])
    indent = len(rows[line]) - len(rows[line].lstrip())
    end = start + len(rows[line].rstrip())
    return evolve(symbol, name_span=Span(min(start + indent, end), end, line, line, indent))


def find_region(anchor: Symbol, source: bytes) -> Symbol | None:
    """Find a region's lines in a later text: the same lines, nearest first, or the most similar ones at .6 or more.
    None when nothing is alike. The result is the region around the line that was meant."""
    wanted = anchor.facts.tokens
    if not wanted:
        return None
    rows = source.split(b"\n")[:_WIDEST]
    texts = [" ".join(row.decode("utf-8", "replace").replace("\ufeff", "").split()) for row in rows]
    filled = [(text, at) for at, text in enumerate(texts) if text]
    named = _NAME.search(anchor.name)
    was = int(named[1]) - 1 if named else anchor.span.start_line
    # The number of filled lines before the meant line is not stored; it follows from the text span.
    before = _filled_before(anchor, was)
    window = len(wanted)
    best: tuple[float, int, int] | None = None
    counts = set(wanted)
    for first in range(max(1, len(filled) - window + 1)):
        piece = [text for text, _ in filled[first : first + window]]
        if not counts.intersection(piece) and window > 1:
            continue
        likeness = 1.0 if tuple(piece) == wanted else _likeness(wanted, piece)
        if likeness < LIKE_ENOUGH or not piece:
            continue
        line = filled[min(first + before, first + len(piece) - 1)][1]
        candidate = (likeness, -abs(line - was), line)
        if best is None or candidate > best:
            best = candidate
    return None if best is None else region(anchor.path, source, best[2])


def _filled_before(anchor: Symbol, was: int) -> int:
    """Index among the anchor's filled lines of the one that was meant."""
    lines, filled = anchor.span.end_line - anchor.span.start_line + 1, len(anchor.facts.tokens)
    before = max(0, was - anchor.span.start_line)
    return before if lines == filled else min(filled - 1, before * filled // max(1, lines))


def _likeness(wanted: Sequence[str], piece: Sequence[str]) -> float:
    shared = sum(1 for a, b in zip(wanted, piece, strict=False) if a == b)
    ratio = SequenceMatcher(None, "\n".join(wanted), "\n".join(piece), autojunk=False).ratio()
    return max(shared / len(wanted), ratio) if shared * 2 >= len(wanted) else ratio
