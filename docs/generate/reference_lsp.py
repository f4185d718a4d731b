"""The page docs/reference/lsp.md: what an editor may announce, ask and run, beyond the protocol."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Iterator
from typing import Any

from docs.generate.layout import entry, wrapped
from memlsp.faces.lsp.requests import wire
from memlsp.faces.lsp.requests.commands import COMMANDS, PREFIX
from memlsp.faces.lsp.server.settings import CONFIRM, OPEN, PEEK, REPLACE, RETIRE

_HEAD = """# Language server: requests and commands

The server extends the protocol (hover, code lenses, diagnostics, code actions, progress) by the
requests and commands below. Any client may use them; the types of the VS Code extension are
generated from the same source. Keys are added and never changed.

## What a client announces

A client sends these in `initializationOptions`, under `memlsp`, beside the
[settings](editor-settings.md). The server treats a client that announces nothing like any editor.
"""

_ANNOUNCED = {
    ("tellChanges", "true or false"): "The client accepts the notification `memlsp/changed`.",
    ("commands", "a list of names"): (
        "Commands of the client that a hover may link to, as `command:NAME?ARGUMENTS`. The argument is one object with "
        "a belief's `id` and the `root` of its workspace. The names: "
        f"`{OPEN}`, `{CONFIRM}`, `{REPLACE}`, `{RETIRE}`. With `{PEEK}` a lens runs that command with (uri, symbol or "
        "line) in place of `memlsp.server.show`. With any of these names, commands of code actions carry the root too."
    ),
    ("asks", "true or false"): (
        "The client asks its user for what a command lacks: the text of `remember` (third argument) and `supersede` "
        "(second), the condition of `scope` (second) and of `settle` with `scoped` (fourth). Code actions that lack "
        f"one are offered only to such a client, or to one with `{REPLACE}` among its commands."
    ),
    ("trusted", "true or false"): (
        "Whether the user trusts the open folders. The default is true; any other value than true is false. Without "
        "trust the server follows open documents only: it reads no git history in the background, watches no "
        "files, captures nothing and accepts no terminal commands."
    ),
}

_REQUESTS = """
## Requests

Each request takes one object and answers with one. A failure is a JSON-RPC error: a sentence, and
`Problem` as its `data`. The code is -32602 for parameters that cannot be read, and -32803 for a
well-formed request that cannot be fulfilled. A client can cancel every request. The server answers
them beside hovers, and hovers do not wait for them.

Times are UTC, ISO 8601, to the second. Lines count from 1. Paths are relative to the root of the
workspace, with forward slashes. A `uri` names a document or a folder; an absolute path is allowed.
"""

_COMMANDS = """## Commands

For lenses, code actions and key bindings, which can send nothing else. A client runs these with
`workspace/executeCommand`; arguments go by position. Each command answers with an object: `ok`, and
the keys of the request that does the same; when `ok` is false, `error` and `hint`, which the editor
has shown. `root` is the uri of a workspace's folder, as a belief in an answer has it. Without
`root` the server takes the first open workspace that knows the id. null stands for an omitted
argument.
"""


def lsp_page() -> str:
    """The page, without its note."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    yield from (entry(f"`{key}` ({takes})", about) for (key, takes), about in _ANNOUNCED.items())
    yield _REQUESTS
    known = wire.wire_types()
    for method, (params, answer, _) in wire.REQUESTS.items():
        about = _about(known[answer]).partition(". ")[0].rstrip(".")
        yield entry(f"`{method}`", f"[{params}](#{params.lower()}) → {_link(answer)}. {about}.")
    yield "\n## Notifications\n"
    for method, params in wire.NOTIFICATIONS.items():
        yield entry(f"`{method}`", f"{_link(params)}. {_about(known[params])}")
    yield entry(
        "`memlsp/terminalCommand`",
        "`{command, cwd?, exitCode?, output?, durationMs?, id?}`. The client reports a command that ended in a "
        "terminal. The server stores it if both `memlsp.capture.terminal` and the user's own settings file allow it.",
    )
    yield "\n## Types\n"
    for name, value in known.items():
        if typing.is_typeddict(value):
            yield from _type_lines(name, value)
    yield _COMMANDS
    for name, command in COMMANDS.items():
        yield entry(f"`{PREFIX}{name}`", command["about"])


def _type_lines(name: str, value: type) -> Iterator[str]:
    yield f"### {name}\n\n{wrapped(_about(value))}\n"
    hints = typing.get_type_hints(value, include_extras=True)
    for key, hint in hints.items():
        optional = typing.get_origin(hint) is typing.NotRequired
        inner = typing.get_args(hint)[0] if optional else hint
        yield entry(f"`{key}`{' (optional)' if optional else ''}", _cell(_said(inner)))
    yield ""


def _said(hint: Any) -> str:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is list:
        return f"list of {_said(parts[0])}"
    if origin is dict:
        return f"object of {_said(parts[1])} by name"
    if origin in {types.UnionType, typing.Union}:
        return " or ".join(_said(part) for part in parts)
    if origin is typing.Literal:
        return ", ".join(f"`{part}`" for part in parts)
    if typing.is_typeddict(hint):
        return _link(hint.__name__)
    simple = {str: "text", int: "whole number", float: "number", bool: "true or false", type(None): "null"}
    return simple[hint]


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def _about(value: type) -> str:
    return _cell(" ".join(inspect.cleandoc(value.__doc__ or "").split()))


def _cell(text: str) -> str:
    return " ".join(text.split())
