"""Describes C++: C with classes, namespaces, templates and exceptions.

Namespaces and classes prefix the names of what they hold; a method that is defined outside of its class is owned by it
all the same, `Cart::total` is `Cart.total`. A header is C++ when its text says so, else C.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from memlsp.code.languages.c_family.c import C
from memlsp.code.languages.c_family.c import header as plain_header
from memlsp.code.languages.c_family.c import refine as plain_refine
from memlsp.code.languages.c_family.declarators import core
from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.syntax.facts import FactCollector, dotted, literal_text
from memlsp.code.syntax.language import Header
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.vocabulary import BytePatterns, word_sets
from memlsp.code.workspace.paths import folder, join
from memlsp.model.symbol import SymbolKind

_RE = BytePatterns(__name__)
_WORDS = word_sets(__name__)


def _is_cpp(source: bytes) -> bool:
    """True for a header that only C++ can read, `#ifdef __cplusplus` parts aside."""
    return _RE["tells"].search(_RE["guarded"].sub(b"", _RE["quiet"].sub(b" ", source))) is not None


# -- definitions


def _refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    found = tree.kind[node]
    if found in ("alias_declaration", "concept_definition"):
        return SymbolKind.TYPE
    if found == "namespace_definition":
        return kind
    made = plain_refine(tree, node, kind)
    if made is SymbolKind.FIELD and tree.kind[tree.parent[node]] == "field_declaration":
        words = set(tree.text[tree.parent[node] : node])
        return SymbolKind.CONSTANT if "static" in words and words & {"const", "constexpr"} else made
    return made


def _settle_owner(tree: Nodes, node: int) -> None:
    """Silence the owner of a method that is defined outside of its class: the method's own name has it."""
    at = node
    while tree.kind[tree.parent[at]] in ("qualified_identifier", "owned_name") and tree.field[at] == "name":
        at = tree.parent[at]
    if tree.field[at] != "declarator" and tree.kind[tree.parent[at]] != "reference_declarator":
        return
    name = tree.child(node, "name")
    if name is None:
        return
    for leaf in range(node + 1, name):
        tree.text[leaf] = ""
    tree.kind[node], tree.field[name] = "owned_name", "declarator"


def _settle_template(tree: Nodes, node: int) -> None:
    """The names of a template's types are as local as those of a function's parameters."""
    names = {tree.text[leaf] for leaf in _type_parameters(tree, node)}
    scope = tree.opened.get(node)
    for leaf in range(node + 1, len(tree.kind)) if names and scope is not None else ():
        if tree.kind[leaf] == "type_identifier" and tree.text[leaf] in names and scope is not None:
            tree.kind[leaf] = "identifier"
            tree.identifiers.append((leaf, scope))


def _type_parameters(tree: Nodes, template: int) -> Iterator[int]:
    for child in tree.named(tree.child(template, "parameters")):
        if tree.kind[child] in _WORDS["type_parameters"]:
            leaves = [each for each in tree.children(child) if tree.kind[each] in ("type_identifier", "identifier")]
            yield from leaves[:1]


def _access(tree: Nodes, node: int) -> str:
    """The access that the nearest `private:` above a member gives, "" for public."""
    held = tree.closest(node, "field_declaration_list", "compound_statement", "declaration_list")
    if held <= 0 or tree.kind[held] != "field_declaration_list":
        return ""
    found = "private" if tree.kind[tree.parent[held]] == "class_specifier" else "public"
    for child in tree.children(held):
        if child < node and tree.kind[child] == "access_specifier":
            found = tree.render(child).strip(": ")
    return "" if found == "public" else found


def _header(tree: Nodes, node: int, root: int) -> Header:
    kind = tree.kind[node]
    if kind == "namespace_definition":
        return Header(modifiers=("namespace",))
    if kind in ("alias_declaration", "concept_definition"):
        return Header(return_type=tree.render(tree.child(node, "type")) or None, modifiers=_words(_access(tree, node)))
    made = plain_header(tree, node, root)
    if kind == "enumerator":
        return made
    words = [*_words(_access(tree, node)), *made.modifiers, *_clause_words(tree, node)]
    decorators = list(made.decorators)
    if not decorators:
        for child in tree.children(node):
            if tree.kind[child] == "attribute_declaration":
                decorators.extend(tree.render(each) for each in tree.named(child))
    bases = _bases(tree, node) or made.bases
    if tree.kind[tree.parent[node]] == "field_declaration" and tree.kind[node].endswith("declarator"):
        default = _default(tree, node)
        if default is not None and tree.text[default] == "0" and _is_function(tree, node):
            words.append("pure")
    template = _template(tree, node, root)
    names: list[str] = []
    if template is not None:
        decorators.append("template" + tree.render(tree.child(template, "parameters")))
        names = [tree.text[leaf] for leaf in _type_parameters(tree, template)]
    return evolve(made, modifiers=words, decorators=decorators, bases=bases, placeholders=names)


def _clause_words(tree: Nodes, node: int) -> Iterator[str]:
    """The words behind the name of a definition: `final`, `= default`, `= 0`, and the `class` of an enumeration."""
    kind = tree.kind[node]
    for child in tree.children(node):
        clause = tree.kind[child]
        if clause == "virtual_specifier" and kind in _WORDS["classes"]:
            yield tree.render(child)
        elif clause in ("default_method_clause", "delete_method_clause", "pure_virtual_clause"):
            yield tree.render(child).strip("= ;")
        elif kind == "enum_specifier" and tree.text[child] in ("class", "struct"):
            yield "class"


