"""Copilot in VS Code: Claude Code's events with keys in both cases, tools of its own names, and every matcher ignored.

It reads `.github/hooks/*.json` and `.claude/settings.json`, so that one event may come twice; what it is asked to add
to a prompt it ignores.
"""

from __future__ import annotations

from memlsp.faces.hooks.dialects import AFTER, BEFORE, START, Dialect
from memlsp.faces.hooks.dialects.context_json import specific

VSCODE = Dialect(
    "vscode",
    worded=specific,
    hears=frozenset({START, BEFORE, AFTER}),
)
