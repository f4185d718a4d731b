"""Claude Code: hooks in settings (exec form, no shell), the server in its MCP file, routing in CLAUDE.md. Checked
against the settings schema inside Claude Code 2.1.197 and its `mcp list`, `doctor` and `plugin validate`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import EVENTS, ClientEdits, ClientKind, SetupClient, place_or_program
from memlsp.faces.setup.edits import files, json_edits
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.file_edits import HookEntries, ServerEntry
from memlsp.faces.setup.machine import Extent, UserMachine
from memlsp.model.errors import UnreadableSource

NAME = "claude-code"


def hook_groups(start: Mapping[str, JsonValue]) -> dict[str, list[JsonValue]]:
    """The `hooks` object of a settings file or plugin, by event; `start` has the command."""
    groups: dict[str, list[JsonValue]] = {}
    for event, said in EVENTS[NAME].items():
        handler: JsonValue = {"type": "command", **start, "timeout": said["seconds"]}
        groups[event] = [{"matcher": said["tools"], "hooks": [handler]} if "tools" in said else {"hooks": [handler]}]
    return groups


def server(*, shared: bool) -> dict[str, JsonValue]:
    """The server's entry in an MCP file."""
    return {"type": "stdio", **programs.mcp_server(shared=shared), "env": {}}


def _home(machine: UserMachine) -> Path:
    return machine.folder("CLAUDE_CONFIG_DIR", ".claude")


def _edits(machine: UserMachine, extent: Extent) -> ClientEdits:
    home, project = _home(machine), machine.project
    if _has_plugin(home / "settings.json"):
        return ClientEdits(
            notes=("the memlsp plugin is enabled, which brings hooks and server; nothing is written beside it",)
        )
    command = programs.hook_command(NAME)
    if extent is Extent.PROJECT:
        # Copilot CLI reads these files of a project too, does not know `args`, and takes a failing hook for a "no":
        # one string, which both understand
        hooks = _entries({"command": programs.shell_line(command, machine.platform)})
        return ClientEdits(
            # the file that is each person's own: the command names a folder of this machine
            hooks=(HookEntries(project / ".claude" / "settings.local.json", "hooks", hooks),),
            servers=(ServerEntry.mcp(project / ".mcp.json", server(shared=True)),),
            routing=(routing.block(project / "CLAUDE.md"),),
            notes=("asks each person once before it starts a server from .mcp.json",),
        )
    hooks = _entries({"command": command[0], "args": [*command[1:]]})
    own = machine.folder("CLAUDE_CONFIG_DIR") / ".claude.json"
    return ClientEdits(
        hooks=(HookEntries(home / "settings.json", "hooks", hooks),),
        servers=(ServerEntry.mcp(own, server(shared=False)),),
        routing=(routing.block(home / "CLAUDE.md"),),
    )


def _entries(start: Mapping[str, JsonValue]) -> dict[tuple[str, ...], list[JsonValue]]:
    return {("hooks", event): groups for event, groups in hook_groups(start).items()}


def _has_plugin(settings: Path) -> bool:
    try:
        found = files.read(settings)
        enabled = json_edits.lookup(found.text, ("enabledPlugins",)) if found else None
    except UnreadableSource:
        return False
    return isinstance(enabled, dict) and any(on and name.startswith("memlsp@") for name, on in enabled.items())


CLIENT = SetupClient(NAME, "Claude Code", ClientKind.AGENT, place_or_program(_home, "claude", shared=".claude"), _edits)
