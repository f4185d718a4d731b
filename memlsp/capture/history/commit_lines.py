"""Commit episodes on the pipe between the process that reads the history and the one that keeps it: a JSON line each.

JSON and nothing that could run anything: what is in a repository was written by people whom we do not know.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import CommitEpisode, KeptChange, PassedOver
from memlsp.model.symbol import SymbolKind


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
        "changes": [
            [sorted(change.kinds), _ref(change.old), _ref(change.new), change.sentence] for change in episode.changes
        ],
    }


def unpacked(value: dict[str, Any]) -> CommitEpisode:
    """The episode of JSON values. Raises ValueError, KeyError or TypeError when they are none."""
    files, parsed, cosmetic, more, state_bytes = value["counts"]
    return CommitEpisode(
        commit=value["commit"],
        author=value["author"],
        date=datetime.fromtimestamp(value["at"], UTC),
        subject=value["subject"],
        changes=tuple(
            KeptChange(frozenset(ChangeKind(kind) for kind in kinds), _ref_of(old), _ref_of(new), sentence)
            for kinds, old, new, sentence in value["changes"]
        ),
        passed_over=PassedOver(value["passed_over"]) if value["passed_over"] else None,
        files=files,
        parsed=parsed,
        cosmetic=cosmetic,
        more=more,
        state_bytes=state_bytes,
    )


def _ref(ref: SymbolRef | None) -> list[str] | None:
    return None if ref is None else [ref.path, ref.name, ref.kind.value]


def _ref_of(value: Sequence[str] | None) -> SymbolRef | None:
    return None if value is None else SymbolRef(value[0], value[1], SymbolKind(value[2]))
