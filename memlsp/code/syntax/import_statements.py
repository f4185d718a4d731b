"""The imports that a syntax tree holds, read by the rules of its language."""

from __future__ import annotations

from memlsp.code.syntax.tree import Tree
from memlsp.code.workspace.imports import Import


def imports_of(tree: Tree) -> tuple[Import, ...]:
    """Every import of a file, wherever it stands."""
    return tuple(found for _, found in placed_imports(tree))


def placed_imports(tree: Tree) -> tuple[tuple[int, Import], ...]:
    """Every import of a file, with the byte at which its statement starts."""
    read = tree.language.read_import
    nodes = sorted([*tree.imports, *tree.quiet_imports])
    return tuple((tree.start[node], found) for node in nodes for found in read(tree, node))


def canonical(tree: Tree, node: int) -> list[str]:
    """One import statement in normal form: one text for each name that it brings in, sorted."""
    found = tree.language.read_import(tree, node)
    if not found:
        return [tree.render(node)]
    return sorted(f"import {each.module} {each.name or ''} {each.local}" for each in found)
