"""Describes Go."""

from __future__ import annotations

from collections.abc import Iterator

from memlsp.code.languages.enumerations import by_place
from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.languages.literals import quoted
from memlsp.code.syntax.facts import NAMELESS, FactCollector, dotted, key_text, literal_text, returned
from memlsp.code.syntax.language import Header, Import, Language, never
from memlsp.code.syntax.nodes import Nodes
from memlsp.model.symbol import Parameter, SymbolKind


def _read_string(raw: str) -> str:
    if raw[:1] == "`":
        return quoted(raw[1:-1].replace("\\", "\\\\").replace("\r", ""))
    return quoted(raw[1:-1]) if len(raw) >= 2 else raw


_SHAPES = {"struct_type": SymbolKind.CLASS, "interface_type": SymbolKind.INTERFACE}


def _refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    if kind is SymbolKind.TYPE:
        shape = tree.child(node, "type")
        return _SHAPES.get(tree.kind[shape], kind) if shape is not None and tree.kind[node] == "type_spec" else kind
    if tree.kind[node] == "field_declaration":
        owner = tree.parent[tree.parent[tree.parent[node]]]
        return kind if tree.kind[owner] == "type_spec" else None
    if tree.kind[node] == "method_elem":
        return kind if tree.kind[tree.parent[tree.parent[node]]] == "type_spec" else None
    return kind


def _is_map_key(tree: Nodes, node: int) -> bool:
    """An identifier before a colon is a field's name, except in a map, where it is a variable."""
    at = tree.parent[node]
    while at >= 0 and tree.kind[at] in ("literal_element", "keyed_element", "literal_value"):
        at = tree.parent[at]
    return at >= 0 and tree.kind[at] == "composite_literal" and tree.kind[at + 1] == "map_type"


def _parameters(tree: Nodes, node: int) -> Iterator[Parameter]:
    for child in tree.named(tree.child(node, "parameters")):
        kind = tree.render(tree.child(child, "type"))
        if tree.kind[child] == "variadic_parameter_declaration":
            kind = "..." + kind
        names = [tree.text[name] for name in tree.fielded(child, "name")] or ["_"]
        yield from (Parameter(name, kind) for name in names)


def _result(tree: Nodes, node: int) -> str | None:
    """The result types, without the names that results may have: those are locals."""
    result = tree.child(node, "result")
    if result is None or tree.kind[result] != "parameter_list":
        return tree.render(result) or None
    out: list[str] = []
    for child in tree.named(result):
        out.extend([tree.render(tree.child(child, "type"))] * max(1, len(tree.fielded(child, "name"))))
    return out[0] if len(out) == 1 else f"({', '.join(out)})"


def _header(tree: Nodes, node: int, _root: int) -> Header:
    kind = tree.kind[node]
    if kind in ("function_declaration", "method_declaration", "method_elem"):
        return Header(_parameters(tree, node), _result(tree, node), _pointer(tree, node))
    if kind == "type_spec":
        return Header(bases=_embedded(tree, node))
    modifiers = (kind.removesuffix("_spec"),) if kind in ("const_spec", "var_spec") else ()
    return Header(return_type=tree.rendered(tree.child(node, "type")), modifiers=modifiers)


def _pointer(tree: Nodes, node: int) -> tuple[str, ...]:
    receiver = tree.child(node, "receiver")
    return ("pointer",) if receiver is not None and "*" in tree.text[receiver : tree.after[receiver]] else ()


def _embedded(tree: Nodes, node: int) -> Iterator[str]:
    shape = tree.child(node, "type")
    fields = tree.first(shape, "field_declaration_list")
    for child in tree.children(shape if fields is None else fields):
        nameless = tree.kind[child] == "field_declaration" and tree.child(child, "name") is None
        if nameless or tree.kind[child] == "type_elem":
            yield tree.render(child)


def _value(tree: Nodes, node: int, name: int) -> int | None:
    listed, names = tree.child(node, "value"), tree.fielded(node, "name")
    return None if listed is None else tree.counterpart(name, names, listed, "expression_list")


def _numbers(tree: Nodes, group: int) -> dict[int, str]:
    """The numbers of the constants of a group, where iota is counted; or the expression repeated from the one above."""
    values: dict[int, str] = {}
    text, counted = "", False
    specs = (each for each in tree.children(group) if tree.kind[each] == "const_spec")
    for number, spec in enumerate(specs):
        own = tree.child(spec, "value")
        if own is not None:
            text, counted = tree.render(own), "iota" in tree.text[own : tree.after[own]]
        if counted:
            values[spec] = str(number) if text == "iota" else f"{text} at {number}"
        elif own is None:
            values[spec] = text
    return values


