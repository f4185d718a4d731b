"""Describes Kotlin, scripts included. The grammar names few fields; the table names the others by position.

A companion's members are those of its class, as the language lets one write them: `Loan.MAX`, not
`Loan.Companion.MAX`. An extension belongs to the type that it extends: `String.initials`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.code.languages.enumerations import ordinal
from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.languages.literals import quoted
from memlsp.code.syntax.facts import FactCollector, dotted, key_text, literal_text
from memlsp.code.syntax.language import Header, Import, Language, never
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.workspace.paths import ancestors, join
from memlsp.model.symbol import Parameter, SymbolKind

_GENERIC = re.compile(r"<[^<>]*>|[?\s]")
_RUNS = re.compile(r"\$(?:[A-Za-z_`]|\{)")


def _read_string(raw: str) -> str:
    if raw.startswith('"""') and len(raw) >= 6:
        return quoted(raw[3:-3].replace("\\", "\\\\"))
    return quoted(raw[1:-1]) if len(raw) >= 2 else raw


def _read_piece(kind: str, raw: str) -> str:
    return raw if kind == "escape_sequence" else raw.replace("\\", "\\\\").replace("\n", "\\n")


def _owner(text: str) -> str:
    """`Map<String, List<T>>?` is `Map`."""
    before = ""
    while before != text:
        before, text = text, _GENERIC.sub("", text)
    return text


_SHORT_BODY = re.compile(rb"\b(?:class|interface|object)\b[^\n]*\{[^\n]*[ \t]\}")
_MARKS = re.compile(
    rb'"""(?s:.*?)"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?s:.*?)\*/|[{}\n]|\b(?:class|interface|object)\b'
)


def _as_parsed(source: bytes) -> bytes:
    """The grammar wants a line break or a semicolon behind the last member of a class: `{ val x = 1 }` has neither."""
    if not _SHORT_BODY.search(source):
        return source
    shown = bytearray(source)
    open_bodies: list[bool] = []
    headed = False
    for found in _MARKS.finditer(source):
        mark = found[0]
        if mark == b"{":
            open_bodies.append(headed)
            headed = False
        elif mark == b"}":
            before = found.start() - 1
            if open_bodies and open_bodies.pop() and source[before : before + 1] in (b" ", b"\t"):
                shown[before : before + 1] = b";"
            headed = False
        elif mark == b"\n":
            open_bodies = [False] * len(open_bodies)  # a longer body ends behind a line break
        elif mark[:1].isalpha():
            headed = True
    return bytes(shown)


# Definitions.


def _words(tree: Nodes, node: int) -> tuple[list[str], list[str]]:
    """(modifiers, annotations without @)."""
    words: list[str] = []
    annotations: list[str] = []
    for child in tree.children(tree.first(node, "modifiers")):
        if tree.kind[child] == "annotation":
            annotations.append(tree.render_range(child + 2, tree.after[child]))
        elif (word := tree.render(child)) != "public":  # nothing else is meant without it
            words.append(word)
    return words, annotations


def _holder(tree: Nodes, node: int) -> int:
    """The class, object or companion in whose body something stands, -1 for none."""
    body = tree.parent[node]
    return tree.parent[body] if body > 0 and tree.kind[body] in ("class_body", "enum_class_body") else -1


def _refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    where = tree.kind[node]
    if where == "class_declaration":
        if tree.has_word(node, "interface"):
            return SymbolKind.INTERFACE
        return SymbolKind.ENUM if "enum" in _words(tree, node)[0] else kind
    if where == "enum_entry":
        return SymbolKind.MEMBER
    if where == "property_declaration":
        holder = _holder(tree, node)
        if holder < 0:
            return SymbolKind.CONSTANT
        alone = tree.kind[holder] in ("object_declaration", "companion_object")
        return SymbolKind.CONSTANT if alone and tree.has_word(node, "val") else SymbolKind.FIELD
    return kind


def _parameters(tree: Nodes, node: int) -> list[Parameter]:
    out: list[Parameter] = []
    for child in tree.named(tree.first(tree.first(node, "primary_constructor"), "class_parameters")):
        if tree.kind[child] == "class_parameter":
            given = tree.rendered(tree.child(child, "value"))
            out.append(Parameter(tree.render(tree.child(child, "name")), _declared(tree, child, child), given))
    modifiers = -1
    for child in tree.named(tree.first(node, "function_value_parameters")):
        kind = tree.kind[child]
        if kind == "parameter_modifiers":
            modifiers = child
        elif kind == "parameter":
            out.append(Parameter(tree.render(tree.child(child, "name")), _declared(tree, child, modifiers)))
            modifiers = -1
        elif tree.field[child] == "default" and out:
            out[-1] = Parameter(out[-1].name, out[-1].type, tree.render(child))
    return out


def _declared(tree: Nodes, node: int, modifiers: int) -> str:
    """A parameter's type, with its modifiers that callers can see."""
    text = tree.render(tree.child(node, "type"))
    words = tree.text[modifiers : tree.after[modifiers]] if modifiers >= 0 else []
    return " ".join([*(word for word in ("vararg", "noinline", "crossinline") if word in words), text])


_LEADING = frozenset({"annotated_expression"})  # what the grammar takes for annotations of an expression now and then


