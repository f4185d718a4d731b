"""Where open threads stand in a file as the editor has it now.

A thread knows the line of the last event. Between two events people type, so that the line is found again: a remark by
its words, a stub and a test by their symbol. It costs a look at the lines, and nothing in a file without threads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.errors import Refused, UnreadableSource
from memlsp.model.symbol import Symbol, SymbolKind
from memlsp.model.thread import Thread, ThreadKind
from memlsp.model.view import PlacedThread

if TYPE_CHECKING:
    from memlsp.code.syntax.outline import Outline

_MARKER = re.compile(rb"(?:TODO|FIXME|XXX|HACK|[Tt]o[Dd]o|[Ff]ixme)")


def placed(path: str, threads: Sequence[Thread], worktree: Worktree) -> tuple[PlacedThread, ...]:
    """The threads that still stand in the file, by line."""
    if not threads:
        return ()
    try:
        data = worktree.read(path)
    except (UnreadableSource, Refused):
        return ()
    outlined = worktree.outline(path) if data is not None else None
    if data is None or outlined is None:
        return ()
    lines = data.split(b"\n")
    remarks = _remarks(lines) if any(thread.kind is ThreadKind.TODO for thread in threads) else ()
    places = (_place(thread, lines, remarks, outlined) for thread in threads)
    found = [place for place in places if place is not None]
    return tuple(sorted(found, key=lambda each: (each.line, each.thread.id)))


@frozen
class _Remark:
    """A line that may hold a remark: its number from 0, where its marker begins, in bytes, and the words from there."""

    line: int
    column: int
    words: str


def _remarks(lines: Sequence[bytes]) -> tuple[_Remark, ...]:
    from memlsp.code.syntax.unfinished import words_of  # late: the grammars take a while to load

    found = ((number, line, _MARKER.search(line)) for number, line in enumerate(lines))
    return tuple(
        _Remark(number, marker.start(), words_of(line[marker.start() :].decode("utf-8", "replace")))
        for number, line, marker in found
        if marker is not None
    )


def _place(
    thread: Thread, lines: Sequence[bytes], remarks: Sequence[_Remark], outlined: Outline
) -> PlacedThread | None:
    symbol = outlined.find(thread.symbol) if thread.symbol else None
    if thread.kind is ThreadKind.TODO:
        remark = _remark_of(thread, remarks, symbol)
        return None if remark is None else _placed(thread, remark.line, remark.column, lines, outlined)
    if symbol is not None:
        span = symbol.name_span
        return _on_name(thread, symbol, span.start_line, *_columns(symbol))
    if thread.line is None or thread.symbol or not 0 < thread.line <= len(lines):
        return None
    line = lines[thread.line - 1]
    return _placed(thread, thread.line - 1, len(line) - len(line.lstrip()), lines, outlined)


def _remark_of(thread: Thread, remarks: Sequence[_Remark], symbol: Symbol | None) -> _Remark | None:
    """The remark of a thread: with its words, in its symbol where it is still there, nearest to where it was."""
    wanted = "" if thread.mark.startswith("~") else thread.mark
    near = (thread.line or 1) - 1
    like = [each for each in remarks if wanted in each.words]
    inside = [each for each in like if symbol is None or symbol.span.holds_line(each.line)]
    return min(inside or like, key=lambda each: abs(each.line - near), default=None)


def _placed(thread: Thread, line: int, start: int, lines: Sequence[bytes], outlined: Outline) -> PlacedThread:
    symbol = outlined.at(line)
    end = max(len(lines[line].rstrip()), start)
    if not symbol.name or symbol.kind is SymbolKind.REGION:
        return PlacedThread(thread, line, start, end, "", line, start, end)
    name_start, name_end = _columns(symbol)
    return PlacedThread(thread, line, start, end, symbol.name, symbol.name_span.start_line, name_start, name_end)


def _on_name(thread: Thread, symbol: Symbol, line: int, start: int, end: int) -> PlacedThread:
    return PlacedThread(thread, line, start, end, symbol.name, line, start, end)


def _columns(symbol: Symbol) -> tuple[int, int]:
    span = symbol.name_span
    return span.start_column, span.start_column + span.end_byte - span.start_byte
