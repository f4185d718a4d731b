"""Claude Code: hooks in settings (exec form, no shell), the server in its MCP file, routing in CLAUDE.md.

Checked against the settings schema inside Claude Code 2.1.197 and its `mcp list`, `doctor` and `plugin validate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import Client, Kind, Parts
from memlsp.faces.setup.edits import files, json_edits
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import HookEntries, ServerEntry
from memlsp.model.errors import UnreadableSource

NAME = "claude-code"

_ACTING = "Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell|Read|TodoWrite"
EVENTS: Mapping[str, tuple[str | None, int]] = {
    # event: (tools it is for, seconds after which it is given up)
    "SessionStart": (None, 10),
    "UserPromptSubmit": (None, 5),
    "PreToolUse": ("Read|Edit|Write|MultiEdit|NotebookEdit", 5),
    "PostToolUse": (_ACTING, 5),
    "PostToolUseFailure": (_ACTING, 5),
    "PreCompact": (None, 5),
    "TaskCreated": (None, 5),  # with the words of the item, which the tool's own answer to an update lacks
    "TaskCompleted": (None, 5),
    "Stop": (None, 5),
    "SubagentStop": (None, 5),
    "SessionEnd": (None, 5),
}


def hook_groups(start: Mapping[str, JsonValue]) -> dict[str, list[JsonValue]]:
    """The `hooks` object of a settings file or plugin, by event; `start` says what is run."""
    groups: dict[str, list[JsonValue]] = {}
    for event, (tools, seconds) in EVENTS.items():
        handler: JsonValue = {"type": "command", **start, "timeout": seconds}
        groups[event] = [{"matcher": tools, "hooks": [handler]} if tools else {"hooks": [handler]}]
    return groups


def server(command: Sequence[str]) -> dict[str, JsonValue]:
    """The server's entry in an MCP file."""
    return {"type": "stdio", "command": command[0], "args": list(command[1:]), "env": {}}


def _home(surroundings: Surroundings) -> Path:
    return surroundings.folder("CLAUDE_CONFIG_DIR", ".claude")


def _found(surroundings: Surroundings, extent: Extent) -> bool:
    there = (surroundings.project / ".claude").is_dir() and extent is Extent.PROJECT
    return there or _home(surroundings).is_dir() or surroundings.program("claude")


def _parts(surroundings: Surroundings, extent: Extent) -> Parts:
    home = _home(surroundings)
    if _has_plugin(home / "settings.json"):
        return Parts(
            notes=("the memlsp plugin is enabled, which brings hooks and server; nothing is written beside it",)
        )
    program, *args = programs.hook_command(NAME)
    if extent is Extent.PROJECT:
        # Copilot CLI reads these files of a project too, does not know `args`, and takes a failing hook for a "no":
        # one string, which both understand
        line = programs.shell_line([program, *args], surroundings.platform)
        hooks = _entries({"command": line})
        project = surroundings.project
        return Parts(
            # the file that is each person's own: the command names a folder of this machine
            hooks=(HookEntries(project / ".claude" / "settings.local.json", "hooks", hooks),),
            servers=(
                ServerEntry(
                    project / ".mcp.json",
                    "MCP server",
                    ("mcpServers", "memlsp"),
                    server(programs.portable_mcp_command()),
                ),
            ),
            routing=(routing.block(project / "CLAUDE.md"),),
            notes=("asks each person once before it starts a server from .mcp.json",),
        )
    hooks = _entries({"command": program, "args": list(args)})
    own = surroundings.folder("CLAUDE_CONFIG_DIR") / ".claude.json"
    return Parts(
        hooks=(HookEntries(home / "settings.json", "hooks", hooks),),
        servers=(ServerEntry(own, "MCP server", ("mcpServers", "memlsp"), server(programs.mcp_command())),),
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


CLIENT = Client(NAME, "Claude Code", Kind.AGENT, _found, _parts)
