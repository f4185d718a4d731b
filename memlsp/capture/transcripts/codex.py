"""Codex's transcripts: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, one object a line.

`session_meta` and `turn_context` name the folder, `response_item` holds messages and calls. Lines that the program
writes in the person's role (instructions, the environment) begin with a tag or a heading. As of Codex 0.169.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memlsp.capture.transcripts import TranscriptEntry
from memlsp.capture.transcripts.foreign_json import (
    as_object,
    as_text,
    files_below,
    home_folder,
    json_lines,
    message_text,
    parsed,
)

AGENT = "codex"
_MARKS = (b'"response_item"', b'"session_meta"', b'"turn_context"')
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}
_BY_PROGRAM = ("<", "# AGENTS.md instructions")


def files(origin: Path | None) -> list[Path]:
    """Return the transcripts of all sessions, or those at or below `origin`."""
    return files_below(origin or home_folder("CODEX_HOME", ".codex") / "sessions", "**/rollout-*.jsonl")


def entries(path: Path) -> Iterator[TranscriptEntry]:
    """Yield the prompts and the calls with their results of a session."""
    calls: dict[str, dict[str, Any]] = {}
    session = folder = turn = ""
    for number, line in json_lines(path, _MARKS):
        item = as_object(line.get("payload"))
        if line.get("type") == "session_meta":
            session = session or as_text(item.get("session_id")) or as_text(item.get("id"))
        if line.get("type") != "response_item":
            folder = as_text(item.get("cwd")) or folder
            turn = as_text(item.get("turn_id")) or turn
            continue
        frame = {"session_id": session, "cwd": folder, "at": line.get("timestamp"), "turn_id": turn}
        kind = as_text(item.get("type"))
        if kind == "message" and item.get("role") == "user":
            said = message_text(item.get("content"))
            if said.strip() and not said.lstrip().startswith(_BY_PROGRAM):
                prompt = {**frame, "hook_event_name": "UserPromptSubmit", "prompt": said}
                yield TranscriptEntry(number, folder, session, prompt)
        elif kind in _CALLS:
            calls[as_text(item.get("call_id"))] = item
        elif kind.endswith("_call_output"):
            call = calls.pop(as_text(item.get("call_id")), None)
            if call is not None:
                yield TranscriptEntry(number, folder, session, {**frame, **_result(call, item.get("output"))})


def _result(call: dict[str, Any], output: Any) -> dict[str, Any]:
    given = parsed(call.get(_CALLS[as_text(call.get("type"))]))
    name = as_text(call.get("name")) or "shell"
    return {
        "hook_event_name": "PostToolUse",
        # hooks get every shell under this name
        "tool_name": "Bash" if name in {"exec_command", "shell_command", "shell", "local_shell"} else name,
        "tool_input": {"command": given} if isinstance(given, str) else given,
        "tool_use_id": call.get("call_id"),
        "tool_response": output,
    }
