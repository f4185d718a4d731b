"""Locates an edit in a syntax tree: the one definition that it touched, in the trees before and after.

A definition can be reread by itself when the edit stayed inside it, or in the comments above it, and everything around
it is the same in both trees. The checks are strict: in doubt the whole file is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import tree_sitter
from attrs import frozen

from memlsp.code.incremental.replacement import Replacement
from memlsp.code.syntax.language import Language

_DEEPEST = 60  # nodes on the path to an edit
_HIDDEN = 16  # bytes of a token that a grammar hides
_AROUND = 200  # comments and attributes before a definition that are followed


@frozen(eq=False)
class EditLocation:
    """The touched child of a container, in the tree after the edit, or None when only comments before `old` changed.

    `path` leads from the root to the container. `edge` is where the sibling before ends, `start` where the comments
    before the child begin and `first` where its attributes do, `end` the last byte that may be part of another
    structure than before. `old_first` and `old_end` are the child's bytes before the edit, or those of what stands
    there.
    """

    path: tuple[tree_sitter.Node, ...]
    child: tree_sitter.Node | None
    edge: int
    start: int
    first: int
    end: int
    old_first: int
    old_end: int

    def windows(self, containers: Sequence[int]) -> dict[int, tuple[int, int]]:
        """By id of a container, the bytes of it that have to be read. `containers` are their depths."""
        found: dict[int, tuple[int, int]] = {}
        for depth in containers:
            node = self.path[depth]
            if depth + 1 < len(self.path):
                found[node.id] = (self.path[depth + 1].start_byte, self.path[depth + 1].end_byte)
            elif self.child is not None:
                found[node.id] = (self.start, self.child.end_byte)
        return found


def edit_locations(
    language: Language, old: tree_sitter.Node, new: tree_sitter.Node, edit: Replacement, changed: tuple[int, int] | None
) -> Iterator[EditLocation]:
    """The possible locations of the edit, innermost first. `changed` has the first and last byte of `new` where the
    structure differs, None when it is the same."""
    ways = list(_path(old, edit))
    pairs = list(_pairs(ways, new, edit))
    for depth in range(len(pairs) - 1, -1, -1):
        above = ways[depth - 1].type if depth else ""
        kinds = language.apart.get((above, ways[depth].type))
        if kinds is None or any(a.child_count != b.child_count for a, b in pairs[:depth]):
            continue
        path = tuple(node for _, node in pairs[: depth + 1])
        # a node that is recorded by its whole text, such as a class inside a half-typed call
        if any(part in node.type for node in path[1:] for part in ("ERROR", "call", "expression", "argument")):
            continue
        found: list[EditLocation | None] = []
        before, after = pairs[depth]
        is_child = depth + 1 < len(pairs) and ways[depth + 1].type in kinds
        if is_child and before.child_count == after.child_count:
            found.append(_inside(language, path, *pairs[depth + 1]))
        found.append(_between(language, kinds, path, ways[depth], edit))
        for location in found:
            if location is None or (new.has_error and _is_beside_errors(language, location)):
                continue
            if changed is None or (location.edge <= changed[0] and changed[1] <= location.end):
                yield location


def _is_beside_errors(language: Language, location: EditLocation) -> bool:
    """True beside a neighbour with errors: the parser may have given it parts of the child, such as its comment."""
    if location.child is None:
        return True
    before, after = location.child.prev_sibling, location.child.next_sibling
    while before is not None and before.type in language.comments:
        before = before.prev_sibling
    return any(each is not None and each.has_error for each in (before, after))


def _path(root: tree_sitter.Node, edit: Replacement) -> Iterator[tree_sitter.Node]:
    """The nodes that hold or touch the edit, from the root down."""
    node: tree_sitter.Node | None = root
    for _ in range(_DEEPEST):
        if node is None:
            return
        yield node
        child = _child_at(node, max(node.start_byte, edit.start - 1))
        while child is not None and child.end_byte < edit.start:
            child = child.next_sibling
        holds = child is not None and child.start_byte <= edit.start and edit.old_end <= child.end_byte
        node = child if holds else None


def _pairs(
    ways: Sequence[tree_sitter.Node], new: tree_sitter.Node, edit: Replacement
) -> Iterator[tuple[tree_sitter.Node, tree_sitter.Node]]:
    """The nodes on the path with their counterparts after the edit, as far as they exist."""
    after = new
    for depth, before in enumerate(ways):
        if depth:
            child = _child_at(after, before.start_byte)
            here = (before.start_byte, before.end_byte + edit.delta)
            if child is None or (child.start_byte, child.end_byte) != here:
                return
            after = child
        if after.type != before.type:
            return
        yield before, after


def _child_at(node: tree_sitter.Node, byte: int) -> tree_sitter.Node | None:
    """The first child that ends behind a byte.

    `Node.first_child_for_byte` of tree-sitter 0.26 crashes when there is none, and both it and the cursor find none
    when the byte is one of a token that the grammar hides, such as Go's line ends: then the bytes behind it are tried.
    """
    cursor = node.walk()
    for each in range(byte, min(byte + _HIDDEN, node.end_byte)):
        if cursor.goto_first_child_for_byte(each) is not None:
            return cursor.node
    return None


def _inside(
    language: Language, path: tuple[tree_sitter.Node, ...], before: tree_sitter.Node, after: tree_sitter.Node
) -> EditLocation | None:
    leading = _leading(language, after)
    if leading is None:
        return None
    first, start, edge = leading
    return EditLocation(path, after, edge, start, first, after.end_byte, first, before.end_byte)


def _between(
    language: Language,
    kinds: frozenset[str],
    path: tuple[tree_sitter.Node, ...],
    container: tree_sitter.Node,
    edit: Replacement,
) -> EditLocation | None:
    """The location of an edit of the comments between two children of a container."""
    old = _gap(language, container, edit.start, edit.old_end)
    new = _gap(language, path[-1], edit.start, edit.new_end)
    if old is None or new is None or old.edge != new.edge or old.others != new.others:
        return None
    if old.behind is None or new.behind is None:
        if old.behind is not new.behind:
            return None
        return EditLocation(
            path, None, new.edge, edit.new_end, edit.new_end, path[-1].end_byte, edit.start, edit.old_end
        )
    was, now = _attributed(language, old.behind), _attributed(language, new.behind)
    if was is None or now is None or old.behind.start_byte + edit.delta != new.behind.start_byte:
        return None
    if (now.start_byte, now.end_byte, now.type) != (was.start_byte + edit.delta, was.end_byte + edit.delta, was.type):
        return None
    child, start = (now if now.type in kinds else None), new.behind.start_byte
    end = now.end_byte if child is not None else start
    return EditLocation(path, child, new.edge, new.start, start, end, old.behind.start_byte, was.end_byte)


@frozen(eq=False)
class _Gap:
    edge: int
    start: int  # of the first comment in it
    behind: tree_sitter.Node | None
    others: int  # children of the container that are not comments in the gap


def _gap(language: Language, container: tree_sitter.Node, start: int, end: int) -> _Gap | None:
    """The gap around a range of a container that holds only comments; None when it holds more."""
    child = _child_at(container, max(container.start_byte, start - 1))
    while child is not None and (child.end_byte <= start and child.type not in language.comments):
        child = child.next_sibling
    last = container.child(container.child_count - 1) if container.child_count else None
    above = _past_comments(language, child.prev_sibling if child is not None else last, lambda node: node.prev_sibling)
    below = _past_comments(language, child, lambda node: node.next_sibling)
    if above is None or below is None:
        return None
    (upper, before), (lower, behind) = above, below
    if (before is not None and before.end_byte > start) or (behind is not None and behind.start_byte < end):
        return None
    first = (*reversed(upper), *lower, behind)[0]
    edge = before.end_byte if before else container.start_byte
    others = container.child_count - len(upper) - len(lower)
    return _Gap(edge, start if first is None else first.start_byte, behind, others)


def _past_comments(
    language: Language, node: tree_sitter.Node | None, step: Callable[[tree_sitter.Node], tree_sitter.Node | None]
) -> tuple[list[tree_sitter.Node], tree_sitter.Node | None] | None:
    """The comments from `node` on, and the node that follows them; None for too many comments."""
    comments: list[tree_sitter.Node] = []
    while node is not None and node.type in language.comments:
        comments.append(node)
        if len(comments) == _AROUND:
            return None
        node = step(node)
    return comments, node


def _attributed(language: Language, node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The definition that the attributes from `node` on belong to, or `node` itself."""
    at: tree_sitter.Node | None = node
    for _ in range(_AROUND):
        if at is None or at.type not in language.leading:
            return at
        at = at.next_sibling
        while at is not None and at.type in language.comments:
            at = at.next_sibling
    return None


def _leading(language: Language, node: tree_sitter.Node) -> tuple[int, int, int] | None:
    """The starts of a definition's attributes and of the comments before them, and the end of the sibling before."""
    first = start = node.start_byte
    before = node.prev_sibling
    for _ in range(_AROUND):
        if before is None:
            above = node.parent
            return first, start, above.start_byte if above else 0
        if before.type not in language.leading and before.type not in language.comments:
            return first, start, before.end_byte
        start = before.start_byte
        if before.type in language.leading:
            first = start
        before = before.prev_sibling
    return None
