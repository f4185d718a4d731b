"""Describes C#.

Namespaces prefix no names, as Java's packages do not: a file has one, which its folder repeats. A property without code
is a field, one with code a method. Callers may name arguments, so a parameter's name is part of the interface.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from memlsp.code.languages.c_family.conditionals import shown_conditionals, unread
from memlsp.code.languages.enumerations import by_place, offsets
from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.languages.literals import decimal, quoted
from memlsp.code.syntax.facts import FactCollector, dotted, literal_text
from memlsp.code.syntax.language import Header, Import, Language, doc_text, never
from memlsp.code.syntax.nodes import NameScope, Nodes
from memlsp.code.vocabulary import patterns, word_sets
from memlsp.code.workspace.paths import ancestors, folder, join
from memlsp.model.symbol import Parameter, SymbolKind

# -- literals


def _read_string(raw: str) -> str:
    text = raw.removesuffix("u8").removesuffix("U8")
    if text.startswith('"""'):
        marks = len(text) - len(text.lstrip('"'))
        lines = text[marks:-marks].replace("\r\n", "\n").split("\n")
        if len(lines) > 2:  # its indentation is that of the closing quotes
            lines = textwrap.dedent("\n".join([*lines[1:-1], lines[-1] + "|"])).split("\n")[:-1]
        return quoted("\n".join(lines).replace("\\", "\\\\"))
    if text[:1] == "@":
        return quoted(text[2:-1].replace("\\", "\\\\").replace('""', '"'))
    return quoted(text[1:-1]) if len(text) >= 2 else text


def _read_number(raw: str) -> tuple[str, str]:
    text = raw.replace("_", "").lower()
    if text[:2] in ("0x", "0b"):
        plain = text.rstrip("ul")
        shown, compared = decimal(plain, floats_differ=True)
        return shown, compared + text[len(plain) :]
    return decimal(raw, floats_differ=True, suffixes=True)


_RE = patterns(__name__)
_WORDS = word_sets(__name__)


# -- definitions


def _holder(tree: Nodes, node: int) -> int:
    """The declaration with the modifiers: of a variable it is two levels up."""
    return tree.parent[tree.parent[node]] if tree.kind[node] == "variable_declarator" else node


def _modifiers(tree: Nodes, node: int) -> tuple[list[str], list[str]]:
    """(keywords, attributes without brackets) of a declaration."""
    words: list[str] = []
    attributes: list[str] = []
    for child in tree.children(_holder(tree, node)):
        kind = tree.kind[child]
        if kind == "modifier":
            words.append(tree.render(child))
        elif kind == "attribute_list":
            attributes.extend(tree.render(each) for each in tree.named(child) if tree.kind[each] == "attribute")
        elif tree.text[child] in ("struct", "event", "explicit", "implicit", "record") and kind[:1] == "'":
            words.append(tree.text[child])
    return words, attributes


def _has_code(tree: Nodes, node: int) -> bool:
    """True for a property whose getter or setter does something of its own."""
    held = tree.child(node, "value")
    if held is not None and tree.kind[held] == "arrow_expression_clause":
        return True
    return any(tree.child(each, "body") is not None for each in tree.named(tree.child(node, "accessors")))


def _refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    found = tree.kind[node]
    if found == "variable_declarator":
        if tree.kind[_holder(tree, node)] == "event_field_declaration":
            return SymbolKind.FIELD
        words, _ = _modifiers(tree, node)
        return SymbolKind.CONSTANT if "const" in words or {"static", "readonly"} <= set(words) else SymbolKind.FIELD
    if found in ("property_declaration", "event_declaration") and _has_code(tree, node):
        return SymbolKind.METHOD
    return kind


def _parameters(tree: Nodes, node: int) -> Iterator[Parameter]:
    listed = tree.child(node, "parameters")
    if listed is None:
        listed = tree.first(node, "parameter_list", "bracketed_parameter_list")
    rest = ""
    for child in tree.children(listed):
        if tree.kind[child] == "parameter":
            words = [tree.render(each) for each in tree.children(child) if tree.kind[each] == "modifier"]
            kind = " ".join([*words, tree.render(tree.child(child, "type"))]).strip()
            default = tree.rendered(tree.child(child, "default"))
            yield Parameter(tree.render(tree.child(child, "name")), kind or None, default)
        elif tree.field[child] == "type":  # `params int[] more`, which the grammar leaves without a node
            rest = tree.render(child)
        elif tree.field[child] == "name":
            yield Parameter("..." + tree.render(child), f"params {rest}")


def _header(tree: Nodes, node: int, _root: int) -> Header:
    words, attributes = _modifiers(tree, node)
    at = tree.parent[node] if tree.kind[node] == "variable_declarator" else node
    declared = tree.child(at, "returns")
    declared = declared if declared is not None else tree.child(at, "type")
    bases: list[str] = []
    names: list[str] = []
    for child in tree.children(node):
        kind = tree.kind[child]
        if kind == "base_list":
            bases.extend(tree.render(each) for each in tree.named(child) if tree.kind[each] != "argument_list")
        elif kind == "explicit_interface_specifier":
            words.append("of " + tree.render(child).rstrip("."))
        elif kind == "type_parameter_constraints_clause":
            words.append(tree.render(child))
        elif kind == "accessor_list":
            words.extend(_accessors(tree, child))
        elif kind == "type_parameter_list" and tree.kind[node] in _WORDS["called"]:
            names = [tree.render(tree.child(each, "name")) for each in tree.named(child)]
    parameters = _parameters(tree, node) if tree.kind[node] != "variable_declarator" else ()
    return Header(parameters, tree.rendered(declared), words, attributes, bases, names)


