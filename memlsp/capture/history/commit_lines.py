"""Messages on the pipe between the processes that read and store the history: one JSON line each.

JSON cannot run anything, and the contents of a repository were written by strangers.
"""

from __future__ import annotations

import json
from typing import Any

from memlsp.model.episode import CommitEpisode
from memlsp.store.core.rows import converter


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
    value: dict[str, Any] = converter().unstructure(episode)
    for change in value["changes"]:
        change["kinds"] = sorted(change["kinds"])
    return value


def unpacked(value: dict[str, Any]) -> CommitEpisode:
    """The episode of JSON values."""
    return converter().structure(value, CommitEpisode)
