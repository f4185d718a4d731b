"""Locate open threads in a file as the editor has it now.

A thread stores the line of its last event, and people type between two events. So a remark is found again by its words,
a stub or a test by its symbol. A file without threads costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.symbol import Symbol, SymbolKind
from memlsp.model.thread import Thread, ThreadKind
from memlsp.model.view import PlacedThread

if TYPE_CHECKING:
    from memlsp.code.syntax.outline import Outline

_MARKER = re.compile(rb"(?:TODO|FIXME|XXX|HACK|[Tt]o[Dd]o|[Ff]ixme)")


def locate_threads(path: str, threads: Sequence[Thread], worktree: Worktree) -> tuple[PlacedThread, ...]:
    """The threads that still have a place in the file, by line."""
    if not threads:
        return ()
    outline = worktree.outline(path)  # None for a file that cannot be read
    data = worktree.read(path) if outline is not None else None
    if data is None or outline is None:
        return ()
    lines = data.split(b"\n")
    remarks = _remarks(lines) if any(thread.kind is ThreadKind.TODO for thread in threads) else ()
    places = (_locate(thread, lines, remarks, outline) for thread in threads)
    found = [place for place in places if place is not None]
    return tuple(sorted(found, key=lambda each: (each.line, each.thread.id)))


@frozen
class _Remark:
    """A line that may hold a remark: its number from 0, the byte column of its marker, and the words from there."""

    line: int
    column: int
    words: str


def _remarks(lines: Sequence[bytes]) -> tuple[_Remark, ...]:
    from memlsp.code.syntax.unfinished import words_of  # late: the grammars take a while to load

    found: list[_Remark] = []
    for number, line in enumerate(lines):
        if marker := _MARKER.search(line):
            words = words_of(line[marker.start() :].decode("utf-8", "replace"))
            found.append(_Remark(number, marker.start(), words))
    return tuple(found)


def _locate(
    thread: Thread, lines: Sequence[bytes], remarks: Sequence[_Remark], outline: Outline
) -> PlacedThread | None:
    symbol = outline.find(thread.symbol) if thread.symbol else None
    if thread.kind is ThreadKind.TODO:
        remark = _remark_of(thread, remarks, symbol)
        return None if remark is None else _at_line(thread, remark.line, remark.column, lines, outline)
    if symbol is not None:
        line, (start, end) = symbol.name_span.start_line, _columns(symbol)
        return PlacedThread(thread, line, start, end, symbol.name, line, start, end)
    if thread.line is None or thread.symbol or not 0 < thread.line <= len(lines):
        return None
    line = lines[thread.line - 1]
    return _at_line(thread, thread.line - 1, len(line) - len(line.lstrip()), lines, outline)


def _remark_of(thread: Thread, remarks: Sequence[_Remark], symbol: Symbol | None) -> _Remark | None:
    """The remark of a thread: the nearest one with its words, in its symbol if that still exists."""
    wanted = "" if thread.mark.startswith("~") else thread.mark
    near = (thread.line or 1) - 1
    like = [each for each in remarks if wanted in each.words]
    inside = [each for each in like if symbol is None or symbol.span.holds_line(each.line)]
    return min(inside or like, key=lambda each: abs(each.line - near), default=None)


def _at_line(thread: Thread, line: int, start: int, lines: Sequence[bytes], outline: Outline) -> PlacedThread:
    symbol = outline.at(line)
    end = max(len(lines[line].rstrip()), start)
    if not symbol.name or symbol.kind is SymbolKind.REGION:
        return PlacedThread(thread, line, start, end, "", line, start, end)
    name_start, name_end = _columns(symbol)
    return PlacedThread(thread, line, start, end, symbol.name, symbol.name_span.start_line, name_start, name_end)


def _columns(symbol: Symbol) -> tuple[int, int]:
    span = symbol.name_span
    return span.start_column, span.start_column + span.end_byte - span.start_byte