def _accessors(tree: Nodes, listed: int) -> Iterator[str]:
    """`get`, `private set`."""
    for each in tree.named(listed):
        words = [tree.render(child) for child in tree.children(each) if tree.kind[child] == "modifier"]
        yield " ".join([*words, tree.render(tree.child(each, "name"))])


_MEMBER = "enum_member_declaration"


def _settle_self(tree: Nodes, node: int) -> None:
    """`this` and `base` are keywords to the grammar, and objects here."""
    leaf = node + 1
    if tree.text[leaf] in ("this", "base") and tree.kind[leaf][:1] == "'":
        tree.kind[leaf] = "this"
        tree.identifiers.append((leaf, NameScope("module", 0, None)))


def _settle_assurance(tree: Nodes, node: int) -> None:
    """`name!` assures the compiler that there is one, and does nothing."""
    last = len(tree.kind) - 1
    if tree.text[last] == "!" and tree.parent[last] == node:
        tree.text[last] = ""
        tree.kind[node], tree.field[node + 1] = "assured", tree.field[node]


def _is_called(tree: Nodes, node: int) -> bool:
    """`Parse` of `Parse<int>(text)`."""
    around = tree.parent[node]
    return tree.kind[around] == "generic_name" and tree.kind[tree.parent[around]] == "invocation_expression"


# -- facts


def _called(tree: Nodes, node: int, facts: FactCollector) -> None:
    callee = tree.child(node, "function")
    if callee is not None and tree.kind[tree.inner(callee)] not in ("lambda_expression", "anonymous_method_expression"):
        name = dotted(tree, callee).replace("?", "").replace("!", "")
        if name != "nameof":
            facts.calls.append(name)


def _caught(tree: Nodes, node: int, facts: FactCollector) -> None:
    kind = tree.child(tree.first(node, "catch_declaration"), "type")
    facts.catches.append(dotted(tree, kind) if kind is not None else "Exception")


def _section(tree: Nodes, node: int, facts: FactCollector) -> None:
    """The pattern of a case or of an arm."""
    for child in tree.named(node):
        kind = tree.kind[child]
        if kind.endswith("pattern") or (kind == "discard" and tree.kind[node] == "switch_expression_arm"):
            if kind != "discard":
                facts.conditions.append(tree.render(child))
            break


def _arrow(tree: Nodes, node: int, facts: FactCollector) -> None:
    """The value behind `=>`, in place of a body."""
    held = list(tree.named(node))
    if held and tree.kind[tree.inner(held[-1])] != "throw_expression":
        facts.returns.append(tree.render(tree.inner(held[-1])))


def _arm(tree: Nodes, node: int, facts: FactCollector) -> None:
    _section(tree, node, facts)
    _arrow(tree, node, facts)


def _argument(tree: Nodes, node: int, facts: FactCollector) -> None:
    """`retries: 3`."""
    name = tree.child(node, "name")
    held = [each for each in tree.named(node) if each != name]
    text = literal_text(tree, held[-1]) if held and name is not None else None
    facts.name(tree.render(name), text)


# -- other files

_PLATFORM = ("System", "Microsoft", "Windows", "Xunit", "NUnit")


def _read_import(tree: Nodes, node: int) -> Iterator[Import]:
    line = tree.line(tree.start[node])
    words = {tree.text[child] for child in tree.children(node) if tree.kind[child][:1] == "'"}
    alias = tree.child(node, "name")
    held = [each for each in tree.named(node) if each != alias]
    path = tree.render(held[-1]) if held else ""
    if held and alias is not None:
        module, _, name = path.rpartition(".")
        yield Import(tree.render(alias), module, name, line)
    elif held:
        yield Import("", ("static " if "static" in words else "") + path, "*", line)


def _locate(path: str, module: str, name: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """The file of a type, by its name and as much of its namespace as the folders repeat."""
    static = module.startswith("static ")
    parts = module.removeprefix("static ").split(".")
    if parts[0] in _PLATFORM or not name or (name == "*" and not static):
        return []
    holder = parts.pop() if static else name
    inner = (holder,) if static else ()
    tails = ["/".join([*parts[start:], f"{holder}.cs"]) for start in range(len(parts) + 1)]
    roots = [*ancestors(path), "src"]
    found = [join(root, tail) for root in roots for tail in tails]
    return [(place, inner) for place in dict.fromkeys(found) if place is not None and place != path][:24]


def _neighbours(path: str, name: str) -> list[str]:
    """Types of the same namespace, or of the one around it, need no using."""
    above = folder(path)
    if not name[:1].isupper():
        return []
    simple = name.partition(".")[0]
    places = [join(above, f"{simple}.cs"), join(folder(above), f"{simple}.cs") if above else None]
    return [place for place in places if place is not None and place != path]


CSHARP = Language(
    **read_tables(
        "csharp",
        rules={
            "invocation_expression": _called,
            "catch_clause": _caught,
            "switch_section": _section,
            "switch_expression_arm": _arm,
            "arrow_expression_clause": _arrow,
            **dict.fromkeys(("argument", "attribute_argument"), _argument),
        },
    ),
    as_parsed=shown_conditionals,
    covered_text=unread,
    corrections={"member_access_expression": _settle_self, "postfix_unary_expression": _settle_assurance},
    read_doc=lambda raw: _RE["tag"].sub(lambda found: f" {found[1] or ''} ", doc_text(raw)),
    not_attribute=_is_called,
    fields=never,
    value=lambda tree, node, _name: tree.child(node, "value"),
    implicit_value=by_place(
        _MEMBER, lambda tree, body: offsets(tree, [e for e in tree.named(body) if tree.kind[e] == _MEMBER])
    ),
    **by_name(_read_string, _read_number, _refine, _header, _read_import, _locate, _neighbours),
)
