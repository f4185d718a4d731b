"""What people call the places that events come from."""

from __future__ import annotations

from memlsp.model.lines import plain

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


def source_name(source: str) -> str:
    """The name of an agent or of another source, as its makers write it; "" for none."""
    return _NAMES.get(source) or plain(source, 30)


def source_names(sources: str) -> str:
    """The same of several, which are parted by commas."""
    return ", ".join(source_name(source) for source in sources.split(", "))
