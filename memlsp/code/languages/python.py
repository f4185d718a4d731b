"""Python."""

from __future__ import annotations

import re
import sys

from memlsp.code.languages.literals import decimal, quoted
from memlsp.code.syntax.facts import (
    FactCollector,
    call,
    condition,
    dotted,
    entry,
    literal,
    literal_text,
    looped,
    named,
    returned,
)
from memlsp.code.syntax.language import Binder, Header, Language
from memlsp.code.syntax.tree import Tree
from memlsp.code.workspace.imports import Import
from memlsp.code.workspace.paths import ancestors, folder, join
from memlsp.model.symbol import Parameter, SymbolKind

TAGS = """
(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(assignment left: (identifier) @name) @definition.constant
(assignment left: (pattern_list (identifier) @name)) @definition.constant
(assignment left: (tuple_pattern (identifier) @name)) @definition.constant
(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.type
"""

_PREFIX = re.compile(r"[A-Za-z]*")
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def _grammar() -> object:
    import tree_sitter_python  # only when a Python file is read

    return tree_sitter_python.language()


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


def _read_number(raw: str) -> tuple[str, str]:
    return decimal(raw.lower(), floats_differ=True)


def _is_docstring(tree: Tree, node: int) -> bool:
    """A string that stands alone as a statement: it does nothing at run time."""
    inner = tree.inner(node + 1)
    return tree.after[node] == tree.after[node + 1] and tree.kind[inner] in ("string", "concatenated_string")


def _idle(tree: Tree, node: int, in_class: bool) -> bool:
    kind = tree.kind[node]
    if kind == "pass_statement":
        return True
    # A bare declaration `x: int` does something only in a class body.
    return not in_class and tree.child(node, "type") is not None and tree.child(node, "right") is None


def _refine(tree: Tree, node: int, kind: SymbolKind) -> SymbolKind | None:
    if kind is SymbolKind.CLASS:
        bases = tree.child(node, "superclasses")
        if bases is not None and any(tree.render(base).rpartition(".")[2] in _ENUMS for base in tree.children(bases)):
            return SymbolKind.ENUM
    return kind


def _parameters(tree: Tree, node: int) -> tuple[Parameter, ...]:
    found = tree.child(node, "parameters")
    if found is None:
        return ()
    out: list[Parameter] = []
    for child in tree.children(found):
        kind = tree.kind[child]
        if kind in ("default_parameter", "typed_default_parameter"):
            name = tree.render(tree.child(child, "name"))
            out.append(Parameter(name, _type(tree, child), tree.render(tree.child(child, "value"))))
        elif kind == "typed_parameter":
            out.append(Parameter(tree.render(child + 1), _type(tree, child)))
        elif kind in ("identifier", "list_splat_pattern", "dictionary_splat_pattern", "tuple_pattern"):
            out.append(Parameter(tree.render(child)))
        elif kind in ("keyword_separator", "positional_separator"):
            out.append(Parameter("*" if kind == "keyword_separator" else "/"))
    return tuple(out)


def _type(tree: Tree, node: int) -> str | None:
    found = tree.child(node, "type")
    return None if found is None else tree.render(found)


def _header(tree: Tree, node: int, root: int) -> Header:
    decorators = tuple(
        tree.render_range(child + 2, tree.after[child])
        for child in tree.children(root)
        if tree.kind[root] == "decorated_definition" and tree.kind[child] == "decorator"
    )
    kind = tree.kind[node]
    if kind == "function_definition":
        result = tree.child(node, "return_type")
        modifiers = ("async",) if tree.text[node + 1] == "async" else ()
        return Header(_parameters(tree, node), None if result is None else tree.render(result), modifiers, decorators)
    if kind == "class_definition":
        bases = tree.child(node, "superclasses")
        listed = () if bases is None else tuple(tree.render(base) for base in tree.named(bases))
        return Header(decorators=decorators, bases=listed)
    return Header(return_type=_type(tree, node))


def _is_field(tree: Tree, node: int) -> bool:
    """Annotated names of a class are fields in their order (dataclasses, attrs, pydantic); others are its constants."""
    return tree.child(node, "type") is not None


