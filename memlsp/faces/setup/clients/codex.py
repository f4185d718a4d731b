"""Codex: hooks.json beside config.toml (shell strings), `[mcp_servers.memlsp]`, AGENTS.md.

Read back by the `mcp list` of Codex 0.169.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import Client, Kind, Parts
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import HookEntries, ServerTable

NAME = "codex"

EVENTS: Mapping[str, int] = {
    # event: seconds after which it is given up; Codex warns about more than 3 at the end
    "SessionStart": 10,
    "UserPromptSubmit": 5,
    "PreToolUse": 5,
    "PostToolUse": 5,
    "PreCompact": 5,
    "Stop": 5,
    "SessionEnd": 3,
}


def _found(surroundings: Surroundings, extent: Extent) -> bool:
    there = (surroundings.project / ".codex").is_dir() and extent is Extent.PROJECT
    return there or surroundings.folder("CODEX_HOME", ".codex").is_dir() or surroundings.program("codex")


def _parts(surroundings: Surroundings, extent: Extent) -> Parts:
    shared = extent is Extent.PROJECT
    folder = surroundings.project / ".codex" if shared else surroundings.folder("CODEX_HOME", ".codex")
    hook = programs.portable_hook_command(NAME) if shared else programs.hook_command(NAME)
    mcp = programs.portable_mcp_command() if shared else programs.mcp_command()
    line = programs.shell_line(hook, surroundings.platform)
    groups: dict[tuple[str, ...], list[JsonValue]] = {
        ("hooks", event): [{"hooks": [{"type": "command", "command": line, "timeout": seconds}]}]
        for event, seconds in EVENTS.items()
    }
    notes = ["asks once whether our hooks may run: /hooks in a session, then trust them"]
    if shared:
        notes.append("reads a project's .codex only after the project was marked as trusted")
    return Parts(
        hooks=(HookEntries(folder / "hooks.json", "hooks", groups),),
        servers=(
            ServerTable(
                folder / "config.toml", "MCP server", ("mcp_servers", "memlsp"), {"command": mcp[0], "args": mcp[1:]}
            ),
        ),
        routing=(routing.block(surroundings.project / "AGENTS.md" if shared else folder / "AGENTS.md"),),
        notes=tuple(notes),
    )


CLIENT = Client(NAME, "Codex", Kind.AGENT, _found, _parts)