def _called(tree: Nodes, node: int, facts: FactCollector) -> None:
    callee = tree.child(node, "function")
    if callee is None or tree.kind[tree.inner(callee)] in NAMELESS:
        return
    name = dotted(tree, callee)
    facts.calls.append(name)
    arguments = list(tree.named(tree.child(node, "arguments")))
    if name == "panic":
        facts.raises.append(tree.render(arguments[0]) if arguments else "panic")
    elif name in ("errors.Is", "errors.As") and len(arguments) == 2:
        facts.catches.append(tree.render(arguments[1]).lstrip("&"))


def _returned(tree: Nodes, node: int, facts: FactCollector) -> None:
    returned(tree, node, facts)
    for each in list(tree.named(tree.first(node, "expression_list")))[-1:]:
        text = tree.render(each)
        name = text.rpartition(".")[2]
        made = tree.child(each, "function")
        if tree.kind[each] == "call_expression" and made is not None:
            if dotted(tree, made) in ("errors.New", "fmt.Errorf", "errors.Wrap", "errors.Errorf"):
                facts.raises.append(text)
        elif name.startswith(("Err", "err")) and name not in ("err", "error") and text.replace(".", "").isidentifier():
            facts.raises.append(text)
        elif text.startswith("&") and "Error" in text.partition("{")[0]:
            facts.raises.append(text[1:].partition("{")[0])


def _loop(tree: Nodes, node: int, facts: FactCollector) -> None:
    for child in tree.named(node):
        kind = tree.kind[child]
        if kind == "block":
            break
        facts.loops.append("for " + tree.render(child))
        inner = tree.child(child, "condition") if kind == "for_clause" else child if kind != "range_clause" else None
        if inner is not None:
            facts.conditions.append(tree.render(tree.inner(inner)))
        return
    facts.loops.append("for")


def _entry(tree: Nodes, node: int, facts: FactCollector) -> None:
    key, value = tree.child(node, "key"), tree.child(node, "value")
    if key is None or value is None:
        return
    held = value + 1 if tree.kind[value] == "literal_element" else value
    text = literal_text(tree, held)
    if text is None:
        return
    path = [key_text(tree, key)]
    at = tree.parent[node]
    while at >= 0 and tree.kind[at] in ("literal_element", "keyed_element", "literal_value", "composite_literal"):
        if tree.kind[at] == "keyed_element":
            above = tree.child(at, "key")
            if above is not None:
                path.append(key_text(tree, above))
        at = tree.parent[at]
    facts.name(".".join(reversed(path)), text)


def _assigned(tree: Nodes, node: int, facts: FactCollector) -> None:
    left, right = tree.child(node, "left"), tree.child(node, "right")
    if left is None or right is None:
        return
    names, values = list(tree.named(left)), list(tree.named(right))
    if len(names) == len(values):
        for name, value in zip(names, values, strict=True):
            facts.name(tree.render(name), literal_text(tree, value))


def _read_import(tree: Nodes, node: int) -> Iterator[Import]:
    for at in range(node, tree.after[node]):
        path, alias = tree.child(at, "path"), tree.child(at, "name")
        if tree.kind[at] == "import_spec" and path is not None:
            module = tree.text[path][1:-1]
            local = tree.text[alias] if alias is not None else module.rpartition("/")[2]
            yield Import(local, module, "*" if local == "." else None, tree.line(tree.start[at]))


def _locate(_path: str, module: str, _name: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """Another package of the workspace, in the file of its name: nothing identifies the other files."""
    parts = module.split("/")
    if "." not in parts[0]:
        return []
    tails = ["/".join(parts[start:]) for start in range(1, len(parts))][-3:]
    return [(f"{tail}/{parts[-1]}.go", ()) for tail in tails]


GO = Language(
    **read_tables(
        "go",
        rules={
            "call_expression": _called,
            "for_statement": _loop,
            "return_statement": _returned,
            "keyed_element": _entry,
            "short_var_declaration": _assigned,
            "assignment_statement": _assigned,
        },
    ),
    doc_comment=lambda text: not text.startswith(("//go:", "// +build")),
    not_attribute=_is_map_key,
    fields=never,
    implicit_value=by_place("const_spec", _numbers),
    **by_name(_read_string, _refine, _header, _value, _read_import, _locate),
)
