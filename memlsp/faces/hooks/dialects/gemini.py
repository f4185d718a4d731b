"""Gemini CLI: `BeforeAgent` is the prompt, `AfterAgent` the answer; calls have no identifier but a time in
milliseconds. Its stdout must be JSON and nothing else. `BeforeTool` takes no context. `PreCompress` comes before every
request to the model, whether anything is compressed or not (seen in 0.61), and is therefore not used."""

from __future__ import annotations

from memlsp.faces.hooks.dialects.dialect import AFTER, PROMPT, START, UNUSED, Dialect, by_event, quoted
from memlsp.faces.hooks.fields import Payload, names

_ADDED = "<hook_context>", "</hook_context>"


class GeminiDialect(Dialect):
    """Gemini CLI's hooks."""

    source = "gemini"
    context_at = frozenset({START, PROMPT, AFTER})
    message_key = "systemMessage"
    silent_success = True
    phases = by_event({UNUSED: "precompress beforemodel aftermodel beforetoolselection"})
    known = frozenset(
        names("llm_request llm_response mcp_context original_request_name notification_type message details")
    )

    def normalised(self, payload: Payload) -> Payload:
        """The payload with the prompt as the person typed it. In headless mode Gemini CLI puts the context that hooks
        gave at the start before the first prompt (seen in 0.61)."""
        prompt = payload.get("prompt")
        if not isinstance(prompt, str) or not prompt.startswith(_ADDED[0]):
            return payload
        typed = prompt.partition(_ADDED[1])[2].strip()
        return {**payload, "prompt": typed or prompt}

    def refusal(self, event: str, decision: str, reason: str) -> str:  # noqa: ARG002
        """`BeforeTool` can only deny."""
        return f'{{"decision":"deny","reason":{quoted(reason)}}}'


DIALECT = GeminiDialect()
