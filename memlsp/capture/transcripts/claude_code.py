"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, one object a line.

`user` lines hold a prompt or the results of tools, `assistant` lines text and calls of tools; each has the folder, the
session and a time. Acts of subagents (`isSidechain`) and texts that Claude Code adds to prompts (`isMeta`, tags) are
skipped. As of Claude Code 2.1.197.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memlsp.capture.transcripts import TranscriptEntry
from memlsp.capture.transcripts.foreign_json import as_list, as_object, as_text, files_below, home_folder, json_lines

AGENT = "claude-code"
_MARKS = (b'"user"', b'"assistant"')


def files(origin: Path | None) -> list[Path]:
    """Return the transcripts of all projects, or those at or below `origin`; not those of subagents."""
    found = files_below(origin or home_folder("CLAUDE_CONFIG_DIR", ".claude") / "projects", "**/*.jsonl")
    return [path for path in found if path.parent.name != "subagents"]


def entries(path: Path) -> Iterator[TranscriptEntry]:
    """Yield the prompts and the calls with their results of a session."""
    calls: dict[str, dict[str, Any]] = {}
    for number, line in json_lines(path, _MARKS):
        if line.get("isSidechain") or line.get("isMeta") or line.get("isCompactSummary"):
            continue
        frame = {
            "session_id": line.get("sessionId"),
            "cwd": line.get("cwd"),
            "at": line.get("timestamp"),
            "prompt_id": line.get("promptId"),
        }
        place = (number, as_text(line.get("cwd")), as_text(line.get("sessionId")))
        content = as_object(line.get("message")).get("content")
        if line.get("type") == "assistant":
            for part in map(as_object, as_list(content)):
                if part.get("type") == "tool_use":
                    calls[as_text(part.get("id"))] = part
        elif line.get("type") == "user":
            said = content if isinstance(content, str) else _typed_text(content)
            if said.strip() and not said.lstrip().startswith(("<", "[Request interrupted", "Caveat:")):
                yield TranscriptEntry(*place, {**frame, "hook_event_name": "UserPromptSubmit", "prompt": said})
            for part in map(as_object, as_list(content)):
                call = calls.pop(as_text(part.get("tool_use_id")), None)
                if call is not None:
                    yield TranscriptEntry(*place, {**frame, **_result(call, part, line.get("toolUseResult"))})


def _typed_text(content: Any) -> str:
    found = [as_text(part.get("text")) for part in map(as_object, as_list(content)) if part.get("type") == "text"]
    return "\n".join(found)


def _result(call: dict[str, Any], part: dict[str, Any], result: Any) -> dict[str, Any]:
    made = {"tool_name": call.get("name"), "tool_input": call.get("input"), "tool_use_id": call.get("id")}
    if part.get("is_error"):
        return {**made, "hook_event_name": "PostToolUseFailure", "error": part.get("content") or "failed"}
    return {**made, "hook_event_name": "PostToolUse", "tool_response": result}
