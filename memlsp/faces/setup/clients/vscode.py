"""Copilot in VS Code: a hook file of our own, mcp.json, the instructions file. After VS Code's hook and MCP schemas.

The hook file has VS Code's form and nothing that Copilot CLI would run: both read the same folders. `linux`, `osx` and
`windows` are keys of VS Code alone, and without a `version` the file is none of Copilot CLI's.
"""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import Client, Kind, Parts
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import HookEntries, ServerEntry

NAME = "vscode"

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "SubagentStop",
    "Stop",
)
_SECONDS = 5
_SYSTEMS = {"linux": "linux", "darwin": "osx", "win32": "windows"}


def _found(surroundings: Surroundings, extent: Extent) -> bool:
    there = (surroundings.project / ".vscode").is_dir() and extent is Extent.PROJECT
    return there or (surroundings.application / "Code").is_dir() or surroundings.program("code")


def _entry(command: Sequence[str], platforms: Sequence[str]) -> JsonValue:
    lines: dict[str, JsonValue] = {_SYSTEMS[platform]: programs.shell_line(command, platform) for platform in platforms}
    return {"type": "command", **lines, "timeout": _SECONDS}


def _parts(surroundings: Surroundings, extent: Extent) -> Parts:
    shared = extent is Extent.PROJECT
    if shared:
        entry = _entry(programs.portable_hook_command(NAME), tuple(_SYSTEMS))
        hooks = surroundings.project / ".github" / "hooks" / "memlsp-vscode.json"
        servers = surroundings.project / ".vscode" / "mcp.json"
        mcp = programs.portable_mcp_command()
    else:
        platform = surroundings.platform if surroundings.platform in _SYSTEMS else "linux"
        entry = _entry(programs.hook_command(NAME), [platform])
        hooks = surroundings.folder("COPILOT_HOME", ".copilot") / "hooks" / "memlsp-vscode.json"
        servers = surroundings.application / "Code" / "User" / "mcp.json"
        mcp = programs.mcp_command()
    server: dict[str, JsonValue] = {
        "type": "stdio",
        "command": mcp[0],
        "args": [*mcp[1:], "--root", "${workspaceFolder}"],
    }
    return Parts(
        hooks=(HookEntries(hooks, "hooks", {("hooks", event): [entry] for event in EVENTS}),),
        servers=(ServerEntry(servers, "MCP server", ("servers", "memlsp"), server),),
        routing=(routing.block(surroundings.project / ".github" / "copilot-instructions.md"),) if shared else (),
        notes=("shows hovers and lenses through its own extension, which brings the language server",),
    )


CLIENT = Client(NAME, "VS Code with Copilot", Kind.AGENT, _found, _parts)
