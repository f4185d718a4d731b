"""Describes Java."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from memlsp.code.languages.enumerations import ordinal
from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.languages.literals import quoted
from memlsp.code.syntax.facts import FactCollector, dotted
from memlsp.code.syntax.language import Header, Import, Language, never
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.workspace.paths import ancestors, folder, join
from memlsp.model.symbol import Parameter, SymbolKind


def _read_string(raw: str) -> str:
    if raw.startswith('"""'):
        return quoted(textwrap.dedent(raw[3:-3].replace("\r\n", "\n")).removeprefix("\n"), continued=True)
    return quoted(raw[1:-1]) if len(raw) >= 2 else raw


def _modifiers(tree: Nodes, node: int) -> tuple[list[str], list[str]]:
    """(keywords, annotations without @) of a declaration or of the field it stands in."""
    words: list[str] = []
    annotations: list[str] = []
    at = tree.parent[node] if tree.kind[node] == "variable_declarator" else node
    for child in tree.children(tree.first(at, "modifiers")):
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


def _parameters(tree: Nodes, node: int) -> Iterator[Parameter]:
    for child in tree.named(tree.child(node, "parameters")):
        kind = tree.kind[child]
        if kind == "formal_parameter":
            dimensions = tree.render(tree.child(child, "dimensions"))
            name = tree.render(tree.child(child, "name"))
            yield Parameter(name, tree.render(tree.child(child, "type")) + dimensions)
        elif kind == "spread_parameter":
            name = tree.render(tree.child(tree.first(child, "variable_declarator"), "name"))
            parts = [each for each in tree.named(child) if tree.kind[each] not in ("modifiers", "variable_declarator")]
            yield Parameter("..." + name, (tree.render(parts[0]) if parts else "") + "...")


def _header(tree: Nodes, node: int, _root: int) -> Header:
    words, annotations = _modifiers(tree, node)
    at = tree.parent[node] if tree.kind[node] == "variable_declarator" else node
    bases: list[str] = []
    for child in tree.children(node):
        kind = tree.kind[child]
        if kind in ("superclass", "super_interfaces", "extends_interfaces", "permits"):
            for each in tree.named(child):
                listed = tree.named(each) if tree.kind[each] == "type_list" else (each,)
                bases.extend(tree.render(one) for one in listed)
        elif kind == "throws":
            words.extend("throws " + tree.render(each) for each in tree.named(child))
    return Header(_parameters(tree, node), tree.rendered(tree.child(at, "type")), words, annotations, bases)


def _value(tree: Nodes, node: int, _name: int) -> int | None:
    found = tree.child(node, "value")
    return found if found is not None else tree.child(node, "arguments") if tree.kind[node] == "enum_constant" else None


def _invoked(tree: Nodes, node: int, facts: FactCollector) -> None:
    name, above = tree.child(node, "name"), tree.child(node, "object")
    if name is not None:
        facts.calls.append((dotted(tree, above) + "." if above is not None else "") + tree.text[name])


def _caught(tree: Nodes, node: int, facts: FactCollector) -> None:
    listed = tree.first(tree.first(node, "catch_formal_parameter"), "catch_type")
    facts.catches.extend(tree.render(each) for each in tree.named(listed))


def _label(tree: Nodes, node: int, facts: FactCollector) -> None:
    if held := list(tree.named(node)):
        facts.conditions.append(tree.render_range(held[0], tree.after[held[-1]]))


def _read_import(tree: Nodes, node: int) -> tuple[Import, ...]:
    line = tree.line(tree.start[node])
    path = next((tree.render(child) for child in tree.named(node)), "")
    static = "static " if tree.has_word(node, "static") else ""
    if tree.first(node, "asterisk") is not None:
        return (Import("", static + path, "*", line),)
    module, _, name = path.rpartition(".")
    return (Import(name, static + module, name, line),)


_PLATFORM = ("java.", "javax.", "jdk.", "sun.")


def _locate(path: str, module: str, name: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """A class of another package, under any source root around the file, `src/main/java` among them."""
    static = module.startswith("static ")
    package = module.removeprefix("static ")
    if package.startswith(_PLATFORM) or name is None or (name == "*" and not static):
        return []
    holder, wanted = name, () if name == "*" else (name,)
    if static:
        package, _, holder = package.rpartition(".")
        wanted = (holder, *wanted)
    place = f"{package.replace('.', '/')}/{holder}.java"
    around = ancestors(path)
    tests = [root for root in around if root.endswith("src/test/java")]
    roots = [*around, "src/main/java", *(root.replace("src/test/java", "src/main/java") for root in tests)]
    return [(found, wanted) for root in dict.fromkeys(roots) if (found := join(root, place)) is not None]


def _neighbours(path: str, name: str) -> list[str]:
    """Classes of the same package need no import."""
    found = join(folder(path), f"{name}.java")
    return [found] if found and found != path and name[:1].isupper() else []


JAVA = Language(
    **read_tables("java", rules={"method_invocation": _invoked, "catch_clause": _caught, "switch_label": _label}),
    fields=never,
    implicit_value=ordinal("enum_constant", "arguments"),
    **by_name(_read_string, _refine, _header, _value, _read_import, _locate, _neighbours),
)
