"""TypeScript and TSX: JavaScript with types, interfaces, enums and namespaces."""

from __future__ import annotations

from attrs import evolve

from memlsp.code.languages.javascript import JAVASCRIPT, TAGS, held, refine, value_of
from memlsp.code.syntax.language import Binder
from memlsp.code.syntax.tree import Tree
from memlsp.model.symbol import SymbolKind

_TAGS = (
    TAGS
    + """
(public_field_definition name: (_) @name) @definition.constant
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(enum_assignment name: (_) @name) @definition.member
(enum_body (property_identifier) @name @definition.member)
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.namespace
(function_signature name: (_) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.function
(method_signature name: (_) @name) @definition.function
(property_signature name: (_) @name) @definition.field
"""
)


def _grammar() -> object:
    import tree_sitter_typescript  # only when a TypeScript file is read

    return tree_sitter_typescript.language_typescript()


def _tsx_grammar() -> object:
    import tree_sitter_typescript  # only when a TSX file is read

    return tree_sitter_typescript.language_tsx()


def _refine(tree: Tree, node: int, kind: SymbolKind) -> SymbolKind | None:
    """Members of nameless object types are parts of what they stand in."""
    if tree.kind[node] in ("property_signature", "method_signature"):
        around = tree.parent[node]
        if tree.kind[tree.parent[around]] not in ("interface_declaration", "type_alias_declaration"):
            return None
    return refine(tree, node, kind)


def _implicit(tree: Tree, node: int, _name: int) -> str:
    """The number that an enum member gets from its place."""
    body = tree.parent[node]
    if tree.kind[body] != "enum_body" or tree.kind[node] == "enum_assignment":
        return ""
    if body not in tree.numbered:
        numbers = tree.numbered[body] = {}
        number = -1
        for child in tree.named(body):
            if tree.kind[child] == "enum_assignment":
                text = tree.render(held(tree, child))
                number = int(text) if text.lstrip("-").isdigit() else -1
            else:
                number += 1
                numbers[child] = str(number)
    return tree.numbered[body].get(node, "")


TYPESCRIPT = evolve(
    JAVASCRIPT,
    name="typescript",
    suffixes=(".ts", ".mts", ".cts"),
    interpreters=("ts-node", "tsx"),
    grammar=_grammar,
    tags=_TAGS,
    refine=_refine,
    implicit=_implicit,
    wrappings=JAVASCRIPT.wrappings | {"parenthesized_type"},
    value=value_of,
    binders={**JAVASCRIPT.binders, "abstract_class_declaration": Binder(("name",), "outside")},
)
TSX = evolve(TYPESCRIPT, name="tsx", suffixes=(".tsx",), interpreters=(), grammar=_tsx_grammar)
