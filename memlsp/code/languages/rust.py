"""Describes Rust."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.code.languages.enumerations import by_place, offsets
from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.languages.literals import quoted
from memlsp.code.syntax.facts import FactCollector, call, dotted
from memlsp.code.syntax.language import Header, Import, Language, never
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.workspace.paths import folder, join
from memlsp.model.symbol import Parameter, SymbolKind


def _read_string(raw: str) -> str:
    prefix = raw[: len(raw) - len(raw.lstrip("bcr"))]
    body = raw[len(prefix) :]
    hashes = len(body) - len(body.lstrip("#"))
    text = body[hashes + 1 : len(body) - hashes - 1]
    if "r" in prefix:
        text = text.replace("\\", "\\\\")
    return prefix.replace("r", "") + quoted(re.sub(r"\\\r?\n\s*", "", text) if "r" not in prefix else text)


def _refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    if kind is SymbolKind.FIELD:
        owner = tree.parent[tree.parent[node]]
        return kind if tree.kind[owner] in ("struct_item", "union_item") else None
    if tree.kind[node] == "mod_item" and tree.child(node, "body") is None:
        return None  # `mod rates;` is an import
    return kind


def _parameters(tree: Nodes, node: int) -> Iterator[Parameter]:
    for child in tree.named(tree.child(node, "parameters")):
        kind = tree.kind[child]
        if kind == "parameter":
            declared = tree.render(tree.child(child, "type")) or None
            yield Parameter(tree.render(tree.child(child, "pattern")), declared)
        elif kind != "attribute_item":
            yield Parameter(tree.render(child))


_ATTRIBUTES = frozenset({"attribute_item"})


def _header(tree: Nodes, node: int, _root: int) -> Header:
    modifiers: list[str] = []
    bases: list[str] = []
    for child in tree.children(node):
        kind = tree.kind[child]
        if kind in ("visibility_modifier", "function_modifiers", "mutable_specifier"):
            modifiers.extend([tree.render(child)] if kind == "visibility_modifier" else tree.render(child).split())
        elif tree.text[child] in ("unsafe", "const", "static", "default") and kind.startswith("'"):
            modifiers.append(tree.text[child])
        elif kind == "trait_bounds" and tree.kind[node] == "trait_item":
            bases.extend(tree.render(each) for each in tree.named(child))
    attributes = [tree.first(child, "attribute") for child in tree.before(node, _ATTRIBUTES)]
    decorators = [tree.render(each) for each in attributes if each is not None]
    for text in decorators:
        if text.startswith("derive("):
            bases.extend(part.strip() for part in text[7:-1].split(","))
    if tree.kind[node] in ("struct_item", "enum_item", "union_item"):
        bases.extend(_implemented(tree, node))
    result = tree.child(node, "return_type") or tree.child(node, "type")
    return Header(_parameters(tree, node), tree.rendered(result), modifiers, decorators, bases)


_TRAIT_FOR = re.compile(rb"\bimpl\b")


def _implemented(tree: Nodes, node: int) -> list[str]:
    """The traits that blocks anywhere in the file implement for a type."""
    if not tree.file_facts:
        tree.file_facts[""] = []
        for at, kind in enumerate(tree.kind):
            trait, made = (tree.child(at, "trait"), tree.child(at, "type")) if kind == "impl_item" else (None, None)
            if trait is not None and made is not None:
                tree.file_facts.setdefault(tree.render(made).partition("<")[0].strip(), []).append(tree.render(trait))
    return tree.file_facts.get(tree.render(tree.child(node, "name")), [])


def _value(tree: Nodes, node: int, _name: int) -> int | None:
    found = tree.child(node, "value")
    return found if found is not None else tree.child(node, "body") if tree.kind[node] == "enum_variant" else None


def _numbers(tree: Nodes, body: int) -> dict[int, str]:
    """The numbers that enum variants without data get from their place."""
    numbers = offsets(tree, (each for each in tree.children(body) if tree.kind[each] == "enum_variant"))
    return {each: number for each, number in numbers.items() if tree.child(each, "body") is None}


_PANICS = frozenset({"panic", "unreachable", "todo", "unimplemented", "bail"})
_ASSERTS = frozenset({"assert", "assert_eq", "assert_ne", "debug_assert", "ensure"})


def _macro(tree: Nodes, node: int, facts: FactCollector) -> None:
    name = dotted(tree, node + 1)
    facts.calls.append(name + "!")
    body = tree.first(node, "token_tree")
    inside = tree.render_range(body + 2, tree.after[body] - 1) if body is not None else ""
    if name.rpartition(".")[2] in _PANICS:
        facts.raises.append(f"{name}!({inside})")
    elif name.rpartition(".")[2] in _ASSERTS:
        facts.conditions.append(inside)


def _called(tree: Nodes, node: int, facts: FactCollector) -> None:
    call(tree, node, facts, "function")
    callee = tree.child(node, "function")
    given = tree.child(node, "arguments")
    if callee is None or given is None or tree.text[callee] != "Err":
        return
    for argument in tree.named(given):
        made = tree.inner(argument)
        inner = tree.child(made, "function") or tree.child(made, "name")
        named_by = inner if tree.kind[made] in ("call_expression", "struct_expression") and inner else made
        facts.raises.append(dotted(tree, named_by))
        return


def _matched(tree: Nodes, node: int, facts: FactCollector) -> None:
    """The arms of a match: guards and literals are conditions, `Err(X)` is a caught error."""
    pattern = tree.child(node, "pattern")
    if pattern is None:
        return
    text = tree.render(pattern)
    if text != "_":
        facts.conditions.append(text)
    _errors(tree, pattern, facts)


def _errors(tree: Nodes, pattern: int, facts: FactCollector) -> None:
    for at in range(pattern, tree.after[pattern]):
        if tree.kind[at] == "tuple_struct_pattern" and tree.text[at + 1] == "Err":
            for inner in tree.named(at):
                if tree.field[inner] != "type":
                    held = tree.child(inner, "type")
                    facts.catches.append(dotted(tree, held if held is not None else inner))


def _let_condition(tree: Nodes, node: int, facts: FactCollector) -> None:
    pattern = tree.child(node, "pattern")
    if pattern is not None:
        _errors(tree, pattern, facts)


def _tail(tree: Nodes, node: int, facts: FactCollector) -> None:
    """The last expression of a block is the result of the function."""
    if tree.kind[tree.parent[node]] not in ("function_item", "closure_expression"):
        return
    last = list(tree.named(node))[-1:]
    if last and not tree.kind[last[0]].endswith(("_statement", "_declaration", "_item")):
        facts.returns.append(tree.render_inner(last[0]))


def _read_import(tree: Nodes, node: int) -> Iterator[Import]:
    line = tree.line(tree.start[node])
    name = tree.child(node, "name")
    if tree.kind[node] == "mod_item" and tree.child(node, "body") is None and name is not None:
        yield Import(tree.text[name], "self::" + tree.text[name], None, line)
    argument = tree.child(node, "argument")
    public = "pub " if tree.first(node, "visibility_modifier") is not None else ""
    stack = [] if argument is None else [(argument, "")]
    while stack:
        at, prefix = stack.pop()
        kind = tree.kind[at]
        if kind == "scoped_use_list":
            path = tree.render(tree.child(at, "path"))
            listed = tree.child(at, "list")
            if listed is not None:
                stack.append((listed, prefix + path + "::" if path else prefix))
        elif kind == "use_list":
            stack.extend((each, prefix) for each in reversed(list(tree.named(at))))
        elif kind == "use_as_clause":
            module, _, name = (prefix + tree.render(tree.child(at, "path"))).rpartition("::")
            yield Import(tree.render(tree.child(at, "alias")), public + module, name, line)
        elif kind == "use_wildcard":
            module = prefix + tree.render(at).removesuffix("*").removesuffix("::")
            yield Import("", public + module, "*", line)
        else:
            module, _, name = (prefix + tree.render(at)).rpartition("::")
            if name == "self":
                module, _, name = module.rpartition("::")
            yield Import(name, public + module, name, line)


def _locate(path: str, module: str, name: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The files of `crate::a::b`, `super::b` and `self::b`; the rest of the path are modules inside the file."""
    words = [word for word in f"{module.removeprefix('pub ')}::{name or ''}".replace(".", "::").split("::") if word]
    if words and words[-1] == "*":
        words.pop()
    if not words:
        return
    base, rest = _base(path, words)
    if words[0] not in _ROOTS and module and not module.startswith("pub "):
        return  # another crate
    likely = max(1, len(rest) - 1) if name else len(rest)
    for width in sorted(range(len(rest), 0, -1), key=lambda width: (width != likely, -width)):
        place, left = join(base, *rest[:width]), tuple(rest[width:])
        yield from ((f"{place}.rs", left), (f"{place}/mod.rs", left))
    inside = tuple(rest)
    if words[0] == "crate":
        yield from ((f"{base}/lib.rs", inside), (f"{base}/main.rs", inside))
    elif words[0] == "super":
        yield from ((place, inside) for place in (path, f"{base}/mod.rs", f"{base}.rs", f"{base}/lib.rs"))


