"""Cursor's chats: `state.vscdb`, a SQLite file with JSON under keys.

`User/globalStorage/state.vscdb` holds the messages, `bubbleId:<chat>:<message>` in the table `cursorDiskKV`: `type` 1
is the person, `text` what was said. Which chat belongs to which folder stands in `User/workspaceStorage/*`: the folder
in `workspace.json`, the chats in `ItemTable` under `composer.composerData`; earlier versions kept the prompts
themselves there, under `aiService.prompts`. Written after what others found out about the format (versions 0.50 to 2),
and not tried with a real Cursor.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from memlsp.capture.transcripts import Told
from memlsp.capture.transcripts.lines import below, items, mapping, text
from memlsp.store.core.foreign_database import Cell, ForeignTables, foreign_tables

SOURCE = "cursor"
AGENT = "cursor"
_PERSON = 1


def files(origin: Path | None) -> list[Path]:
    """The databases of Cursor's user folder, those of the workspaces first; or those at or below `origin`."""
    found = below(origin or _user_folder(), "**/state.vscdb")
    return sorted(found, key=lambda path: path.parent.name == "globalStorage")


def told(path: Path) -> Iterator[Told]:
    """The prompts of every chat in one database, each with the folder that the chat belongs to."""
    with foreign_tables(path) as tables:
        if path.parent.parent.name == "workspaceStorage":
            if not _chats(tables):  # else they stand in the global one, with their times
                yield from _prompts(tables, _folder_of(path.parent), path.parent.name)
            return
        folders = _folders(path)
        times: dict[str, Any] = {}
        for key, value in tables.rows("cursorDiskKV", ("key", "value"), keys=("key", "composerData:")):
            chat, data = _string(key).partition(":")[2], _json(value)
            times[chat] = data.get("createdAt")
            # earlier versions kept the messages of a chat in one piece
            for bubble in map(mapping, items(data.get("conversation"))):
                yield from _bubble(chat, text(bubble.get("bubbleId")), bubble, folders, times)
        for key, value in tables.rows("cursorDiskKV", ("key", "value"), keys=("key", "bubbleId:")):
            chat, _, name = _string(key).partition(":")[2].partition(":")
            yield from _bubble(chat, name, _json(value), folders, times)


def _bubble(
    chat: str, name: str, bubble: dict[str, Any], folders: dict[str, str], times: dict[str, Any]
) -> Iterator[Told]:
    said = text(bubble.get("text"))
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
    yield Told(0, folder, chat, payload)


def _prompts(tables: ForeignTables, folder: str, session: str) -> Iterator[Told]:
    for _, value in tables.rows("ItemTable", ("key", "value"), keys=("key", "aiService.prompts")):
        for number, prompt in enumerate(map(mapping, items(_value(value))), 1):
            said = text(prompt.get("text"))
            if said.strip():
                payload = {"hook_event_name": "beforeSubmitPrompt", "conversation_id": session, "prompt": said}
                payload |= {"generation_id": f"{session}:{number}", "workspace_roots": [folder]}
                yield Told(0, folder, session, payload)


def _chats(tables: ForeignTables) -> list[str]:
    """The names of a workspace's chats."""
    rows = tables.rows("ItemTable", ("key", "value"), keys=("key", "composer.composerData"))
    chats = [mapping(chat) for _, value in rows for chat in items(_json(value).get("allComposers"))]
    return [name for chat in chats if (name := text(chat.get("composerId")))]


def _folders(path: Path) -> dict[str, str]:
    """The folder of each chat, as the workspaces beside this database tell it."""
    found: dict[str, str] = {}
    storage = path.parent.parent / "workspaceStorage"
    for workspace in below(storage, "*/state.vscdb") if storage.is_dir() else ():
        folder = _folder_of(workspace.parent)
        if not folder:
            continue
        with foreign_tables(workspace) as tables:
            found.update(dict.fromkeys(_chats(tables), folder))
    return found


def _folder_of(workspace: Path) -> str:
    try:
        told = mapping(json.loads((workspace / "workspace.json").read_bytes()))
    except (OSError, ValueError, RecursionError):
        return ""
    return _path(text(told.get("folder")))


def _own_folder(bubble: dict[str, Any]) -> str:
    return next((_path(text(uri)) for uri in items(bubble.get("workspaceUris")) if text(uri)), "")


def _path(uri: str) -> str:
    parsed = urlsplit(uri)
    if parsed.scheme != "file":
        return ""
    path = unquote(parsed.path)
    return path[1:] if path[2:3] == ":" else path


def _value(cell: Cell) -> Any:
    try:
        return json.loads(cell) if isinstance(cell, (str, bytes)) else None
    except (ValueError, RecursionError):
        return None


def _json(cell: Cell) -> dict[str, Any]:
    return mapping(_value(cell))


def _string(cell: Cell) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else text(cell)


def _user_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Cursor" / "User"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home()) / "Cursor" / "User"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "Cursor" / "User"
