"""Two states of a file without the definitions that are byte for byte in both.

Reading a file into symbols takes many times as long as parsing it, and a commit changes a few definitions of a file
and leaves the others alone. What is the same in both states is no part of the difference, so it is cut out of both
before they are read. Layout and offsets of what is left are not those of the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from functools import cache
from typing import cast

import tree_sitter
from attrs import frozen

from memlsp.code.languages.detection import describe
from memlsp.code.syntax.language import Language

_SMALL = 2_000  # bytes of both states together; shorter ones are not worth it
_LARGE = 1_000_000  # bytes
_STEP = 1 << 16  # bytes handed to the parser at a time
_PATIENCE = 2000  # progress calls before a hostile source is given up on, and one more for so many bytes
_PATIENCE_BYTES = 16

_CODE = frozenset(
    {"function_definition", "function_declaration", "generator_function_declaration", "method_definition",
     "method_declaration", "constructor_declaration", "function_item", "method", "singleton_method"}
)  # fmt: skip
_CLASSES = frozenset(
    {"class_definition", "class_declaration", "class_specifier", "struct_specifier", "interface_declaration",
     "record_declaration", "trait_declaration", "object_declaration", "impl_item", "trait_item", "mod_item", "class",
     "module"}
)  # fmt: skip
_SECTIONS = frozenset({"section"})  # of a document; each holds its subsections
_TABLES = frozenset({"table"})  # of a TOML file
_WRAPPERS = frozenset({"decorated_definition", "export_statement"})
_BODIES = frozenset(
    {"block", "class_body", "interface_body", "declaration_list", "body_statement", "field_declaration_list",
     "record_declaration_body"}
)  # fmt: skip
_PIECES = _CODE | _CLASSES | _SECTIONS | _TABLES
_NOTES = frozenset({"comment", "line_comment", "block_comment", "attribute_item", "multiline_comment", "doc_comment"})
# What stands where a definition was: a block must not become empty.
_FILLER = {"python": b"pass", "rust": b"const _: () = ();", "ruby": b"nil"}


@frozen(eq=False)
class Parsed:
    """A source text and its syntax tree, to be kept between two calls: the new state of one is the old of another."""

    source: bytes
    root: tree_sitter.Node
    filler: bytes


_Cut = tuple[int, int, bytes]


@frozen(eq=False)
class _Piece:
    """A definition with the comments right before it."""

    start: int
    end: int
    text: bytes
    node: tree_sitter.Node
    name: bytes
    holds: bool


def parsed(path: str, source: bytes) -> Parsed | None:
    """The text with its tree; None for a language without definitions that could be cut out, and for a text that is
    too long or broken."""
    language = describe(path, source)
    if language is None or len(source) > _LARGE or language.unsafe(source):
        return None
    calls = 0

    def impatient(_offset: int, _failed: bool) -> bool:
        nonlocal calls
        calls += 1
        return calls > _PATIENCE + len(source) // _PATIENCE_BYTES

    def read(offset: int, _point: tree_sitter.Point) -> bytes:
        return source[offset : offset + _STEP]

    try:
        # None when the callback says stop, whatever the stub says.
        made = tree_sitter.Parser(_grammar(language)).parse(read, encoding="utf8", progress_callback=impatient)
        tree = cast("tree_sitter.Tree | None", made)
    except (ValueError, RuntimeError):
        return None
    if tree is None or tree.root_node.has_error:
        return None
    return Parsed(source, tree.root_node, _FILLER.get(language.name, b""))


def trimmed(old: Parsed, new: Parsed) -> tuple[bytes, bytes]:
    """Both texts without what is the same in both. Of the members of a class those are cut that the class of the same
    name has in the other text too; a class that is in one of them alone stays whole."""
    if len(old.source) + len(new.source) < _SMALL:
        return old.source, new.source
    cut_old: list[_Cut] = []
    cut_new: list[_Cut] = []
    waiting = [(old.root, new.root)]
    while waiting:
        left, right = waiting.pop()
        before, after = list(_pieces(left, old.source)), list(_pieces(right, new.source))
        common = _common(before, after)
        cut_old += _cuts(left, before, common, old.filler)
        cut_new += _cuts(right, after, common, new.filler)
        held = _by_name(piece for piece in before if piece.holds and piece.text not in common)
        for name, piece in _by_name(piece for piece in after if piece.holds and piece.text not in common).items():
            if name in held:
                waiting.append((held[name].node, piece.node))
    return _without(old, cut_old), _without(new, cut_new)


def _common(before: Sequence[_Piece], after: Sequence[_Piece]) -> set[bytes]:
    """The texts that are in both, as often."""
    many = Counter(piece.text for piece in before)
    return {text for text, count in Counter(piece.text for piece in after).items() if many[text] == count}


def _cuts(holder: tree_sitter.Node, pieces: Sequence[_Piece], common: Container[bytes], filler: bytes) -> list[_Cut]:
    cuts = [(piece.start, piece.end, b"") for piece in pieces if piece.text in common]
    if cuts and len(cuts) == sum(child.type not in _NOTES for child in holder.named_children):
        cuts[-1] = (*cuts[-1][:2], filler)  # a block must not become empty
    return cuts


def _by_name(pieces: Iterator[_Piece]) -> dict[bytes, _Piece]:
    found: dict[bytes, _Piece] = {}
    doubtful: set[bytes] = set()
    for piece in pieces:
        if piece.name in found:
            doubtful.add(piece.name)
        found[piece.name] = piece
    return {name: piece for name, piece in found.items() if name not in doubtful}


def _pieces(holder: tree_sitter.Node, source: bytes) -> Iterator[_Piece]:
    """The functions, classes, sections and tables right inside a holder."""
    start = -1
    for child in holder.children:
        if child.type in _NOTES:
            start = child.start_byte if start < 0 else start
            continue
        inner = _defined(child)
        if inner is not None:
            begin = child.start_byte if start < 0 else start
            yield _Piece(begin, child.end_byte, source[begin : child.end_byte], *_described(inner))
        start = -1


def _defined(node: tree_sitter.Node) -> tree_sitter.Node | None:
    if node.type in _WRAPPERS:
        inner = node.child_by_field_name("definition") or node.child_by_field_name("declaration")
        return _defined(inner) if inner is not None else None
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


def _without(text: Parsed, cuts: Sequence[_Cut]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for start, end, instead in sorted(cuts):
        parts += (text.source[at:start], instead)
        at = end
    return b"".join((*parts, text.source[at:]))


@cache
def _grammar(language: Language) -> tree_sitter.Language:
    return tree_sitter.Language(language.grammar())
