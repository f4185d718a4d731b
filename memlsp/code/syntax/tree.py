"""A syntax tree as flat arrays in source order, with what says nothing already marked.

Working on arrays keeps everything linear and free of recursion: a subtree is a slice, so that a symbol's tokens are a
slice too, and ten thousand nested parentheses are as harmless as ten thousand statements.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from hashlib import blake2b

import attrs
from attrs import define

from memlsp.code.syntax.language import Language

LONGEST = 400  # characters of a rendered text; longer ones are cut and carry a digest, so that they still differ


@define(eq=False, slots=True)
class Comment:
    """A comment, as bytes offsets and text; `before` is the index of the node that comes next."""

    start: int
    end: int
    text: str
    before: int


@define(eq=False, slots=True)
class NameScope:
    """A region that owns names. `names` maps a name to the places from which it is known and the variable it is."""

    kind: str
    node: int
    parent: NameScope | None
    names: dict[str, list[tuple[int, int]]] = attrs.field(factory=dict[str, list[tuple[int, int]]])
    elsewhere: dict[str, bool] = attrs.field(factory=dict[str, bool])  # global and nonlocal names; True for global


@define(eq=False, slots=True)
class TaggedDefinition:
    """A definition that the tag query found, in array indexes. `owner` is a receiver's or an impl's type."""

    node: int
    kind: str
    name_start: int
    name_end: int
    owner: str = ""


@define(eq=False, slots=True)
class Tree:
    """The arrays. Index 0 is the root; `after[i]` is the index behind the last descendant of `i`.

    `text` is what a leaf says, normalised for showing, "" for inner nodes and for what is left out when shown. `key` is
    what a node contributes to a digest, "" when it contributes nothing.
    """

    language: Language
    source: bytes
    kind: list[str] = attrs.field(factory=list[str])
    field: list[str] = attrs.field(factory=list[str])
    start: list[int] = attrs.field(factory=list[int])
    end: list[int] = attrs.field(factory=list[int])
    parent: list[int] = attrs.field(factory=list[int])
    after: list[int] = attrs.field(factory=list[int])
    text: list[str] = attrs.field(factory=list[str])
    key: list[str] = attrs.field(factory=list[str])
    comments: list[Comment] = attrs.field(factory=list[Comment])
    identifiers: list[tuple[int, NameScope]] = attrs.field(factory=list[tuple[int, NameScope]])
    opened: dict[int, NameScope] = attrs.field(factory=dict[int, NameScope])  # the scopes that nodes open
    binders: list[tuple[int, NameScope]] = attrs.field(factory=list[tuple[int, NameScope]])
    interesting: list[int] = attrs.field(factory=list[int])
    imports: list[int] = attrs.field(factory=list[int])
    docstrings: list[int] = attrs.field(factory=list[int])
    tagged: list[TaggedDefinition] = attrs.field(factory=list[TaggedDefinition])
    line_starts: list[int] = attrs.field(factory=list[int])
    has_errors: bool = False
    tags_incomplete: bool = False  # there were too many definitions half-way at once for the tag query
    previous: list[int] = attrs.field(factory=list[int])  # the sibling before each node, -1 for none
    noted: dict[str, list[str]] = attrs.field(factory=dict[str, list[str]])  # what a language works out once
    numbered: dict[int, dict[int, str]] = attrs.field(factory=dict[int, dict[int, str]])  # by parent: values of places
    shape: list[str] = attrs.field(factory=list[str])
    transparent: frozenset[int] = frozenset()
    quiet_imports: list[int] = attrs.field(factory=list[int])
    woven: list[tuple[int, NameScope]] = attrs.field(
        factory=list[tuple[int, NameScope]]
    )  # strings that may name locals: "{x}" in a macro
    hidden: set[int] = attrs.field(factory=set[int])  # leaves that stand in the tree and not in the text shown
    silent: list[int] = attrs.field(factory=list[int])  # subtrees that say nothing

    def insignificant(self, count: int) -> bytearray:
        """One byte per node, 1 where it says nothing."""
        marks = bytearray(count)
        for node in self.silent:
            after = self.after[node]
            marks[node:after] = b"\x01" * (after - node)
        return marks

    def children_so_far(self, node: int) -> Iterator[int]:
        """The children of a node that is still being read."""
        child, stop = node + 1, len(self.kind)
        while child < stop:
            yield child
            child = self.after[child]

    def before(self, node: int, kinds: frozenset[str]) -> list[int]:
        """The siblings of these kinds that stand right before `node`, in order."""
        out: list[int] = []
        at = self.previous[node]
        while at >= 0 and self.kind[at] in kinds:
            out.append(at)
            at = self.previous[at]
        out.reverse()
        return out

    def grow(self, parent: int, kind: str, field: str, text: str) -> int:
        """Append a leaf of our own to `parent`, which is the node that was read last; its index."""
        index = len(self.kind)
        for array, value in ((self.kind, kind), (self.field, field), (self.text, text)):
            array.append(value)
        for places, place in ((self.start, self.start[parent]), (self.end, self.end[parent]), (self.parent, parent)):
            places.append(place)
        self.after.append(index + 1)
        self.after[parent] = index + 1
        return index

    def cut(self, count: int) -> None:
        """Forget every node from index `count` on."""
        for array in (self.kind, self.field, self.start, self.end, self.parent, self.after, self.text):
            del array[count:]
        while self.interesting and self.interesting[-1] >= count:
            self.interesting.pop()

    def children(self, node: int) -> Iterator[int]:
        """The direct children of `node`, in order."""
        after = self.after
        child, stop = node + 1, after[node]
        while child < stop:
            yield child
            child = after[child]

    def named(self, node: int) -> Iterator[int]:
        """The children that are not keywords or punctuation."""
        kind = self.kind
        return (child for child in self.children(node) if kind[child][:1] != "'")

    def child(self, node: int, name: str) -> int | None:
        """The first child in field `name`, or None."""
        for child in self.children(node):
            if self.field[child] == name:
                return child
        return None

    def first(self, node: int, *kinds: str) -> int | None:
        """The first child of one of these kinds, or None."""
        for child in self.children(node):
            if self.kind[child] in kinds:
                return child
        return None

    def inner(self, node: int) -> int:
        """What `node` holds when it is only a pair of parentheses, at any depth."""
        wrappings = self.language.wrappings
        while self.kind[node] in wrappings:
            held = list(self.named(node))
            if len(held) != 1:
                break
            node = held[0]
        return node

    def is_leaf(self, node: int) -> bool:
        """True when nothing is below."""
        return self.after[node] == node + 1

    def raw(self, node: int) -> str:
        """The source text of a node as it stands."""
        return self.source[self.start[node] : self.end[node]].decode("utf-8", "replace")

    def line(self, offset: int) -> int:
        """The 0-based line of a byte offset."""
        return bisect_right(self.line_starts, offset) - 1

    def render(self, node: int | None) -> str:
        """The text of a node with one way of spacing, quoting and parenthesising, or "" for None."""
        return "" if node is None else self.render_range(node, self.after[node])

    def render_range(self, first: int, after: int) -> str:
        """The text of neighbouring nodes, like `render`."""
        out: list[str] = []
        size = 0
        before = -1
        text, hidden = self.text, self.hidden
        for leaf in range(first, after):
            token = text[leaf]
            if not token or leaf in hidden:
                continue
            if before >= 0 and self._spaced(before, leaf):
                out.append(" ")
            out.append(token)
            before = leaf
            size += len(token)
            if size > LONGEST * 8:  # enough to tell two long texts apart in any ordinary case
                break
        return shorten("".join(out))

    def _opens(self, left: int, sign: str) -> bool:
        """True for the backslash before a name of PHP's outermost namespace, behind a word of the language."""
        return sign == "\\" and self.kind[left][:1] == "'" and self.text[left].isalpha()

    def _spaced(self, left: int, right: int) -> bool:
        if self.language.spaced_as_written:
            return self.end[left] < self.start[right]
        a, b = self.text[left], self.text[right]
        if (b == ":" and self.kind[self.parent[right]] in _TERNARY) or (
            a == "?" and self.kind[self.parent[left]] in _TERNARY
        ):
            return True
        tight = self.language.tight
        if b in _TIGHT_BEFORE or a in _TIGHT_AFTER or a in tight or (b in tight and not self._opens(left, b)):
            return False
        if a in _OPENING or a[-1] == "(":
            return False
        pieces = self.language.pieces
        if self.kind[right] in pieces or self.kind[left] in pieces:
            return False
        if b in "([":
            return not (a[-1].isalnum() or a[-1] in "_)]}'\">!?") or (a in _SPACED_WORDS and self.kind[left][:1] == "'")
        if a == "=" and self.kind[self.parent[left]] in _TIGHT_EQUALS:
            return False
        if b == "=" and self.kind[self.parent[right]] in _TIGHT_EQUALS:
            return False
        if a in _SIGNS and _is_prefix(self, left):
            return False
        if b in ("++", "--", "?", "!") and self.kind[self.parent[right]] in _POSTFIX:
            return False
        if (a in _ANGLES and "jsx" in self.kind[self.parent[left]]) or (
            b in _ANGLES and "jsx" in self.kind[self.parent[right]] and "attr" not in self.kind[left]
        ):
            return b == "/>"
        if self.kind[self.parent[left]] in _WOVEN or self.kind[self.parent[right]] in _WOVEN:
            return False
        if a in "<>" and _TYPED & {self.kind[self.parent[left]]}:
            return False
        return not (b in "<>" and _TYPED & {self.kind[self.parent[right]]})


