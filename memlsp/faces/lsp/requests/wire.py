"""The requests and notifications beyond LSP, and the type of every answer.

Each request is named `memlsp/...`, takes one object and answers with one. A request that cannot be served is a JSON-RPC
error with a sentence and, in `data.hint`, advice. requests.toml lists them; wire_answers.toml has the types of what the
server sends, wire_params.toml those of what it takes. `python -m docs.generate.wire_types` writes
`vscode-extension/src/wire.ts` from these.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict, Union, cast

_WRITTEN = tomllib.loads(Path(__file__).with_name("requests.toml").read_text("utf-8"))
REQUESTS: dict[str, tuple[str, str, str]] = {f"memlsp/{name}": tuple(parts) for name, parts in _WRITTEN.items()}
"""Every request with the types of its parameters and its answer, and the function of this room that gives it."""

NOTIFICATIONS = {"memlsp/changed": "Changed"}
"""Every notification of the server, with the type of its parameters."""

TERMINAL_COMMAND = "memlsp/terminalCommand"
"""A notification of the client: {command, cwd?, exitCode?, output?, durationMs?, id?}."""


_PLAIN: dict[str, Any] = {"str": str, "int": int, "float": float, "bool": bool, "None": None}


@cache
def wire_types() -> dict[str, Any]:
    """The types of both files, by name: a `Literal` for a choice of words, and a `TypedDict` for each object, whose
    docstring says what it is about. Made at the first answer, since no start needs them."""
    known: dict[str, Any] = {}
    for file in ("wire_answers.toml", "wire_params.toml"):
        written: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name(file).read_text("utf-8"))
        known |= {name: _type(texts, known) for name, texts in written.pop("words", {}).items()}
        for name, fields in written.items():
            about, base = fields.pop("about"), known.get(fields.pop("extends", ""))
            hints = {key: _type(said, known) for key, said in fields.items()}
            known[name] = cast("Any", TypedDict)(name, {**(base.__annotations__ if base else {}), **hints})
            known[name].__doc__ = about
    return known


def _type(said: str | Sequence[str], known: Mapping[str, Any]) -> Any:
    if not isinstance(said, str):
        return cast("Any", Literal)[tuple(said)]
    if said.endswith("?"):
        return cast("Any", NotRequired)[_type(said[:-1], known)]
    if " | " in said:
        return cast("Any", Union)[tuple(_type(each, known) for each in said.split(" | "))]
    holder, _, held = said.removesuffix("]").partition("[")
    if holder == "list":
        return list[_type(held, known)]
    if holder == "dict":
        return dict[str, _type(held.removeprefix("str, "), known)]
    return _PLAIN[said] if said in _PLAIN else known[said]
