"""Copilot CLI: a hook file of our own (exec form, no shell), the MCP file, AGENTS.md. Read back by Copilot CLI 1.0.102.
At `preToolUse` it takes a failing hook for a "no", so that this is only set up to ask or deny."""

from __future__ import annotations

from pathlib import Path

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients import vscode
from memlsp.faces.setup.clients.client import EVENTS, ClientEdits, ClientKind, SetupClient
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.file_edits import HookEntries, ServerEntry
from memlsp.faces.setup.machine import Extent, UserMachine

NAME = "copilot-cli"
_SECONDS = 5


def _home(machine: UserMachine) -> Path:
    return machine.folder("COPILOT_HOME", ".copilot")


def _found(machine: UserMachine, extent: Extent) -> bool:  # noqa: ARG001  (nothing in a project is its own)
    return _is_used(_home(machine)) or machine.program("copilot")


def _is_used(home: Path) -> bool:
    """True for a folder with anything but the hooks that setting up VS Code writes there."""
    if not home.is_dir():
        return False
    try:
        inside = {path.name for path in home.iterdir()}
        return inside != {"hooks"} or {path.name for path in (home / "hooks").iterdir()} != {vscode.HOOKS}
    except OSError:
        return True


def _edits(machine: UserMachine, extent: Extent) -> ClientEdits:
    shared = extent is Extent.PROJECT
    program, *args = programs.hook_command(NAME, shared=shared)
    entry: JsonValue = {"type": "command", "exec": program, "args": list(args), "timeoutSec": _SECONDS}
    hooks = machine.project / ".github" / "hooks" if shared else _home(machine) / "hooks"
    if shared:
        # the file is Claude Code's too, and has to be the same for both
        servers = machine.project / ".mcp.json"
        server: dict[str, JsonValue] = {"type": "stdio", **programs.mcp_server(shared=True), "env": {}}
    else:
        servers = _home(machine) / "mcp-config.json"
        server = {"type": "local", **programs.mcp_server(shared=False), "tools": ["*"]}
    return ClientEdits(
        hooks=(HookEntries.of(hooks / "memlsp-cli.json", machine.hook_events(extent, EVENTS[NAME]), entry, version=1),),
        servers=(ServerEntry.mcp(servers, server),),
        routing=(routing.block(machine.project / "AGENTS.md"),) if shared else (),
    )


CLIENT = SetupClient(NAME, "Copilot CLI", ClientKind.AGENT, _found, _edits)
