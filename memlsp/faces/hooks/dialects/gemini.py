"""Gemini CLI: `BeforeAgent` is the prompt, `AfterAgent` the answer; calls have no identifier but a time in
milliseconds.

Its stdout must be JSON and nothing else. `BeforeTool` takes no context. `PreCompress` comes before every request to the
model, whether anything is compressed or not (seen in 0.61), and so says nothing.
"""

from __future__ import annotations

from memlsp.faces.hooks.dialects import AFTER, START, UNUSED, Dialect
from memlsp.faces.hooks.dialects.context_json import specific

GEMINI = Dialect(
    "gemini",
    worded=specific,
    hears=frozenset({START, AFTER}),
    quiet=True,
    moments={
        "precompress": UNUSED,
        "beforemodel": UNUSED,
        "aftermodel": UNUSED,
        "beforetoolselection": UNUSED,
    },
    known=frozenset(
        {
            "llm_request",
            "llm_response",
            "mcp_context",
            "original_request_name",
            "notification_type",
            "message",
            "details",
        }
    ),
)
