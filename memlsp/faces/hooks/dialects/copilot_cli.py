"""Copilot's command line: hooks with events in camel case do not name their event, so that the keys tell it; with
events in Pascal case its payloads are those of VS Code.

`toolArgs` was a string of JSON in earlier versions. The exit code stands in the last line of a command's text.

It takes a context in a flat form, in either case. `preToolUse` would take one too, but a hook that fails there forbids
the tool, so that a note comes after a file was read.
"""

from __future__ import annotations

from memlsp.faces.hooks import fields
from memlsp.faces.hooks.dialects.dialect import AFTER, FAILED, START, Dialect, quoted
from memlsp.faces.hooks.fields import Payload


def event_of(payload: Payload) -> str:
    """The event of a payload that does not name it."""
    if "toolName" in payload or "tool_name" in payload:
        if "toolResult" in payload:
            return "postToolUse"
        return "postToolUseFailure" if "error" in payload else "preToolUse"
    for key, event in (
        ("transformedPrompt", "userPromptTransformed"),
        ("source", "sessionStart"),
        ("stopReason", "subagentStop" if "agentName" in payload else "agentStop"),
        ("reason", "sessionEnd"),
        ("prompt", "userPromptSubmitted"),
        ("trigger", "preCompact"),
        ("notification_type", "notification"),
        ("notificationType", "notification"),
        ("error", "errorOccurred"),
        ("agentName", "subagentStart"),
    ):
        if key in payload:
            return event
    return ""


class CopilotCliDialect(Dialect):
    """Copilot CLI's hooks."""

    source = "copilot-cli"
    context_key = "additionalContext"
    context_at = frozenset({START, AFTER, FAILED})
    known = frozenset(
        fields.names(
            "transformedPrompt agentName agentDisplayName agentDescription customInstructions permissionSuggestions"
            " notification_type notificationType errorContext recoverable"
        )
    )

    def normalised(self, payload: Payload) -> Payload:
        """The payload with the name of its event."""
        event = "" if fields.text(payload, fields.EVENT) else event_of(payload)
        return {**payload, "hookEventName": event} if event else payload

    def refusal(self, event: str, decision: str, reason: str) -> str:  # noqa: ARG002
        """The flat form."""
        return f'{{"permissionDecision":"{decision}","permissionDecisionReason":{quoted(reason)}}}'


DIALECT = CopilotCliDialect()
