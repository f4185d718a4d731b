"""All agents that memlsp knows: adding one takes an entry here and the modules that the entry names.

Modules stand here by name, and nothing but strings is imported: a hook reads this table within its 40 ms.
"""

from __future__ import annotations


class Agent:
    """One program that works on code. `aliases` are the beginnings of its names as an MCP client.

    Its modules: `dialect` in `memlsp.faces.hooks.dialects`, `client` in `memlsp.faces.setup.clients`, `transcript` in
    `memlsp.capture.transcripts`; "" for one that does not exist.
    """

    __slots__ = ("aliases", "client", "dialect", "name", "title", "transcript")

    def __init__(
        self, name: str, title: str, *, aliases: tuple[str, ...] = (), client: str = "", transcript: str = ""
    ) -> None:
        self.name = name
        self.title = title
        self.aliases = aliases
        self.dialect = name.replace("-", "_")
        self.client = client
        self.transcript = transcript


AGENTS = (
    Agent("claude-code", "Claude Code", client="claude_code", transcript="claude_code"),
    Agent("cursor", "Cursor", aliases=("cursor",), client="cursor", transcript="cursor"),
    Agent("vscode", "Copilot in VS Code", aliases=("visual-studio-code",), client="vscode"),
    Agent("copilot-cli", "Copilot CLI", client="copilot_cli"),
    Agent("codex", "Codex", aliases=("codex",), client="codex", transcript="codex"),
    Agent("gemini", "Gemini CLI", aliases=("gemini-cli",), client="gemini", transcript="gemini"),
    Agent("opencode", "opencode", client="opencode"),
    Agent("windsurf", "Windsurf", aliases=("windsurf",), client="windsurf"),
    Agent("terminal", "terminal"),  # our own shell snippets, which call the hook as an agent does
)
"""In the order in which people see them."""

NAMES = tuple(agent.name for agent in AGENTS)
"""The names that `memlsp hook` takes."""
