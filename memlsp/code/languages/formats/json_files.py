"""Describes JSON, comments allowed."""

from __future__ import annotations

from memlsp.code.languages.formats.keys import outside_lists
from memlsp.code.languages.language_tables import read_tables, wheel
from memlsp.code.languages.literals import decimal, quoted
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.nodes import Nodes


def _read_string(raw: str) -> str:
    return quoted(raw[1:-1]) if len(raw) >= 2 else raw


def _value(tree: Nodes, node: int, _name: int) -> int | None:
    found = tree.child(node, "value")
    return found if found is not None and tree.kind[found] != "object" else None


JSON = Language(
    **read_tables("json"),
    grammar=wheel("json"),
    read_string=_read_string,
    read_number=lambda raw: decimal(raw, floats_differ=False),
    refine=outside_lists("array"),
    value=_value,
)