_ROOTS = frozenset({"crate", "super", "self"})


def _base(path: str, words: list[str]) -> tuple[str, list[str]]:
    """The folder from which the words of a path lead on, and the words that are left."""
    stem = path.rpartition("/")[2].removesuffix(".rs")
    own = folder(path) if stem in ("mod", "lib", "main") else path.removesuffix(".rs")
    head, *rest = words
    if head == "crate":
        root = path.rpartition("src/")
        return (root[0] + "src") if root[1] else folder(path), rest
    if head == "super":
        base = folder(own)
        while rest[:1] == ["super"]:
            base, rest = folder(base), rest[1:]
        return base, rest
    return own, rest if head == "self" else words


RUST = Language(
    **read_tables(
        "rust",
        rules={
            "call_expression": _called,
            "macro_invocation": _macro,
            "match_arm": _matched,
            "let_condition": _let_condition,
            "block": _tail,
        },
    ),
    doc_comment=lambda text: text.startswith(("///", "/**", "//!", "/*!")) and not text.startswith("////"),
    fields=never,
    implicit_value=by_place("enum_variant", _numbers),
    far=lambda source: _TRAIT_FOR.search(source) is not None,
    fields_make=lambda _tree, _node: True,
    **by_name(_read_string, _refine, _header, _value, _read_import, _locate),
)
