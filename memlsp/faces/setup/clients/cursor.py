"""Cursor: hooks.json (version 1, shell strings), mcp.json, a rule file.

After Cursor's documentation; no test drives Cursor itself.
"""

from __future__ import annotations

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import Client, Kind, Parts
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import HookEntries, ServerEntry

NAME = "cursor"

# `postToolUse` tells what `afterFileEdit`, `afterShellExecution` and `afterMCPExecution` tell; and nothing that could
# forbid something is asked for
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
_SECONDS = 5


def _found(surroundings: Surroundings, extent: Extent) -> bool:
    there = (surroundings.project / ".cursor").is_dir() and extent is Extent.PROJECT
    return there or (surroundings.home / ".cursor").is_dir() or surroundings.program("cursor", "cursor-agent")


def _parts(surroundings: Surroundings, extent: Extent) -> Parts:
    shared = extent is Extent.PROJECT
    folder = (surroundings.project if shared else surroundings.home) / ".cursor"
    hook = programs.portable_hook_command(NAME) if shared else programs.hook_command(NAME)
    mcp = [*(programs.portable_mcp_command() if shared else programs.mcp_command()), "--root", "${workspaceFolder}"]
    entry: JsonValue = {"command": programs.shell_line(hook, surroundings.platform), "timeout": _SECONDS}
    return Parts(
        hooks=(
            HookEntries(
                folder / "hooks.json", "hooks", {("hooks", event): [entry] for event in EVENTS}, {"version": 1}
            ),
        ),
        servers=(
            ServerEntry(
                folder / "mcp.json", "MCP server", ("mcpServers", "memlsp"), {"command": mcp[0], "args": list(mcp[1:])}
            ),
        ),
        routing=(routing.rule(folder / "rules" / "memlsp.mdc", "alwaysApply: true"),) if shared else (),
    )


CLIENT = Client(NAME, "Cursor", Kind.AGENT, _found, _parts)
