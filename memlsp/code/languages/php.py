"""Describes PHP, files with HTML around it included. A parameter of the constructor that is a property (`public
function __construct(private Rates $rates)`) is a member of the class, like any other property."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.languages.literals import decimal, quoted, single
from memlsp.code.syntax.facts import FactCollector, dotted, entry, named
from memlsp.code.syntax.language import Header, Import, Language, never
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.workspace.paths import ancestors, folder, join
from memlsp.model.symbol import Parameter, SymbolKind

_RUNS = re.compile(r"(?<!\\)\$[A-Za-z_{]|\{\$")
_OCTAL = re.compile(r"0[0-7_]+")


# Literals.


def _interpolated(raw: str) -> bool:
    if raw.startswith("<<<"):
        return "'" not in raw.partition("\n")[0] and bool(_RUNS.search(raw))
    return raw[:1] == '"' and bool(_RUNS.search(raw))


def _read_string(raw: str) -> str:
    if raw.startswith("<<<"):
        head, _, rest = raw.partition("\n")
        body, _, mark = rest.rpartition("\n")
        indent = mark[: len(mark) - len(mark.lstrip())]
        text = textwrap.dedent(body) if indent else body
        return single(text) if "'" in head else quoted(text).replace("\\$", "$")
    if raw[:1] == "'":
        return single(raw[1:-1])
    return quoted(raw[1:-1]).replace("\\$", "$") if len(raw) >= 2 else raw


def _read_number(raw: str) -> tuple[str, str]:
    if _OCTAL.fullmatch(raw):
        return raw, str(int(raw.replace("_", ""), 8))
    return decimal(raw, floats_differ=True)


# Insignificant tokens.


def _visible(tree: Nodes, node: int) -> None:
    """Leave out `public`, the default."""
    if tree.text[node + 1] == "public":
        tree.kind[node], tree.text[node + 1] = "plain_modifier", ""


def _array(tree: Nodes, node: int) -> None:
    """`array(1)` is `[1]`, and `list($a)` is `[$a]`."""
    if tree.text[node + 1] in ("array", "list"):
        tree.text[node + 1] = ""


def _heredoc(tree: Nodes, node: int) -> None:
    """The word around a heredoc is only its quotes."""
    for child in tree.children_so_far(node):
        if tree.kind[child] in ("'<<<", "'\"", "heredoc_start", "heredoc_end"):
            tree.text[child] = "" if tree.kind[child] != "'<<<" else '"'


# Definitions.


_WORDS = ("visibility_modifier", "static_modifier", "abstract_modifier", "final_modifier", "readonly_modifier")


def _parameters(tree: Nodes, node: int) -> Iterator[Parameter]:
    for child in tree.named(tree.child(node, "parameters")):
        name = tree.render(tree.child(child, "name"))
        stars = "..." if tree.kind[child] == "variadic_parameter" else ""
        stars += "&" if tree.child(child, "reference_modifier") is not None else ""
        declared, default = tree.child(child, "type"), tree.child(child, "default_value")
        yield Parameter(stars + name, tree.rendered(declared), tree.rendered(default))


def _header(tree: Nodes, node: int, _root: int) -> Header:
    kind = tree.kind[node]
    result: int | None = None
    if kind in ("function_definition", "method_declaration"):
        result = tree.child(node, "return_type")
    elif kind in ("property_element", "const_element"):
        result = tree.child(tree.parent[node], "type")
    elif kind == "property_promotion_parameter":
        result = tree.child(node, "type")
    elif kind == "enum_declaration":
        result = tree.first(node, "primitive_type")
    bases: list[str] = []
    for child in tree.children(node):
        if tree.kind[child] in ("base_clause", "class_interface_clause"):
            bases.extend(tree.render(each) for each in tree.named(child))
    if kind not in ("function_definition", "method_declaration"):
        for child in tree.children(tree.child(node, "body")):
            if tree.kind[child] == "use_declaration":
                bases.extend(tree.render(each) for each in tree.named(child) if tree.kind[each] != "use_list")
    at = tree.parent[node] if kind in ("const_element", "property_element") else node
    modifiers = [tree.render(child) for child in tree.children(at) if tree.kind[child] in _WORDS]
    groups = tree.named(tree.first(at, "attribute_list"))
    attributes = [tree.render(each) for group in groups for each in tree.named(group)]
    return Header(_parameters(tree, node), tree.rendered(result), modifiers, attributes, bases)


def _value(tree: Nodes, node: int, _name: int) -> int | None:
    for field in ("value", "default_value", "right"):
        found = tree.child(node, field)
        if found is not None:
            return tree.inner(found)
    is_call = tree.kind[node] == "function_call_expression"
    arguments = list(tree.named(tree.child(node, "arguments"))) if is_call else []
    return arguments[1] + 1 if len(arguments) > 1 else None


# Facts.


def _function_called(tree: Nodes, node: int, facts: FactCollector) -> None:
    callee = tree.child(node, "function")
    if callee is not None and tree.kind[tree.inner(callee)] not in ("anonymous_function", "arrow_function"):
        facts.calls.append(dotted(tree, callee).rpartition("\\")[2])


def _created(tree: Nodes, node: int, facts: FactCollector) -> None:
    made = tree.child(node, "made")
    if made is not None:
        facts.calls.append(_class(tree, made))


def _class(tree: Nodes, node: int) -> str:
    """A class's name without its namespace."""
    return tree.render(node).rpartition("\\")[2]


