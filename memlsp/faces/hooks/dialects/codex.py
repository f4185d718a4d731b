"""Codex: Claude Code's events, and an answer in which every key must be one that it knows. Commands come as the tool
`Bash` with the bare output, without an exit code. Edits come as `apply_patch`, with the patch in `command`. Hooks get
no plans at all."""

from __future__ import annotations

from memlsp.faces.hooks.dialects.dialect import AFTER, BEFORE, START, Dialect


class CodexDialect(Dialect):
    """Codex's hooks."""

    source = "codex"
    context_at = frozenset({START, BEFORE, AFTER})


DIALECT = CodexDialect()
