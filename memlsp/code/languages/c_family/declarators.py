"""Reads declarators, in which C and C++ wrap a name: `*name[20]`, `(*name)(int)`, `Shape::name(int) const`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tree_sitter

from memlsp.code.syntax.nodes import Nodes
from memlsp.code.vocabulary import word_sets
from memlsp.model.symbol import Parameter

_WORDS = word_sets(__name__)
_STATEMENTS = frozenset({b"if", b"while", b"for", b"switch", b"return", b"do", b"else", b"struct", b"class", b"union",
                         b"enum", b"namespace"})  # fmt: skip
_DEEPEST = 32


def _innermost(namespace: tree_sitter.Node) -> tree_sitter.Node:
    """The last name of `a::b::c`."""
    while namespace.type == "nested_namespace_specifier" and namespace.named_children:
        namespace = namespace.named_children[-1]
    return namespace


def named_by(node: tree_sitter.Node) -> tuple[tree_sitter.Node, str] | None:
    """The node with the name inside a declarator, and the dotted name of the type that qualifies it."""
    owner: list[str] = []
    at: tree_sitter.Node | None = node
    above: tree_sitter.Node | None = None
    for _ in range(_DEEPEST):
        if at is None:
            return None
        kind = at.type
        if kind == "qualified_identifier":
            scope = at.child_by_field_name("scope")
            if scope is not None:
                owner.append(_plain(scope))
            at = at.child_by_field_name("name")
        elif kind == "nested_namespace_specifier":
            parts = [*owner, *(_plain(child) for child in at.named_children)]
            return _innermost(at), ".".join(parts).rpartition(".")[0]
        elif kind in ("template_function", "template_type", "template_method", "dependent_name"):
            at = at.child_by_field_name("name") or (at.named_children[0] if at.named_children else None)
        elif kind in _WORDS["names"]:
            return _with_owner(at, owner, above)
        elif kind in _WORDS["unfielded"]:
            at = next((each for each in at.named_children if each.type not in _WORDS["attributes"]), None)
        else:
            above, at = at, at.child_by_field_name("declarator") or at.child_by_field_name("name")
    return None


def _with_owner(
    name: tree_sitter.Node, owner: Sequence[str], above: tree_sitter.Node | None
) -> tuple[tree_sitter.Node, str] | None:
    """A name with its owner; None where a macro before a statement made that look like a definition."""
    if name.text in _STATEMENTS:
        return None
    if not owner and name.type == "identifier" and name.text and name.text.isupper():
        return _of_macro(above) or (name, "")
    return name, ".".join(part for part in owner if part)


def _of_macro(around: tree_sitter.Node | None) -> tuple[tree_sitter.Node, str] | None:
    """`TEST(cart, adds_up) {` defines `cart.adds_up`; None where the declarator around the name is an ordinary one."""
    listed = around.child_by_field_name("parameters") if around is not None else None
    if around is None or listed is None:
        return None
    given = [_sole(each) for each in listed.named_children]
    if not given or any(each is None for each in given):
        return None
    whole = around.parent  # asked last: the grammar's library looks for it from the root down
    if whole is None or whole.type != "function_definition" or whole.child_by_field_name("type"):
        return None
    owner = ".".join(each.text.decode("utf-8", "replace") for each in given[:-1] if each is not None and each.text)
    last = given[-1]
    return (last, owner) if last is not None else None


def _sole(parameter: tree_sitter.Node) -> tree_sitter.Node | None:
    """The one word that a parameter without a name is."""
    if parameter.type != "parameter_declaration" or parameter.named_child_count != 1:
        return None
    held = parameter.named_children[0]
    return held if held.type == "type_identifier" else None


def _plain(scope: tree_sitter.Node) -> str:
    """A scope without the arguments of its templates, dotted."""
    if scope.type in ("template_type", "dependent_name", "decltype"):
        inner = scope.child_by_field_name("name")
        return _plain(inner) if inner is not None else ""
    if scope.type == "nested_namespace_specifier":
        return ".".join(_plain(child) for child in scope.named_children)
    return scope.text.decode("utf-8", "replace") if scope.text and scope.child_count == 0 else ""


def inner(tree: Nodes, node: int) -> int | None:
    """The declarator or name inside a declarator, None at the end."""
    kind = tree.kind[node]
    if kind in _WORDS["unfielded"]:
        return next((each for each in tree.named(node) if tree.kind[each] not in _WORDS["attributes"]), None)
    found = tree.child(node, "declarator")
    return found if found is not None else tree.child(node, "name") if kind in _WORDS["qualified"] else None


def core(tree: Nodes, node: int) -> int:
    """The node with the name inside a declarator."""
    for _ in range(_DEEPEST):
        held = inner(tree, node)
        if held is None:
            break
        node = held
    return node


def function_in(tree: Nodes, node: int) -> int | None:
    """The part of a declarator that lists the parameters of the function which it declares; None for a variable. A
    pointer to a function is a variable: the name stands in parentheses there."""
    at: int | None = node
    innermost: int | None = None
    pointed = False
    for _ in range(_DEEPEST):
        if at is None:
            break
        kind = tree.kind[at]
        if kind in _WORDS["functions"]:
            innermost, pointed = at, False
        elif innermost is not None and kind in ("pointer_declarator", "array_declarator", "reference_declarator"):
            pointed = True
        elif kind == "init_declarator":
            return None  # it has a value
        at = inner(tree, at)
    return None if pointed else innermost


def parameters(tree: Nodes, function: int | None) -> Iterator[Parameter]:
    """The parameters of a function's declarator; without a name they are called `_`."""
    listed = tree.child(function, "parameters")
    if listed is None:
        listed = tree.child(tree.child(function, "declarator"), "parameters")
    for child in tree.named(listed):
        kind = tree.kind[child]
        if kind == "variadic_parameter":
            yield Parameter("...")
        elif kind == "identifier":
            yield Parameter(tree.text[child], _old_style(tree, listed, tree.text[child]))
        else:
            held = tree.child(child, "declarator")
            default = tree.child(child, "default_value")
            leaf = core(tree, held) if held is not None and not tree.kind[held].startswith("abstract") else None
            name = (tree.render(leaf) or tree.raw(leaf)) if leaf is not None else "_"
            variadic = "..." if kind.startswith("variadic") and held is not None else ""
            text = around(tree, child, leaf, default)
            if text == "void" and leaf is None:
                continue
            yield Parameter(variadic + name, text, tree.rendered(default))


