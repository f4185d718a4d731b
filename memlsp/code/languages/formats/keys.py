"""Rules of configuration languages, in which keys are symbols and a key means its value."""

from __future__ import annotations

from collections.abc import Callable

from memlsp.code.syntax.nodes import Nodes
from memlsp.model.symbol import SymbolKind

LARGEST = 512 * 1024  # bytes; beyond, a file is data and not configuration


def outside_lists(*lists: str) -> Callable[[Nodes, int, SymbolKind], SymbolKind | None]:
    """A refinement that leaves keys inside lists to the key that holds the list: they have no name of their own."""
    kinds = frozenset(lists)

    def refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
        at = tree.parent[node]
        while at >= 0:
            if tree.kind[at] in kinds:
                return None
            at = tree.parent[at]
        return kind

    return refine