def _fields_make(tree: Tree, node: int) -> bool:
    body = tree.child(node, "body")
    return body is not None and all(
        tree.text[name] != "__init__"
        for child in tree.children(body)
        if tree.kind[child] == "function_definition" and (name := tree.child(child, "name")) is not None
    )


def _value(tree: Tree, node: int, name: int) -> int | None:
    right = tree.child(node, "right")
    while right is not None and tree.kind[right] == "assignment":
        right = tree.child(right, "right")
    left = tree.child(node, "left")
    if right is None or left is None or left == name:
        return right
    names = list(tree.named(left))
    values = list(tree.named(right)) if tree.kind[right] in ("expression_list", "tuple") else []
    if len(names) == len(values) and name in names:
        return values[names.index(name)]
    return right


def _raised(tree: Tree, node: int, facts: FactCollector) -> None:
    for child in tree.named(node):
        held = tree.inner(child)
        callee = tree.child(held, "function") if tree.kind[held] == "call" else held
        if callee is not None and tree.field[child] != "cause":
            facts.raises.append(dotted(tree, callee))
            return


def _caught(tree: Tree, node: int, facts: FactCollector) -> None:
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


def _ternary(tree: Tree, node: int, facts: FactCollector) -> None:
    children = list(tree.children(node))
    if len(children) >= 3:
        facts.conditions.append(tree.render(tree.inner(children[2])))


def _behind_keyword(tree: Tree, node: int, facts: FactCollector) -> None:
    children = list(tree.children(node))
    if len(children) >= 2:
        facts.conditions.append(tree.render(tree.inner(children[1])))


def _assigned(tree: Tree, node: int, facts: FactCollector) -> None:
    left, value = tree.child(node, "left"), literal_text(tree, tree.child(node, "right"))
    if left is not None and value is not None:
        named("left", "right")(tree, node, facts)


def _while(tree: Tree, node: int, facts: FactCollector) -> None:
    condition("condition")(tree, node, facts)
    looped("while", "condition")(tree, node, facts)


def _read_import(tree: Tree, node: int) -> tuple[Import, ...]:
    line = tree.line(tree.start[node])
    module = tree.child(node, "module_name")
    source = tree.render(module) if module is not None else ""
    if tree.kind[node] == "future_import_statement":
        source = "__future__"
    out: list[Import] = []
    for child in tree.children(node):
        if tree.kind[child] == "wildcard_import":
            out.append(Import("", source, "*", line))
        if tree.field[child] != "name":
            continue
        alias = tree.child(child, "alias") if tree.kind[child] == "aliased_import" else None
        name = tree.child(child, "name") if tree.kind[child] == "aliased_import" else child
        text = tree.render(name)
        if source:
            out.append(Import(tree.render(alias) or text, source, text, line))
        elif alias is not None:
            out.append(Import(tree.render(alias), text, None, line))
        else:
            out.append(Import(text, text, None, line))
    return tuple(out)


def _locate(path: str, module: str, name: str | None) -> list[tuple[str, tuple[str, ...]]]:
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
            return []
        roots = list(dict.fromkeys([*reversed(ancestors(path)), "src"]))
    wanted = (name,) if name and name != "*" else ()
    out: list[tuple[str, tuple[str, ...]]] = []
    for root in roots:
        place = join(root, tail)
        if place is None:
            continue
        if tail:
            out.append((f"{place}.py", wanted))
        inside = f"{place}/" if place else ""
        out.append((f"{inside}__init__.py", wanted))
        if name and name != "*":
            out.append((f"{inside}{name}.py", ()))
    return out


