"""Describes JavaScript, JSX included; TypeScript builds on this description."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.languages.literals import quoted
from memlsp.code.syntax.facts import FactCollector, dotted, key_text
from memlsp.code.syntax.language import Header, Import, Language, Membership
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.vocabulary import word_sets
from memlsp.code.workspace.paths import folder, join
from memlsp.model.symbol import Parameter, SymbolKind

_WORDS = word_sets(__name__)


def held(tree: Nodes, node: int, _name: int = -1) -> int | None:
    """The value that a declarator, field, pair, assignment or default export gives to its name."""
    found = tree.child(node, "value") or tree.child(node, "right")
    return tree.inner(found) if found is not None else None


def _outermost(tree: Nodes, node: int, kinds: str) -> int:
    """The last of the nodes in a row around `node` that are of these kinds, or `node` itself."""
    while tree.kind[tree.parent[node]] in _WORDS[kinds]:
        node = tree.parent[node]
    return node


def membership(tree: Nodes, node: int) -> Membership | None:
    """Where a function belongs that stands in an object literal which is handed to a call or returned, or is returned
    itself; None for a callback."""
    literal, kind = _outermost(tree, node, "in_objects"), tree.kind[node]
    place = tree.parent[literal]
    value = held(tree, node) if kind == "pair" else node
    if value is None or tree.kind[value] not in _WORDS["functions"] | {"method_definition"}:
        return None
    is_handed = tree.kind[place] == "arguments"
    return _handed(tree, literal, tree.parent[place]) if is_handed else _returned(tree, literal, place)


def _returned(tree: Nodes, literal: int, place: int) -> Membership | None:
    """A part of the function that returns the literal, unless that is a callback."""
    function = tree.closest(literal, *_WORDS["bodies"])
    is_result = tree.kind[place] in _WORDS["results"] and tree.kind[tree.parent[function]] != "arguments"
    return ("", literal, function) if is_result else None


def _handed(tree: Nodes, literal: int, call: int) -> Membership | None:
    """What the literal is the body of: of what the call fills (`extend(Chart.prototype, {...})`), of the name that the
    call's value gets, or of a statement. Inside a function the callee has to say that it makes or registers something.
    """
    callee = dotted(tree, next(tree.named(call))).removesuffix("()")
    receiver, _, word = callee.rpartition(".")
    verb = re.split(r"(?<=[a-z])(?![a-z])", word.lstrip("_$"))[0]
    makes = verb in _WORDS["makers"]
    first = next(each for each in tree.named(tree.parent[literal]) if tree.kind[each] != "true")
    filled = _plain(tree.render(first)) if tree.kind[first] in ("identifier", "member_expression") else ""
    statement = tree.parent[_outermost(tree, call, "calls")]
    kind = tree.kind[statement]
    named = next((each for each in tree.children(statement) if tree.field[each] in _WORDS["names"]), None)
    name = "default" if kind == "export_statement" else _plain(tree.render(named)) if kind in _WORDS["named"] else ""
    if filled.endswith(".prototype"):
        return filled.removesuffix(".prototype"), literal, statement
    if name and (makes or not _is_local(tree, call)):
        return name, literal, statement
    fills, is_nested = word in _WORDS["fillers"], tree.kind[tree.closest(call, "arguments", kind)] == "arguments"
    if not (fills and filled):
        if (makes or verb in _WORDS["builders"]) and kind in _WORDS["results"] and not is_nested:
            return _returned(tree, literal, statement)
        if is_nested or kind != "expression_statement" or (tree.parent[statement] and not makes):
            return None
        filled = tree.worked_out(literal, _label)[0] or _plain(receiver if fills and first == literal else callee)
    return (filled, literal, statement) if filled else None


def _is_local(tree: Nodes, node: int) -> bool:
    """True inside a function that is not called where it stands."""
    functions = (at for at in tree.above(node) if tree.kind[at] in _WORDS["bodies"])
    return any(tree.field[_outermost(tree, at, "in_objects")] != "function" for at in functions)


def _plain(text: str) -> str:
    """A dotted name as symbols have it, "" for any other text."""
    text = text.removeprefix("this.").removeprefix("module.").removeprefix("exports.")
    return text if re.fullmatch(r"[\w$.#]+", text) else ""


def _label(tree: Nodes, literal: int) -> dict[int, str]:
    """The string that names what a call registers: an argument before the literal, or its `id`, `label` or `name`."""
    pairs = (each for each in tree.named(literal) if key_text(tree, each + 1) in _WORDS["labels"])
    texts = (*tree.named(tree.parent[literal]), *(held(tree, each) or each for each in pairs))
    names = (key_text(tree, each) for each in texts if tree.kind[each] == "string")
    return {0: next((name for name in names if re.fullmatch(r"[A-Za-z_$][\w$-]*", name)), "")}


def refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    """The kind of a declared name, by its value."""
    where, around = tree.kind[node], tree.kind[tree.parent[_outermost(tree, node, "in_objects")]]
    if where == "function_expression" or (tree.kind[tree.parent[node]] == "object" and around not in _WORDS["roots"]):
        return None  # but see `membership`
    value = held(tree, node)
    value_kind = tree.kind[value] if value is not None else ""
    if kind in (SymbolKind.CONSTANT, SymbolKind.FIELD):
        if value_kind in _WORDS["functions"]:
            return SymbolKind.METHOD if where in _WORDS["members"] else SymbolKind.FUNCTION
        if value_kind == "class":
            return SymbolKind.CLASS
        if where == "pair":
            return SymbolKind.CONSTANT if value_kind == "object" else None
        if where == "variable_declarator" and value is not None and _required(tree, value) is not None:
            return None
        assigned = tree.render(tree.child(node, "left")) if where == "assignment_expression" else ""
        if assigned == "module.exports" and value_kind == "object":
            return None  # what it holds is the module's
        if where in _WORDS["members"]:
            return SymbolKind.CONSTANT if tree.has_word(node, "static") else SymbolKind.FIELD
    return kind


def _required(tree: Nodes, value: int) -> str | None:
    """The module that `require('x')`, or a property of it, asks for."""
    while tree.kind[value] == "member_expression":
        value += 1  # its object
    if tree.kind[value] != "call_expression" or tree.text[value + 1] != "require":
        return None
    first = next(tree.named(tree.child(value, "arguments")), None)
    return tree.text[first][1:-1] if first is not None and tree.kind[first] == "string" else None


def _parameters(tree: Nodes, function: int) -> Iterator[Parameter]:
    lone = tree.child(function, "parameter")
    if lone is not None:
        yield Parameter(tree.render(lone))
        return
    for child in tree.named(tree.child(function, "parameters")):
        kind = tree.kind[child]
        if kind == "assignment_pattern":
            yield Parameter(tree.render(tree.child(child, "left")), None, tree.render(tree.child(child, "right")))
        elif kind in ("required_parameter", "optional_parameter"):
            name = tree.render(tree.child(child, "pattern")) + ("?" if kind == "optional_parameter" else "")
            yield Parameter(name, _type(tree, child, "type"), tree.rendered(tree.child(child, "value")))
        elif kind != "decorator":
            yield Parameter(tree.render(child))


def _type(tree: Nodes, node: int, name: str) -> str | None:
    found = tree.child(node, name)
    return None if found is None else tree.render(found).removeprefix(":").strip()


def header(tree: Nodes, node: int, root: int) -> Header:
    """The head of a definition and of the statements around it."""
    function = node
    value = held(tree, node)
    if value is not None and tree.kind[value] in _WORDS["functions"] | {"class"}:
        function = value
    modifiers: list[str] = []
    decorators: list[str] = []
    around = [at for at in tree.above(node) if at >= root]
    for level in reversed(dict.fromkeys((function, node, *around))):
        for child in tree.children(level):
            kind = tree.kind[child]
            text = tree.render(child) if kind in ("accessibility_modifier", "override_modifier") else tree.text[child]
            if text in _WORDS["modifiers"] and (kind.startswith("'") or kind.endswith("_modifier")):
                modifiers.append("generator" if text == "*" else text)
            elif tree.kind[child] == "decorator":
                decorators.append(tree.render_range(child + 2, tree.after[child]))
    leading = [tree.render_range(child + 2, tree.after[child]) for child in tree.before(root, _WORDS["decorators"])]
    declared = _type(tree, function, "return_type") or _type(tree, node, "type")
    return Header(_parameters(tree, function), declared, modifiers, leading + decorators, _bases(tree, function))


def _bases(tree: Nodes, node: int) -> Iterator[str]:
    for child in tree.children(node):
        if tree.kind[child] in ("class_heritage", "extends_type_clause", "extends_clause", "implements_clause"):
            clauses = [
                each for each in tree.children(child) if tree.kind[each] in ("extends_clause", "implements_clause")
            ] or [child]
            for clause in clauses:
                yield from (tree.render(each) for each in tree.named(clause) if tree.kind[each] != "type_arguments")


def _compared(tree: Nodes, node: int, facts: FactCollector) -> None:
    """`e instanceof Foo` inside a catch names the caught error."""
    operator = tree.child(node, "operator")
    right = tree.child(node, "right")
    if operator is None or right is None or tree.text[operator] != "instanceof":
        return
    around = tree.closest(node, "catch_clause", "function_declaration", "method_definition", "arrow_function")
    if around >= 0 and tree.kind[around] == "catch_clause":
        facts.catches.append(dotted(tree, right))


def _caught_all(tree: Nodes, node: int, facts: FactCollector) -> None:
    """A catch that looks at no type catches everything."""
    if "instanceof" not in tree.text[node : tree.after[node]]:
        facts.catches.append("*")


def read_import(tree: Nodes, node: int) -> Iterator[Import]:
    """Import statements, re-exports and `require`."""
    line, source = tree.line(tree.start[node]), tree.child(node, "source")
    if tree.kind[node] == "variable_declarator":
        yield from _read_require(tree, node, line)
    elif source is not None:
        module = tree.text[source][1:-1]
        found = list(_read_names(tree, node, module, line))
        yield from found or [Import("", module, None, line)]


def _read_names(tree: Nodes, node: int, module: str, line: int) -> Iterator[Import]:
    for at in range(node, tree.after[node]):
        kind = tree.kind[at]
        if kind in ("import_specifier", "export_specifier"):
            name = tree.render(tree.child(at, "name"))
            alias = tree.render(tree.child(at, "alias")) or name
            yield Import(alias, module, name, line)
        elif kind in ("namespace_import", "namespace_export"):
            yield Import(tree.text[tree.after[at] - 1], module, None, line)
        elif kind == "identifier" and tree.kind[tree.parent[at]] == "import_clause":
            yield Import(tree.text[at], module, "default", line)
        elif tree.text[at] == "*" and tree.parent[at] == node:
            yield Import("", module, "*", line)


def _read_require(tree: Nodes, node: int, line: int) -> Iterator[Import]:
    value, name = held(tree, node), tree.child(node, "name")
    module = _required(tree, value) if value is not None else None
    if module is None or name is None or value is None:
        return
    if tree.kind[value] == "member_expression":
        yield Import(tree.render(name), module, tree.render(tree.child(value, "property")), line)
    elif tree.kind[name] != "object_pattern":
        yield Import(tree.render(name), module, None, line)
    else:
        for child in tree.named(name):
            key, local = tree.child(child, "key"), tree.child(child, "value")
            if tree.kind[child] == "pair_pattern" and key is not None:
                yield Import(tree.render(local) or tree.text[key], module, tree.text[key], line)


_ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".d.ts", ".json")


def locate(path: str, module: str, name: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """A relative specifier, with the extensions and index files that bundlers add; packages are not the workspace's."""
    if not module.startswith("."):
        return []
    place = join(folder(path), module)
    if place is None:
        return []
    wanted = (name,) if name and name != "*" else ()
    own = "." + path.rpartition(".")[2]
    endings = sorted(_ENDINGS, key=lambda ending: ending != own)
    tries: list[str] = []
    stem, dot, suffix = place.rpartition(".")
    if dot and suffix in ("js", "mjs", "cjs", "jsx", "ts", "tsx", "json") and "/" not in suffix:
        tries.append(place)
        if suffix in ("js", "jsx", "mjs"):
            tries.extend((f"{stem}.ts", f"{stem}.tsx"))
    else:
        tries.extend(place + ending for ending in endings)
        tries.extend(f"{place}/index{ending}" for ending in endings[:4])
    return [(each, wanted) for each in tries]


JAVASCRIPT = Language(
    **read_tables("javascript", rules={"binary_expression": _compared, "catch_clause": _caught_all}),
    interpolated=lambda raw: raw[:1] == "`" and "${" in raw,
    read_string=lambda raw: quoted(raw[1:-1], continued=True) if len(raw) >= 2 else raw,
    value=held,
    owner=lambda text: "" if text in ("exports", "module") else text,  # `exports.send` is `send`
    **by_name(refine, membership, header, read_import, locate),
)
