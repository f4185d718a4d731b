"""Rules that read the facts of a symbol (calls, errors, conditions, literals) from syntax nodes.

A rule looks at one node and adds its facts to a `FactCollector`. A language maps node kinds to rules; those here are
the common ones, and its table gives them the arguments behind `facts`: most of them names of fields.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from memlsp.code.syntax.nodes import Nodes, shorten
from memlsp.code.vocabulary import word_sets
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

    def name(self, name: str, value: str | None) -> None:
        """Add a literal under its name; nothing without a literal, or when there are 4,000."""
        if value is not None and len(self.values) < MOST:
            self.values.append(NamedValue(name, value))


Rule = Callable[[Nodes, int, FactCollector], None]


# calls and errors


def call(tree: Nodes, node: int, facts: FactCollector, field: str) -> None:
    """A call; `field` holds the callee."""
    callee = tree.child(node, field)
    if callee is not None and tree.kind[tree.inner(callee)] not in NAMELESS:
        facts.calls.append(dotted(tree, callee))


_KINDS = word_sets(__name__)
NAMELESS = _KINDS["nameless"]


def created(tree: Nodes, node: int, facts: FactCollector, field: str) -> None:
    """A new object; `field` holds its type, which counts as called."""
    made = tree.child(node, field)
    if made is not None:
        facts.calls.append(dotted(tree, made))


def thrown(tree: Nodes, node: int, facts: FactCollector, *makers: str) -> None:
    """An error that is thrown: its type when it is made on the spot, else the expression. A maker is the kind of an
    expression that makes an object, a dot and the field with its type."""
    types = dict(maker.split(".") for maker in makers)
    for child in tree.named(node):
        error = tree.inner(child)
        held = types.get(tree.kind[error])
        made = tree.child(error, held) if held else None
        facts.raises.append(dotted(tree, error if made is None else made))


# conditions, loops and results


def condition(tree: Nodes, node: int, facts: FactCollector, field: str, *words: str) -> None:
    """The condition in `field`, behind the words that it is said with."""
    found = tree.child(node, field)
    if found is not None:
        facts.conditions.append(" ".join((*words, tree.render_inner(found))))


def condition_at(tree: Nodes, node: int, facts: FactCollector, number: str) -> None:
    """A condition without a field: the named child of this number, negative ones counted from the end."""
    position = int(number)
    held = list(tree.named(node))
    if len(held) > max(position, 0):
        facts.conditions.append(tree.render_inner(held[position]))


def patterns_in(tree: Nodes, node: int, facts: FactCollector, field: str) -> None:
    """The patterns of a case, all children in `field`, as one condition."""
    held = tree.fielded(node, field)
    if held:
        facts.conditions.append(tree.render_range(held[0], tree.after[held[-1]]))


def looped(tree: Nodes, node: int, facts: FactCollector, word: str, *fields: str) -> None:
    """A loop, by its header: `word` and then the fields; a name with an apostrophe in front is a word, too."""
    parts = [name[1:] if name[:1] == "'" else tree.render_inner(tree.child(node, name)) for name in fields]
    facts.loops.append(shorten(" ".join((word, *parts)).strip()))


def looped_while(tree: Nodes, node: int, facts: FactCollector, *words: str) -> None:
    """A loop that begins with these words, with its condition in the field `condition`."""
    condition(tree, node, facts, "condition")
    looped(tree, node, facts, " ".join(words), "condition")


def counted(tree: Nodes, node: int, facts: FactCollector, *fields: str) -> None:
    """A loop with a head of three fields: the start, the condition, the step."""
    parts = [tree.render(tree.child(node, name)).rstrip(";") for name in fields]
    facts.loops.append("for " + "; ".join(parts))
    if parts[1]:
        facts.conditions.append(parts[1])


def returned(tree: Nodes, node: int, facts: FactCollector) -> None:
    """A return or yield: everything behind its keyword."""
    held = [child for child in tree.children(node) if tree.text[child] not in _KEYWORDS]
    if len(held) == 1:
        facts.returns.append(tree.render_inner(held[0]))
    elif held:
        facts.returns.append(tree.render_range(held[0], tree.after[held[-1]]))


_KEYWORDS = frozenset({"return", "yield", "await", ";", "from", "break", "*"})


def expression_body(tree: Nodes, node: int, facts: FactCollector, block: str = "") -> None:
    """A function whose body is the expression that it returns, and not a node of kind `block`."""
    body = tree.child(node, "body")
    if body is not None and tree.kind[body] != block:
        facts.returns.append(tree.render_inner(body))


# literals


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
    kind, notation = tree.kind[node], tree.notation
    if "unary" in kind:
        inner = [child for child in tree.children(node) if tree.text[child] != "-"]
        return tree.render(node) if len(inner) == 1 and tree.kind[inner[0]] in notation.numbers else None
    is_literal = kind in notation.strings or kind in notation.numbers or kind in notation.constants
    return tree.render(node) if is_literal else None


def named(tree: Nodes, node: int, facts: FactCollector, name_field: str, value_field: str) -> None:
    """A literal under a name: `timeout=30`, `x = 3`."""
    name = tree.child(node, name_field)
    if name is not None:
        facts.name(tree.render(name), literal_text(tree, tree.child(node, value_field)))


def entry(tree: Nodes, node: int, facts: FactCollector, pair: str, key_field: str, value_field: str) -> None:
    """A literal under a key of a table: `{"retry": {"max": 3}}` gives `retry.max`."""
    value = literal_text(tree, tree.child(node, value_field))
    path: list[str] = []
    at = node if value is not None else -1
    while at >= 0 and len(path) < 12:
        kind = tree.kind[at]
        if kind == pair:
            key = tree.child(at, key_field)
            if key is None:
                return
            path.append(key_text(tree, key))
        elif kind not in _KINDS["tables"] and kind not in tree.notation.wrappings:
            break
        at = tree.parent[at]
    facts.name(".".join(reversed(path)), value)


# texts


def key_text(tree: Nodes, key: int) -> str:
    """A table's key without its quotes."""
    text = tree.render(key)
    return text[1:-1] if len(text) > 1 and text[0] == "'" == text[-1] else text


def dotted(tree: Nodes, node: int) -> str:
    """A callee or type as written, its own argument lists folded to `()` and generic arguments left out."""
    node = tree.inner(node)
    after = tree.after[node]
    if after == node + 1:
        return tree.text[node]
    if after - node > 600:
        return "…" + tree.text[after - 1]
    out: list[str] = []
    at = node
    kinds, text = tree.kind, tree.text
    while at < after:
        kind = kinds[at]
        if kind in _ARGUMENTS or tree.field[at] == "block":
            if out[-1:] != ["()"]:  # f(a) { b } is one call
                out.append("()")
            at = tree.after[at]
        elif kind in _GENERICS:
            at = tree.after[at]
        else:
            if text[at] and at not in tree.hidden:
                part = "." if text[at] in ("::", "?.", "->", "?->") else text[at]
                if part[0].isalnum() and out and out[-1][-1:].isalnum():
                    part = " " + part
                out.append(part)
            at += 1
    return shorten("".join(out).replace("..", "."))


_ARGUMENTS, _GENERICS = _KINDS["arguments"], _KINDS["generics"]
