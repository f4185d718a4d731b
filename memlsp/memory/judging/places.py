"""Resolve a place as people type it to a file and a symbol of the workspace."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memlsp.model.errors import MemlspError, NoSuchSymbol

if TYPE_CHECKING:
    from memlsp.beliefs.files import Files
    from memlsp.memory.context import Context
    from memlsp.model.belief import Anchor
    from memlsp.model.place import Place
    from memlsp.model.symbol import Symbol
    from memlsp.recall.candidates import Nearby


class Places:
    """Finds places in one worktree."""

    def __init__(self, context: Context) -> None:
        self._worktree = context.worktree
        self._store = context.store

    def find(self, place: Place, base: Path | None) -> tuple[str, Symbol | None, str]:
        """The file, the symbol and its name at a place as typed. The symbol is None when the file has none of that name
        now; for the stub of a function it is that function.

        A deleted file is found while a belief is tied to it. Raises NoSuchFile, Refused, UnreadableSource.
        """
        try:
            path, place = self._located(place, base)
        except MemlspError:
            # a deleted file is still a place when something is remembered about it
            for reading in place.readings():
                guess = PurePosixPath(reading.path).as_posix()
                if self._store.anchored_at(guess):
                    return guess, None, reading.symbol or ""
            raise
        outline = self._worktree.outline(path)
        if outline is None:
            self._worktree.read(path)  # raises, and says why, when it is binary or too large
            return path, None, place.symbol or ""
        if place.symbol:
            found = outline.named(place.symbol)
            return path, outline.behind(found[0]) if found else None, found[0].name if found else place.symbol
        symbol = outline.behind(outline.at(place.line - 1)) if place.line else outline.module
        return path, symbol, symbol.name

    def missing(self, path: str, name: str) -> NoSuchSymbol:
        """The error for a symbol that does not exist, with the nearest names."""
        outline = self._worktree.outline(path)
        if not name:
            return NoSuchSymbol(f"{path} is gone, and nothing is remembered of it as a whole", "memlsp beliefs --path")
        from memlsp.beliefs.lifecycle.anchors import nearest_names  # late, as below

        near = nearest_names(name, outline) if outline else []
        hint = f"did you mean {', '.join(near)}?" if near else "PATH:LINE takes the symbol at a line"
        return NoSuchSymbol(f"no symbol {name!r} in {path}", hint)

    def anchor(self, place: Place, base: Path | None, now: datetime, files: Files | None = None) -> Anchor:
        """An anchor at a place as typed, in the present files or in `files`. Raises NoSuchFile, NoSuchSymbol, Refused,
        UnreadableSource."""
        path, place = self._located(place, base)
        from memlsp.beliefs.lifecycle.anchors import anchor_at  # late: only a new anchor needs it

        return anchor_at(files or self._worktree, path, line=place.line, symbol=place.symbol, now=now)

    def _located(self, place: Place, base: Path | None) -> tuple[str, Place]:
        """The file's path, and the reading of the place for which there is a file."""
        missing: MemlspError | None = None
        for reading in place.readings():
            try:
                return self._worktree.relative(reading.path, base), reading
            except MemlspError as error:
                missing = missing or error
        assert missing is not None  # a place has one reading at least
        raise missing

    def around(self, path: str, symbol: Symbol | None) -> Nearby:
        """A symbol with its callers and callees in the same file."""
        from memlsp.recall.candidates import Nearby  # late: only a question needs it

        outline = self._worktree.outline(path)
        if outline is None or symbol is None:
            return Nearby(path, "", frozenset(), frozenset())
        simple = symbol.simple_name
        called = {call.rpartition(".")[2] for call in symbol.facts.calls}
        callers = frozenset(
            (path, other.name)
            for other in outline.symbols
            if simple and other.name and any(call.rpartition(".")[2] == simple for call in other.facts.calls)
        )
        callees = frozenset((path, other.name) for other in outline.symbols if other.simple_name in called)
        return Nearby(path, symbol.name, callers, callees)
