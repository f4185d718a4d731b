"""Describes C.

A function that is only declared is a symbol of its header, the interface that people see; in a file that also defines
it, the definition alone is the symbol. The same holds for `extern` variables. A structure, union or enumeration with a
typedef is one symbol by the typedef's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.code.languages.c_family.conditionals import unread
from memlsp.code.languages.c_family.declarators import core, declared, function_in, named_by, parameters
from memlsp.code.languages.c_family.macros import called_by_macro, read_number, read_string, settle_macro
from memlsp.code.languages.c_family.preprocessor import shown
from memlsp.code.languages.enumerations import offsets
from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.syntax.facts import FactCollector, call, literal, literal_text, named, returned
from memlsp.code.syntax.language import Header, Import, Language
from memlsp.code.syntax.nodes import Nodes, TaggedDefinition
from memlsp.code.workspace.paths import ancestors, folder, join
from memlsp.model.symbol import Parameter, SymbolKind

# -- definitions


def _around(tree: Nodes, node: int) -> int:
    """The declaration that a declarator stands in, or the node itself."""
    kinds = ("declaration", "field_declaration", "type_definition")
    return tree.parent[node] if tree.kind[tree.parent[node]] in kinds and tree.field[node] == "declarator" else node


def refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    """The closer kind of a definition; None for a repetition of another one and for a declaration in a function."""
    found = tree.kind[node]
    if found == "type_definition":
        return _typedef(tree, node, kind)
    if found in _SHAPES:
        return None if tree.kind[tree.parent[node]] == "type_definition" else kind
    if found == "preproc_def":
        return None if _is_guard(tree, node) else SymbolKind.CONSTANT
    if found == "preproc_function_def":
        return SymbolKind.FUNCTION
    if _around(tree, node) == node:
        return kind
    function = function_in(tree, node)
    if function is None:
        again = _is_extern(tree, tree.parent[node]) and _signs(tree, node, None) in _defined(tree)
        return None if again else kind
    if _in_function(tree, node) or _signs(tree, node, function) in _defined(tree):
        return None
    return SymbolKind.FUNCTION


_SHAPES = {
    "struct_specifier": SymbolKind.CLASS,
    "union_specifier": SymbolKind.CLASS,
    "class_specifier": SymbolKind.CLASS,
    "enum_specifier": SymbolKind.ENUM,
}


def _typedef(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    made = tree.child(node, "type")
    if made is not None and tree.child(made, "body") is not None:
        return _SHAPES.get(tree.kind[made], kind)
    return kind


def _is_guard(tree: Nodes, node: int) -> bool:
    """`#define RATES_H` right inside `#ifndef RATES_H`."""
    around = tree.parent[node]
    if tree.child(node, "value") is not None or not tree.kind[around].startswith("preproc_if"):
        return False
    return tree.render(tree.child(around, "name")) == tree.render(tree.child(node, "name"))


def _is_extern(tree: Nodes, node: int) -> bool:
    return any(
        tree.kind[each] == "storage_class_specifier" and tree.render(each) == "extern" for each in tree.children(node)
    )


def _in_function(tree: Nodes, node: int) -> bool:
    around = tree.closest(node, "compound_statement", "field_declaration_list", "declaration_list")
    return around > 0 and tree.kind[around] == "compound_statement"


def _signs(tree: Nodes, node: int, function: int | None) -> str:
    """The identity of a declaration in its file: its holder, its name and the number of its parameters."""
    leaf = core(tree, node)
    around, above = tree.closest(node, *_SHAPES), tree.parent[leaf]
    holder = tree.render(tree.child(around, "name")).partition("<")[0].strip() if around > 0 else ""
    owner = tree.child(above, "scope") if tree.kind[above] == "owned_name" else None
    if owner is not None:
        holder = tree.raw(owner).partition("<")[0].strip()
    count = len(list(parameters(tree, function))) if function is not None else "v"
    return f"{holder}.{tree.render(leaf)}/{count}"


def _defined(tree: Nodes) -> frozenset[str]:
    """The signs of the functions and variables that a file defines."""
    if "defined" not in tree.file_facts:
        signs = {_signs(tree, found.node, None) for found in tree.tagged if _is_variable(tree, found)}
        functions = (found.node for found in tree.tagged if tree.kind[found.node] == "function_definition")
        declarators = (tree.child(node, "declarator") for node in functions)
        signs |= {_signs(tree, each, function_in(tree, each)) for each in declarators if each is not None}
        tree.file_facts["defined"] = sorted(signs)
    return frozenset(tree.file_facts["defined"])


def _is_variable(tree: Nodes, found: TaggedDefinition) -> bool:
    around = tree.parent[found.node]
    return (
        tree.kind[around] == "declaration"
        and tree.field[found.node] == "declarator"
        and function_in(tree, found.node) is None
        and not _is_extern(tree, around)
        and not _in_function(tree, found.node)
    )


# -- heads


def header(tree: Nodes, node: int, _root: int) -> Header:
    """The parameters, types and modifiers that a definition declares."""
    kind = tree.kind[node]
    if kind in ("preproc_def", "preproc_function_def"):
        texts = (tree.text[each] for each in tree.children(tree.child(node, "parameters")))
        return Header([Parameter(text) for text in texts if text not in ("(", ")", ",")], None, ("macro",))
    around = _around(tree, node)
    if kind == "enumerator":
        return Header()
    if kind in _SHAPES or (kind == "type_definition" and _typedef(tree, node, SymbolKind.TYPE) is not SymbolKind.TYPE):
        return Header(modifiers=("union",) if _is_union(tree, node) else (), bases=_embedded(tree, node))
    declarator = node if around != node else tree.child(node, "declarator")
    text, words, attributes = declared(tree, around, declarator)
    function = function_in(tree, declarator) if declarator is not None else None
    if kind == "type_definition":
        return Header(return_type=text or None)
    return Header(parameters(tree, function), text or None, words, attributes)


_BASES = frozenset({"base", "parent", "super", "super_", "head", "header", "hdr", "common", "core", "ob_base"})


def _embedded(tree: Nodes, node: int) -> tuple[str, ...]:
    """The type of a structure's first member, to which it can be cast: the way of C to extend one."""
    made = tree.child(node, "type") if tree.kind[node] == "type_definition" else node
    first = next(tree.named(tree.child(made, "body")), None)
    if first is None or tree.kind[first] != "field_declaration":
        return ()
    held, kind = tree.child(first, "declarator"), tree.child(first, "type")
    if held is None or kind is None or tree.kind[held] != "field_identifier":
        return ()
    if tree.kind[kind] == "struct_specifier" and tree.child(kind, "body") is None:
        return (tree.render(tree.child(kind, "name")),)
    return (tree.render(kind),) if tree.text[held] in _BASES and tree.kind[kind] == "type_identifier" else ()


