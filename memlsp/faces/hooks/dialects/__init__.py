"""Which dialect a payload is in: each agent has a module here, whose `DIALECT` says how its events are read. Modules
import `dialect.py` alone, and are imported one by one: a process answers one agent, and has little time. To add an
agent, begin with the table in `memlsp.agents`, then with `claude_code.py`, which others copied."""

from __future__ import annotations

import sys

from memlsp.agents import AGENTS
from memlsp.faces.hooks.dialects.dialect import Dialect
from memlsp.faces.hooks.fields import Payload


def dialect_of(agent: str) -> Dialect:
    """The dialect of an agent; for an unknown one that of Claude Code, which others copy."""
    module = next((each.dialect for each in AGENTS if each.name == agent), AGENTS[0].dialect)
    name = f"{__name__}.{module}"
    __import__(name)
    return sys.modules[name].DIALECT


def true_agent(agent: str, payload: Payload) -> str:
    """The agent that sent a payload: VS Code, Copilot CLI and Cursor also run the hooks in Claude Code's settings."""
    if agent not in {"claude-code", "vscode"}:
        return agent
    if "cursor_version" in payload or "workspace_roots" in payload:
        return "cursor"
    if agent == "claude-code" and "timestamp" not in payload and "sessionId" not in payload:
        return agent
    transcript = payload.get("transcript_path") or payload.get("transcriptPath")
    is_cli = not isinstance(transcript, str) or ".copilot/" in transcript.replace("\\", "/")
    return "copilot-cli" if is_cli else "vscode"
