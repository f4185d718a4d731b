"""Describes TypeScript and TSX: JavaScript with types, interfaces, enums and namespaces."""

from __future__ import annotations

from attrs import evolve

from memlsp.code.languages.enumerations import by_place, offsets
from memlsp.code.languages.javascript import JAVASCRIPT, refine
from memlsp.code.languages.language_tables import read_tables, wheel
from memlsp.code.syntax.nodes import Nodes
from memlsp.model.symbol import SymbolKind


def _refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    """Members of nameless object types belong to the definition around them."""
    if tree.kind[node] in ("property_signature", "method_signature"):
        around = tree.parent[node]
        if tree.kind[tree.parent[around]] not in ("interface_declaration", "type_alias_declaration"):
            return None
    return refine(tree, node, kind)


# the numbers that members of an enumeration get from their places
_implicit = by_place("property_identifier", lambda tree, body: offsets(tree, tree.named(body)))
TYPESCRIPT = evolve(JAVASCRIPT, **read_tables("typescript", JAVASCRIPT), refine=_refine, implicit_value=_implicit)
TSX = evolve(TYPESCRIPT, name="tsx", suffixes=(".tsx",), interpreters=(), grammar=wheel("typescript", "language_tsx"))
