"""Reads the tables of a language: node kinds, names of locals and literals, from `tables/LANGUAGE.json`.

A key of a table is the name of a field of `Language`. A pair of a node kind and a field is one text, `call.method`;
`scopes` lists the kinds of each scope, and a binder without other options is the list of its fields. `rules` maps a
rule of `syntax.facts` with its arguments to the kinds of nodes that it reads. `field_rules` gives the children of some
kinds the fields that the grammar leaves out: by the place `first`, by the sign before (`'=`) or behind (`before =`), by
the child's own kind, and "" for any other child.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from operator import methodcaller
from pathlib import Path
from typing import Any, cast

import attrs

from memlsp.code.languages.literals import decimal
from memlsp.code.syntax import facts
from memlsp.code.syntax.language import Binder, FieldRule, Language
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.syntax.spacing import Notation

_TABLES = Path(__file__).with_name("tables")
_QUERIES = Path(__file__).with_name("queries")
_DEFAULT_STRINGS = Notation().strings


def read_tables(
    name: str, base: Language | None = None, rules: Mapping[str, facts.Rule] | None = None
) -> dict[str, Any]:
    """The fields of `Language` that a table gives, with `rules` of the language's own added to those of the table. With
    a `base`, sets and mappings are added to those of the base; texts, numbers and file suffixes replace them."""
    table = cast("dict[str, Any]", json.loads((_TABLES / f"{name}.json").read_text("utf-8")))
    types = {each.name: str(each.type) for each in attrs.fields(Language)}
    fields = {key: _READERS.get(types[key], lambda value: value)(value) for key, value in table.items() if key in types}
    fields["scopes"] = {kind: scope for scope, kinds in table.get("scopes", {}).items() for kind in kinds}
    queries = [_QUERIES / f"{each}.scm" for each in table.get("queries", [name])]
    fields["tags"] = lambda: "".join(each.read_text("utf-8") for each in queries)
    fields["rules"] = rules_of(table.get("rules", {})) | dict(rules or {})
    fields["grammar"] = wheel(*table["grammar"].split("."))
    if "doc_comment" in table:
        fields["doc_comment"] = methodcaller("startswith", tuple(table["doc_comment"]))
    if "read_number" in table:
        fields["read_number"] = partial(decimal, **table["read_number"])
    if base is None:
        fields.setdefault("literals", _literals(fields))
        return fields
    for key, value in fields.items():
        inherited = getattr(base, key)
        if isinstance(value, frozenset):
            fields[key] = inherited | value
        elif isinstance(value, dict):
            fields[key] = {**inherited, **value}
    return fields


def by_name(*functions: Callable[..., object]) -> dict[str, Any]:
    """Functions as the fields of `Language` that have their names, a `_` in front left out."""
    return {each.__name__.lstrip("_"): each for each in functions}


def _literals(fields: Mapping[str, Any]) -> frozenset[str]:
    """All kinds of literals, for a table that does not list them."""
    strings: frozenset[str] = fields.get("strings", _DEFAULT_STRINGS)
    return strings.union(*(fields.get(key, ()) for key in ("numbers", "constants", "joined_strings")))


def _pair(text: str) -> tuple[str, str]:
    parent, _, child = text.partition(".")
    return parent, child


def _tuples(table: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(value) for key, value in table.items()}


def _binders(table: dict[str, list[str] | dict[str, Any]]) -> dict[str, Binder]:
    binders: dict[str, Binder] = {}
    for kind, given in table.items():
        options: dict[str, Any] = {"fields": given} if isinstance(given, list) else given
        binders[kind] = Binder(tuple(options.pop("fields", ())), **options)
    return binders


def _field_rule(table: dict[str, str]) -> FieldRule:
    first, other = table.get("first"), table.get("", "")
    signs = {key[1:]: name for key, name in table.items() if key[:1] == "'"}
    behind = [(key[7:].encode(), name) for key, name in table.items() if key.startswith("before ")]

    def field_of(tree: Nodes, parent: int, child: int) -> str:
        if first is not None and child == parent + 1:
            return first
        sign = tree.sign_before(parent, child) if signs else ""
        if sign in signs:
            return signs[sign]
        for mark, name in behind:
            follows = tree.source[tree.end[child] : tree.end[child] + 40].lstrip()
            if follows.startswith(mark) and not follows.startswith(mark + b"="):
                return name
        return table.get(tree.kind[child], other)

    return field_of


def _apart(table: dict[str, list[str]]) -> dict[tuple[str, str], frozenset[str]]:
    return dict.fromkeys(map(_pair, table["where"]), frozenset(table["kinds"]))


def rules_of(table: dict[str, list[str]]) -> dict[str, facts.Rule]:
    """The rules by the kind of node; `table` has the kinds of each rule and its arguments, as in `named name value`."""
    rules: dict[str, facts.Rule] = {}
    for text, kinds in table.items():
        name, *arguments = text.split()
        rules.update(dict.fromkeys(kinds, _rule(getattr(facts, name), arguments)))
    return rules


def _rule(rule: Callable[..., None], arguments: list[str]) -> facts.Rule:
    return lambda tree, node, found: rule(tree, node, found, *arguments)


def wheel(module: str, function: str = "language") -> Callable[[], object]:
    """A function that loads a grammar from its wheel; call it only when a file of the language is read."""

    def load() -> object:
        pointer = cast("Callable[[], object]", getattr(import_module(f"tree_sitter_{module}"), function))()
        if not isinstance(pointer, int):
            return pointer
        # some wheels still give the bare address, where tree-sitter wants a capsule that says what it is
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return capsule(pointer, b"tree_sitter.Language", None)

    return load


_READERS: dict[str, Callable[[Any], object]] = {
    "_Kinds": frozenset,
    "frozenset[str]": frozenset,
    "tuple[str, ...]": tuple,
    "_Pairs": lambda texts: frozenset(map(_pair, texts)),
    "Mapping[str, tuple[str, ...]]": _tuples,
    "Mapping[str, tuple[str, str]]": _tuples,
    "Mapping[str, tuple[str, str, str]]": _tuples,
    "Mapping[str, Binder]": _binders,
    "Mapping[str, FieldRule]": lambda tables: {
        kind: _field_rule(table) for kinds, table in tables.items() for kind in kinds.split()
    },
    "Mapping[tuple[str, str], _Kinds]": _apart,
}