def _is_union(tree: Nodes, node: int) -> bool:
    made = tree.child(node, "type") if tree.kind[node] == "type_definition" else node
    return made is not None and tree.kind[made] == "union_specifier"


def value(tree: Nodes, node: int, _name: int) -> int | None:
    """The value of a constant: an initialiser, the text behind a member's name, or all of a macro's text."""
    kind = tree.kind[node]
    if kind == "preproc_def":
        text = tree.child(node, "value")
        held = [each for each in tree.children(text) if tree.text[each] not in ("", "(", ")")]
        return held[0] if len(held) == 1 else text
    found = tree.child(node, "value")
    if found is None and tree.kind[tree.parent[node]] == "field_declaration":
        behind = (child for child in tree.children(tree.parent[node]) if child > node)
        after = next((child for child in behind if tree.field[child] in ("declarator", "default_value")), None)
        return after if after is not None and tree.field[after] == "default_value" else None
    return found


def implicit(tree: Nodes, node: int, _name: int) -> str:
    """The number of an enumerator that has none of its own."""
    if tree.kind[node] != "enumerator" or tree.child(node, "value") is not None:
        return ""
    body = tree.parent[node]
    while tree.kind[body].startswith("preproc"):
        body = tree.parent[body]
    return tree.worked_out(body, _numbers).get(node, "")


