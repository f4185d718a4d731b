"""Source text to a `Tree`: parse, find definitions with the tag query, flatten, and mark what says nothing. Grammars
and queries are made once per language and shared; a parser is made per call, so any thread may parse."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import cast

import tree_sitter
from attrs import frozen

from memlsp.code.syntax.flat_tree import Tags, TreeFlattener, WindowCursor
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.tree import Tree

MOST_NODES = 1_000_000
"""Nodes of a syntax tree that are looked at, ten microseconds each; a text with more is known by its lines."""

_STEP = 1 << 16  # bytes handed to the parser at a time
_PATIENCE = 2000  # progress calls (some hundred parser steps each) before a hostile source is given up on...
_PATIENCE_BYTES = 16  # ...and one more for so many bytes; ordinary code needs one for 80 to 500
_PENDING = 256  # matches of the tag query that may be half-way at once; ordinary code needs a few
_SOUP = 5000  # pieces under a node with errors that are no longer code

NamedBy = Callable[[tree_sitter.Node], tuple[tree_sitter.Node, str] | None] | None


@frozen(eq=False)
class _Grammar:
    """The grammar, tag query and names that calls share."""

    language: tree_sitter.Language
    query: tree_sitter.Query
    kinds: tuple[str, ...]
    fields: tuple[str, ...]


@cache
def loaded_grammar(language: Language) -> tree_sitter.Language:
    """The tree-sitter grammar of a language, loaded once."""
    return tree_sitter.Language(language.grammar())


@cache
def has_grammar(language: Language) -> bool:
    """False where an installation leaves the language's package out: its files are known by lines, and doctor says
    so."""
    try:
        loaded_grammar(language)
    except ModuleNotFoundError:
        return False
    return True


@cache
def _grammar(language: Language) -> _Grammar:
    grammar = loaded_grammar(language)
    kinds = tuple(_kind_name(grammar, i) for i in range(grammar.node_kind_count))
    fields = ("", *(grammar.field_name_for_id(i) or "" for i in range(1, grammar.field_count + 1)))
    return _Grammar(grammar, tree_sitter.Query(grammar, language.tags()), kinds, fields)


def _kind_name(grammar: tree_sitter.Language, number: int) -> str:
    """A kind's name; keywords and punctuation get an apostrophe, because `string` is both in TypeScript."""
    name = grammar.node_kind_for_id(number) or ""
    return name if grammar.node_kind_is_named(number) else "'" + name


def parse(language: Language, source: bytes) -> Tree | None:
    """The tree of a source text, or None when the parser gave up on it (time, not errors)."""
    parsed = parse_syntax(language, source)
    return None if parsed is None else flatten(language, source, parsed)


def parse_syntax(language: Language, source: bytes, before: tree_sitter.Tree | None = None) -> tree_sitter.Tree | None:
    """The syntax tree of a source text, or None when the parser gave up on it or made more of it than we can look at.
    `before` is the tree of the text before an edit, with the edit applied: its unchanged nodes are used again."""
    if not has_grammar(language):
        return None
    parsed = parse_in_time(_grammar(language).language, language.as_parsed(source), before)
    return parsed if parsed is not None and parsed.root_node.descendant_count <= MOST_NODES else None


def parse_in_time(
    grammar: tree_sitter.Language, source: bytes, before: tree_sitter.Tree | None = None
) -> tree_sitter.Tree | None:
    """The syntax tree of a text, or None for a hostile one, on which the parser would work for very long."""
    calls = 0
    limit = _PATIENCE + len(source) // _PATIENCE_BYTES

    def impatient(_offset: int, _failed: bool) -> bool:
        nonlocal calls
        calls += 1
        return calls > limit

    handed: list[memoryview] = []
    is_parsed = False

    def read(offset: int, _point: tree_sitter.Point) -> bytes:
        if is_parsed:  # the tree asks again for the text of a node, which has to be bytes
            return source[offset : offset + _STEP]
        handed.append(memoryview(source)[offset : offset + _STEP])
        return cast("bytes", handed[-1])

    parser = tree_sitter.Parser(grammar)
    try:
        # None when the callback says stop, whatever the stub says.
        if before is None:
            made = parser.parse(read, encoding="utf8", progress_callback=impatient)
        else:
            made = parser.parse(read, before, encoding="utf8", progress_callback=impatient)
        return cast("tree_sitter.Tree | None", made)
    except (ValueError, RuntimeError):
        return None
    finally:
        # tree_sitter 0.26 never gives back what it was handed: bytes would keep each text in memory for good
        is_parsed = True
        for each in handed:
            each.release()


@frozen(eq=False)
class TreeWindow:
    """A part of a syntax tree: `windows` gives, by the id of a node that is seen in part, the bytes seen of it."""

    windows: dict[int, tuple[int, int]]
    start: int
    end: int


def flatten(
    language: Language,
    source: bytes,
    parsed: tree_sitter.Tree,
    *,
    window: TreeWindow | None = None,
    line_starts: list[int] | None = None,
) -> Tree:
    """Fill a `Tree` from a syntax tree, or from the part of it in a window."""
    grammar = _grammar(language)
    root = parsed.root_node
    tree = Tree(language, source, language=language)
    tree.has_errors = root.has_error
    tree.line_starts = line_starts_of(source) if line_starts is None else line_starts
    tags, tree.tags_incomplete = ({}, True) if is_soup(root) else _tagged(grammar, root, language.named_by, window)
    cursor = WindowCursor(root, window.windows) if window else root.walk()
    TreeFlattener(tree, grammar.kinds, grammar.fields, tags).run(cursor)
    _fill_keys(tree)
    return tree