def _header(tree: Nodes, node: int, root: int) -> Header:
    words, annotations = _words(tree, node)
    before = "".join(tree.render(each) for each in tree.before(root, _LEADING))
    annotations[:0] = [part.strip() for part in before.split("@") if part.strip()]
    kind = tree.kind[node]
    holder = _holder(tree, node)
    if holder >= 0 and tree.kind[holder] == "companion_object":
        words.append("companion")
    result: int | None = None
    if kind in ("property_declaration", "class_parameter"):
        words.extend(tree.text[child] for child in tree.children(node) if tree.text[child] in ("val", "var"))
        result = tree.child(node if kind == "class_parameter" else tree.child(node, "declared"), "type")
    elif kind == "function_declaration":
        result = tree.child(node, "return_type")
    bases: list[str] = []
    for each in tree.named(tree.first(node, "delegation_specifiers")):
        held = each + 1
        made = tree.first(held, "user_type") if tree.kind[held] == "constructor_invocation" else None
        bases.append(tree.render(made if made is not None else each))
    return Header(_parameters(tree, node), tree.rendered(result), words, annotations, bases)


def _value(tree: Nodes, node: int, _name: int) -> int | None:
    found = tree.child(node, "value")
    if found is not None:
        return tree.inner(found)
    found = tree.first(node, "property_delegate", "value_arguments")
    if found is not None:
        return found
    body = tree.first(tree.first(node, "getter"), "function_body")
    return body + 2 if body is not None and tree.text[body + 1] == "=" else body


# Facts.


def _called(tree: Nodes, node: int, facts: FactCollector) -> None:
    callee = tree.inner(node + 1)
    if tree.kind[callee] not in ("call_expression", "lambda_literal", "anonymous_function"):
        facts.calls.append(dotted(tree, callee))


def _constructed(tree: Nodes, node: int, facts: FactCollector) -> None:
    made = tree.first(node, "user_type")
    if made is not None and tree.kind[tree.parent[node]] != "annotation":
        facts.calls.append(dotted(tree, made))


def _returned(tree: Nodes, node: int, facts: FactCollector) -> None:
    held = [child for child in tree.named(node) if tree.field[child] != "label"]
    if held:
        facts.returns.append(tree.render(tree.inner(held[-1])))


def _expression_body(tree: Nodes, node: int, facts: FactCollector) -> None:
    if tree.text[node + 1] == "=":
        facts.returns.append(tree.render(tree.inner(node + 2)))


def _declares(tree: Nodes, node: int, facts: FactCollector) -> None:
    declared = tree.child(node, "declared")
    if declared is not None:
        facts.name(tree.render(tree.child(declared, "name")), literal_text(tree, tree.child(node, "value")))


def _pair(tree: Nodes, node: int, facts: FactCollector) -> None:
    """`"retries" to 3`, an entry of a map."""
    held = list(tree.named(node))
    if len(held) == 3 and tree.text[held[1]] == "to" and tree.is_leaf(held[0]):
        facts.name(key_text(tree, held[0]), literal_text(tree, held[2]))


def _read_import(tree: Nodes, node: int) -> Iterator[Import]:
    line, alias = tree.line(tree.start[node]), tree.first(node, "identifier")
    path = tree.render(tree.first(node, "qualified_identifier"))
    module, _, name = path.rpartition(".")
    if tree.has_word(node, "*"):
        yield Import("", path, "*", line)
    else:
        yield Import(tree.text[alias] if alias is not None else name, module, name, line)


_PLATFORM = ("java.", "javax.", "kotlin.", "kotlinx.", "android.", "androidx.", "org.junit.")
_MAIN = re.compile(r"/(?:[a-z]\w*[tT]est|test)/(kotlin|java)$")


def _locate(path: str, module: str, name: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """A name of another package: in the file of its name, or in a file of the name of its holder."""
    if name is None or name == "*" or f"{module}.".startswith(_PLATFORM):
        return []
    last = module.rpartition(".")[2]
    tries: list[tuple[str, str, tuple[str, ...]]] = [(module, name, (name,))]
    if last[:1].isupper():  # a member of an object or an entry of an enum
        tries.append((module.rpartition(".")[0], last, (last, name)))
    else:
        tries.extend(
            (module, stem, (name,)) for stem in (last.capitalize(), "Constants", f"{name[:1].upper()}{name[1:]}")
        )
    roots = [root for root in ancestors(path) if root == "" or not module.startswith(root.replace("/", "."))]
    around = [root for root in roots if root.endswith(("/kotlin", "/java", "src"))] or roots[-2:]
    around.extend([f"{_MAIN.sub('/main/', root)}kotlin" for root in around if _MAIN.search(root)])
    places = (
        (join(root, package.replace(".", "/"), f"{stem}.kt"), wanted)
        for root in dict.fromkeys([*around, "src/main/kotlin"])
        for package, stem, wanted in tries
    )
    return list(dict.fromkeys((place, wanted) for place, wanted in places if place is not None and place != path))


KOTLIN = Language(
    **read_tables(
        "kotlin",
        rules={
            "call_expression": _called,
            "constructor_invocation": _constructed,
            "catch_block": lambda tree, node, facts: facts.catches.append(tree.render(tree.child(node, "type"))),
            "return_expression": _returned,
            "function_body": _expression_body,
            "property_declaration": _declares,
            "infix_expression": _pair,
        },
    ),
    read_string_part=_read_piece,
    interpolated=lambda raw: raw[:1] == '"' and bool(_RUNS.search(raw)),
    fields=never,
    implicit_value=ordinal("enum_entry", "value_arguments"),
    **by_name(_as_parsed, _read_string, _refine, _owner, _header, _value, _read_import, _locate),
)
