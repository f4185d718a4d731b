"""Java."""

from __future__ import annotations

import textwrap

from memlsp.code.languages.language_tables import read_tables, wheel
from memlsp.code.languages.literals import decimal, doc_text, quoted
from memlsp.code.syntax.facts import (
    FactCollector,
    condition,
    created,
    dotted,
    literal_text,
    looped,
    named,
    returned,
    several,
    thrown,
)
from memlsp.code.syntax.language import Header, Language, never
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.workspace.imports import Import
from memlsp.code.workspace.paths import ancestors, folder, join
from memlsp.model.symbol import NamedValue, Parameter, SymbolKind


def _read_string(raw: str) -> str:
    if raw.startswith('"""'):
        return quoted(textwrap.dedent(raw[3:-3].replace("\r\n", "\n")).removeprefix("\n"), continued=True)
    return quoted(raw[1:-1]) if len(raw) >= 2 else raw


def _read_number(raw: str) -> tuple[str, str]:
    return decimal(raw, floats_differ=True, suffixes=True)


def _modifiers(tree: Nodes, node: int) -> tuple[list[str], list[str]]:
    """(keywords, annotations without @) of a declaration or of the field it stands in."""
    words: list[str] = []
    annotations: list[str] = []
    at = tree.parent[node] if tree.kind[node] == "variable_declarator" else node
    found = tree.first(at, "modifiers")
    for child in tree.children(found) if found is not None else ():
        if "annotation" in tree.kind[child]:
            annotations.append(tree.render_range(child + 2, tree.after[child]))
        elif tree.text[child]:
            words.append(tree.text[child])
    return words, annotations


def _refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    if tree.kind[node] == "variable_declarator":
        words, _ = _modifiers(tree, node)
        constant = tree.kind[tree.parent[node]] == "constant_declaration" or {"static", "final"} <= set(words)
        return SymbolKind.CONSTANT if constant else SymbolKind.FIELD
    return kind


def _parameters(tree: Nodes, node: int) -> tuple[Parameter, ...]:
    listed = tree.child(node, "parameters")
    out: list[Parameter] = []
    for child in tree.named(listed) if listed is not None else ():
        kind = tree.kind[child]
        if kind == "formal_parameter":
            dimensions = tree.render(tree.child(child, "dimensions"))
            name = tree.render(tree.child(child, "name"))
            out.append(Parameter(name, tree.render(tree.child(child, "type")) + dimensions))
        elif kind == "spread_parameter":
            declarator = tree.first(child, "variable_declarator")
            parts = [each for each in tree.named(child) if tree.kind[each] not in ("modifiers", "variable_declarator")]
            name = tree.render(tree.child(declarator, "name")) if declarator is not None else ""
            out.append(Parameter("..." + name, (tree.render(parts[0]) if parts else "") + "..."))
    return tuple(out)


def _header(tree: Nodes, node: int, _root: int) -> Header:
    words, annotations = _modifiers(tree, node)
    at = tree.parent[node] if tree.kind[node] == "variable_declarator" else node
    declared = tree.child(at, "type")
    bases: list[str] = []
    for child in tree.children(node):
        kind = tree.kind[child]
        if kind in ("superclass", "super_interfaces", "extends_interfaces", "permits"):
            for each in tree.named(child):
                listed = tree.named(each) if tree.kind[each] == "type_list" else (each,)
                bases.extend(tree.render(one) for one in listed)
        elif kind == "throws":
            words.extend("throws " + tree.render(each) for each in tree.named(child))
    return Header(
        _parameters(tree, node),
        tree.render(declared) if declared is not None else None,
        tuple(words),
        tuple(annotations),
        tuple(bases),
    )


def _value(tree: Nodes, node: int, _name: int) -> int | None:
    found = tree.child(node, "value")
    return found if found is not None else tree.child(node, "arguments") if tree.kind[node] == "enum_constant" else None


def _implicit(tree: Nodes, node: int, _name: int) -> str:
    """The ordinal of an enum constant that has no arguments."""
    if tree.kind[node] != "enum_constant" or tree.child(node, "arguments") is not None:
        return ""
    body = tree.parent[node]
    if body not in tree.numbered:
        constants = (each for each in tree.children(body) if tree.kind[each] == "enum_constant")
        tree.numbered[body] = {each: str(number) for number, each in enumerate(constants)}
    return tree.numbered[body].get(node, "")


def _invoked(tree: Nodes, node: int, facts: FactCollector) -> None:
    name, above = tree.child(node, "name"), tree.child(node, "object")
    if name is None:
        return
    facts.calls.append((dotted(tree, above) + "." if above is not None else "") + tree.text[name])


