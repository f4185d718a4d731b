"""The values that members of an enumeration get from their position."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memlsp.code.syntax.nodes import Nodes


def by_place(member: str, count: Callable[[Nodes, int], dict[int, str]]) -> Callable[[Nodes, int, int], str]:
    """The value of a node of kind `member` from its place: one of those that `count` gives for the node around it."""

    def implicit(tree: Nodes, node: int, _name: int) -> str:
        return tree.worked_out(tree.parent[node], count).get(node, "") if tree.kind[node] == member else ""

    return implicit


def ordinal(member: str, own: str) -> Callable[[Nodes, int, int], str]:
    """The ordinal of a node of kind `member` that holds nothing of its own in a field or node called `own`."""

    def count(tree: Nodes, body: int) -> dict[int, str]:
        members = [each for each in tree.children(body) if tree.kind[each] == member]
        return {
            each: str(number)
            for number, each in enumerate(members)
            if not any(own in (tree.field[child], tree.kind[child]) for child in tree.children(each))
        }

    return by_place(member, count)


def offsets(tree: Nodes, members: Iterable[int]) -> dict[int, str]:
    """The values of members without a `value`: the number above and one, or `NAME + 1` behind a value by name."""
    values: dict[int, str] = {}
    base, above = "", -1
    for member in members:
        text = tree.render(tree.child(member, "value"))
        if text:
            base, above = ("", int(text)) if text.lstrip("-").isdigit() else (text, 0)
        else:
            above += 1
            values[member] = f"{base} + {above}" if base else str(above)
    return values
