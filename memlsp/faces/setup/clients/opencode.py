"""opencode: the server in opencode.json, a plugin file in place of hooks, AGENTS.md. Driven with opencode 1.18.33."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import ClientEdits, ClientKind, SetupClient, place_or_program
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.file_edits import OwnFile, ServerEntry
from memlsp.faces.setup.machine import Extent, UserMachine

NAME = "opencode"

_SIGN = "// memlsp: written by `memlsp init`"
_SCHEMA = "https://opencode.ai/config.json"


def _home(machine: UserMachine) -> Path:
    # opencode uses XDG's folder on every system
    return machine.folder("XDG_CONFIG_HOME", ".config") / "opencode"


def plugin(command: list[str]) -> str:
    """The text of the plugin that starts this command."""
    source = (files("memlsp.faces.setup") / "opencode_plugin.js").read_text("utf-8")
    return source.replace('["memlsp", "hook", "opencode"]', json.dumps(command))


def _edits(machine: UserMachine, extent: Extent) -> ClientEdits:
    shared = extent is Extent.PROJECT
    folder = machine.project if shared else _home(machine)
    with_comments = folder / "opencode.jsonc"
    settings = with_comments if with_comments.exists() else folder / "opencode.json"
    server: dict[str, JsonValue] = {"type": "local", "command": [*programs.mcp_command(shared=shared)], "enabled": True}
    plugins = folder / ".opencode" / "plugins" if shared else folder / "plugins"
    text = plugin(programs.hook_command(NAME, shared=shared))
    return ClientEdits(
        hooks=(OwnFile(plugins / "memlsp.js", "plugin", text, _SIGN),),
        servers=(ServerEntry(settings, "MCP server", ("mcp", "memlsp"), server, {"$schema": _SCHEMA}),),
        routing=(routing.block(folder / "AGENTS.md"),),
    )


CLIENT = SetupClient(
    NAME, "opencode", ClientKind.AGENT, place_or_program(_home, "opencode", shared=".opencode"), _edits
)
