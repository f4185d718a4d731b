"""opencode: the server in opencode.json, a plugin file in place of hooks, AGENTS.md. Driven with opencode 1.18.33."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import Client, Kind, Parts
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import ServerEntry, Whole

NAME = "opencode"

_SIGN = "// memlsp: written by `memlsp init`"
_SCHEMA = "https://opencode.ai/config.json"


def _found(surroundings: Surroundings, extent: Extent) -> bool:
    there = (surroundings.project / ".opencode").is_dir() and extent is Extent.PROJECT
    return there or _home(surroundings).is_dir() or surroundings.program("opencode")


def _home(surroundings: Surroundings) -> Path:
    # opencode looks into XDG's folder on every system
    return surroundings.folder("XDG_CONFIG_HOME", ".config") / "opencode"


def plugin(command: list[str]) -> str:
    """The text of the plugin that starts this command."""
    source = (files("memlsp.faces.setup") / "opencode_plugin.js").read_text("utf-8")
    return source.replace('["memlsp", "hook", "opencode"]', json.dumps(command))


def _parts(surroundings: Surroundings, extent: Extent) -> Parts:
    shared = extent is Extent.PROJECT
    folder = surroundings.project if shared else _home(surroundings)
    hook = programs.portable_hook_command(NAME) if shared else programs.hook_command(NAME)
    mcp = programs.portable_mcp_command() if shared else programs.mcp_command()
    settings = next(
        (folder / name for name in ("opencode.jsonc",) if (folder / name).exists()), folder / "opencode.json"
    )
    server: dict[str, JsonValue] = {"type": "local", "command": list(mcp), "enabled": True}
    plugins = folder / ".opencode" / "plugins" if shared else folder / "plugins"
    return Parts(
        hooks=(Whole(plugins / "memlsp.js", "plugin", plugin(hook), _SIGN),),
        servers=(ServerEntry(settings, "MCP server", ("mcp", "memlsp"), server, {"$schema": _SCHEMA}),),
        routing=(routing.block(folder / "AGENTS.md"),),
    )


CLIENT = Client(NAME, "opencode", Kind.AGENT, _found, _parts)
