"""Describes YAML."""

from __future__ import annotations

import re
import textwrap

from memlsp.code.languages.formats.keys import outside_lists
from memlsp.code.languages.language_tables import read_tables, wheel
from memlsp.code.languages.literals import decimal, quoted
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.nodes import Nodes


def _read_string(raw: str) -> str:
    if raw[:1] in "|>":
        style, _, body = raw.partition("\n")
        return style.split("#")[0].strip() + quoted(textwrap.dedent(body).rstrip())
    if raw[:1] == '"' and len(raw) >= 2:
        return quoted(raw[1:-1], continued=True)
    if raw[:1] == "'" and len(raw) >= 2:
        return quoted(raw[1:-1].replace("''", "'").replace("\\", "\\\\"))
    return quoted(raw.replace("\\", "\\\\"))


_INDENT = re.compile(rb"^ *(?:[-?:] +)*", re.MULTILINE)
_DEEPEST = 150  # levels; the grammar's scanner keeps its indents in a fixed buffer and crashes beyond some 250
_NARROW = 70  # columns in which so many levels cannot be opened


def _unsafe(source: bytes) -> bool:
    """True when the blocks are nested so deeply that the grammar's scanner overruns its buffer."""
    levels: list[int] = []
    for found in _INDENT.finditer(source):
        prefix = found[0]
        if len(prefix) < _NARROW:
            levels.clear()
            continue
        indent = len(prefix) - len(prefix.lstrip(b" "))
        while levels and levels[-1] >= indent:
            levels.pop()
        levels.append(indent)
        if len(levels) + _NARROW + len(prefix[indent:].split()) > _DEEPEST:
            return True
    return False


def _value(tree: Nodes, node: int, _name: int) -> int | None:
    found = tree.child(node, "value")
    if found is None:
        return None
    while tree.kind[found] in ("block_node", "flow_node", "plain_scalar"):
        held = [child for child in tree.named(found) if tree.kind[child] not in ("anchor", "tag")]
        if not held:
            break
        found = held[-1]
    return None if tree.kind[found] in ("block_mapping", "flow_mapping") else found


YAML = Language(
    **read_tables("yaml"),
    grammar=wheel("yaml"),
    unsafe=_unsafe,
    read_string=_read_string,
    read_number=lambda raw: decimal(raw, floats_differ=True),
    refine=outside_lists("block_sequence", "flow_sequence"),
    value=_value,
)