def is_soup(root: tree_sitter.Node) -> bool:
    """True when the parser found almost no structure, on which the tag query would take quadratic time."""
    if not root.has_error:
        return False
    return any(node.child_count > _SOUP for node in (root, *root.children[:100]) if node.is_error)


def line_starts_of(source: bytes) -> list[int]:
    """The byte offset of every line."""
    return [0, *(found.end() for found in re.finditer(b"\n", source))]


def tagged_names(language: Language, source: bytes) -> frozenset[str]:
    """The dotted names of definitions as far as the tag query tells them, at a tenth of the cost of an outline; none
    for a text with errors."""
    parsed = None if language.unsafe(source) else parse_syntax(language, source)
    if parsed is None or parsed.root_node.has_error:
        return frozenset()
    names: set[str] = set()
    around: list[tuple[int, str]] = [(len(source) + 1, "")]  # where a definition ends, and its name
    tags, _ = _tagged(_grammar(language), parsed.root_node, language.named_by, None)
    for (start, end, _), held in sorted(tags.items(), key=lambda each: (each[0][0], -each[0][1])):
        while around[-1][0] <= start:
            around.pop()
        said = [(owner, source[a:b].decode("utf-8", "replace")) for kind, a, b, owner in held if kind != "scope"]
        whole = [".".join(filter(None, (around[-1][1], *each))) for each in said]
        names.update(whole)
        around.append((end, whole[0] if whole else around[-1][1]))
    return frozenset(names)


def _tagged(
    grammar: _Grammar, root: tree_sitter.Node, named_by: NamedBy, window: TreeWindow | None
) -> tuple[Tags, bool]:
    """Definitions by (start, end, kind id): kind of symbol, where the name is, owner. True when some were lost."""
    cursor = tree_sitter.QueryCursor(grammar.query, match_limit=_PENDING)
    if window is not None:
        cursor.set_byte_range(window.start, window.end)
    found: Tags = {}
    for _, captures in cursor.matches(root):
        names = captures.get("name")
        owners = captures.get("owner")
        text = owners[0].text if owners else None
        owner = text.decode("utf-8", "replace") if text else ""
        for capture, nodes in captures.items():
            if capture != "scope" and not capture.startswith("definition."):
                continue
            kind = capture.removeprefix("definition.")
            for node in nodes:
                tags = found.setdefault((node.start_byte, node.end_byte, node.kind_id), [])
                for held in names or (node,):
                    named = named_by(held) if named_by is not None else (held, owner)
                    if named is None:
                        continue
                    name, above = named
                    if all(known[1] != name.start_byte for known in tags):
                        tags.append((kind, name.start_byte, name.end_byte, above))
    return found, cursor.did_exceed_match_limit


def _fill_keys(tree: Tree) -> None:
    """Fill `key`, `shape` and `previous` of a flattened tree. Comments, documentation, hints and idle statements have
    no key, nor have parentheses and punctuation: the shape of the tree says what they say."""
    language = tree.language
    count = len(tree.kind)
    silenced = tree.insignificant(count)
    transparent = tree.transparent
    identifiers, same_kinds, punctuation = language.identifiers, language.same_kinds, language.punctuation
    respelt = language.numbers.union(language.constants)
    arity = [0] * count
    owner = [0] * count  # the nearest ancestor that counts its children
    inner: list[int] = []
    keys = [""] * count
    shapes = [""] * count
    kinds, fields, texts, parents, afters = tree.kind, tree.field, tree.text, tree.parent, tree.after
    latest = [-1] * (count + 1)
    previous = [-1] * count
    for node in range(count):
        parent = parents[node]
        previous[node] = latest[parent]
        latest[parent] = node
        above = parent if parent < 0 or parent not in transparent else owner[parent]
        owner[node] = above
        if silenced[node] or node in transparent:
            continue
        if afters[node] == node + 1:
            text = texts[node]
            if text in punctuation or kinds[node] in respelt:
                text = _leaf_text(tree, node)
            if not text:
                continue
            keys[node] = f"{fields[node]}={text}"
            shapes[node] = "i" if kinds[node] in identifiers else kinds[node]
        else:
            inner.append(node)
        if above >= 0:
            arity[above] += 1
    for node in inner:
        kind = kinds[node]
        keys[node] = shapes[node] = f"{fields[node]}:{same_kinds.get(kind, kind)}/{arity[node]}"
    tree.previous = previous
    tree.key = keys
    tree.shape = shapes


def _leaf_text(tree: Tree, node: int) -> str:
    """A sign, number or constant as it is compared, "" for a sign that means nothing."""
    text, kind, language = tree.text[node], tree.kind[node], tree.language
    if text in language.punctuation:
        parent_kind = tree.kind[tree.parent[node]]
        if (parent_kind, text) in language.significant:
            return text
        is_hole = text == "," and tree.text[node - 1] in _BEFORE_HOLE and parent_kind.startswith("array")
        return "hole" if is_hole else ""
    if text and kind in language.numbers:
        return language.read_number(tree.raw(node))[1]
    if text[:1] == "'" and kind in language.constants:
        return "char " + text  # no string
    return text


_BEFORE_HOLE = frozenset({",", "["})
