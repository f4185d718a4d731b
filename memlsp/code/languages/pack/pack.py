"""The long tail: languages of the `languages` extra (tree-sitter-language-pack), read at the level of definitions.

Their definitions are written down in `pack_tags`; what comments and literals are is read from the names of the
grammar's nodes when a file of the language is first read. Names of locals are kept as they are, so renaming one is a
change.

Languages are listed one by one: the pack also carries grammars that crash or hang on hostile text (cobol, typst, v,
bicep, fsharp, gleam, pony), and formats that are no code.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from typing import Any, cast

import tree_sitter

from memlsp.code.languages.formats.keys import LARGEST
from memlsp.code.languages.pack.tags import TAGS
from memlsp.code.syntax.facts import literal
from memlsp.code.syntax.language import Language

_SUFFIXES = {
    ".as": "actionscript", ".adb": "ada", ".ads": "ada", ".apex": "apex", ".ino": "arduino",
    ".bb": "bitbake", ".bbclass": "bitbake", ".cairo": "cairo", ".clj": "clojure", ".cljs": "clojure",
    ".cljc": "clojure", ".edn": "clojure", ".cmake": "cmake", ".lisp": "commonlisp", ".css": "css", ".cu": "cuda",
    ".cuh": "cuda", ".d": "d", ".dart": "dart", ".el": "elisp", ".ex": "elixir", ".exs": "elixir", ".elm": "elm",
    ".erl": "erlang", ".hrl": "erlang", ".fish": "fish", ".f90": "fortran", ".f95": "fortran", ".f03": "fortran",
    ".gd": "gdscript", ".glsl": "glsl", ".vert": "glsl", ".frag": "glsl", ".graphql": "graphql", ".gql": "graphql",
    ".ha": "hare", ".hs": "haskell", ".hx": "haxe", ".hcl": "hcl",
    ".hlsl": "hlsl", ".ini": "ini", ".cfg": "ini", ".jl": "julia", ".lua": "lua", ".luau": "luau", ".m": "objc",
    ".mm": "objc", ".ml": "ocaml", ".mli": "ocaml_interface", ".nim": "nim", ".nix": "nix", ".odin": "odin",
    ".pas": "pascal", ".pl": "perl", ".pm": "perl", ".ps1": "powershell", ".psm1": "powershell",
    ".properties": "properties", ".proto": "proto", ".pp": "puppet", ".purs": "purescript", ".r": "r",
    ".rego": "rego", ".scala": "scala", ".sc": "scala", ".sbt": "scala",
    ".scss": "scss", ".smithy": "smithy", ".sol": "solidity", ".sql": "sql", ".nut": "squirrel", ".bzl": "starlark",
    ".star": "starlark", ".swift": "swift", ".tcl": "tcl", ".tf": "terraform", ".tfvars": "terraform",
    ".thrift": "thrift", ".sv": "verilog", ".verilog": "verilog", ".vhd": "vhdl", ".vhdl": "vhdl", ".vim": "vim",
    ".wgsl": "wgsl", ".zig": "zig",
}  # fmt: skip
_FILENAMES = {
    "CMakeLists.txt": "cmake", "BUILD": "starlark", "BUILD.bazel": "starlark", "WORKSPACE": "starlark",
    "MODULE.bazel": "starlark", "setup.cfg": "ini", "tox.ini": "ini", ".editorconfig": "ini",
    ".gitconfig": "ini", ".vimrc": "vim",
}  # fmt: skip

_NUMBER = re.compile(r"^(?:\w+_)?(?:number|integer|float|decimal|int|numeric)(?:_literal|_lit|_scalar|_value)?$")
_STRING = re.compile(r"^(?:\w+_)?string(?:_literal|_lit|_value|_constant)?$")


def is_installed() -> bool:
    """True when the extra is there."""
    return _found()


def pack_language(name: str) -> Language | None:
    """The description of the language of a file, by the file's name alone; None when it is not of the extra, or the
    extra is not installed."""
    known = _FILENAMES.get(name)
    if known is None:
        _, dot, suffix = name.rpartition(".")
        known = _SUFFIXES.get(f".{suffix.lower()}") if dot else None
    return described(known) if known is not None and is_installed() else None


def names() -> tuple[str, ...]:
    """The languages that can be described, sorted."""
    return tuple(sorted({*_SUFFIXES.values(), *_FILENAMES.values()}))


@cache
def _found() -> bool:
    return find_spec("tree_sitter_language_pack") is not None


@cache
def described(name: str) -> Language | None:
    """The description of one language of the extra, made from its grammar. None when the grammar cannot be loaded."""
    try:
        binding = _loaded(name)
        grammar = tree_sitter.Language(binding)
        tree_sitter.Query(grammar, TAGS[name])  # another version of the pack may have other nodes
    except (LookupError, ImportError, OSError, ValueError, tree_sitter.QueryError):
        return None
    kinds = {
        kind
        for number in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(number) and (kind := grammar.node_kind_for_id(number))
    }
    numbers = frozenset(kind for kind in kinds if _NUMBER.match(kind))
    strings = frozenset(kind for kind in kinds if _STRING.match(kind))
    return Language(
        name=name,
        suffixes=tuple(suffix for suffix, language in _SUFFIXES.items() if language == name),
        grammar=lambda: binding,
        tags=TAGS[name],
        largest=LARGEST,
        comments=frozenset(kind for kind in kinds if "comment" in kind),
        wrappings=frozenset(kind for kind in kinds if kind in ("parenthesized_expression", "parens")),
        strings=frozenset(),
        solid=numbers | strings,
        identifiers=frozenset(kind for kind in kinds if kind == "identifier"),
        rules=dict.fromkeys((*numbers, *strings), literal),
    )


def _loaded(name: str) -> object:
    # an extra, and only when such a file is read; its type names the languages one by one
    import tree_sitter_language_pack as pack

    return pack.get_binding(cast("Any", name))
