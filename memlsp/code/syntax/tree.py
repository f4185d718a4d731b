"""The nodes of a source text together with its language, and the imports among them."""

from __future__ import annotations

from attrs import define, field

from memlsp.code.syntax.language import Import, Language
from memlsp.code.syntax.nodes import Nodes


@define(eq=False, slots=True)
class Tree(Nodes):
    """The nodes of a source text, with the description of the language that it is written in."""

    language: Language = field(kw_only=True)


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
    names = sorted(f"import {each.module} {each.name or ''} {each.local}" for each in found)
    return names or [tree.render(node)]
