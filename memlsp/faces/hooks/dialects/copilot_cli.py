"""Copilot's command line: with events in camel case it does not say which event it is, so that this is told by the
keys; with events in Pascal case it speaks as VS Code does.

`toolArgs` was a string of JSON in earlier versions. The exit code stands in the last line of a command's text.

A context is taken in a flat form, in either case; `preToolUse` would take one too, but a hook that fails there forbids
the tool, so that a note comes after a file was read.
"""

from __future__ import annotations

from memlsp.faces.hooks import fields
from memlsp.faces.hooks.dialects import AFTER, FAILED, START, Dialect
from memlsp.faces.hooks.dialects.context_json import camel

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from memlsp.faces.hooks.fields import Payload


def event_of(payload: Payload) -> str:
    """The event that a payload without a name is of."""
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


def _opened(payload: Payload) -> Payload:
    if fields.text(payload, fields.EVENT):
        return payload
    event = event_of(payload)
    return {**payload, "hookEventName": event} if event else payload


COPILOT_CLI = Dialect(
    "copilot-cli",
    worded=camel,
    hears=frozenset({START, AFTER, FAILED}),
    opened=_opened,
    known=frozenset(
        {
            "transformedPrompt",
            "agentName",
            "agentDisplayName",
            "agentDescription",
            "customInstructions",
            "permissionSuggestions",
            "notification_type",
            "notificationType",
            "errorContext",
            "recoverable",
        }
    ),
)
