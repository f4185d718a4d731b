"""Codex: Claude Code's events, and an answer in which every key must be one that it knows.

Commands come as the tool `Bash`, answered with the bare output: no exit code is told. Edits come as `apply_patch`, with
the patch in `command`. Plans are not told to hooks at all.
"""

from __future__ import annotations

from memlsp.faces.hooks.dialects import AFTER, BEFORE, START, Dialect
from memlsp.faces.hooks.dialects.context_json import specific

CODEX = Dialect(
    "codex",
    worded=specific,
    hears=frozenset({START, BEFORE, AFTER}),
)