def _words(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _is_function(tree: Nodes, node: int) -> bool:
    return any(tree.kind[at] == "function_declarator" for at in range(node, tree.after[node]))


def _default(tree: Nodes, node: int) -> int | None:
    """The value that stands behind a field's declarator."""
    around = tree.parent[node]
    after = tree.after[node]
    while after < tree.after[around] and tree.text[after] == "=":
        after = tree.after[after]
    return after if after < tree.after[around] and tree.field[after] == "default_value" else None


def _template(tree: Nodes, node: int, root: int) -> int | None:
    """`template <typename T>` around a definition."""
    around = (at for at in (node, *tree.above(node)) if at >= root)
    return next((at for at in around if tree.kind[at] == "template_declaration"), None)


def _bases(tree: Nodes, node: int) -> list[str]:
    """The classes behind the colon, or the type of an enumeration's values."""
    base = tree.child(node, "base") if tree.kind[node] == "enum_specifier" else None
    if base is not None:
        return [tree.render(base)]
    return [
        tree.render(each)
        for each in tree.named(tree.first(node, "base_class_clause"))
        if tree.kind[each] not in ("access_specifier", "virtual", "attribute_declaration")
    ]


def _value(tree: Nodes, node: int, name: int) -> int | None:
    if tree.kind[node] == "alias_declaration":
        return tree.child(node, "type")
    found = C.value(tree, node, name)
    found = found if found is not None else _default(tree, node)
    if found is not None and tree.kind[found] == "initializer_list":
        held = list(tree.named(found))
        return held[0] if len(held) == 1 and literal_text(tree, held[0]) else found
    return found


# -- facts


def _condition(tree: Nodes, node: int, facts: FactCollector) -> None:
    """The condition itself, without a declaration in front of it."""
    clause = tree.child(node, "condition")
    held = tree.child(clause, "value") if clause is not None and tree.kind[clause] == "condition_clause" else clause
    if held is not None:
        facts.conditions.append(tree.render(tree.inner(held)))


def _called(tree: Nodes, node: int, facts: FactCollector) -> None:
    callee = tree.child(node, "function")
    held = tree.child(callee, "name") if callee is not None and tree.kind[callee] == "template_function" else None
    if held is None or tree.text[held] not in _WORDS["casts"]:
        C.rules["call_expression"](tree, node, facts)


def _caught(tree: Nodes, node: int, facts: FactCollector) -> None:
    declared = list(tree.named(tree.child(node, "parameters")))
    facts.catches.extend(dotted(tree, kind) for each in declared if (kind := tree.child(each, "type")) is not None)
    if not declared:
        facts.catches.append("...")


def _for_each(tree: Nodes, node: int, facts: FactCollector) -> None:
    held = tree.child(node, "declarator")
    name = tree.render(core(tree, held)) if held is not None else ""
    facts.loops.append(f"for {name} in {tree.render(tree.child(node, 'right'))}")


def _field(tree: Nodes, node: int, facts: FactCollector) -> None:
    """A field's own value, where its class declares it."""
    held, text = tree.child(node, "declarator"), literal_text(tree, tree.child(node, "default_value"))
    if held is not None and not _is_function(tree, held):
        facts.name(tree.render(core(tree, held)), text)


def _is_outermost(tree: Nodes, node: int) -> bool:
    """`a` of `a::b::c` is a name, `b` belongs to it."""
    around = tree.parent[node]
    if tree.kind[around].startswith("template_"):
        return tree.kind[tree.parent[around]] != "qualified_identifier" or tree.field[around] != "name"
    if tree.kind[around] != "qualified_identifier" or tree.field[node] != "scope":
        return False
    return not (tree.kind[tree.parent[around]] == "qualified_identifier" and tree.field[around] == "name")


def _neighbours(path: str, name: str) -> list[str]:
    """The header that goes with a source file."""
    stem, dot, suffix = path.rpartition(".")
    if not dot or suffix not in ("cpp", "cc", "cxx", "c++", "C") or not name:
        return []
    own = stem.rpartition("/")[2]
    places = [f"{stem}{ending}" for ending in (".h", ".hpp", ".hh", ".hxx")]
    places += [f"{root}{own}{ending}" for root in ("include/", "src/") for ending in (".h", ".hpp")]
    beside = join(folder(path), "..", "include", own + ".h")
    return [place for place in dict.fromkeys([*places, beside or ""]) if place and place != path]


CPP = evolve(
    C,
    **read_tables(
        "cpp",
        C,
        rules={
            "call_expression": _called,
            "catch_clause": _caught,
            "for_range_loop": _for_each,
            "field_declaration": _field,
            "if_statement": _condition,
            "switch_statement": _condition,
        },
    ),
    recognizes=_is_cpp,
    corrections={**C.corrections, "qualified_identifier": _settle_owner, "template_declaration": _settle_template},
    not_attribute=_is_outermost,
    **by_name(_refine, _header, _value, _neighbours),
)
