"""Cursor: hooks.json (version 1, shell strings), mcp.json, a rule file. After Cursor's documentation; no test drives
Cursor itself."""

from __future__ import annotations

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import ClientEdits, ClientKind, SetupClient
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.file_edits import HookEntries, ServerEntry
from memlsp.faces.setup.machine import Extent, UserMachine

NAME = "cursor"

# `postToolUse` covers `afterFileEdit`, `afterShellExecution` and `afterMCPExecution`
EVENTS = (
    "sessionStart",
    "beforeSubmitPrompt",
    "postToolUse",
    "postToolUseFailure",
    "afterAgentResponse",
    "preCompact",
    "subagentStop",
    "sessionEnd",
)
DECIDING = ("beforeShellExecution", "preToolUse")
"""Take no context, but a decision."""

_SECONDS = 5


def _found(machine: UserMachine, extent: Extent) -> bool:
    there = machine.in_project(".cursor", extent) or (machine.home / ".cursor").is_dir()
    return there or machine.program("cursor", "cursor-agent")


def _edits(machine: UserMachine, extent: Extent) -> ClientEdits:
    shared = extent is Extent.PROJECT
    folder = (machine.project if shared else machine.home) / ".cursor"
    line = programs.shell_line(programs.hook_command(NAME, shared=shared), machine.platform)
    entry: JsonValue = {"command": line, "timeout": _SECONDS}
    server = programs.mcp_server("--root", "${workspaceFolder}", shared=shared)
    return ClientEdits(
        hooks=(HookEntries.of(folder / "hooks.json", machine.hook_events(extent, EVENTS, DECIDING), entry, version=1),),
        servers=(ServerEntry.mcp(folder / "mcp.json", server),),
        routing=(routing.rule(folder / "rules" / "memlsp.mdc", "alwaysApply: true"),) if shared else (),
    )


CLIENT = SetupClient(NAME, "Cursor", ClientKind.AGENT, _found, _edits)