def _member_called(tree: Nodes, node: int, facts: FactCollector) -> None:
    above, name = tree.child(node, "object"), tree.child(node, "name")
    if above is None:
        above = tree.child(node, "scope")
    if above is not None and name is not None:
        facts.calls.append(f"{dotted(tree, above)}.{tree.render(name)}")


def _thrown(tree: Nodes, node: int, facts: FactCollector) -> None:
    for child in tree.named(node):
        what = tree.inner(child)
        made = tree.child(what, "made") if tree.kind[what] == "object_creation_expression" else None
        facts.raises.append(_class(tree, made) if made is not None else dotted(tree, what))


def _caught(tree: Nodes, node: int, facts: FactCollector) -> None:
    facts.catches.extend(_class(tree, each) for each in tree.named(tree.child(node, "type")))


def _operation(tree: Nodes, node: int, facts: FactCollector) -> None:
    """`$a ?? 3` gives a default."""
    operator = tree.child(node, "operator")
    if operator is not None and tree.text[operator] == "??":
        named(tree, node, facts, "left", "right")


def _element(tree: Nodes, node: int, facts: FactCollector) -> None:
    if tree.child(node, "key") is not None:
        entry(tree, node, facts, "array_element_initializer", "key", "value")


# Imports.


def _read_import(tree: Nodes, node: int) -> Iterator[Import]:
    line = tree.line(tree.start[node])
    if tree.kind[node] != "namespace_use_declaration":
        yield from _read_required(tree, node, line)
        return
    prefix = tree.first(node, "namespace_name")
    base = tree.raw(prefix) + "\\" if prefix is not None else ""
    for at in range(node, tree.after[node]):
        path, alias = tree.first(at, "qualified_name", "name", "namespace_name"), tree.child(at, "alias")
        if tree.kind[at] == "namespace_use_clause" and path is not None:
            module, _, name = (base + tree.raw(path).lstrip("\\")).rpartition("\\")
            yield Import(tree.text[alias] if alias is not None else name, module, name, line)


def _read_required(tree: Nodes, node: int, line: int) -> Iterator[Import]:
    strings = (at for at in range(node, tree.after[node]) if tree.kind[at] in ("string", "encapsed_string"))
    for text in [tree.text[at][1:-1] for at in strings][-1:]:
        if text.endswith((".php", ".inc")):
            yield Import("", "./" + text.lstrip("/"), "*", line)


def _locate(path: str, module: str, name: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """A required file, or a class where an autoloader would look: its namespace's folders, the first ones mapped."""
    if module.startswith("./"):
        found = join(folder(path), module)
        return [(found, ())] if found else []
    if not name or name == "*":
        return []
    parts = [part for part in module.split("\\") if part]
    roots = dict.fromkeys(["src", "app", "lib", "", *(root for root in ancestors(path) if root.count("/") < 3)])
    tails = [(*parts[skipped:], f"{name}.php") for skipped in range(min(3, len(parts) + 1))]
    places = dict.fromkeys(join(root, *tail) for tail in tails for root in roots)
    return [(place, (name,)) for place in places if place is not None and place != path][:24]


def _neighbours(path: str, name: str) -> list[str]:
    """Classes of the same namespace need no import, and lie in the same folder."""
    found = join(folder(path), f"{name}.php")
    return [found] if found and found != path and name[:1].isupper() else []


PHP = Language(
    **read_tables(
        "php",
        rules={
            "function_call_expression": _function_called,
            **dict.fromkeys(("member_call_expression", "nullsafe_member_call_expression"), _member_called),
            "scoped_call_expression": _member_called,
            "object_creation_expression": _created,
            "exit_statement": lambda _tree, _node, facts: facts.calls.append("exit"),
            "throw_expression": _thrown,
            "catch_clause": _caught,
            "binary_expression": _operation,
            "array_element_initializer": _element,
        },
    ),
    corrections={
        "visibility_modifier": _visible,
        "array_creation_expression": _array,
        "list_literal": _array,
        "heredoc": _heredoc,
    },
    read_string_part=lambda kind, raw: raw if kind == "escape_sequence" else raw.replace("\n", "\\n"),
    refine=lambda tree, node, kind: SymbolKind.CONSTANT if tree.kind[node] == "const_element" else kind,
    fields=never,
    **by_name(_interpolated, _read_string, _read_number, _header, _value, _read_import, _locate, _neighbours),
)
