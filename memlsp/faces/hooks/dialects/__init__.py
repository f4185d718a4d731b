"""How each agent says what happens and takes what is said to it: one small module for each."""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Callable

    from memlsp.faces.hooks.fields import Payload

START, END, PROMPT, BEFORE, AFTER, FAILED = "start", "end", "prompt", "before", "after", "failed"
STOP, COMPACT, SUBAGENT, FILES = "stop", "compact", "subagent", "files"
PLANNED, DONE = "planned", "done"
UNUSED, REPEAT = "unused", "repeat"

MOMENTS = {
    "sessionstart": START,
    "sessionend": END,
    "userpromptsubmit": PROMPT,
    "userpromptsubmitted": PROMPT,
    "beforesubmitprompt": PROMPT,
    "beforeagent": PROMPT,
    "preuserprompt": PROMPT,
    "pretooluse": BEFORE,
    "beforetool": BEFORE,
    "posttooluse": AFTER,
    "aftertool": AFTER,
    "posttoolusefailure": FAILED,
    "stop": STOP,
    "agentstop": STOP,
    "afteragent": STOP,
    "afteragentresponse": STOP,
    "precompact": COMPACT,
    "subagentstop": SUBAGENT,
    "filechanged": FILES,
    "taskcreated": PLANNED,
    "taskcompleted": DONE,
    # what tells nothing that another event does not tell better
    "posttoolbatch": REPEAT,
    "postcompact": REPEAT,
    "userprompttransformed": REPEAT,
    "userpromptexpansion": REPEAT,
    "permissionrequest": UNUSED,
    "permissiondenied": UNUSED,
    "notification": UNUSED,
    "subagentstart": UNUSED,
    "stopfailure": UNUSED,
    "erroroccurred": UNUSED,
    "instructionsloaded": UNUSED,
    "configchange": UNUSED,
    "cwdchanged": UNUSED,
    "setup": UNUSED,
    "teammateidle": UNUSED,
    "worktreecreate": UNUSED,
    "worktreeremove": UNUSED,
    "elicitation": UNUSED,
    "elicitationresult": UNUSED,
}
"""What the events of all agents mean to us, by their names in lower case without marks: agents copy each other's names,
and some read each other's settings."""


class Dialect:
    """One agent's way to speak.

    `source` is its name in what is stored. `moments` are the events that mean something else with this agent than with
    others, or that only it has; `known` the keys that only it sends; `hears` the moments at which it takes a context,
    but for the events that are `deaf`.
    `opened` brings a payload of another build into the common one; `worded` makes the text of an answer out of the
    event's name as it came, the moment, and the context. `quiet` is true where an answer without an exit code means
    that the command went well.
    """

    __slots__ = ("deaf", "hears", "known", "moments", "opened", "quiet", "source", "worded")

    def __init__(
        self,
        source: str,
        *,
        worded: Callable[[str, str, str], str],
        hears: frozenset[str] = frozenset(),
        deaf: frozenset[str] = frozenset(),
        moments: dict[str, str] | None = None,
        known: frozenset[str] = frozenset(),
        opened: Callable[[Payload], Payload] | None = None,
        quiet: bool = False,
    ) -> None:
        self.source = source
        self.worded = worded
        self.hears = hears
        self.deaf = deaf
        self.moments = moments or {}
        self.known = known
        self.opened = opened
        self.quiet = quiet

    def moment(self, event: str) -> str:
        """What an event means, by its name; "" for one that nobody knows."""
        plain = "".join(char for char in event.lower() if char.isalnum())
        return self.moments.get(plain) or MOMENTS.get(plain, "")

    def listens(self, event: str, moment: str) -> bool:
        """True when a context that is given at this event comes before the model."""
        return moment in self.hears and event not in self.deaf


AGENTS = (
    "claude-code",
    "cursor",
    "vscode",
    "copilot-cli",
    "codex",
    "gemini",
    "opencode",
    "windsurf",
    "terminal",
)
"""The agents whose payloads are read, as `memlsp hook` is told them."""


def dialect(agent: str) -> Dialect:
    """The dialect of an agent; that of Claude Code, which others copy, for one that nobody knows."""
    # late and one by one: a process answers one agent, and has little time
    if agent == "cursor":
        from memlsp.faces.hooks.dialects.cursor import CURSOR

        return CURSOR
    if agent == "vscode":
        from memlsp.faces.hooks.dialects.vscode import VSCODE

        return VSCODE
    if agent == "copilot-cli":
        from memlsp.faces.hooks.dialects.copilot_cli import COPILOT_CLI

        return COPILOT_CLI
    if agent == "codex":
        from memlsp.faces.hooks.dialects.codex import CODEX

        return CODEX
    if agent == "gemini":
        from memlsp.faces.hooks.dialects.gemini import GEMINI

        return GEMINI
    if agent == "opencode":
        from memlsp.faces.hooks.dialects.opencode import OPENCODE

        return OPENCODE
    if agent == "windsurf":
        from memlsp.faces.hooks.dialects.windsurf import WINDSURF

        return WINDSURF
    if agent == "terminal":
        from memlsp.faces.hooks.dialects.terminal import TERMINAL

        return TERMINAL
    from memlsp.faces.hooks.dialects.claude_code import CLAUDE_CODE

    return CLAUDE_CODE


def speaker(agent: str, payload: Payload) -> str:
    """Who really speaks: VS Code, Copilot CLI and Cursor also run the hooks that stand in Claude Code's settings."""
    if agent not in {"claude-code", "vscode"}:
        return agent
    if "cursor_version" in payload or "workspace_roots" in payload:
        return "cursor"
    if agent == "claude-code" and "timestamp" not in payload and "sessionId" not in payload:
        return agent
    transcript = payload.get("transcript_path") or payload.get("transcriptPath")
    is_cli = not isinstance(transcript, str) or ".copilot/" in transcript.replace("\\", "/")
    return "copilot-cli" if is_cli else "vscode"
