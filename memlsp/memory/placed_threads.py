"""Where open threads stand in a file as the editor has it now.

A thread knows the line of the last event. Between two events people type, so that the line is found again: a remark by
its words, a stub and a test by their symbol. It costs a look at the lines, and nothing in a file without threads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memlsp.capture.worktree import Worktree
from memlsp.model.errors import Refused, UnreadableSource
from memlsp.model.symbol import Symbol, SymbolKind
from memlsp.model.thread import Thread, ThreadKind
from memlsp.model.view import PlacedThread

if TYPE_CHECKING:
    from memlsp.code import Outline

_MARKER = re.compile(r"(?:TODO|FIXME|XXX|HACK|[Tt]o[Dd]o|[Ff]ixme)")


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
    lines = data.splitlines()
    found = [place for place in (_place(thread, lines, outlined) for thread in threads) if place is not None]
    return tuple(sorted(found, key=lambda each: (each.line, each.thread.id)))


def _place(thread: Thread, lines: Sequence[bytes], outlined: Outline) -> PlacedThread | None:
    symbol = outlined.find(thread.symbol) if thread.symbol else None
    if thread.kind is ThreadKind.TODO:
        line = _line_of_remark(thread, lines, symbol)
        return None if line is None else _placed(thread, line, lines, outlined.at(line))
    if symbol is not None:
        span = symbol.name_span
        return _on_name(thread, symbol, span.start_line, *_columns(symbol))
    if thread.line is None or thread.symbol or not 0 < thread.line <= len(lines):
        return None
    return _placed(thread, thread.line - 1, lines, outlined.at(thread.line - 1))


def _line_of_remark(thread: Thread, lines: Sequence[bytes], symbol: Symbol | None) -> int | None:
    from memlsp.code.unfinished import words_of  # late: the grammars take a while to load

    wanted = "" if thread.mark.startswith("~") else thread.mark
    near = (thread.line or 1) - 1
    best: tuple[int, int] | None = None
    for number, raw in enumerate(lines):
        line = raw.decode("utf-8", "replace")
        marker = _MARKER.search(line)
        if marker is None or (wanted and wanted not in words_of(line[marker.start() :])):
            continue
        inside = symbol is None or symbol.span.holds_line(number)
        score = (0 if inside else 1_000_000) + abs(number - near)
        if best is None or score < best[0]:
            best = score, number
    return best[1] if best else None


def _placed(thread: Thread, line: int, lines: Sequence[bytes], symbol: Symbol) -> PlacedThread:
    raw = lines[line]
    text = raw.decode("utf-8", "replace")
    marker = _MARKER.search(text) if thread.kind is ThreadKind.TODO else None
    start = len(text[: marker.start()].encode()) if marker else len(raw) - len(raw.lstrip())
    end = max(len(raw.rstrip()), start)
    if not symbol.name or symbol.kind is SymbolKind.REGION:
        return PlacedThread(thread, line, start, end, "", line, start, end)
    name_start, name_end = _columns(symbol)
    return PlacedThread(thread, line, start, end, symbol.name, symbol.name_span.start_line, name_start, name_end)


def _on_name(thread: Thread, symbol: Symbol, line: int, start: int, end: int) -> PlacedThread:
    return PlacedThread(thread, line, start, end, symbol.name, line, start, end)


def _columns(symbol: Symbol) -> tuple[int, int]:
    span = symbol.name_span
    return span.start_column, span.start_column + span.end_byte - span.start_byte
