"""Describes configuration and document formats, whose keys, stages, targets and headings are symbols."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable

from memlsp.code.languages.language_tables import read_tables
from memlsp.code.languages.literals import quoted
from memlsp.code.syntax.facts import FactCollector
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.vocabulary import BytePatterns, word_sets
from memlsp.model.symbol import SymbolKind


def _outside_lists(*lists: str) -> Callable[[Nodes, int, SymbolKind], SymbolKind | None]:
    """A refinement that leaves keys inside lists to the key that holds the list: they have no name of their own."""
    return lambda tree, node, kind: kind if tree.closest(node, *lists) < 0 else None


# -- JSON, comments allowed


def _json_value(tree: Nodes, node: int, _name: int) -> int | None:
    found = tree.child(node, "value")
    return found if found is not None and tree.kind[found] != "object" else None


JSON = Language(
    **read_tables("json"),
    read_string=lambda raw: quoted(raw[1:-1]) if len(raw) >= 2 else raw,
    refine=_outside_lists("array"),
    value=_json_value,
)

# -- TOML


def _toml_string(raw: str) -> str:
    width = 3 if raw[:3] in ('"""', "'''") and len(raw) >= 6 else 1
    body = raw[width:-width]
    body = body.replace("\\", "\\\\") if raw[:1] == "'" else body
    return quoted(body.removeprefix("\r\n").removeprefix("\n") if width == 3 else body, continued=True)


def _toml_value(tree: Nodes, node: int, _name: int) -> int | None:
    if tree.kind[node] != "pair":
        return None
    held = list(tree.named(node))
    return held[-1] if len(held) > 1 and tree.kind[held[-1]] != "inline_table" else None


TOML = Language(**read_tables("toml"), read_string=_toml_string, refine=_outside_lists("array"), value=_toml_value)

# -- YAML


def _yaml_string(raw: str) -> str:
    if raw[:1] in "|>":
        style, _, body = raw.partition("\n")
        return style.split("#")[0].strip() + quoted(textwrap.dedent(body).rstrip())
    if raw[:1] == '"' and len(raw) >= 2:
        return quoted(raw[1:-1], continued=True)
    if raw[:1] == "'" and len(raw) >= 2:
        return quoted(raw[1:-1].replace("''", "'").replace("\\", "\\\\"))
    return quoted(raw.replace("\\", "\\\\"))


_RE = BytePatterns(__name__)
_WORDS = word_sets(__name__)
_DEEPEST = 150  # levels; the grammar's scanner keeps its indents in a fixed buffer and crashes beyond some 250
_NARROW = 70  # columns in which so many levels cannot be opened


def _yaml_unsafe(source: bytes) -> bool:
    """True when the blocks are nested so deeply that the grammar's scanner overruns its buffer."""
    levels: list[int] = []
    for found in _RE["indent"].finditer(source):
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


def _yaml_value(tree: Nodes, node: int, _name: int) -> int | None:
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
    unsafe=_yaml_unsafe,
    read_string=_yaml_string,
    refine=_outside_lists("block_sequence", "flow_sequence"),
    value=_yaml_value,
)

# -- Markdown: a belief can hang on a section of a document

MARKDOWN = Language(
    **read_tables("markdown"),
    # the indentation inside of lists and quotes, and lines that are only for the one who writes
    read_string=lambda raw: "\n".join(line.rstrip() for line in raw.strip("\n").splitlines()),
)

# -- Dockerfiles: stages, build arguments and variables, and the instructions by their own names

_DOCKER_VALUES = {"arg_instruction": "default", "env_pair": "value", "label_pair": "value"}


def _docker_value(tree: Nodes, node: int, _name: int) -> int | None:
    kind = tree.kind[node]
    if kind in _DOCKER_VALUES:
        return tree.child(node, _DOCKER_VALUES[kind])
    if kind == "from_instruction":
        return tree.first(node, "image_spec")
    held = list(tree.named(node))
    return held[0] if len(held) == 1 else None


def _image(tree: Nodes, node: int, _name: int) -> str:
    """The image of a stage, as it is written: its parts are nodes of their own."""
    spec = tree.first(node, "image_spec") if tree.kind[node] == "from_instruction" else None
    return "" if spec is None else tree.raw(spec)


def _docker_string(raw: str) -> str:
    if "\n" in raw or " " in raw.strip("\"'"):
        raw = " ".join(re.sub(r"\\\r?\n(?:[ \t]*#[^\n]*\n)*", " ", raw).split())
    return quoted(raw[1:-1]) if len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "\"'" else quoted(raw)


DOCKERFILE = Language(
    **read_tables("dockerfile"), read_string=_docker_string, value=_docker_value, implicit_value=_image
)

# -- Makefiles: targets and variables


def _make_refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    targets = tree.first(node, "targets") if kind is SymbolKind.FUNCTION else None
    return None if targets is not None and tree.raw(targets).strip() in _WORDS["directives"] else kind


def _needs(tree: Nodes, node: int, facts: FactCollector) -> None:
    """The prerequisites of a target are its calls."""
    facts.calls.extend(tree.raw(each) for each in tree.named(node))


MAKEFILE = Language(
    **read_tables("makefile", rules={"prerequisites": _needs}),
    refine=_make_refine,
    value=lambda tree, node, _name: tree.child(node, "value"),
)
