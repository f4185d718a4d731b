"""The former and present state of some files, and where their symbols went."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from attrs import define

from memlsp.code.diff.matching import match, successors
from memlsp.code.syntax.unfinished import Unfinished
from memlsp.model.symbol import Symbol


@define(eq=False)
class FileComparison:
    """Some files before and now, by path; None for a file that is missing or not read."""

    before: Mapping[str, Unfinished | None]
    now: Mapping[str, Unfinished | None]

    @cached_property
    def became(self) -> dict[tuple[str, str], tuple[str, str]]:
        """The present (path, name) of each symbol that moved, by its former one."""
        old = [symbol for each in self.before.values() if each for symbol in each.outline.symbols]
        new = [symbol for each in self.now.values() if each for symbol in each.outline.symbols]
        if not old or not new:
            return {}
        pairs = match(old, new).pairs
        return {
            (pair.old.path, pair.old.name): (pair.new.path, pair.new.name)
            for pair in pairs
            if (pair.old.path, pair.old.name) != (pair.new.path, pair.new.name)
        }

    def place_now(self, path: str, name: str, trace: Symbol | None = None) -> tuple[str, str] | None:
        """The present (path, name) of the symbol of a former place; None when it is gone."""
        if self.symbol_at(path, name) is not None:
            return path, name
        moved = self.became.get((path, name))
        if moved is not None:
            return moved
        if trace is None or not name:
            return None
        former = self.before.get(path)
        strangers = [
            symbol
            for each in self.now.values()
            if each
            for symbol in each.outline.symbols[1:]
            if former is None or former.outline.find(symbol.name) is None
        ]
        found = successors(trace, strangers)
        return (found[0][0].path, found[0][0].name) if found else None

    def symbol_at(self, path: str, name: str) -> Symbol | None:
        """The present symbol of a name."""
        now = self.now.get(path)
        return now.outline.find(name) if now else None
