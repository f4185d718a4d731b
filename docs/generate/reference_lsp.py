"""The page docs/reference/lsp.md: what an editor may announce, ask and run, beyond the protocol."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Iterator
from typing import Any

from memlsp.faces.lsp.features.commands import PREFIX
from memlsp.faces.lsp.requests import wire
from memlsp.faces.lsp.server.client_options import CONFIRM, OPEN, PEEK, REPLACE, RETIRE
from memlsp.faces.lsp.server.server import create_server

_HEAD = """# Language server: requests and commands

What the server offers besides the protocol itself (hover, code lenses, diagnostics, code actions, progress). Any
client may use it; the VS Code extension is written from the same types. Keys are added and never changed.

## What a client announces

In `initializationOptions`, under `memlsp`, beside the [settings](editor-settings.md). A client that announces nothing
is served as every editor is.

| key | takes | |
|---|---|---|"""

_ANNOUNCED = {
    ("tellChanges", "true or false"): "It takes the notification `memlsp/changed`.",
    ("commands", "a list of names"): (
        "Its own commands that a hover may link to, as `command:NAME?ARGUMENTS` with one object, a belief's `id` and "
        "the `root` of its workspace: "
        f"`{OPEN}`, `{CONFIRM}`, `{REPLACE}`, `{RETIRE}`. With `{PEEK}` a lens runs that, with (uri, symbol or line), "
        "instead of `memlsp.server.show`. With any of its own, the commands of code actions carry that root, too."
    ),
    ("trusted", "true or false"): (
        "Whether the user trusts the folders that are open. When not, open documents are followed and nothing else is: "
        "no git history is read in the background, no files are watched, nothing is captured, and no terminal is "
        "listened to. Left out it is true; anything else but true is false."
    ),
}

_REQUESTS = """
## Requests

Each takes one object and answers with one. What cannot be done is a JSON-RPC error: a sentence, and `Problem` as its
`data`; code -32602 for parameters that cannot be read, -32803 for what is well formed and cannot be done. All can be
cancelled. They are answered beside hovers, not before them.

Moments are UTC, ISO 8601, to the second; lines count from 1; paths are relative to the workspace's root, with forward
slashes; a `uri` may be a document's, a folder's, or an absolute path.

| method | takes | answers | |
|---|---|---|---|"""

_COMMANDS = """## Commands

Run with `workspace/executeCommand`, arguments by position. Each answers with an object: `ok`, and when that is false
`error` and `hint`, which the editor has shown then. `root` is the uri of a workspace's folder, as a belief has it in an
answer: without one, the first open workspace that knows the id is meant. null stands for an argument that is left out.

| command | arguments |
|---|---|"""


def lsp_page() -> str:
    """The page, without its note."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    yield from (f"| `{key}` | {takes} | {about} |" for (key, takes), about in _ANNOUNCED.items())
    yield _REQUESTS
    for method, (params, answer) in wire.REQUESTS.items():
        about = _about(answer).partition(". ")[0].rstrip(".")
        yield f"| `{method}` | {_link(params)} | {_link(answer)} | {about}. |"
    yield "\n## Notifications\n\n| method | | |\n|---|---|---|"
    for method, params in wire.NOTIFICATIONS.items():
        yield f"| `{method}` | {_link(params)} | {_about(params)} |"
    yield (
        "| `memlsp/terminalCommand` | `{command, cwd?, exitCode?, output?, durationMs?, id?}` | From the client: a "
        "command ended in a terminal. Kept when the setting `memlsp.capture.terminal` and the user's own file say so. |"
    )
    yield "\n## Types\n"
    for name, value in vars(wire).items():
        if isinstance(value, type) and typing.is_typeddict(value) and value.__module__ == wire.__name__:
            yield from _type_lines(name, value)
    yield _COMMANDS
    for name, work in create_server().commands.about().items():
        yield f"| `{PREFIX}{name}` | {_cell(work)} |"


def _type_lines(name: str, value: type) -> Iterator[str]:
    yield f"### {name}\n\n{_about(value)}\n"
    hints = typing.get_type_hints(value, include_extras=True)
    yield "| key | |\n|---|---|"
    for key, hint in hints.items():
        optional = typing.get_origin(hint) is typing.NotRequired
        inner = typing.get_args(hint)[0] if optional else hint
        yield f"| `{key}`{' (may be left out)' if optional else ''} | {_cell(_said(inner))} |"
    yield ""


def _said(hint: Any) -> str:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is list:
        return f"list of {_said(parts[0])}"
    if origin in {types.UnionType, typing.Union}:
        return " or ".join(_said(part) for part in parts)
    if origin is typing.Literal:
        return ", ".join(f"`{part}`" for part in parts)
    if typing.is_typeddict(hint):
        return _link(hint)
    simple = {str: "text", int: "whole number", float: "number", bool: "true or false", type(None): "null"}
    return simple[hint]


def _link(value: type) -> str:
    return f"[{value.__name__}](#{value.__name__.lower()})"


def _about(value: type) -> str:
    return _cell(" ".join(inspect.cleandoc(value.__doc__ or "").split()))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
