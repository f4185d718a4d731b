"""What people call the places that events come from."""

from __future__ import annotations

from memlsp.model.one_line import plain

_NAMES = {
    "claude-code": "Claude Code",
    "cursor": "Cursor",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "copilot-cli": "Copilot CLI",
    "vscode": "Copilot in VS Code",
    "opencode": "opencode",
    "windsurf": "Windsurf",
    "editor": "editor",
    "git": "git",
    "terminal": "terminal",
    "files": "files",
}


_CLIENTS = {
    "codex": "codex",  # codex-mcp-client
    "cursor": "cursor",  # cursor-vscode
    "gemini-cli": "gemini",  # gemini-cli-mcp-client
    "visual-studio-code": "vscode",
    "windsurf": "windsurf",  # windsurf-client
}
"""How the names begin that agents give themselves over MCP, where hooks know them by another."""


def source_of(client: str) -> str:
    """The source that a program's hooks go by, from the name that it gives itself: `Claude Code` is claude-code, and
    `codex-mcp-client` codex."""
    slug = "-".join(plain(client, 60).lower().split())
    return next((source for name, source in _CLIENTS.items() if f"{slug}-".startswith(f"{name}-")), slug)


def source_name(source: str) -> str:
    """The name of an agent or of another source, as its makers write it; "" for none."""
    return _NAMES.get(source) or plain(source, 30)


def source_names(sources: str) -> str:
    """The same of several, which are parted by commas."""
    return ", ".join(source_name(source) for source in sources.split(", "))