def _numbers(tree: Nodes, body: int) -> dict[int, str]:
    return offsets(tree, (each for each in range(body, tree.after[body]) if tree.kind[each] == "enumerator"))


def settle_parameters(tree: Nodes, node: int) -> None:
    """`(void)` and `()` take nothing."""
    held = list(tree.named(node))
    if len(held) != 1 or tree.after[held[0]] != held[0] + 2 or tree.text[held[0] + 1] != "void":
        return
    tree.cut(held[0])
    while tree.binders and tree.binders[-1][0] >= held[0]:
        tree.binders.pop()
    tree.after[node] = len(tree.kind)


def settle_prototype(tree: Nodes, node: int) -> None:
    """Names of parameters say nothing where there is no body that uses them."""
    at = node
    while tree.kind[tree.parent[at]].endswith("declarator"):
        at = tree.parent[at]
    if tree.kind[tree.parent[at]] in ("function_definition", "lambda_expression"):
        return
    for child in tree.named(tree.child(node, "parameters")):
        held = tree.child(child, "declarator")
        if held is None:
            continue
        leaf = core(tree, held)
        if tree.kind[leaf] == "identifier" and tree.is_leaf(leaf):
            tree.text[leaf] = ""


# -- facts

_ERROR = re.compile(
    r"-?(?:\w+(?:::|\.))*(?:E[A-Z0-9]{2,}|(?:[A-Z0-9]+_)*(?:ERR|ERROR|FAIL|FAILED|FAILURE|INVALID|EINVAL)(?:_[A-Z0-9]+)*)"
)
_ENDS = frozenset({"abort", "exit", "_exit", "_Exit", "longjmp", "quick_exit"})
_ASSERTS = frozenset({"assert", "static_assert", "_Static_assert"})


def error_in(text: str) -> str:
    """The name of the error that an expression is, "" when it is none: `-EINVAL`, `RATES_ERR_RANGE`."""
    return text.lstrip("-") if _ERROR.fullmatch(text) else ""


def _called(tree: Nodes, node: int, facts: FactCollector) -> None:
    call(tree, node, facts, "function")
    callee = tree.child(node, "function")
    name = tree.text[callee] if callee is not None else ""
    if name in _ENDS:
        facts.raises.append(name)
    elif name in _ASSERTS:
        held = list(tree.named(tree.child(node, "arguments")))
        if held:
            facts.conditions.append(tree.render(tree.inner(held[0])))


def _returned(tree: Nodes, node: int, facts: FactCollector) -> None:
    returned(tree, node, facts)
    held = list(tree.named(node))
    error = error_in(tree.render(tree.inner(held[0]))) if len(held) == 1 else ""
    if error:
        facts.raises.append(error)


def _assigned(tree: Nodes, node: int, facts: FactCollector) -> None:
    named(tree, node, facts, "left", "right")
    left, right = tree.child(node, "left"), tree.child(node, "right")
    if left is not None and right is not None and tree.text[left] == "errno" and error_in(tree.render(right)):
        facts.raises.append(tree.render(right))


def _compared(tree: Nodes, node: int, facts: FactCollector) -> None:
    left, right = tree.child(node, "left"), tree.child(node, "right")
    if left is not None and right is not None and tree.text[tree.after[left]] in ("==", "!="):
        text = tree.render(left)
        if (text == "errno" or text.endswith(("err", "rc", "ret", "error"))) and error_in(tree.render(right)):
            facts.catches.append(error_in(tree.render(right)))


