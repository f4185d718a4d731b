"""The Claude Code plugin: hooks, server and a skill, the same on every machine, with memlsp from the PATH.
`docs/generate/published_files.py` writes it into the repository."""

from __future__ import annotations

import json
from importlib.resources import files

from memlsp.faces.setup import programs
from memlsp.faces.setup.clients.claude_code import NAME, hook_groups, server
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.routing import TEXT
from memlsp.version import VERSION

ABOUT = "Remembers why the code is the way it is, and says so when the code stops agreeing"


def plugin_files() -> dict[str, str]:
    """The files of the plugin by their paths in it."""
    program, *args = programs.hook_command(NAME, shared=True)
    manifest: JsonValue = {
        "name": "memlsp",
        "description": ABOUT,
        "version": VERSION,
        "author": {"name": "memlsp"},
        "license": "MIT",
    }
    skill = (files("memlsp.faces.setup") / "claude_skill.md").read_text("utf-8")
    hooks = dict[str, JsonValue](hook_groups({"command": program, "args": list(args)}))
    return {
        ".claude-plugin/plugin.json": _json(manifest),
        "hooks/hooks.json": _json({"hooks": hooks}),
        ".mcp.json": _json({"mcpServers": {"memlsp": server(shared=True)}}),
        "skills/memory/SKILL.md": skill.replace("@ROUTING@", TEXT),
    }


def marketplace() -> str:
    """The marketplace file that offers the plugin, for the top of the repository."""
    entry: JsonValue = {"name": "memlsp", "source": "./plugins/claude-code", "description": ABOUT}
    return _json({"name": "memlsp", "description": ABOUT, "owner": {"name": "memlsp"}, "plugins": [entry]})


def _json(value: JsonValue) -> str:
    return json.dumps(value, indent=2) + "\n"
