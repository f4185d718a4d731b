"""Gemini CLI's transcripts: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, or one `.json` each from earlier versions.

The first object names the session; others are messages, or `$set` changes of what was written before, which repeat it.
The folder stands in `.project_root` beside `chats`, or in `projects.json` under the name of the project; earlier
versions wrote only its SHA-256. As of Gemini CLI 0.61.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memlsp.capture.transcripts import TranscriptEntry
from memlsp.capture.transcripts.foreign_json import (
    as_list,
    as_object,
    as_text,
    files_below,
    home_folder,
    json_lines,
    json_object,
    message_text,
    value_of,
)

AGENT = "gemini"


def files(origin: Path | None) -> list[Path]:
    """Return the transcripts of all projects, or those at or below `origin`."""
    found = files_below(origin or home_folder("GEMINI_CLI_HOME", "") / ".gemini" / "tmp", "**/session-*.json*")
    return [path for path in found if path.suffix in {".json", ".jsonl"}]


def entries(path: Path) -> Iterator[TranscriptEntry]:
    """Yield the prompts and the calls with their results of a session."""
    folder = _folder(path)
    session = ""
    seen: set[str] = set()
    for number, line in _lines(path):
        session = as_text(line.get("sessionId")) or session
        name = as_text(line.get("id"))
        if not name or name in seen or as_text(line.get("type")) not in {"user", "gemini"}:
            continue
        frame = {"session_id": session, "cwd": folder, "at": line.get("timestamp")}
        content = line.get("content")
        if line.get("type") == "gemini":
            calls = [as_object(call) for call in as_list(line.get("toolCalls"))]
            # a message is written again while its tools run; only the last has their outcome
            if not calls or not all(as_text(call.get("status")) in {"success", "error", "cancelled"} for call in calls):
                continue
            for call in calls:
                yield TranscriptEntry(number, folder, session, {**frame, **_result(call)})
        else:
            said = message_text(content)
            if said.strip() and not said.lstrip().startswith("<"):
                prompt = {**frame, "hook_event_name": "BeforeAgent", "prompt": said}
                yield TranscriptEntry(number, folder, session, prompt)
        seen.add(name)


def _result(call: dict[str, Any]) -> dict[str, Any]:
    result = [
        as_object(as_object(each.get("functionResponse")).get("response"))
        for each in map(as_object, as_list(call.get("result")))
    ]
    first = result[0] if result else {}
    made = {
        "hook_event_name": "AfterTool",
        "tool_name": call.get("name"),
        "tool_input": call.get("args"),
        "tool_use_id": call.get("id"),
        "tool_response": {"llmContent": first.get("output")},
    }
    if call.get("status") != "success":
        made["tool_response"] = {"error": first.get("error") or call.get("status")}
    return made


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.suffix == ".jsonl":
        yield from json_lines(path)
        return
    whole = as_object(value_of(path.read_bytes()))
    yield 1, {"sessionId": whole.get("sessionId")}
    for message in as_list(whole.get("messages")):
        yield 1, as_object(message)


def _folder(path: Path) -> str:
    project = path.parent.parent
    try:
        return (project / ".project_root").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        pass
    known = as_object(json_object(project.parent.parent / "projects.json").get("projects"))
    return next((folder for folder, name in known.items() if name == project.name), "")
