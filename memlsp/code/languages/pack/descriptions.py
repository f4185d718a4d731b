"""The languages of the `languages` extra (tree-sitter-language-pack), read at the level of definitions.

`tags.scm` has their tag queries and `files.json` their file names; the names of the grammar's nodes identify comments
and literals when a file of the language is first read. Names of locals are kept, so renaming one is a change.

Languages are listed one by one: the pack also carries grammars that crash or hang on hostile text (cobol, typst, v,
bicep, fsharp, gleam, pony), and formats that are no code.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import tree_sitter

from memlsp.code.syntax.language import Language

_FOLDER = Path(__file__).parent
_FILES = cast("dict[str, dict[str, str]]", json.loads((_FOLDER / "files.json").read_text("utf-8")))
_SUFFIXES, _FILENAMES = _FILES["suffixes"], _FILES["filenames"]

_LARGEST = 512 * 1024  # bytes; beyond, a file is data and not code
_NUMBER = re.compile(r"^(?:\w+_)?(?:number|integer|float|decimal|int|numeric)(?:_literal|_lit|_scalar|_value)?$")
_STRING = re.compile(r"^(?:\w+_)?string(?:_literal|_lit|_value|_constant)?$")


def pack_language(name: str) -> Language | None:
    """The description of a file's language, by the file's name alone. None when the language is not of the extra, or
    the extra is not installed."""
    known = _FILENAMES.get(name)
    if known is None:
        _, dot, suffix = name.rpartition(".")
        known = _SUFFIXES.get(f".{suffix.lower()}") if dot else None
    return described(known) if known is not None and is_installed() else None


def names() -> tuple[str, ...]:
    """The languages that can be described, sorted."""
    return tuple(sorted({*_SUFFIXES.values(), *_FILENAMES.values()}))


@cache
def is_installed() -> bool:
    """True when the extra is installed."""
    return find_spec("tree_sitter_language_pack") is not None


@cache
def pack_tags() -> dict[str, str]:
    """The tag query of each language."""
    sections = (_FOLDER / "tags.scm").read_text("utf-8").split("\n;; ")[1:]
    return {name: query for name, _, query in (section.partition("\n") for section in sections)}


@cache
def described(name: str) -> Language | None:
    """The description of one language of the extra, made from its grammar. None when the grammar cannot be loaded."""
    try:
        binding, tags = _loaded(name), pack_tags()[name]
        grammar = tree_sitter.Language(binding)
        tree_sitter.Query(grammar, tags)  # another version of the pack may have other nodes
    except (LookupError, ImportError, OSError, ValueError, tree_sitter.QueryError):
        return None
    kinds = {
        kind
        for number in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(number) and (kind := grammar.node_kind_for_id(number))
    }
    literals = frozenset(kind for kind in kinds if _NUMBER.match(kind) or _STRING.match(kind))
    return Language(
        name=name,
        suffixes=tuple(suffix for suffix, language in _SUFFIXES.items() if language == name),
        grammar=lambda: binding,
        tags=lambda: tags,
        largest=_LARGEST,
        comments=frozenset(kind for kind in kinds if "comment" in kind),
        wrappings=frozenset(kinds & {"parenthesized_expression", "parens"}),
        strings=frozenset(),
        leaf_kinds=literals,
        literals=literals,
        identifiers=frozenset(kinds & {"identifier"}),
    )


def _loaded(name: str) -> object:
    # an extra, and only when such a file is read; its type names the languages one by one
    import tree_sitter_language_pack as pack

    return pack.get_binding(cast("Any", name))
