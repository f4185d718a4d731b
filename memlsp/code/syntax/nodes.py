"""The nodes of a syntax tree as flat arrays in source order, with insignificant nodes marked.

Arrays keep every pass linear and free of recursion: a subtree is a slice, so a symbol's tokens are a slice too, and
ten thousand nested parentheses cost no more than ten thousand statements.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b

import attrs
from attrs import define

from memlsp.code.syntax.spacing import Notation, ShownToken, is_spaced

LONGEST = 400  # characters of a rendered text; longer ones are cut and carry a digest, so that they still differ


@define(eq=False, slots=True)
class Comment:
    """The bytes of a comment, half open."""

    start: int
    end: int


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
class Nodes:
    """The arrays. Index 0 is the root; `after[i]` is the index behind the last descendant of `i`.

    `text` is the text of a leaf, normalised for showing, "" for inner nodes and for leaves that are not shown. `key` is
    the share of a node in a digest, "" for none.
    """

    notation: Notation
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
    file_facts: dict[str, list[str]] = attrs.field(factory=dict[str, list[str]])  # computed once for a file
    place_texts: dict[int, dict[int, str]] = attrs.field(factory=dict[int, dict[int, str]])  # by parent
    shape: list[str] = attrs.field(factory=list[str])
    transparent: frozenset[int] = frozenset()
    quiet_imports: list[int] = attrs.field(factory=list[int])
    # strings that may name locals: "{x}" in a macro
    woven: list[tuple[int, NameScope]] = attrs.field(factory=list[tuple[int, NameScope]])
    hidden: set[int] = attrs.field(factory=set[int])  # leaves that stand in the tree and not in the text shown
    silent: list[int] = attrs.field(factory=list[int])  # insignificant subtrees

    def insignificant(self, count: int) -> bytearray:
        """One byte per node, 1 for an insignificant one."""
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

    def grow(self, parent: int, kind: str, field: str, text: str, like: int | None = None) -> int:
        """Append a leaf of our own to `parent`, which is open or was read last; its index. It stands where the node
        `like` does, by default the parent."""
        index, like = len(self.kind), parent if like is None else like
        for array, value in ((self.kind, kind), (self.field, field), (self.text, text)):
            array.append(value)
        for places, place in ((self.start, self.start[like]), (self.end, self.end[like]), (self.parent, parent)):
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

    def children(self, node: int | None) -> Iterator[int]:
        """The direct children of `node`, in order; of None there are none."""
        if node is None:
            return
        after = self.after
        child, stop = node + 1, after[node]
        while child < stop:
            yield child
            child = after[child]

    def above(self, node: int) -> Iterator[int]:
        """The nodes around `node`, the closest first."""
        while (node := self.parent[node]) >= 0:
            yield node

    def closest(self, node: int, *kinds: str) -> int:
        """The closest node of one of these kinds around `node`, -1 for none."""
        return next((at for at in self.above(node) if self.kind[at] in kinds), -1)

    def named(self, node: int | None) -> Iterator[int]:
        """The children that are not keywords or punctuation."""
        kind = self.kind
        return (child for child in self.children(node) if kind[child][:1] != "'")

    def child(self, node: int | None, name: str) -> int | None:
        """The first child in field `name`, or None."""
        for child in self.children(node):
            if self.field[child] == name:
                return child
        return None

    def fielded(self, node: int | None, name: str) -> list[int]:
        """All children in field `name`."""
        return [child for child in self.children(node) if self.field[child] == name]

    def first(self, node: int | None, *kinds: str) -> int | None:
        """The first child of one of these kinds, or None."""
        for child in self.children(node):
            if self.kind[child] in kinds:
                return child
        return None

    def counterpart(self, name: int, names: Sequence[int], value: int, *lists: str) -> int:
        """The part of `value` that a name among `names` gets: that of its place in a list (a node of these kinds) as
        long as the names, else all of it."""
        values = list(self.named(value)) if self.kind[value] in lists else []
        return values[names.index(name)] if name in names and len(names) == len(values) else value

    def has_word(self, node: int | None, word: str) -> bool:
        """True when a child is the keyword, sign or name `word`."""
        return any(self.text[child] == word for child in self.children(node))

    def sign_before(self, parent: int, child: int) -> str:
        """The text of the sibling right before a child when it is a leaf, "" for the first child."""
        before = child - 1
        return self.text[before] if before > parent and self.parent[before] == parent else ""

    def worked_out(self, node: int, compute: Callable[[Nodes, int], dict[int, str]]) -> dict[int, str]:
        """The result of `compute` for the children of `node`, computed once."""
        if node not in self.place_texts:
            self.place_texts[node] = compute(self, node)
        return self.place_texts[node]

    def inner(self, node: int) -> int:
        """The node inside `node` when that is only a pair of parentheses, at any depth."""
        wrappings = self.notation.wrappings
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

    def rendered(self, node: int | None) -> str | None:
        """The text that `render` gives, or None for None."""
        return None if node is None else self.render_range(node, self.after[node])

    def render_inner(self, node: int | None) -> str:
        """The text of a node without the parentheses around it, or "" for None."""
        return "" if node is None else self.render(self.inner(node))

    def render_range(self, first: int, after: int) -> str:
        """The text of neighbouring nodes, like `render`."""
        out: list[str] = []
        size = 0
        before: ShownToken | None = None
        text, kind, parent, hidden, notation = self.text, self.kind, self.parent, self.hidden, self.notation
        end = 0
        for leaf in range(first, after):
            shown = text[leaf]
            if not shown or leaf in hidden:
                continue
            token = ShownToken(shown, kind[leaf], kind[parent[leaf]])
            if before is None:
                spaced = False
            elif notation.spaced_as_written:
                spaced = end < self.start[leaf]
            else:
                spaced = is_spaced(notation, before, token)
            out.append(" " + shown if spaced else shown)
            before, end = token, self.end[leaf]
            size += len(shown)
            if size > LONGEST * 8:  # enough to tell two long texts apart in any ordinary case
                break
        return shorten("".join(out))


def shorten(text: str) -> str:
    """`text`, or its beginning and a digest of the whole when it is longer than LONGEST."""
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST - 20] + "… " + blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