def _while(tree: Nodes, node: int, facts: FactCollector) -> None:
    """A loop, or a macro that is one and was shown to the parser as `while`."""
    word = re.match(r"\w+", tree.source[tree.start[node] : tree.start[node] + 80].decode("utf-8", "replace"))
    held = tree.child(node, "condition")
    if held is None:
        return
    if word is None or word[0] == "while":
        text = tree.render_inner(held)
        facts.conditions.append(text)
        facts.loops.append(f"while {text}")
    else:
        text = tree.render(held)
        facts.loops.append(word[0] + (text if text[:1] == "(" else f"({text})"))


def literal_outside_include(tree: Nodes, node: int, facts: FactCollector) -> None:
    """A literal, unless it is the path of an include."""
    if tree.kind[tree.parent[node]] != "preproc_include":
        literal(tree, node, facts)


def _declared(tree: Nodes, node: int, facts: FactCollector) -> None:
    held = tree.child(node, "declarator")
    if held is not None:
        facts.name(tree.render(core(tree, held)), literal_text(tree, tree.child(node, "value")))


def _designated(tree: Nodes, node: int, facts: FactCollector) -> None:
    """`{.retry = {.max = 3}}` gives `retry.max`."""
    text = literal_text(tree, tree.child(node, "value"))
    if text is None:
        return
    path: list[str] = []
    at = node
    while at >= 0 and tree.kind[at] in ("initializer_pair", "initializer_list"):
        if tree.kind[at] == "initializer_pair":
            path.append(tree.render(tree.child(at, "designator")).strip(".[]"))
        at = tree.parent[at]
    facts.name(".".join(reversed(path)), text)


# -- other files


def read_import(tree: Nodes, node: int) -> Iterator[Import]:
    """An include brings everything."""
    if text := tree.render(tree.child(node, "path")):
        yield Import("", text, "*", tree.line(tree.start[node]))


_SOURCES = {".h": (".c",), ".hpp": (".cpp",), ".hh": (".cc",), ".hxx": (".cxx",)}


def locate(path: str, module: str, _name: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """A header in quotes: beside the file, in an `include` folder, or from any folder around; then its source file."""
    if module[:1] != "'" or len(module) < 3:
        return []
    wanted = module[1:-1]
    places = [folder(path), *ancestors(path)]
    roots = [*places, *(f"{place}/include" if place else "include" for place in ancestors(path)), "src"]
    found = list(dict.fromkeys(place for root in roots if (place := join(root, wanted)) is not None))[:8]
    stem, dot, suffix = wanted.rpartition(".")
    for other in _SOURCES.get(dot + suffix, ()):
        beside = [join(folder(path), stem + other), join("src", stem + other)]
        found.extend(place for place in beside if place is not None and place != path)
    return [(place, ()) for place in found if place != path]


def own_headers(path: str, _name: str) -> list[str]:
    """The header that a source file is named like."""
    stem, dot, suffix = path.rpartition(".")
    return [f"{stem}{each}" for each, sources in _SOURCES.items() if dot + suffix in (*sources, ".c", ".cpp", ".cc")]


C = Language(
    **read_tables(
        "c",
        rules={
            "call_expression": _called,
            "preproc_def": called_by_macro,
            "preproc_function_def": called_by_macro,
            "while_statement": _while,
            "return_statement": _returned,
            "binary_expression": _compared,
            "assignment_expression": _assigned,
            "init_declarator": _declared,
            "initializer_pair": _designated,
        },
    ),
    as_parsed=shown,
    covered_text=unread,
    corrections={
        "preproc_def": settle_macro,
        "preproc_function_def": settle_macro,
        "function_declarator": settle_prototype,
        "parameter_list": settle_parameters,
    },
    is_idle=lambda tree, node, _in_class: next(tree.named(node), None) is None,  # a lone semicolon
    read_string=lambda raw: raw if raw[:1] == "<" else read_string(raw),
    implicit_value=implicit,
    literal_rule=literal_outside_include,
    neighbours=own_headers,
    **by_name(named_by, read_number, refine, header, value, read_import, locate),
)
