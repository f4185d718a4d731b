"""Imports as values, and where in the workspace they may lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from memlsp.code.syntax.tree import Tree


@frozen
class Import:
    """One name that an import brings in.

    `local` is what the file calls it ("" when it brings everything or nothing), `module` what it is imported from as
    written, `name` the thing imported from there: None for the module itself, "*" for everything, "default" for a
    JavaScript default export. `line` counts from 0.
    """

    local: str
    module: str
    name: str | None = None
    line: int = 0


def imports_of(tree: Tree) -> tuple[Import, ...]:
    """Every import of a file, wherever it stands."""
    return tuple(found for _, found in placed_imports(tree))


def placed_imports(tree: Tree) -> tuple[tuple[int, Import], ...]:
    """Every import of a file, with the byte at which its statement starts."""
    read = tree.language.read_import
    nodes = sorted([*tree.imports, *tree.quiet_imports])
    return tuple((tree.start[node], found) for node in nodes for found in read(tree, node))


def canonical(tree: Tree, node: int) -> list[str]:
    """What one import statement says, one text for each name, sorted."""
    found = tree.language.read_import(tree, node)
    if not found:
        return [tree.render(node)]
    return sorted(f"import {each.module} {each.name or ''} {each.local}" for each in found)
