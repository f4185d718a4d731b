"""Codex: hooks.json beside config.toml (shell strings), `[mcp_servers.memlsp]`, AGENTS.md. Read back by the `mcp list`
of Codex 0.169.0."""

from __future__ import annotations

from pathlib import Path

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import EVENTS, ClientEdits, ClientKind, SetupClient, place_or_program
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.file_edits import HookEntries, ServerTable
from memlsp.faces.setup.machine import Extent, UserMachine

NAME = "codex"


def _home(machine: UserMachine) -> Path:
    return machine.folder("CODEX_HOME", ".codex")


def _edits(machine: UserMachine, extent: Extent) -> ClientEdits:
    shared = extent is Extent.PROJECT
    folder = machine.project / ".codex" if shared else _home(machine)
    line = programs.shell_line(programs.hook_command(NAME, shared=shared), machine.platform)
    groups: dict[tuple[str, ...], list[JsonValue]] = {
        ("hooks", event): [{"hooks": [{"type": "command", "command": line, "timeout": said["seconds"]}]}]
        for event, said in EVENTS[NAME].items()
    }
    program, *args = programs.mcp_command(shared=shared)
    table = {"command": program, "args": args}
    notes = ["asks once whether our hooks may run: /hooks in a session, then trust them"]
    if shared:
        notes.append("reads a project's .codex only after the project was marked as trusted")
    return ClientEdits(
        hooks=(HookEntries(folder / "hooks.json", "hooks", groups),),
        servers=(ServerTable(folder / "config.toml", "MCP server", ("mcp_servers", "memlsp"), table),),
        routing=(routing.block(machine.project / "AGENTS.md" if shared else folder / "AGENTS.md"),),
        notes=tuple(notes),
    )


CLIENT = SetupClient(NAME, "Codex", ClientKind.AGENT, place_or_program(_home, "codex", shared=".codex"), _edits)
