"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, one object a line.

`user` lines hold a prompt or the results of tools, `assistant` lines text and calls of tools; each has the folder, the
session and a time. What a subagent did (`isSidechain`), and what Claude Code itself put into a prompt (`isMeta`, tags),
is left out. Known from Claude Code 2.1.197.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memlsp.capture.transcripts import Told
from memlsp.capture.transcripts.lines import below, home, items, mapping, objects, text

SOURCE = "claude-code"
AGENT = "claude-code"
_MARKS = (b'"user"', b'"assistant"')


def files(origin: Path | None) -> list[Path]:
    """The transcripts of all projects, or those at or below `origin`; not those of subagents."""
    found = below(origin or home("CLAUDE_CONFIG_DIR", ".claude") / "projects", "**/*.jsonl")
    return [path for path in found if path.parent.name != "subagents"]


def told(path: Path) -> Iterator[Told]:
    """The prompts, calls with their results, and answers of a session."""
    calls: dict[str, dict[str, Any]] = {}
    for number, line in objects(path, _MARKS):
        if line.get("isSidechain") or line.get("isMeta") or line.get("isCompactSummary"):
            continue
        frame = {
            "session_id": line.get("sessionId"),
            "cwd": line.get("cwd"),
            "at": line.get("timestamp"),
            "prompt_id": line.get("promptId"),
        }
        place = (number, text(line.get("cwd")), text(line.get("sessionId")))
        content = mapping(line.get("message")).get("content")
        if line.get("type") == "assistant":
            for part in map(mapping, items(content)):
                if part.get("type") == "tool_use":
                    calls[text(part.get("id"))] = part
        elif line.get("type") == "user":
            said = content if isinstance(content, str) else _said(content)
            if said.strip() and not said.lstrip().startswith(("<", "[Request interrupted", "Caveat:")):
                yield Told(*place, {**frame, "hook_event_name": "UserPromptSubmit", "prompt": said})
            for part in map(mapping, items(content)):
                call = calls.pop(text(part.get("tool_use_id")), None)
                if call is not None:
                    yield Told(*place, {**frame, **_result(call, part, line.get("toolUseResult"))})


def _said(content: Any) -> str:
    found = [text(part.get("text")) for part in map(mapping, items(content)) if part.get("type") == "text"]
    return "\n".join(found)


def _result(call: dict[str, Any], part: dict[str, Any], result: Any) -> dict[str, Any]:
    made = {"tool_name": call.get("name"), "tool_input": call.get("input"), "tool_use_id": call.get("id")}
    if part.get("is_error"):
        return {**made, "hook_event_name": "PostToolUseFailure", "error": part.get("content") or "failed"}
    return {**made, "hook_event_name": "PostToolUse", "tool_response": result}