def _caught(tree: Nodes, node: int, facts: FactCollector) -> None:
    declared = tree.first(node, "catch_formal_parameter")
    listed = tree.first(declared, "catch_type") if declared is not None else None
    if listed is not None:
        facts.catches.extend(tree.render(each) for each in tree.named(listed))


def _for(tree: Nodes, node: int, facts: FactCollector) -> None:
    parts = [tree.render(tree.child(node, name)).rstrip(";") for name in ("init", "condition", "update")]
    facts.loops.append("for " + "; ".join(parts))
    if parts[1]:
        facts.conditions.append(parts[1])


def _for_each(tree: Nodes, node: int, facts: FactCollector) -> None:
    facts.loops.append(f"for {tree.render(tree.child(node, 'name'))} in {tree.render(tree.child(node, 'value'))}")


def _label(tree: Nodes, node: int, facts: FactCollector) -> None:
    held = list(tree.named(node))
    if held:
        facts.conditions.append(tree.render_range(held[0], tree.after[held[-1]]))


def _asserted(tree: Nodes, node: int, facts: FactCollector) -> None:
    held = list(tree.named(node))
    if held:
        facts.conditions.append(tree.render(tree.inner(held[0])))


def _lambda_result(tree: Nodes, node: int, facts: FactCollector) -> None:
    body = tree.child(node, "body")
    if body is not None and tree.kind[body] != "block":
        facts.returns.append(tree.render(tree.inner(body)))


def _declared(tree: Nodes, node: int, facts: FactCollector) -> None:
    name, value = tree.child(node, "name"), literal_text(tree, tree.child(node, "value"))
    if name is not None and value is not None:
        facts.values.append(NamedValue(tree.render(name), value))


def _read_import(tree: Nodes, node: int) -> tuple[Import, ...]:
    line = tree.line(tree.start[node])
    path = next((tree.render(child) for child in tree.named(node)), "")
    static = "static " if any(tree.text[child] == "static" for child in tree.children(node)) else ""
    if tree.first(node, "asterisk") is not None:
        return (Import("", static + path, "*", line),)
    module, _, name = path.rpartition(".")
    return (Import(name, static + module, name, line),)


_PLATFORM = ("java.", "javax.", "jdk.", "sun.")


def _locate(path: str, module: str, name: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """A class of another package, under any source root around the file, `src/main/java` among them."""
    static = module.startswith("static ")
    package = module.removeprefix("static ")
    if package.startswith(_PLATFORM) or name is None:
        return []
    if static:
        package, _, holder = package.rpartition(".")
        wanted: tuple[str, ...] = (holder,) if name == "*" else (holder, name)
    else:
        holder, wanted = name, (name,)
    if name == "*" and not static:
        return []
    place = f"{package.replace('.', '/')}/{holder}.java"
    roots = [*ancestors(path), "src/main/java"]
    roots.extend(
        root.replace("src/test/java", "src/main/java") for root in ancestors(path) if root.endswith("src/test/java")
    )
    return [(found, wanted) for root in dict.fromkeys(roots) if (found := join(root, place)) is not None]


def _neighbours(path: str, name: str) -> list[str]:
    """Classes of the same package need no import."""
    found = join(folder(path), f"{name}.java")
    return [found] if found and found != path and name[:1].isupper() else []


JAVA = Language(
    **read_tables("java"),
    grammar=wheel("java"),
    doc_comment=lambda text: text.startswith("/**"),
    read_doc=doc_text,
    read_string=_read_string,
    read_number=_read_number,
    refine=_refine,
    fields=never,
    header=_header,
    value=_value,
    implicit_value=_implicit,
    rules={
        "method_invocation": _invoked,
        "object_creation_expression": created,
        "throw_statement": thrown,
        "catch_clause": _caught,
        "if_statement": condition("condition"),
        "while_statement": several(condition("condition"), looped("while", "condition")),
        "do_statement": several(condition("condition"), looped("do while", "condition")),
        "ternary_expression": condition("condition"),
        "for_statement": _for,
        "enhanced_for_statement": _for_each,
        "switch_label": _label,
        "assert_statement": _asserted,
        "return_statement": returned,
        "yield_statement": returned,
        "lambda_expression": _lambda_result,
        "variable_declarator": _declared,
        "assignment_expression": named("left", "right"),
        "element_value_pair": named("key", "value"),
    },
    read_import=_read_import,
    locate=_locate,
    neighbours=_neighbours,
)