_TIGHT_BEFORE = frozenset({",", ")", "]", ";", ":", ".", "?.", "::", "}"})
_TIGHT_AFTER = frozenset({".", "?.", "::", "@", "~", "...", "..", "#"})
_OPENING = frozenset({"(", "[", "{", "${"})
_SIGNS = frozenset({"-", "+", "!", "*", "**", "&", "&&", "<-", "?"})
_POSTFIX = frozenset({"update_expression", "try_expression", "non_null_expression", "macro_invocation", "inc_statement",
                      "dec_statement", "nullable_type"})  # fmt: skip
_TIGHT_EQUALS = frozenset({"keyword_argument", "default_parameter", "typed_default_parameter", "jsx_attribute"})
_TERNARY = frozenset({"ternary_expression", "conditional_expression"})
_ANGLES = frozenset({"<", ">", "</", "/>"})
_WOVEN = frozenset(
    {"interpolation", "format_specifier", "format_expression", "template_substitution", "type_conversion"}
)
_TYPED = frozenset(
    {
        "type_arguments",
        "type_parameters",
        "generic_type",
        "template_argument_list",
        "template_parameter_list",
        "type_argument_list",
        "type_parameter_list",
    }
)
_SPACED_WORDS = frozenset(
    [
        "if",
        "while",
        "for",
        "return",
        "in",
        "not",
        "and",
        "or",
        "is",
        "await",
        "yield",
        "lambda",
        "del",
        "assert",
        "raise",
        "except",
        "case",
        "match",
        "switch",
        "elif",
        "else",
        "throw",
        "typeof",
        "new",
        "delete",
        "void",
        "async",
        "func",
        "go",
        "defer",
        "range",
        "select",
        "catch",
        "with",
        "from",
        "import",
        "as",
        "instanceof",
    ]
)
_PREFIXES = (
    "unary",
    "splat",
    "spread",
    "rest",
    "pointer",
    "reference",
    "not_operator",
    "variadic",
    "_unary",
    "optional",
    "self_parameter",
)


def _is_prefix(tree: Tree, node: int) -> bool:
    parent = tree.parent[node]
    return tree.parent[node] >= 0 and any(part in tree.kind[parent] for part in _PREFIXES)


def shorten(text: str) -> str:
    """`text`, or its beginning and a digest of the whole when it is longer than LONGEST."""
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST - 20] + "… " + blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