def _old_style(tree: Nodes, listed: int | None, name: str) -> str | None:
    """The type of a parameter that is declared between a function's head and its body."""
    at = listed if listed is not None else 0
    while at > 0 and tree.kind[at] != "function_definition":
        at = tree.parent[at]
    for child in tree.children(at):
        if tree.kind[child] == "declaration":
            for held in tree.children(child):
                leaf = core(tree, held)
                if tree.field[held] == "declarator" and tree.text[leaf] == name:
                    return " ".join((tree.render(tree.child(child, "type")), around(tree, held, leaf, None))).strip()
    return None


def around(tree: Nodes, node: int, leaf: int | None, default: int | None) -> str:
    """The text of a declaration without its name and its default value."""
    first = node
    while first + 1 < tree.after[node] and tree.kind[first + 1] in _WORDS["storage"]:
        first = tree.after[first + 1] - 1
    after = tree.after[node]
    if default is not None:
        after = default
        while after > node and tree.text[after - 1] == "=":
            after -= 1
    if leaf is None:
        return tree.render_range(first, after)
    left, right = tree.render_range(first, leaf), tree.render_range(tree.after[leaf], after)
    return left + right if not left or not right or right[0] in "[()" else f"{left} {right}"


def declared(tree: Nodes, holder: int, declarator: int | None) -> tuple[str, list[str], list[str]]:
    """(type, modifiers, attributes) of a declarator from the head of its declaration, pointers and arrays included."""
    types: list[str] = []
    words: list[str] = []
    attributes: list[str] = []
    for child in tree.children(holder):
        kind = tree.kind[child]
        if tree.field[child] == "declarator":
            break
        text = tree.render(child)
        if kind in _WORDS["attributes"]:
            attributes.extend(_attributes(tree, child))
        elif kind in _WORDS["storage"] or text in _WORDS["specifiers"] or text in ("inline", "virtual", "friend"):
            words.append(text)
        elif kind == "type_qualifier" or tree.field[child] == "type":
            types.append(_type_text(tree, child))
    function = function_in(tree, declarator) if declarator is not None else None
    shape = _shape(tree, declarator, function)
    for child in tree.children(function):
        kind = tree.kind[child]
        if kind in _WORDS["behind"]:
            words.append(tree.render(child))
        elif kind in _WORDS["attributes"]:
            attributes.extend(_attributes(tree, child))
        elif kind == "trailing_return_type":
            types, shape = [tree.render(each) for each in tree.named(child)], ""
    space = " " if shape[:1] in ("*", "&") else ""
    return f"{' '.join(types)}{space}{shape}".strip(), words, attributes


def _shape(tree: Nodes, declarator: int | None, function: int | None) -> str:
    """The part of a type that stands around the name: pointers, references, and an array's size."""
    shape, at = "", declarator
    while at is not None and at != function:
        if tree.kind[at] in ("pointer_declarator", "reference_declarator"):
            stop = inner(tree, at)
            shape += tree.render_range(at, stop if stop is not None else tree.after[at])
        elif tree.kind[at] == "array_declarator" or (tree.kind[at] in _WORDS["functions"] and function is None):
            return shape + around(tree, at, core(tree, at), None)
        at = inner(tree, at)
    return shape


def _type_text(tree: Nodes, node: int) -> str:
    """A type without the body that it may be defined with."""
    body = tree.child(node, "body")
    return tree.render(node) if body is None else tree.render_range(node, body)


def _attributes(tree: Nodes, node: int) -> list[str]:
    """The attributes that one pair of brackets lists, without the brackets."""
    if tree.kind[node] == "attribute_declaration":
        return [tree.render(each) for each in tree.named(node)]
    listed = tree.first(node, "argument_list")
    if listed is None:
        return [tree.render_range(node + 2, tree.after[node] - 1)] if tree.after[node] > node + 3 else []
    return [tree.render(each) for each in tree.named(listed)]
