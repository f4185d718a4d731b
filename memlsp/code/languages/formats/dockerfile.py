"""Describes Dockerfiles: stages, build arguments and variables, and the instructions by their own names."""

from __future__ import annotations

import re

from memlsp.code.languages.language_tables import read_tables, wheel
from memlsp.code.languages.literals import quoted
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.nodes import Nodes

_VALUES = {"arg_instruction": "default", "env_pair": "value", "label_pair": "value"}


def _value(tree: Nodes, node: int, _name: int) -> int | None:
    kind = tree.kind[node]
    if kind in _VALUES:
        return tree.child(node, _VALUES[kind])
    if kind == "from_instruction":
        return tree.first(node, "image_spec")
    held = list(tree.named(node))
    return held[0] if len(held) == 1 else None


def _image(tree: Nodes, node: int, _name: int) -> str:
    """The image of a stage, as it is written: its parts are nodes of their own."""
    spec = tree.first(node, "image_spec") if tree.kind[node] == "from_instruction" else None
    return "" if spec is None else tree.raw(spec)


def _read_string(raw: str) -> str:
    if "\n" in raw or " " in raw.strip("\"'"):
        raw = " ".join(re.sub(r"\\\r?\n(?:[ \t]*#[^\n]*\n)*", " ", raw).split())
    return quoted(raw[1:-1]) if len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "\"'" else quoted(raw)


DOCKERFILE = Language(
    **read_tables("dockerfile"),
    grammar=wheel("dockerfile"),
    read_string=_read_string,
    value=_value,
    implicit_value=_image,
)
