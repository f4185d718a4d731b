"""Commit episodes on the pipe between the processes that read and store the history: one JSON line each.

JSON cannot run anything, and the contents of a repository were written by strangers.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from memlsp.model.episode import CommitEpisode, PassedOver
from memlsp.store.tables.history import changes_from_json, changes_to_json


def line_of(message: dict[str, Any]) -> bytes:
    """A message as a line."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def message_of(line: bytes) -> dict[str, Any]:
    """The message on a line. Raises ValueError when it is none."""
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("not a message")  # noqa: TRY004 - one error for all that is not one
    return found  # pyright: ignore[reportUnknownVariableType] - JSON has no other keys


def packed(episode: CommitEpisode) -> dict[str, Any]:
    """An episode as JSON values."""
    return {
        "commit": episode.commit,
        "author": episode.author,
        "at": int(episode.date.timestamp()),
        "subject": episode.subject,
        "passed_over": episode.passed_over,
        "counts": [episode.files, episode.parsed, episode.cosmetic, episode.more, episode.state_bytes],
        "changes": changes_to_json(episode.changes),
    }


def unpacked(value: dict[str, Any]) -> CommitEpisode:
    """The episode of JSON values. Raises ValueError, KeyError or TypeError when they are none."""
    files, parsed, cosmetic, more, state_bytes = value["counts"]
    return CommitEpisode(
        commit=value["commit"],
        author=value["author"],
        date=datetime.fromtimestamp(value["at"], UTC),
        subject=value["subject"],
        changes=changes_from_json(value["changes"]),
        passed_over=PassedOver(value["passed_over"]) if value["passed_over"] else None,
        files=files,
        parsed=parsed,
        cosmetic=cosmetic,
        more=more,
        state_bytes=state_bytes,
    )
