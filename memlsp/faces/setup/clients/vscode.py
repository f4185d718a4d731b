"""Copilot in VS Code: a hook file of our own, mcp.json, the instructions file. After VS Code's hook and MCP schemas.
The hook file has VS Code's form and nothing that Copilot CLI would run: both read the same folders. `linux`, `osx` and
`windows` are keys of VS Code alone, and without a `version` the file is none of Copilot CLI's."""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import EVENTS, ClientEdits, ClientKind, SetupClient, place_or_program
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.file_edits import HookEntries, ServerEntry
from memlsp.faces.setup.machine import Extent, UserMachine

NAME = "vscode"
HOOKS = "memlsp-vscode.json"
_SECONDS = 5
_SYSTEMS = {"linux": "linux", "darwin": "osx", "win32": "windows"}


def _entry(command: Sequence[str], platforms: Sequence[str]) -> JsonValue:
    lines: dict[str, JsonValue] = {_SYSTEMS[platform]: programs.shell_line(command, platform) for platform in platforms}
    return {"type": "command", **lines, "timeout": _SECONDS}


def _edits(machine: UserMachine, extent: Extent) -> ClientEdits:
    shared = extent is Extent.PROJECT
    if shared:
        platforms = tuple(_SYSTEMS)
        hooks = machine.project / ".github" / "hooks"
        servers = machine.project / ".vscode" / "mcp.json"
    else:
        platforms = (machine.platform if machine.platform in _SYSTEMS else "linux",)
        hooks = machine.folder("COPILOT_HOME", ".copilot") / "hooks"
        servers = machine.application / "Code" / "User" / "mcp.json"
    entry = _entry(programs.hook_command(NAME, shared=shared), platforms)
    server: dict[str, JsonValue] = {
        "type": "stdio",
        **programs.mcp_server("--root", "${workspaceFolder}", shared=shared),
    }
    return ClientEdits(
        hooks=(HookEntries.of(hooks / HOOKS, EVENTS[NAME], entry),),
        servers=(ServerEntry.mcp(servers, server, "servers"),),
        routing=(routing.block(machine.project / ".github" / "copilot-instructions.md"),) if shared else (),
        notes=("shows hovers and lenses through its own extension, which brings the language server",),
    )


_FOUND = place_or_program(lambda machine: machine.application / "Code", "code", shared=".vscode")
CLIENT = SetupClient(NAME, "VS Code with Copilot", ClientKind.AGENT, _FOUND, _edits)
