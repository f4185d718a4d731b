"""Gemini CLI: hooks (shell strings, times in milliseconds) and the server in settings.json, GEMINI.md.

After the documentation that comes with Gemini CLI 0.61.0, whose `mcp list` connects.
"""

from __future__ import annotations

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import Client, Kind, Parts
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import HookEntries, ServerEntry

NAME = "gemini"

# `BeforeTool` takes no context, and `PreCompress` comes before every request
EVENTS = ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd")
_MILLISECONDS = 5000


def _found(surroundings: Surroundings, extent: Extent) -> bool:
    there = (surroundings.project / ".gemini").is_dir() and extent is Extent.PROJECT
    return there or (surroundings.home / ".gemini").is_dir() or surroundings.program("gemini")


def _parts(surroundings: Surroundings, extent: Extent) -> Parts:
    shared = extent is Extent.PROJECT
    folder = surroundings.project if shared else surroundings.folder("GEMINI_CLI_HOME")
    hook = programs.portable_hook_command(NAME) if shared else programs.hook_command(NAME)
    mcp = programs.portable_mcp_command() if shared else programs.mcp_command()
    handler: JsonValue = {
        "type": "command",
        "name": "memlsp",
        "command": programs.shell_line(hook, surroundings.platform),
        "timeout": _MILLISECONDS,
    }
    settings = folder / ".gemini" / "settings.json"
    return Parts(
        hooks=(HookEntries(settings, "hooks", {("hooks", event): [{"hooks": [handler]}] for event in EVENTS}),),
        servers=(
            ServerEntry(settings, "MCP server", ("mcpServers", "memlsp"), {"command": mcp[0], "args": list(mcp[1:])}),
        ),
        routing=(routing.block(folder / "GEMINI.md" if shared else folder / ".gemini" / "GEMINI.md"),),
        notes=("reads servers and hooks only in folders that it was told to trust",),
    )


CLIENT = Client(NAME, "Gemini CLI", Kind.AGENT, _found, _parts)