PYTHON = Language(
    name="python",
    suffixes=(".py", ".pyi", ".pyw"),
    interpreters=("python", "python3"),
    filenames=("SConstruct", "wscript"),
    grammar=_grammar,
    tags=TAGS,
    comments=frozenset({"comment", "line_continuation"}),
    husks=frozenset({"typed_parameter"}),
    idle_kinds=frozenset({"pass_statement", "assignment"}),
    idle=_idle,
    punctuation=frozenset("()[]{},;:") | {"->"},
    telling=frozenset({("slice", ":")}),
    hints=frozenset(
        {
            ("typed_parameter", "type"),
            ("typed_default_parameter", "type"),
            ("function_definition", "return_type"),
            ("assignment", "type"),
        }
    ),
    same_kinds={
        "expression_list": "tuple",
        "pattern_list": "tuple",
        "tuple_pattern": "tuple",
        "typed_default_parameter": "default_parameter",
    },
    empty_ok=frozenset({("class_definition", "argument_list")}),
    docstring=_is_docstring,
    pieces=frozenset({"string_start", "string_content", "string_end"}),
    interpolated=_interpolated,
    read_string=_read_string,
    read_piece=_read_piece,
    joined_strings=frozenset({"concatenated_string"}),
    numbers=frozenset({"integer", "float"}),
    read_number=_read_number,
    constants={"true": "True", "false": "False", "none": "None"},
    attributes=frozenset(
        {
            ("attribute", "attribute"),
            ("keyword_argument", "name"),
            ("keyword_pattern", ""),
        }
    ),
    selves=frozenset({"self", "cls"}),
    scopes={
        "function_definition": "function",
        "lambda": "function",
        "class_definition": "class",
        "list_comprehension": "block",
        "set_comprehension": "block",
        "dictionary_comprehension": "block",
        "generator_expression": "block",
    },
    outside=frozenset(
        {
            ("function_definition", "name"),
            ("class_definition", "name"),
            ("class_definition", "superclasses"),
            ("default_parameter", "value"),
            ("typed_default_parameter", "value"),
        }
    ),
    binders={
        "parameters": Binder(),
        "lambda_parameters": Binder(),
        "assignment": Binder(("left",), "function"),
        "augmented_assignment": Binder(("left",), "function"),
        "named_expression": Binder(("name",), "function"),
        "for_statement": Binder(("left",), "function"),
        "for_in_clause": Binder(("left",)),
        "as_pattern_target": Binder((), "function"),
        "function_definition": Binder(("name",), "outside"),
        "class_definition": Binder(("name",), "outside"),
        "case_pattern": Binder((), "function"),
        "splat_pattern": Binder((), "function"),
        "keyword_pattern": Binder((), "function"),
        "global_statement": Binder(),
        "nonlocal_statement": Binder(),
    },
    undeclared={"global_statement": True, "nonlocal_statement": False},
    patterns={
        "tuple_pattern": (),
        "list_pattern": (),
        "pattern_list": (),
        "list_splat_pattern": (),
        "dictionary_splat_pattern": (),
        "list_splat": (),
        "tuple": (),
        "list": (),
        "expression_list": (),
        "parenthesized_expression": (),
        "as_pattern_target": (),
        "dotted_name": ("sole",),
        "typed_parameter": ("first",),
        "default_parameter": ("name",),
        "typed_default_parameter": ("name",),
    },
    chains={"attribute": ("object", "attribute")},
    subscripts={"subscript": ("value", "subscript")},
    wrappers=frozenset({"decorated_definition", "expression_statement"}),
    refine=_refine,
    header=_header,
    value=_value,
    value_only=True,
    fields=_is_field,
    fields_make=_fields_make,
    apart={
        where: frozenset(
            {
                "function_definition",
                "class_definition",
                "decorated_definition",
                "expression_statement",
                "type_alias_statement",
            }
        )
        for where in (
            ("", "module"),
            ("class_definition", "block"),
            ("if_statement", "block"),
            ("else_clause", "block"),
            ("try_statement", "block"),
            ("except_clause", "block"),
        )
    },
    constructors=frozenset({"__init__", "__new__"}),
    named_parameters=True,
    rules={
        "call": call("function"),
        "raise_statement": _raised,
        "except_clause": _caught,
        "except_group_clause": _caught,
        "if_statement": condition("condition"),
        "elif_clause": condition("condition"),
        "while_statement": _while,
        "conditional_expression": _ternary,
        "assert_statement": _behind_keyword,
        "if_clause": _behind_keyword,
        "for_statement": looped("for", "left", "'in", "right"),
        "for_in_clause": looped("for", "left", "'in", "right"),
        "return_statement": returned,
        "yield": returned,
        "string": literal,
        "concatenated_string": literal,
        "integer": literal,
        "float": literal,
        "true": literal,
        "false": literal,
        "none": literal,
        "keyword_argument": named("name", "value"),
        "assignment": _assigned,
        "pair": entry("pair", "key", "value"),
    },
    imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    read_import=_read_import,
    locate=_locate,
)
