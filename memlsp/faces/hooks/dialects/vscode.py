"""Copilot in VS Code: Claude Code's events with keys in both cases, tools of its own names, and every matcher ignored.
It reads `.github/hooks/*.json` and `.claude/settings.json`, so that one event may come twice. It ignores a context that
is given at a prompt."""

from __future__ import annotations

from memlsp.faces.hooks.dialects.dialect import AFTER, BEFORE, START, Dialect


class VSCodeDialect(Dialect):
    """The hooks of Copilot in VS Code."""

    source = "vscode"
    context_at = frozenset({START, BEFORE, AFTER})
    message_key = "systemMessage"
    asks = True


DIALECT = VSCodeDialect()
