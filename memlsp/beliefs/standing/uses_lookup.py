"""Looks up what the uses of a symbol lead to: definitions in other files, their texts, and the files beside one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from attrs import evolve

from memlsp.beliefs.files import Files
from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.regions import source_of
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.symbol import Dependency, Symbol

SHOWN = 200
"""Characters of a printed value."""


class UsesLookup:
    """The workspace around one file: outlines, each looked up once, what the symbols in them use, and their texts."""

    def __init__(self, here: Outline, worktree: Files) -> None:
        self.here = here
        self.seen: dict[str, Outline | None] = {}
        self._worktree = worktree

    def outline(self, path: str) -> Outline | None:
        """The outline of a file."""
        if path not in self.seen:
            self.seen[path] = self._worktree.outline(path)
        return self.seen[path]

    def definition(self, used: Dependency) -> tuple[Outline, Symbol] | None:
        """The symbol that a dependency names, with the outline that has it."""
        outline = self.outline(used.path)
        found = outline.find(used.symbol) if outline is not None else None
        return None if outline is None or found is None else (outline, found)

    def text(self, symbol: Symbol, there: Outline) -> str:
        """The source text of a symbol."""
        return source_of(symbol, self._worktree.read(there.path) or b"")

    def resolved(self, symbol: Symbol, there: Outline) -> tuple[Dependency, ...]:
        """The definitions to which a symbol's names lead in its language."""
        siblings = siblings_of(there, self._worktree)
        return dependencies(symbol, there, self.outline, siblings=siblings, listing=self._listing)

    def meant(self, names: Sequence[str], symbol: Symbol, there: Outline) -> tuple[Dependency, ...]:
        """The definitions that these names have where a symbol stands."""
        facts = evolve(symbol.facts, uses=tuple(names), bases=(), decorators=())
        return self.resolved(evolve(symbol, facts=facts), there)

    def _listing(self, folder: str) -> tuple[str, ...]:
        return _files_in(folder, self.here.path, self._worktree)


def siblings_of(here: Outline, worktree: Files) -> tuple[str, ...]:
    """The other files of the folder, for a language whose files share their names."""
    language = language_named(here.language)
    if language is None or not language.shares_folder:
        return ()
    return tuple(path for path in _files_in(here.path.rpartition("/")[0], here.path, worktree) if path != here.path)


def _files_in(folder: str, like: str, worktree: Files) -> tuple[str, ...]:
    """The files directly in a folder with the ending of another one."""
    start, ending = f"{folder}/" if folder else "", like[like.rfind(".") :]
    paths = worktree.paths()
    found: list[str] = []
    for path in paths[bisect_left(paths, start) :]:
        if not path.startswith(start):
            break
        if path.endswith(ending) and "/" not in path[len(start) :]:
            found.append(path)
    return tuple(found)
