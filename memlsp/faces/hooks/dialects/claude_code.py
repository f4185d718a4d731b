"""Claude Code: the events and keys that others copied. A command that fails comes as PostToolUseFailure, with `Exit
code 1` before its output; PostToolUse means that it went well. PreCompact takes no context:
it is given at SessionStart, which comes again after compaction."""

from __future__ import annotations

from memlsp.faces.hooks.dialects.dialect import AFTER, BEFORE, FAILED, PROMPT, START, SUBAGENT_START, Dialect
from memlsp.faces.hooks.fields import names


class ClaudeCodeDialect(Dialect):
    """Claude Code's hooks."""

    source = "claude-code"
    context_at = frozenset({START, PROMPT, BEFORE, AFTER, FAILED, SUBAGENT_START})
    message_key = "systemMessage"
    asks = True
    silent_success = True
    known = frozenset(
        names(
            "effort custom_instructions compact_summary background_tasks session_crons tool_calls task_id task_subject"
            " task_description teammate_name team_name session_title event"
        )
    )


DIALECT = ClaudeCodeDialect()
