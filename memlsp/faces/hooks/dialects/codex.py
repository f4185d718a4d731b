"""Codex: Claude Code's events, and an answer in which every key must be one that it knows. Commands come as the tool
`Bash` with the bare output, without an exit code. Edits come as `apply_patch`, with the patch in `command`. Hooks get
no plans at all. A hook may deny a call; Codex runs a call for which a hook wants to ask."""

from __future__ import annotations

from memlsp.faces.hooks.dialects.dialect import AFTER, BEFORE, PROMPT, START, Dialect


class CodexDialect(Dialect):
    """Codex's hooks."""

    source = "codex"
    context_at = frozenset({START, PROMPT, BEFORE, AFTER})
    message_key = "systemMessage"


DIALECT = CodexDialect()
