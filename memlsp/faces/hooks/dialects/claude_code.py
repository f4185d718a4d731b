"""Claude Code: the events and keys that others copied.

A command that fails comes as PostToolUseFailure, with `Exit code 1` before its output; PostToolUse means that it went
well. PreCompact takes no context, and the prompt's is paid for in every turn: what there is to say is said at
SessionStart, which comes again after compaction.
"""

from __future__ import annotations

from memlsp.faces.hooks.dialects import AFTER, BEFORE, FAILED, START, Dialect
from memlsp.faces.hooks.dialects.context_json import specific

CLAUDE_CODE = Dialect(
    "claude-code",
    worded=specific,
    hears=frozenset({START, BEFORE, AFTER, FAILED}),
    quiet=True,
    known=frozenset(
        {
            "effort",
            "custom_instructions",
            "compact_summary",
            "background_tasks",
            "session_crons",
            "tool_calls",
            "task_id",
            "task_subject",
            "task_description",
            "teammate_name",
            "team_name",
            "session_title",
            "event",
        }
    ),
)
