"""Holds an answer against its TypedDict: every key that must be there, none besides, each of its type."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any


def problems(value: Any, hint: Any, where: str = "answer") -> Iterator[str]:
    """What is not as the type says, a line each."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if typing.is_typeddict(hint):
        yield from _of_object(value, hint, where)
    elif origin is list:
        if not isinstance(value, list):
            yield f"{where}: {value!r} is no list"
            return
        for number, each in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield from problems(each, parts[0], f"{where}[{number}]")
    elif origin is dict:
        for key, each in dict[str, Any](value).items():
            yield from problems(each, parts[1], f"{where}.{key}")
    elif origin in {types.UnionType, typing.Union}:
        if all(list(problems(value, part, where)) for part in parts):
            yield f"{where}: {value!r:.80} is none of {hint}"
    elif origin is typing.Literal:
        if value not in parts:
            yield f"{where}: {value!r:.80} is none of {parts}"
    elif not _is_simple(value, hint):
        yield f"{where}: {value!r:.80} is no {hint.__name__}"


def _is_simple(value: Any, hint: Any) -> bool:
    if hint is bool or not isinstance(value, bool):
        return isinstance(value, int | float if hint is float else hint)
    return False


def _of_object(value: Any, hint: Any, where: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{where}: {value!r:.80} is no object"
        return
    found: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    hints = typing.get_type_hints(hint, include_extras=True)
    for key in found.keys() - hints.keys():
        yield f"{where}: {key} is not in {hint.__name__}"
    for key, inner in hints.items():
        optional = typing.get_origin(inner) is typing.NotRequired
        if key in found:
            yield from problems(found[key], typing.get_args(inner)[0] if optional else inner, f"{where}.{key}")
        elif not optional:
            yield f"{where}: {key} is missing"
