"""Windsurf: hooks.json (shell strings), mcp_config.json, a rule file. After Windsurf's documentation; no test drives
Windsurf itself. No event before an action is asked for: Windsurf takes no context from a hook, and could only be
delayed."""

from __future__ import annotations

from pathlib import Path

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import EVENTS, ClientEdits, ClientKind, SetupClient, place_or_program
from memlsp.faces.setup.file_edits import HookEntries, ServerEntry
from memlsp.faces.setup.machine import Extent, UserMachine

NAME = "windsurf"


def _own(machine: UserMachine) -> Path:
    return machine.home / ".codeium" / "windsurf"


def _edits(machine: UserMachine, extent: Extent) -> ClientEdits:
    shared = extent is Extent.PROJECT
    folder = machine.project / ".windsurf" if shared else _own(machine)
    line = programs.shell_line(programs.hook_command(NAME, shared=shared), machine.platform)
    # bash runs `command`, and Windows falls back on it; there PowerShell is the surer one
    key = "powershell" if machine.platform == "win32" and not shared else "command"
    hooks = (HookEntries.of(folder / "hooks.json", EVENTS[NAME], {key: line, "show_output": False}),)
    if shared:
        return ClientEdits(
            hooks=hooks,
            routing=(routing.rule(folder / "rules" / "memlsp.md", "trigger: always_on"),),
            notes=("has no MCP file of a project; the server is set up with memlsp init --agent windsurf",),
        )
    return ClientEdits(
        hooks=hooks,
        servers=(ServerEntry.mcp(folder / "mcp_config.json", programs.mcp_server(shared=False)),),
        routing=(routing.block(folder / "memories" / "global_rules.md"),),
    )


CLIENT = SetupClient(NAME, "Windsurf", ClientKind.AGENT, place_or_program(_own, "windsurf", shared=".windsurf"), _edits)
