"""Codex's transcripts: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, one object a line.

`session_meta` and `turn_context` say the folder, `response_item` what was said and called. Lines that the program
itself says in the person's role (instructions, the environment) begin with a tag or a heading of its own. Known from
Codex 0.169.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memlsp.capture.transcripts import Told
from memlsp.capture.transcripts.lines import below, home, mapping, objects, parts, structure, text

SOURCE = "codex"
AGENT = "codex"
_MARKS = (b'"response_item"', b'"session_meta"', b'"turn_context"')
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}
_ITS_OWN = ("<", "# AGENTS.md instructions")


def files(origin: Path | None) -> list[Path]:
    """The transcripts of all sessions, or those at or below `origin`."""
    return below(origin or home("CODEX_HOME", ".codex") / "sessions", "**/rollout-*.jsonl")


def told(path: Path) -> Iterator[Told]:
    """The prompts and the calls with their results of a session."""
    calls: dict[str, dict[str, Any]] = {}
    session = folder = turn = ""
    for number, line in objects(path, _MARKS):
        item = mapping(line.get("payload"))
        if line.get("type") == "session_meta":
            session = session or text(item.get("session_id")) or text(item.get("id"))
        if line.get("type") != "response_item":
            folder = text(item.get("cwd")) or folder
            turn = text(item.get("turn_id")) or turn
            continue
        frame = {"session_id": session, "cwd": folder, "at": line.get("timestamp"), "turn_id": turn}
        kind = text(item.get("type"))
        if kind == "message" and item.get("role") == "user":
            said = parts(item.get("content"))
            if said.strip() and not said.lstrip().startswith(_ITS_OWN):
                prompt = {**frame, "hook_event_name": "UserPromptSubmit", "prompt": said}
                yield Told(number, folder, session, prompt)
        elif kind in _CALLS:
            calls[text(item.get("call_id"))] = item
        elif kind.endswith("_call_output"):
            call = calls.pop(text(item.get("call_id")), None)
            if call is not None:
                yield Told(number, folder, session, {**frame, **_result(call, item.get("output"))})


def _result(call: dict[str, Any], output: Any) -> dict[str, Any]:
    given = structure(call.get(_CALLS[text(call.get("type"))]))
    name = text(call.get("name")) or "shell"
    return {
        "hook_event_name": "PostToolUse",
        # a hook is told of every shell under this name
        "tool_name": "Bash" if name in {"exec_command", "shell_command", "shell", "local_shell"} else name,
        "tool_input": {"command": given} if isinstance(given, str) else given,
        "tool_use_id": call.get("call_id"),
        "tool_response": output,
    }
