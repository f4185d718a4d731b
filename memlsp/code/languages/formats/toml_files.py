"""Describes TOML."""

from __future__ import annotations

from memlsp.code.languages.formats.keys import outside_lists
from memlsp.code.languages.language_tables import read_tables, wheel
from memlsp.code.languages.literals import decimal, quoted
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.nodes import Nodes


def _read_string(raw: str) -> str:
    width = 3 if raw[:3] in ('"""', "'''") and len(raw) >= 6 else 1
    body = raw[width:-width]
    body = body.replace("\\", "\\\\") if raw[:1] == "'" else body
    return quoted(body.removeprefix("\r\n").removeprefix("\n") if width == 3 else body, continued=True)


def _value(tree: Nodes, node: int, _name: int) -> int | None:
    if tree.kind[node] != "pair":
        return None
    held = list(tree.named(node))
    return held[-1] if len(held) > 1 and tree.kind[held[-1]] != "inline_table" else None


TOML = Language(
    **read_tables("toml"),
    grammar=wheel("toml"),
    read_string=_read_string,
    read_number=lambda raw: decimal(raw, floats_differ=True),
    refine=outside_lists("array"),
    value=_value,
)
