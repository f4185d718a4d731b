"""Cursor's chats: `state.vscdb`, a SQLite file with JSON under keys.

`User/globalStorage/state.vscdb` holds the messages, `bubbleId:<chat>:<message>` in the table `cursorDiskKV`: `type` 1
is the person, `text` the message. The folder of a chat stands in `User/workspaceStorage/*`: the folder
in `workspace.json`, the chats in `ItemTable` under `composer.composerData`; earlier versions kept the prompts
themselves there, under `aiService.prompts`. Written after what others found out about the format (versions 0.50 to 2),
and not tried with a real Cursor.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import platformdirs

from memlsp.capture.transcripts import TranscriptEntry
from memlsp.capture.transcripts.foreign_json import as_list, as_object, as_text, files_below, json_object, value_of
from memlsp.store.core.foreign_database import Cell, ForeignTables, foreign_tables

AGENT = "cursor"
_PERSON = 1


def files(origin: Path | None) -> list[Path]:
    """Return the databases of Cursor's user folder, or at or below `origin`; those of workspaces first."""
    found = files_below(
        origin or platformdirs.user_config_path("Cursor", appauthor=False, roaming=True) / "User", "**/state.vscdb"
    )
    return sorted(found, key=lambda path: path.parent.name == "globalStorage")


def entries(path: Path) -> Iterator[TranscriptEntry]:
    """Yield the prompts of every chat in one database, each with the folder of its chat."""
    with foreign_tables(path) as tables:
        if path.parent.parent.name == "workspaceStorage":
            if not _chats(tables):  # else the global database has them, with their times
                yield from _prompts(tables, _folder_of(path.parent), path.parent.name)
            return
        folders = _folders(path)
        times: dict[str, Any] = {}
        for key, value in tables.rows("cursorDiskKV", ("key", "value"), keys=("key", "composerData:")):
            chat, data = _string(key).partition(":")[2], as_object(value_of(value))
            times[chat] = data.get("createdAt")
            # earlier versions kept the messages of a chat in one piece
            for bubble in map(as_object, as_list(data.get("conversation"))):
                yield from _bubble(chat, as_text(bubble.get("bubbleId")), bubble, folders, times)
        for key, value in tables.rows("cursorDiskKV", ("key", "value"), keys=("key", "bubbleId:")):
            chat, _, name = _string(key).partition(":")[2].partition(":")
            yield from _bubble(chat, name, as_object(value_of(value)), folders, times)


def _bubble(
    chat: str, name: str, bubble: dict[str, Any], folders: dict[str, str], times: dict[str, Any]
) -> Iterator[TranscriptEntry]:
    said = as_text(bubble.get("text"))
    if bubble.get("type") != _PERSON or not said.strip():
        return
    folder = folders.get(chat) or _own_folder(bubble)
    payload = {
        "hook_event_name": "beforeSubmitPrompt",
        "conversation_id": chat,
        "generation_id": name,
        "workspace_roots": [folder],
        "timestamp": bubble.get("createdAt") or times.get(chat),  # few messages have a time of their own
        "prompt": said,
    }
    yield TranscriptEntry(0, folder, chat, payload)


def _prompts(tables: ForeignTables, folder: str, session: str) -> Iterator[TranscriptEntry]:
    for _, value in tables.rows("ItemTable", ("key", "value"), keys=("key", "aiService.prompts")):
        for number, prompt in enumerate(map(as_object, as_list(value_of(value))), 1):
            said = as_text(prompt.get("text"))
            if said.strip():
                payload = {"hook_event_name": "beforeSubmitPrompt", "conversation_id": session, "prompt": said}
                payload |= {"generation_id": f"{session}:{number}", "workspace_roots": [folder]}
                yield TranscriptEntry(0, folder, session, payload)


def _chats(tables: ForeignTables) -> list[str]:
    rows = tables.rows("ItemTable", ("key", "value"), keys=("key", "composer.composerData"))
    chats = [as_object(chat) for _, value in rows for chat in as_list(as_object(value_of(value)).get("allComposers"))]
    return [name for chat in chats if (name := as_text(chat.get("composerId")))]


def _folders(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    storage = path.parent.parent / "workspaceStorage"
    for workspace in files_below(storage, "*/state.vscdb") if storage.is_dir() else ():
        folder = _folder_of(workspace.parent)
        if not folder:
            continue
        with foreign_tables(workspace) as tables:
            found.update(dict.fromkeys(_chats(tables), folder))
    return found


def _folder_of(workspace: Path) -> str:
    return _path(as_text(json_object(workspace / "workspace.json").get("folder")))


def _own_folder(bubble: dict[str, Any]) -> str:
    return next((_path(as_text(uri)) for uri in as_list(bubble.get("workspaceUris")) if as_text(uri)), "")


def _path(uri: str) -> str:
    parsed = urlsplit(uri)
    if parsed.scheme != "file":
        return ""
    path = unquote(parsed.path)
    return path[1:] if path[2:3] == ":" else path


def _string(cell: Cell) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else as_text(cell)
