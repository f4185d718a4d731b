"""Rules that read the facts of a symbol (calls, errors, conditions, literals) from syntax nodes.

A rule looks at one node and adds its facts to a `FactCollector`. A language maps node kinds to rules; the factories
here make the common ones.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from memlsp.code.syntax.nodes import Nodes, shorten
from memlsp.model.symbol import NamedValue

MOST = 4000  # entries of one kind in one symbol


@define(eq=False, slots=True)
class FactCollector:
    """The facts of one symbol while they are gathered, in source order."""

    calls: list[str] = field(factory=list[str])
    raises: list[str] = field(factory=list[str])
    catches: list[str] = field(factory=list[str])
    conditions: list[str] = field(factory=list[str])
    returns: list[str] = field(factory=list[str])
    loops: list[str] = field(factory=list[str])
    literals: list[str] = field(factory=list[str])
    values: list[NamedValue] = field(factory=list[NamedValue])


Rule = Callable[[Nodes, int, FactCollector], None]


def several(*rules: Rule) -> Rule:
    """All of these, in order."""

    def apply(tree: Nodes, node: int, facts: FactCollector) -> None:
        for rule in rules:
            rule(tree, node, facts)

    return apply


def call(field: str) -> Rule:
    """A call; `field` holds what is called."""

    def apply(tree: Nodes, node: int, facts: FactCollector) -> None:
        callee = tree.child(node, field)
        if callee is not None and tree.kind[tree.inner(callee)] not in NAMELESS:
            facts.calls.append(dotted(tree, callee))

    return apply


NAMELESS = frozenset(
    {
        "function_expression",
        "arrow_function",
        "func_literal",
        "closure_expression",
        "lambda",
        "lambda_expression",
        "function",
    }
)


def condition(field: str) -> Rule:
    """A node with a condition in `field`."""

    def apply(tree: Nodes, node: int, facts: FactCollector) -> None:
        found = tree.child(node, field)
        if found is not None:
            facts.conditions.append(tree.render(tree.inner(found)))

    return apply


def looped(word: str, *fields: str, joint: str = " ") -> Rule:
    """A loop, by its header: `word` and then the fields."""

    def apply(tree: Nodes, node: int, facts: FactCollector) -> None:
        parts: list[str] = []
        for name in fields:
            if name.startswith("'"):
                parts.append(name[1:])
                continue
            found = tree.child(node, name)
            parts.append("" if found is None else tree.render(tree.inner(found)))
        facts.loops.append(shorten(f"{word} {joint.join(parts)}".strip()))

    return apply


def returned(tree: Nodes, node: int, facts: FactCollector) -> None:
    """A return or yield: whatever stands behind its keyword."""
    held = [child for child in tree.children(node) if tree.text[child] not in _KEYWORDS]
    if held:
        first = tree.inner(held[0]) if len(held) == 1 else held[0]
        facts.returns.append(tree.render(first) if len(held) == 1 else tree.render_range(held[0], tree.after[held[-1]]))


_KEYWORDS = frozenset({"return", "yield", "await", ";", "from", "break", "*"})


def created(tree: Nodes, node: int, facts: FactCollector) -> None:
    """An object made of the type in field `type`: a call of that type."""
    made = tree.child(node, "type")
    if made is not None:
        facts.calls.append(dotted(tree, made))


def thrown(tree: Nodes, node: int, facts: FactCollector) -> None:
    """What is thrown, by its type where it is made on the spot."""
    for child in tree.named(node):
        what = tree.inner(child)
        made = tree.child(what, "type") if tree.kind[what] == "object_creation_expression" else None
        facts.raises.append(dotted(tree, made if made is not None else what))


def literal(tree: Nodes, node: int, facts: FactCollector) -> None:
    """A literal of any kind, with its sign."""
    if len(facts.literals) < MOST:
        facts.literals.append(signed(tree, node))


def signed(tree: Nodes, node: int) -> str:
    """The text of a literal, with the minus in front of a number."""
    text = tree.render(node)
    parent = tree.parent[node]
    if text[:1].isdigit() and "unary" in tree.kind[parent] and tree.text[parent + 1] == "-":
        return "-" + text
    return text


def literal_text(tree: Nodes, node: int | None) -> str | None:
    """The normalised text when `node` is a literal (a sign and parentheses allowed), else None."""
    if node is None:
        return None
    node = tree.inner(node)
    notation = tree.notation
    if "unary" in tree.kind[node]:
        inner = [child for child in tree.children(node) if tree.text[child] != "-"]
        if len(inner) == 1 and tree.kind[inner[0]] in notation.numbers:
            return tree.render(node)
        return None
    kind = tree.kind[node]
    if kind in notation.strings or kind in notation.numbers or kind in notation.constants:
        return tree.render(node)
    return None


def named(name_field: str, value_field: str) -> Rule:
    """A literal under a name: `timeout=30`, `x = 3`."""

    def apply(tree: Nodes, node: int, facts: FactCollector) -> None:
        name, value = tree.child(node, name_field), literal_text(tree, tree.child(node, value_field))
        if name is not None and value is not None and len(facts.values) < MOST:
            facts.values.append(NamedValue(tree.render(name), value))

    return apply


def entry(pair: str, key_field: str, value_field: str) -> Rule:
    """A literal under a key of a table: `{"retry": {"max": 3}}` gives `retry.max`."""

    def apply(tree: Nodes, node: int, facts: FactCollector) -> None:
        value = literal_text(tree, tree.child(node, value_field))
        if value is None or len(facts.values) >= MOST:
            return
        path: list[str] = []
        at = node
        while at >= 0 and len(path) < 12:
            kind = tree.kind[at]
            if kind == pair:
                key = tree.child(at, key_field)
                if key is None:
                    return
                path.append(key_text(tree, key))
            elif kind not in _TABLES and kind not in tree.notation.wrappings:
                break
            at = tree.parent[at]
        facts.values.append(NamedValue(".".join(reversed(path)), value))

    return apply


_TABLES = frozenset(
    {
        "dictionary",
        "object",
        "as_expression",
        "satisfies_expression",
        "hash",
        "array_creation_expression",
        "struct_expression",
        "field_initializer_list",
        "expression_list",
    }
)


def key_text(tree: Nodes, key: int) -> str:
    """A table's key without its quotes."""
    text = tree.render(key)
    return text[1:-1] if len(text) > 1 and text[0] == "'" == text[-1] else text


def dotted(tree: Nodes, node: int) -> str:
    """What is called, as written, its own argument lists folded to `()` and generic arguments left out."""
    node = tree.inner(node)
    after = tree.after[node]
    if after == node + 1:
        return tree.text[node]
    out: list[str] = []
    if after - node > 600:
        return "…" + tree.text[after - 1]
    at = node
    kinds, text = tree.kind, tree.text
    while at < after:
        kind = kinds[at]
        if kind in _ARGUMENTS or tree.field[at] == "block":
            if out[-1:] != ["()"]:  # f(a) { b } is one call
                out.append("()")
            at = tree.after[at]
            continue
        if kind in ("type_arguments", "type_parameters", "template_argument_list", "type_argument_list"):
            at = tree.after[at]
            continue
        if text[at] and at not in tree.hidden:
            part = "." if text[at] in ("::", "?.", "->", "?->") else text[at]
            if part[0].isalnum() and out and out[-1][-1:].isalnum():
                part = " " + part
            out.append(part)
        at += 1
    return shorten("".join(out).replace("..", "."))


_ARGUMENTS = frozenset({"argument_list", "arguments", "generator_expression", "value_arguments"})
