"""Describes Python."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.languages.literals import quoted
from memlsp.code.syntax.facts import FactCollector, dotted
from memlsp.code.syntax.language import Header, Import, Language
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.workspace.paths import ancestors, folder, join
from memlsp.model.symbol import Parameter, SymbolKind

_PREFIX = re.compile(r"[A-Za-z]*")
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def _interpolated(raw: str) -> bool:
    found = _PREFIX.match(raw)
    prefix = found[0].lower() if found else ""
    return ("f" in prefix or "t" in prefix) and "{" in raw


def _read_string(raw: str) -> str:
    found = _PREFIX.match(raw)
    prefix = found[0] if found else ""
    body = raw[len(prefix) :]
    width = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
    flags = "".join(sorted(prefix.lower().replace("u", "").replace("f", "")))
    text = body[width:-width] if len(body) >= 2 * width else body
    if "r" in flags:
        text, flags = text.replace("\\", "\\\\"), flags.replace("r", "")
    return flags + quoted(text, continued=True)


def _read_piece(kind: str, raw: str) -> str:
    if kind == "string_content":
        return raw.replace('\\"', '"').replace("\\'", "'").replace("\n", "\\n")
    return "".join(sorted(raw.rstrip("\"'").lower())) + "'"


def _is_docstring(tree: Nodes, node: int) -> bool:
    """A string that stands alone as a statement: it does nothing at run time."""
    inner = tree.inner(node + 1)
    return tree.after[node] == tree.after[node + 1] and tree.kind[inner] in ("string", "concatenated_string")


def _idle(tree: Nodes, node: int, in_class: bool) -> bool:
    kind = tree.kind[node]
    if kind == "pass_statement":
        return True
    # A bare declaration `x: int` does something only in a class body.
    return not in_class and tree.child(node, "type") is not None and tree.child(node, "right") is None


def _refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    if kind is SymbolKind.CLASS:
        bases = tree.children(tree.child(node, "superclasses"))
        if any(tree.render(base).rpartition(".")[2] in _ENUMS for base in bases):
            return SymbolKind.ENUM
    return kind


def _parameters(tree: Nodes, node: int) -> Iterator[Parameter]:
    for child in tree.children(tree.child(node, "parameters")):
        kind = tree.kind[child]
        if kind in ("default_parameter", "typed_default_parameter"):
            name = tree.render(tree.child(child, "name"))
            yield Parameter(name, tree.rendered(tree.child(child, "type")), tree.render(tree.child(child, "value")))
        elif kind == "typed_parameter":
            yield Parameter(tree.render(child + 1), tree.rendered(tree.child(child, "type")))
        elif kind in ("identifier", "list_splat_pattern", "dictionary_splat_pattern", "tuple_pattern"):
            yield Parameter(tree.render(child))
        elif kind in ("keyword_separator", "positional_separator"):
            yield Parameter("*" if kind == "keyword_separator" else "/")


def _header(tree: Nodes, node: int, root: int) -> Header:
    around = tree.children(root if tree.kind[root] == "decorated_definition" else None)
    marks = (child for child in around if tree.kind[child] == "decorator")
    decorators = [tree.render_range(mark + 2, tree.after[mark]) for mark in marks]
    kind = tree.kind[node]
    if kind == "function_definition":
        result = tree.rendered(tree.child(node, "return_type"))
        modifiers = ("async",) if tree.text[node + 1] == "async" else ()
        return Header(_parameters(tree, node), result, modifiers, decorators)
    if kind == "class_definition":
        bases = tree.named(tree.child(node, "superclasses"))
        return Header(decorators=decorators, bases=map(tree.render, bases))
    return Header(return_type=tree.rendered(tree.child(node, "type")))


def _fields_make(tree: Nodes, node: int) -> bool:
    body = tree.child(node, "body")
    return body is not None and all(
        tree.text[name] != "__init__"
        for child in tree.children(body)
        if tree.kind[child] == "function_definition" and (name := tree.child(child, "name")) is not None
    )


def _value(tree: Nodes, node: int, name: int) -> int | None:
    right = tree.child(node, "right")
    while right is not None and tree.kind[right] == "assignment":
        right = tree.child(right, "right")
    names = list(tree.named(tree.child(node, "left")))
    return None if right is None else tree.counterpart(name, names, right, "expression_list", "tuple")


def _raised(tree: Nodes, node: int, facts: FactCollector) -> None:
    for child in tree.named(node):
        held = tree.inner(child)
        callee = tree.child(held, "function") if tree.kind[held] == "call" else held
        if callee is not None and tree.field[child] != "cause":
            facts.raises.append(dotted(tree, callee))
            return


def _caught(tree: Nodes, node: int, facts: FactCollector) -> None:
    for child in tree.named(node):
        if tree.kind[child] == "block":
            break
        held = tree.inner(child)
        if tree.kind[held] == "as_pattern":
            held = tree.inner(held + 1)
        listed = tree.named(held) if tree.kind[held] == "tuple" else (held,)
        facts.catches.extend(dotted(tree, item) for item in listed)
        return
    facts.catches.append("BaseException")


def _read_import(tree: Nodes, node: int) -> Iterator[Import]:
    line = tree.line(tree.start[node])
    module = tree.child(node, "module_name")
    source = tree.render(module) if module is not None else ""
    if tree.kind[node] == "future_import_statement":
        source = "__future__"
    for child in tree.children(node):
        if tree.kind[child] == "wildcard_import":
            yield Import("", source, "*", line)
        if tree.field[child] == "name":
            renamed = tree.kind[child] == "aliased_import"
            text = tree.render(tree.child(child, "name") if renamed else child)
            local = (tree.render(tree.child(child, "alias")) if renamed else "") or text
            yield Import(local, source, text, line) if source else Import(local, text, None, line)


def _locate(path: str, module: str, name: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """`x.rates` from the roots it can be imported from: the workspace, `src`, and every folder around the file."""
    dots = len(module) - len(module.lstrip("."))
    tail = module[dots:].replace(".", "/")
    if dots:
        base: str | None = folder(path)
        for _ in range(dots - 1):
            base = join(base or "", "..") if base else None
        roots = [] if base is None else [base]
    else:
        if module.partition(".")[0] in sys.stdlib_module_names:
            return
        roots = list(dict.fromkeys([*reversed(ancestors(path)), "src"]))
    wanted = (name,) if name and name != "*" else ()
    for root in roots:
        place = join(root, tail)
        if place is None:
            continue
        if tail:
            yield f"{place}.py", wanted
        inside = f"{place}/" if place else ""
        yield f"{inside}__init__.py", wanted
        if name and name != "*":
            yield f"{inside}{name}.py", ()


PYTHON = Language(
    **read_tables(
        "python", rules={"raise_statement": _raised, "except_clause": _caught, "except_group_clause": _caught}
    ),
    is_idle=_idle,
    docstring=_is_docstring,
    read_string_part=_read_piece,
    # annotated names of a class are fields in their order (dataclasses, attrs, pydantic); others are its constants
    fields=lambda tree, node: tree.child(node, "type") is not None,
    **by_name(_interpolated, _read_string, _refine, _header, _value, _fields_make, _read_import, _locate),
)
