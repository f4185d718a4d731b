"""Gemini CLI: hooks (shell strings, times in milliseconds) and the server in settings.json, GEMINI.md. After the
documentation that comes with Gemini CLI 0.61.0, whose `mcp list` connects."""

from __future__ import annotations

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import EVENTS, ClientEdits, ClientKind, SetupClient, place_or_program
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.file_edits import HookEntries, ServerEntry
from memlsp.faces.setup.machine import Extent, UserMachine

NAME = "gemini"

_MILLISECONDS = 5000


def _edits(machine: UserMachine, extent: Extent) -> ClientEdits:
    shared = extent is Extent.PROJECT
    folder = machine.project if shared else machine.folder("GEMINI_CLI_HOME")
    line = programs.shell_line(programs.hook_command(NAME, shared=shared), machine.platform)
    handler: JsonValue = {"type": "command", "name": "memlsp", "command": line, "timeout": _MILLISECONDS}
    settings = folder / ".gemini" / "settings.json"
    return ClientEdits(
        hooks=(HookEntries.of(settings, machine.hook_events(extent, EVENTS[NAME]), {"hooks": [handler]}),),
        servers=(ServerEntry.mcp(settings, programs.mcp_server(shared=shared)),),
        routing=(routing.block(folder / "GEMINI.md" if shared else folder / ".gemini" / "GEMINI.md"),),
        notes=("reads servers and hooks only in folders that it was told to trust",),
    )


_FOUND = place_or_program(lambda machine: machine.home / ".gemini", "gemini", shared=".gemini")
CLIENT = SetupClient(NAME, "Gemini CLI", ClientKind.AGENT, _FOUND, _edits)
