"""JSON, with comments where people put them."""

from __future__ import annotations

from memlsp.code.languages.formats.keys import LARGEST, outside_lists
from memlsp.code.languages.literals import decimal, quoted
from memlsp.code.syntax.facts import literal
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.tree import Tree


def _grammar() -> object:
    import tree_sitter_json  # only when a JSON file is read

    return tree_sitter_json.language()


def _read_string(raw: str) -> str:
    return quoted(raw[1:-1]) if len(raw) >= 2 else raw


def _value(tree: Tree, node: int, _name: int) -> int | None:
    found = tree.child(node, "value")
    return found if found is not None and tree.kind[found] != "object" else None


JSON = Language(
    name="json",
    suffixes=(".json", ".jsonc", ".json5", ".webmanifest"),
    filenames=(".prettierrc", ".eslintrc", ".babelrc"),
    grammar=_grammar,
    tags="(pair key: (string) @name) @definition.key",
    largest=LARGEST,
    read_string=_read_string,
    numbers=frozenset({"number"}),
    read_number=lambda raw: decimal(raw, floats_differ=False),
    constants={"true": "true", "false": "false", "null": "null"},
    refine=outside_lists("array"),
    value=_value,
    value_only=True,
    rules=dict.fromkeys(("string", "number", "true", "false", "null"), literal),
)
