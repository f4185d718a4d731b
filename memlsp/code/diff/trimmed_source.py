"""Cuts definitions out of source texts before they are read, because reading takes many times as long as parsing.

`narrowed` keeps one definition and its surroundings: a fingerprint does not depend on neighbours. `trimmed` removes
from two states of a file the definitions that are equal byte for byte. Offsets are those of the shorter texts.
`node_kinds.json` has the kinds of nodes by role.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

import tree_sitter
from attrs import frozen

from memlsp.code.languages.detection import describe
from memlsp.code.syntax.parser import has_grammar, loaded_grammar, parse_in_time

_LARGE = 1_000_000  # bytes; longer texts are not parsed here
_SMALL_STATES = 2_000  # bytes of both states together; shorter ones are not worth it
_SMALL_SOURCE = 4_000  # bytes, the same for one text

_KINDS = json.loads(Path(__file__).with_name("node_kinds.json").read_text(encoding="utf-8"))
_DEFINITIONS: dict[str, frozenset[str]] = {name: frozenset(kinds) for name, kinds in _KINDS["kept_apart"].items()}
_HOLDERS, _CODE, _CLASSES, _WRAPPERS, _BODIES, _COMMENTS = (
    frozenset[str](_KINDS[role]) for role in ("holders", "code", "classes", "wrappers", "bodies", "comments")
)
_SECTIONS = frozenset({"section"})  # of a document; each holds its subsections
_PIECES = _CODE | _CLASSES | _SECTIONS | {"table"}  # the tables of a TOML file
_VALUES = frozenset({"assignment_expression", "variable_declarator", "assignment"})
_FUNCTIONS = frozenset({"function_expression", "arrow_function", "generator_function", "function"})
# Fillers: a block must not become empty, an attribute must not slip to the next item.
_BLOCK_FILLER = {"python": b"pass", "rust": b"const _: () = ();", "ruby": b"nil"}
_DEFINITION_FILLER = {"python": b"def _(): pass", "rust": b"const _: () = ();"}

_Cut = tuple[int, int, bytes]


@frozen(eq=False)
class ParsedSource:
    """A source text and its syntax tree, to be kept: the new state of one call is the old one of the next."""

    source: bytes
    root: tree_sitter.Node
    filler: bytes


@frozen(eq=False)
class _Definition:
    """A definition with the comments right before it. `node` is its body, where it has one."""

    start: int
    end: int
    text: bytes
    node: tree_sitter.Node
    name: bytes
    holds: bool  # other definitions


def narrowed(path: str, source: bytes, name: str) -> bytes | None:
    """`source` without the definitions that are neither called `name` (dotted) nor hold something of that name.

    Docstrings around it go too; overloads, and definitions of the same simple name, stay. None when nothing can be
    gained: another language, a short or very long text, a whole file.
    """
    language = describe(path, source)
    if language is None or language.name not in _DEFINITIONS or not name or not _SMALL_SOURCE < len(source) < _LARGE:
        return None
    if not has_grammar(language):
        return None
    container, _, simple = name.rpartition(".")
    holders = frozenset(part.encode() for part in container.split(".") if part)
    kinds = _DEFINITIONS[language.name]
    filler = _DEFINITION_FILLER.get(language.name, b"")
    cuts: list[_Cut] = []
    waiting = [tree_sitter.Parser(loaded_grammar(language)).parse(source).root_node]
    while waiting:
        for child in waiting.pop().named_children:
            called = _defined_name(child) if child.type in kinds else None
            if called is not None and called not in holders and called != simple.encode():
                plain = language.name == "python" and child.type == "expression_statement"
                cuts.append((child.start_byte, child.end_byte, b"pass" if plain else filler))
            elif child.type in _HOLDERS and (called is None or called in holders):
                waiting.append(child)
    return _without(source, cuts)


def parsed(path: str, source: bytes) -> ParsedSource | None:
    """The text with its tree; None for a language without definitions to cut, and for a text too long or broken."""
    language = describe(path, source)
    if language is None or len(source) > _LARGE or language.unsafe(source) or not has_grammar(language):
        return None
    tree = parse_in_time(loaded_grammar(language), source)
    if tree is None or tree.root_node.has_error:
        return None
    return ParsedSource(source, tree.root_node, _BLOCK_FILLER.get(language.name, b""))


def trimmed(old: ParsedSource, new: ParsedSource) -> tuple[bytes, bytes]:
    """Both texts without their equal definitions. Members are cut from classes that both texts have by name; a class
    in one of them alone stays whole."""
    if len(old.source) + len(new.source) < _SMALL_STATES:
        return old.source, new.source
    cut_old: list[_Cut] = []
    cut_new: list[_Cut] = []
    waiting = [(old.root, new.root)]
    while waiting:
        left, right = waiting.pop()
        before, after = list(_definitions(left, old.source)), list(_definitions(right, new.source))
        common = _common(before, after)
        cut_old += _cuts(left, before, common, old.filler)
        cut_new += _cuts(right, after, common, new.filler)
        held = _by_name(each for each in before if each.holds and each.text not in common)
        for name, each in _by_name(each for each in after if each.holds and each.text not in common).items():
            if name in held:
                waiting.append((held[name].node, each.node))
    return _without(old.source, cut_old), _without(new.source, cut_new)


def _common(before: Sequence[_Definition], after: Sequence[_Definition]) -> set[bytes]:
    """The texts that both sides have equally often."""
    many = Counter(each.text for each in before)
    return {text for text, count in Counter(each.text for each in after).items() if many[text] == count}


def _cuts(
    holder: tree_sitter.Node, found: Sequence[_Definition], common: Container[bytes], filler: bytes
) -> list[_Cut]:
    cuts = [(each.start, each.end, b"") for each in found if each.text in common]
    if cuts and len(cuts) == sum(child.type not in _COMMENTS for child in holder.named_children):
        cuts[-1] = (*cuts[-1][:2], filler)
    return cuts


def _by_name(definitions: Iterator[_Definition]) -> dict[bytes, _Definition]:
    """The definitions whose name is theirs alone."""
    found = list(definitions)
    often = Counter(each.name for each in found)
    return {each.name: each for each in found if often[each.name] == 1}


def _definitions(holder: tree_sitter.Node, source: bytes) -> Iterator[_Definition]:
    """The functions, classes, sections and tables right inside a holder."""
    start = -1
    for child in holder.children:
        if child.type in _COMMENTS:
            start = child.start_byte if start < 0 else start
            continue
        inner = _unwrapped(child)
        if inner is not None:
            begin = child.start_byte if start < 0 else start
            yield _Definition(begin, child.end_byte, source[begin : child.end_byte], *_described(inner))
        start = -1


def _inner(node: tree_sitter.Node) -> tree_sitter.Node | None:
    return node.child_by_field_name("definition") or node.child_by_field_name("declaration")


def _unwrapped(node: tree_sitter.Node) -> tree_sitter.Node | None:
    if node.type in _WRAPPERS:
        inner = _inner(node)
        return _unwrapped(inner) if inner is not None else None
    return node if node.is_named and node.type in _PIECES else None


def _described(node: tree_sitter.Node) -> tuple[tree_sitter.Node, bytes, bool]:
    """(the body, where it has one, else the node itself; its name; whether it holds others)."""
    if node.type in _SECTIONS:
        heading = node.children[0].text if node.children and "heading" in node.children[0].type else None
        return node, heading or b"", bool(heading)
    named = node.child_by_field_name("name") or node.child_by_field_name("type")
    name = (named.text if named is not None else None) or b""
    body = node.child_by_field_name("body")
    if body is None:
        body = next((child for child in node.children if child.type in _BODIES), None)
    return body or node, name, node.type in _CLASSES and body is not None and bool(name)


def _defined_name(node: tree_sitter.Node) -> bytes | None:
    """The simple name of what a node defines; None when it defines nothing that may be cut out."""
    inner = _inner(node)
    if inner is not None:
        return _defined_name(inner)
    if node.type in ("expression_statement", "lexical_declaration", "variable_declaration"):
        held = node.named_children
        if len(held) == 1 and held[0].type == "string":
            return b""  # documentation of what surrounds the symbol
        return _assigned_name(held[0]) if len(held) == 1 and held[0].type in _VALUES else None
    named = node.child_by_field_name("name")
    return named.text if named is not None else None


def _assigned_name(node: tree_sitter.Node) -> bytes | None:
    value = node.child_by_field_name("right") or node.child_by_field_name("value")
    target = node.child_by_field_name("left") or node.child_by_field_name("name")
    if value is None or target is None or target.text is None:
        return None
    if node.type != "assignment" and value.type not in _FUNCTIONS:
        return None
    return target.text.rpartition(b".")[2]


def _without(source: bytes, cuts: Sequence[_Cut]) -> bytes:
    kept: list[bytes] = []
    at = 0
    for start, end, instead in sorted(cuts):
        kept += (source[at:start], instead)
        at = end
    return b"".join((*kept, source[at:]))
