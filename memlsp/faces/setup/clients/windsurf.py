"""Windsurf: hooks.json (shell strings), mcp_config.json, a rule file.

After Windsurf's documentation; no test drives Windsurf itself.

Nothing is asked for before an action: Windsurf takes no context from a hook, and could only be held up.
"""

from __future__ import annotations

from memlsp.faces.setup import programs, routing
from memlsp.faces.setup.clients.client import Client, Kind, Parts
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import HookEntries, ServerEntry

NAME = "windsurf"

EVENTS = (
    "pre_user_prompt",
    "post_read_code",
    "post_write_code",
    "post_run_command",
    "post_mcp_tool_use",
    "post_cascade_response",
)


def _found(surroundings: Surroundings, extent: Extent) -> bool:
    there = (surroundings.project / ".windsurf").is_dir() and extent is Extent.PROJECT
    return there or (surroundings.home / ".codeium" / "windsurf").is_dir() or surroundings.program("windsurf")


def _parts(surroundings: Surroundings, extent: Extent) -> Parts:
    shared = extent is Extent.PROJECT
    own = surroundings.home / ".codeium" / "windsurf"
    folder = surroundings.project / ".windsurf" if shared else own
    hook = programs.portable_hook_command(NAME) if shared else programs.hook_command(NAME)
    line = programs.shell_line(hook, surroundings.platform)
    # `command` is run by bash, and is what Windows falls back on; there PowerShell is the surer one
    key = "powershell" if surroundings.platform == "win32" and not shared else "command"
    entry: JsonValue = {key: line, "show_output": False}
    hooks = (HookEntries(folder / "hooks.json", "hooks", {("hooks", event): [entry] for event in EVENTS}),)
    if shared:
        return Parts(
            hooks=hooks,
            routing=(routing.rule(folder / "rules" / "memlsp.md", "trigger: always_on"),),
            notes=("has no MCP file of a project; the server is set up with memlsp init --agent windsurf",),
        )
    mcp = programs.mcp_command()
    return Parts(
        hooks=hooks,
        servers=(
            ServerEntry(
                own / "mcp_config.json", "MCP server", ("mcpServers", "memlsp"), {"command": mcp[0], "args": [*mcp[1:]]}
            ),
        ),
        routing=(routing.block(own / "memories" / "global_rules.md"),),
    )


CLIENT = Client(NAME, "Windsurf", Kind.AGENT, _found, _parts)
