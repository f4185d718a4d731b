"""Cursor: hooks.json (version 1, shell strings), mcp.json, a rule file. After Cursor's documentation; no test drives
Cursor itself."""

from __future__ import annotations

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import EVENTS, ClientEdits, ClientKind, SetupClient, place_or_program
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.file_edits import HookEntries, ServerEntry
from memlsp.faces.setup.machine import Extent, UserMachine

NAME = "cursor"

_SECONDS = 5


def _edits(machine: UserMachine, extent: Extent) -> ClientEdits:
    shared = extent is Extent.PROJECT
    folder = (machine.project if shared else machine.home) / ".cursor"
    line = programs.shell_line(programs.hook_command(NAME, shared=shared), machine.platform)
    entry: JsonValue = {"command": line, "timeout": _SECONDS}
    server = programs.mcp_server("--root", "${workspaceFolder}", shared=shared)
    return ClientEdits(
        hooks=(HookEntries.of(folder / "hooks.json", machine.hook_events(extent, EVENTS[NAME]), entry, version=1),),
        servers=(ServerEntry.mcp(folder / "mcp.json", server),),
        routing=(routing.rule(folder / "rules" / "memlsp.mdc", "alwaysApply: true"),) if shared else (),
    )


_FOUND = place_or_program(lambda machine: machine.home / ".cursor", "cursor", "cursor-agent", shared=".cursor")
CLIENT = SetupClient(NAME, "Cursor", ClientKind.AGENT, _FOUND, _edits)
