"""Dockerfiles: stages, build arguments and variables, and the instructions by their own names."""

from __future__ import annotations

import re
from typing import cast

from memlsp.code.languages.formats.keys import LARGEST
from memlsp.code.languages.literals import quoted
from memlsp.code.syntax.facts import literal
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.tree import Tree

TAGS = """
(from_instruction as: (image_alias) @name) @definition.key
(from_instruction (image_spec name: (image_name) @name) !as) @definition.key
(arg_instruction name: (_) @name) @definition.key
(env_pair name: (_) @name) @definition.key
(label_pair key: (_) @name) @definition.key
(run_instruction "RUN" @name) @definition.key
(cmd_instruction "CMD" @name) @definition.key
(entrypoint_instruction "ENTRYPOINT" @name) @definition.key
(expose_instruction "EXPOSE" @name) @definition.key
(user_instruction "USER" @name) @definition.key
(workdir_instruction "WORKDIR" @name) @definition.key
(volume_instruction "VOLUME" @name) @definition.key
(copy_instruction "COPY" @name) @definition.key
(add_instruction "ADD" @name) @definition.key
(healthcheck_instruction "HEALTHCHECK" @name) @definition.key
(shell_instruction "SHELL" @name) @definition.key
(stopsignal_instruction "STOPSIGNAL" @name) @definition.key
"""
_VALUES = {"arg_instruction": "default", "env_pair": "value", "label_pair": "value"}


def _grammar() -> object:
    import ctypes

    import tree_sitter_dockerfile  # only when a Dockerfile is read

    # this wheel still gives the bare address, where tree-sitter wants a capsule that says what it is
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    found = cast("object", tree_sitter_dockerfile.language())
    return capsule(found, b"tree_sitter.Language", None) if isinstance(found, int) else found


def _value(tree: Tree, node: int, _name: int) -> int | None:
    kind = tree.kind[node]
    if kind in _VALUES:
        return tree.child(node, _VALUES[kind])
    if kind == "from_instruction":
        return tree.first(node, "image_spec")
    held = list(tree.named(node))
    return held[0] if len(held) == 1 else None


def _image(tree: Tree, node: int, _name: int) -> str:
    """The image of a stage, as it is written: its parts are nodes of their own."""
    spec = tree.first(node, "image_spec") if tree.kind[node] == "from_instruction" else None
    return "" if spec is None else tree.raw(spec)


def _read_string(raw: str) -> str:
    if "\n" in raw or " " in raw.strip("\"'"):
        raw = " ".join(re.sub(r"\\\r?\n(?:[ \t]*#[^\n]*\n)*", " ", raw).split())
    return quoted(raw[1:-1]) if len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "\"'" else quoted(raw)


DOCKERFILE = Language(
    name="dockerfile",
    suffixes=(".dockerfile", ".containerfile"),
    filenames=("Dockerfile", "Containerfile", "dockerfile"),
    grammar=_grammar,
    tags=TAGS,
    largest=LARGEST,
    comments=frozenset({"comment", "line_continuation"}),
    wrappings=frozenset(),
    punctuation=frozenset("[],=") | {"\n"},
    solid=frozenset({"image_tag", "image_digest", "param", "expose_port"}),
    strings=frozenset(
        {"shell_command", "json_string", "double_quoted_string", "single_quoted_string", "unquoted_string"}
    ),
    read_string=_read_string,
    identifiers=frozenset(),
    value=_value,
    implicit=_image,
    rules=dict.fromkeys(
        (
            "shell_command",
            "unquoted_string",
            "double_quoted_string",
            "single_quoted_string",
            "json_string",
            "expose_port",
            "image_tag",
        ),
        literal,
    ),
)
