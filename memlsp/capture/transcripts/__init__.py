"""Readers of the transcripts that agents left on this machine.

Each format is a module that reads and never writes; it may import `foreign_json` and the store's reader of foreign
databases. Begin with the protocol here: a transcript becomes payloads as the agent's hooks would have had them, so one
reader handles both.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from attrs import frozen


@frozen
class TranscriptEntry:
    """One event of a transcript. `payload` is as the agent's hook would have had it; `line` counts from 1 (0 for none);
    `folder` is where the agent worked, absolute; `session` is the agent's name for its session."""

    line: int
    folder: str
    session: str
    payload: dict[str, Any]


class TranscriptReader(Protocol):
    """A module that reads an agent's transcripts."""

    AGENT: str

    def files(self, origin: Path | None) -> list[Path]:
        """Return the transcripts, oldest first: at or below `origin`, or where the agent keeps them."""
        ...

    def entries(self, path: Path) -> Iterator[TranscriptEntry]:
        """Yield the events of one transcript in order. Skips what it cannot read; raises OSError."""
        ...
