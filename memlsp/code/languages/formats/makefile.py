"""Describes Makefiles: targets and variables."""

from __future__ import annotations

from memlsp.code.languages.language_tables import read_tables, wheel
from memlsp.code.syntax.facts import FactCollector
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.nodes import Nodes
from memlsp.model.symbol import SymbolKind

_DIRECTIVES = frozenset({
    ".PHONY", ".SUFFIXES", ".DEFAULT", ".PRECIOUS", ".INTERMEDIATE", ".SECONDARY", ".NOTPARALLEL", ".DELETE_ON_ERROR",
    ".IGNORE", ".SILENT", ".EXPORT_ALL_VARIABLES", ".ONESHELL", ".POSIX",
})  # fmt: skip


def _refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    if kind is SymbolKind.FUNCTION:
        targets = tree.first(node, "targets")
        if targets is not None and tree.raw(targets).strip() in _DIRECTIVES:
            return None
    return kind


def _value(tree: Nodes, node: int, _name: int) -> int | None:
    return tree.child(node, "value")


def _needs(tree: Nodes, node: int, facts: FactCollector) -> None:
    """The prerequisites of a target are its calls."""
    facts.calls.extend(tree.raw(each) for each in tree.named(node))


MAKEFILE = Language(
    **read_tables("makefile"),
    grammar=wheel("make"),
    refine=_refine,
    value=_value,
    rules={"prerequisites": _needs},
)
