"""Makefiles: targets and variables."""

from __future__ import annotations

from memlsp.code.languages.formats.keys import LARGEST
from memlsp.code.syntax.facts import FactCollector, literal
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.tree import Tree
from memlsp.model.symbol import SymbolKind

TAGS = """
(rule (targets (word) @name)) @definition.function
(variable_assignment name: (word) @name) @definition.key
(define_directive name: (word) @name) @definition.key
"""
_DIRECTIVES = frozenset(
    {
        ".PHONY",
        ".SUFFIXES",
        ".DEFAULT",
        ".PRECIOUS",
        ".INTERMEDIATE",
        ".SECONDARY",
        ".NOTPARALLEL",
        ".DELETE_ON_ERROR",
        ".IGNORE",
        ".SILENT",
        ".EXPORT_ALL_VARIABLES",
        ".ONESHELL",
        ".POSIX",
    }
)


def _grammar() -> object:
    import tree_sitter_make  # only when a Makefile is read

    return tree_sitter_make.language()


def _refine(tree: Tree, node: int, kind: SymbolKind) -> SymbolKind | None:
    if kind is SymbolKind.FUNCTION:
        targets = tree.first(node, "targets")
        if targets is not None and tree.raw(targets).strip() in _DIRECTIVES:
            return None
    return kind


def _value(tree: Tree, node: int, _name: int) -> int | None:
    return tree.child(node, "value")


def _needs(tree: Tree, node: int, facts: FactCollector) -> None:
    """What has to be made before is what a target calls."""
    facts.calls.extend(tree.raw(each) for each in tree.named(node))


MAKEFILE = Language(
    name="makefile",
    suffixes=(".mk", ".mak"),
    filenames=("Makefile", "makefile", "GNUmakefile", "BSDmakefile"),
    grammar=_grammar,
    tags=TAGS,
    largest=LARGEST,
    interpreters=("make",),
    wrappings=frozenset(),
    punctuation=frozenset({"\n", "\t", ":"}),
    identifiers=frozenset(),
    folded=frozenset({"text", "raw_text"}),
    strings=frozenset(),
    refine=_refine,
    value=_value,
    rules={"prerequisites": _needs, "text": literal, "raw_text": literal},
)
