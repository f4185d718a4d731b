"""Writes vscode-extension/src/wire.ts from `faces.lsp.requests.wire` and wire_params.toml beside it:
`python -m docs.generate.wire_types`.

`--check` only compares. A test compares too, so the extension cannot lag behind the server.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import tomllib
import types
import typing
from collections.abc import Iterator
from pathlib import Path

from memlsp.faces.lsp.requests import wire

PLACE = Path(__file__).resolve().parents[2] / "vscode-extension" / "src" / "wire.ts"

_HEAD = """// Written by `python -m docs.generate.wire_types` from memlsp/faces/lsp/requests/wire.py. Do not edit.
"""

_SIMPLE: dict[object, str] = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def written() -> str:
    """The whole module."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    aliases = {name: value for name, value in vars(wire).items() if typing.get_origin(value) is typing.Literal}
    for name, value in aliases.items():
        yield f"export type {short(name)} = {_type(value, {})};\n"
    for name, value in vars(wire).items():
        if isinstance(value, type) and typing.is_typeddict(value) and value.__module__ == wire.__name__:
            yield from _interface(name, value, aliases)
    for name, value in params_types().items():
        yield from _interface(name, value, aliases)
    yield "/** Every request with its parameters and its answer. */"
    yield "export interface Requests {"
    for method, (params, answer, _) in wire.REQUESTS.items():
        yield f'  "{method}": {{ params: {params}; answer: {short(answer.__name__)} }};'
    yield "}\n"
    yield "/** Every notification of the server. */"
    yield "export interface Notifications {"
    for method, params in wire.NOTIFICATIONS.items():
        yield f'  "{method}": {short(params.__name__)};'
    yield "}"


def params_types() -> dict[str, type]:
    """The type of each entry of wire_params.toml."""
    known: dict[str, type] = {}
    written = Path(wire.__file__).with_name("wire_params.toml").read_text("utf-8")
    for name, fields in tomllib.loads(written).items():
        about = fields.pop("about")
        hints = {key: eval(text.removesuffix("?"), dict(vars(wire))) for key, text in fields.items()}  # noqa: S307 - our own
        optional = {key: typing.NotRequired[hint] if fields[key].endswith("?") else hint for key, hint in hints.items()}
        known[name] = typing.cast("typing.Any", typing.TypedDict)(f"Wire{name}", optional)
        known[name].__doc__ = about
    return known


def _interface(name: str, value: type, aliases: dict[str, object]) -> Iterator[str]:
    about = " ".join(inspect.cleandoc(value.__doc__ or "").split())
    yield f"/** {about} */"
    yield f"export interface {short(name)} {{"
    for key, hint in typing.get_type_hints(value, include_extras=True).items():
        optional = typing.get_origin(hint) is typing.NotRequired
        inner = typing.get_args(hint)[0] if optional else hint
        yield f"  {key}{'?' if optional else ''}: {_type(inner, aliases)};"
    yield "}\n"


def _type(hint: object, aliases: dict[str, object]) -> str:
    for name, alias in aliases.items():
        if hint == alias:
            return short(name)
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
        return short(hint.__name__)
    message = f"no TypeScript for {hint!r}"
    raise TypeError(message)


def short(name: str) -> str:
    """The name of a type on the wire, without the prefix that tells it from a class of the model."""
    return name.removeprefix("Wire")


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
