"""TOML."""

from __future__ import annotations

from memlsp.code.languages.formats.keys import LARGEST, outside_lists
from memlsp.code.languages.literals import decimal, quoted
from memlsp.code.syntax.facts import literal
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.tree import Tree

TAGS = """
(table [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
(table_array_element [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
(pair . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
"""


def _grammar() -> object:
    import tree_sitter_toml  # only when a TOML file is read

    return tree_sitter_toml.language()


def _read_string(raw: str) -> str:
    width = 3 if raw[:3] in ('"""', "'''") and len(raw) >= 6 else 1
    body = raw[width:-width]
    body = body.replace("\\", "\\\\") if raw[:1] == "'" else body
    return quoted(body.removeprefix("\r\n").removeprefix("\n") if width == 3 else body, continued=True)


def _value(tree: Tree, node: int, _name: int) -> int | None:
    if tree.kind[node] != "pair":
        return None
    held = list(tree.named(node))
    return held[-1] if len(held) > 1 and tree.kind[held[-1]] != "inline_table" else None


TOML = Language(
    name="toml",
    suffixes=(".toml",),
    filenames=("Pipfile", "Cargo.lock", "poetry.lock", "uv.lock"),
    grammar=_grammar,
    tags=TAGS,
    largest=LARGEST,
    punctuation=frozenset("()[]{},;:=.") | {"[[", "]]"},
    folded=frozenset({"quoted_key"}),
    read_string=_read_string,
    numbers=frozenset({"integer", "float"}),
    read_number=lambda raw: decimal(raw, floats_differ=True),
    constants={"boolean": ""},
    refine=outside_lists("array"),
    value=_value,
    value_only=True,
    rules=dict.fromkeys(("string", "integer", "float", "boolean", "local_date", "offset_date_time"), literal),
)
