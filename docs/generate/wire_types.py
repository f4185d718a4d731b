"""Writes vscode-extension/src/wire.ts from the types that `faces.lsp.requests.wire` reads:
`python -m docs.generate.wire_types`.

`--check` only compares. A test compares too, so the extension cannot lag behind the server.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path

from memlsp.faces.lsp.requests import wire

PLACE = Path(__file__).resolve().parents[2] / "vscode-extension" / "src" / "wire.ts"

_HEAD = """// Written by `python -m docs.generate.wire_types` from wire_answers.toml and wire_params.toml in
// memlsp/faces/lsp/requests/. Do not edit.
"""

_SIMPLE: dict[object, str] = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def written() -> str:
    """The whole module."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    aliases: dict[str, object] = {}
    for name, value in wire.wire_types().items():
        if typing.is_typeddict(value):
            yield from _interface(name, value, aliases)
        else:
            yield f"export type {name} = {_type(value, {})};\n"
            aliases[name] = value
    yield "/** Every request with its parameters and its answer. */"
    yield "export interface Requests {"
    for method, (params, answer, _) in wire.REQUESTS.items():
        yield f'  "{method}": {{ params: {params}; answer: {answer} }};'
    yield "}\n"
    yield "/** Every notification of the server. */"
    yield "export interface Notifications {"
    for method, params in wire.NOTIFICATIONS.items():
        yield f'  "{method}": {params};'
    yield "}"


def _interface(name: str, value: type, aliases: dict[str, object]) -> Iterator[str]:
    about = " ".join(inspect.cleandoc(value.__doc__ or "").split())
    yield f"/** {about} */"
    yield f"export interface {name} {{"
    for key, hint in typing.get_type_hints(value, include_extras=True).items():
        optional = typing.get_origin(hint) is typing.NotRequired
        inner = typing.get_args(hint)[0] if optional else hint
        yield f"  {key}{'?' if optional else ''}: {_type(inner, aliases)};"
    yield "}\n"


def _type(hint: object, aliases: dict[str, object]) -> str:
    for name, alias in aliases.items():
        if hint == alias:
            return name
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return " | ".join(f'"{part}"' for part in parts)
    if origin is list:
        inner = _type(parts[0], aliases)
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin is dict:
        return f"Record<{_type(parts[0], aliases)}, {_type(parts[1], aliases)}>"
    if origin in {types.UnionType, typing.Union}:
        return " | ".join(_type(part, aliases) for part in parts)
    if isinstance(hint, type) and typing.is_typeddict(hint):
        return hint.__name__
    message = f"no TypeScript for {hint!r}"
    raise TypeError(message)


def main() -> int:
    """Write the module, or with `--check` say whether it is what would be written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when the module lags behind")
    options = parser.parse_args()
    text = written()
    if options.check:
        return 0 if PLACE.is_file() and PLACE.read_text(encoding="utf-8") == text else 1
    PLACE.parent.mkdir(parents=True, exist_ok=True)
    PLACE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
