"""Copilot CLI: a hook file of our own (exec form, no shell), the MCP file, AGENTS.md. Read back by Copilot CLI 1.0.102.

`preToolUse` is not asked for: Copilot CLI takes a hook that fails there for a "no", and takes no context from it.
"""

from __future__ import annotations

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import Client, Kind, Parts
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import HookEntries, ServerEntry

NAME = "copilot-cli"

EVENTS = (
    "sessionStart",
    "userPromptSubmitted",
    "postToolUse",
    "postToolUseFailure",
    "agentStop",
    "subagentStop",
    "preCompact",
    "sessionEnd",
)
_SECONDS = 5


def _found(surroundings: Surroundings, extent: Extent) -> bool:  # noqa: ARG001  (nothing in a project tells)
    return surroundings.folder("COPILOT_HOME", ".copilot").is_dir() or surroundings.program("copilot")


def _parts(surroundings: Surroundings, extent: Extent) -> Parts:
    shared = extent is Extent.PROJECT
    home = surroundings.folder("COPILOT_HOME", ".copilot")
    program, *args = programs.portable_hook_command(NAME) if shared else programs.hook_command(NAME)
    entry: JsonValue = {"type": "command", "exec": program, "args": list(args), "timeoutSec": _SECONDS}
    folder = surroundings.project / ".github" / "hooks" if shared else home / "hooks"
    mcp = programs.portable_mcp_command() if shared else programs.mcp_command()
    server: dict[str, JsonValue] = {"command": mcp[0], "args": list(mcp[1:])}
    if shared:
        # the file is Claude Code's too, and has to be the same for both
        servers = surroundings.project / ".mcp.json"
        server = {"type": "stdio", **server, "env": {}}
    else:
        servers = home / "mcp-config.json"
        server = {"type": "local", **server, "tools": ["*"]}
    return Parts(
        hooks=(
            HookEntries(
                folder / "memlsp-cli.json", "hooks", {("hooks", event): [entry] for event in EVENTS}, {"version": 1}
            ),
        ),
        servers=(ServerEntry(servers, "MCP server", ("mcpServers", "memlsp"), server),),
        routing=(routing.block(surroundings.project / "AGENTS.md"),) if shared else (),
    )


CLIENT = Client(NAME, "Copilot CLI", Kind.AGENT, _found, _parts)
