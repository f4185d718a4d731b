"""All clients, in the order in which they are shown."""

from __future__ import annotations

from memlsp.faces.setup.clients import (
    claude_code,
    codex,
    copilot_cli,
    cursor,
    editors,
    gemini,
    opencode,
    vscode,
    windsurf,
)
from memlsp.faces.setup.clients.client import Client

CLIENTS: tuple[Client, ...] = (
    claude_code.CLIENT,
    cursor.CLIENT,
    vscode.CLIENT,
    copilot_cli.CLIENT,
    codex.CLIENT,
    gemini.CLIENT,
    opencode.CLIENT,
    windsurf.CLIENT,
    editors.NEOVIM,
    editors.SUBLIME,
    editors.ZED,
    editors.HELIX,
    editors.EMACS,
)
