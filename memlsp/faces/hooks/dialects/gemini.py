"""Gemini CLI: `BeforeAgent` is the prompt, `AfterAgent` the answer; calls have no identifier but a time in
milliseconds. Its stdout must be JSON and nothing else. `BeforeTool` takes no context. `PreCompress` comes before every
request to the model, whether anything is compressed or not (seen in 0.61), and is therefore not used."""

from __future__ import annotations

from memlsp.faces.hooks.dialects.dialect import AFTER, START, UNUSED, Dialect, by_event
from memlsp.faces.hooks.fields import names


class GeminiDialect(Dialect):
    """Gemini CLI's hooks."""

    source = "gemini"
    context_at = frozenset({START, AFTER})
    silent_success = True
    phases = by_event({UNUSED: "precompress beforemodel aftermodel beforetoolselection"})
    known = frozenset(
        names("llm_request llm_response mcp_context original_request_name notification_type message details")
    )


DIALECT = GeminiDialect()
