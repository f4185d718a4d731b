"""A source text cut down to one definition and what surrounds it, so that reading a long file for it is cheap.

A symbol's fingerprint does not depend on its neighbours. The syntax tree itself is fast to get; what takes time is to
describe every definition in it. So the neighbours are cut out of the text first, and what is left is described.
"""

from __future__ import annotations

from functools import cache

import tree_sitter

from memlsp.code.languages.detection import describe
from memlsp.code.syntax.language import Language

_SMALL = 4_000  # bytes; shorter texts are not worth it
_LARGE = 1_000_000  # bytes; a parser without a watch is not let loose on more

# Definitions that may be cut out, and wrappers that go with what they wrap.
_DEFINITIONS = {
    "python": {"function_definition", "class_definition", "decorated_definition", "expression_statement"},
    "javascript": {"function_declaration", "generator_function_declaration", "class_declaration", "method_definition",
                   "export_statement", "expression_statement", "lexical_declaration", "variable_declaration"},
    "go": {"function_declaration", "method_declaration"},
    "rust": {"function_item"},
    "java": {"method_declaration", "constructor_declaration", "class_declaration", "interface_declaration",
             "enum_declaration", "record_declaration"},
}  # fmt: skip
_DEFINITIONS["typescript"] = _DEFINITIONS["tsx"] = _DEFINITIONS["javascript"] | {"interface_declaration"}
_VALUES = frozenset({"assignment_expression", "variable_declarator", "assignment"})
_FUNCTIONS = frozenset({"function_expression", "arrow_function", "generator_function", "function"})
_HOLDERS = frozenset(
    {"module", "program", "source_file", "block", "class_body", "interface_body", "enum_body", "declaration_list",
     "impl_item", "mod_item", "trait_item", "if_statement", "else_clause", "elif_clause", "try_statement",
     "class_definition", "class_declaration", "interface_declaration", "decorated_definition", "export_statement",
     "enum_declaration", "record_declaration", "enum_body_declarations", "internal_module", "statement_block"}
)  # fmt: skip
# What stands where a definition was: a block must not become empty, an attribute must not slip to the next item.
_FILLER = {"python": b"def _(): pass", "rust": b"const _: () = ();"}


def narrowed(path: str, source: bytes, name: str) -> bytes | None:
    """`source` without the definitions that are neither called `name` (dotted) nor hold something of that name.

    Documentation strings around it go too. None when nothing can be gained: another language, a short or very long
    text, a whole file. Offsets are those of the shorter text. Overloads of the name and definitions of its simple name
    elsewhere are kept.
    """
    language = describe(path, source)
    if language is None or language.name not in _DEFINITIONS or not name or not _SMALL < len(source) < _LARGE:
        return None
    container, _, simple = name.rpartition(".")
    holders = frozenset(part.encode() for part in container.split(".") if part)
    root = tree_sitter.Parser(_grammar(language)).parse(source).root_node
    kinds = _DEFINITIONS[language.name]
    filler = _FILLER.get(language.name, b"")
    cuts: list[tuple[int, int, bytes]] = []
    waiting = [root]
    while waiting:
        for child in waiting.pop().named_children:
            called = _name(child) if child.type in kinds else None
            if called is not None and called not in holders and called != simple.encode():
                plain = language.name == "python" and child.type == "expression_statement"
                cuts.append((child.start_byte, child.end_byte, b"pass" if plain else filler))
            elif child.type in _HOLDERS and (called is None or called in holders):
                waiting.append(child)
    pieces: list[bytes] = []
    at = 0
    for start, end, instead in sorted(cuts):
        pieces += (source[at:start], instead)
        at = end
    return b"".join((*pieces, source[at:]))


def _name(node: tree_sitter.Node) -> bytes | None:
    """The simple name of what a node defines; None when it defines nothing that may be cut out."""
    inner = node.child_by_field_name("definition") or node.child_by_field_name("declaration")
    if inner is not None:
        return _name(inner)
    if node.type in ("expression_statement", "lexical_declaration", "variable_declaration"):
        held = node.named_children
        if len(held) == 1 and held[0].type == "string":
            return b""  # documentation of what surrounds the symbol
        if len(held) != 1 or held[0].type not in _VALUES:
            return None
        value = held[0].child_by_field_name("right") or held[0].child_by_field_name("value")
        target = held[0].child_by_field_name("left") or held[0].child_by_field_name("name")
        if value is None or target is None or target.text is None:
            return None
        if held[0].type != "assignment" and value.type not in _FUNCTIONS:
            return None
        return target.text.rpartition(b".")[2]
    named = node.child_by_field_name("name")
    return named.text if named is not None else None


@cache
def _grammar(language: Language) -> tree_sitter.Language:
    return tree_sitter.Language(language.grammar())
