"""Describes TypeScript and TSX: JavaScript with types, interfaces, enums and namespaces."""

from __future__ import annotations

from attrs import evolve

from memlsp.code.languages.javascript import JAVASCRIPT, held, refine
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


def _implicit(tree: Nodes, node: int, _name: int) -> str:
    """The number that an enum member gets from its place."""
    body = tree.parent[node]
    return tree.worked_out(body, _numbers).get(node, "") if tree.kind[body] == "enum_body" else ""


def _numbers(tree: Nodes, body: int) -> dict[int, str]:
    numbers: dict[int, str] = {}
    number = -1
    for child in tree.named(body):
        if tree.kind[child] == "enum_assignment":
            text = tree.render(held(tree, child))
            number = int(text) if text.lstrip("-").isdigit() else -1
        else:
            number += 1
            numbers[child] = str(number)
    return numbers


TYPESCRIPT = evolve(JAVASCRIPT, **read_tables("typescript", JAVASCRIPT), refine=_refine, implicit_value=_implicit)
TSX = evolve(TYPESCRIPT, name="tsx", suffixes=(".tsx",), interpreters=(), grammar=wheel("typescript", "language_tsx"))
