"""Readers of files that other programs left on this machine: agents' transcripts and other memory servers' stores.

Each format is a module that reads and never writes; it may import `foreign_json` and the store's reader of foreign
databases. Begin with the two protocols here: a transcript becomes payloads as the agent's hooks would have had them, so
one reader handles both, and a store becomes statements.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from attrs import field, frozen

from memlsp.model.belief import BeliefKind


def _no_payload() -> dict[str, Any]:
    return {}


@frozen
class TranscriptEntry:
    """One event of a transcript. `payload` is as the agent's hook would have had it; `line` counts from 1 (0 for none);
    `folder` is where the agent worked, absolute; `session` is the agent's name for its session."""

    line: int
    folder: str
    session: str
    payload: dict[str, Any] = field(factory=_no_payload)


@frozen
class ForeignStatement:
    """One statement of another memory. `record` locates it there (`observations/17`); `files` and `project` are what
    that memory ties it to."""

    text: str
    record: str
    at: datetime | None = None
    kind: BeliefKind | None = None
    files: tuple[str, ...] = ()
    project: str = ""
    quote: str = ""
    line: int | None = None
    session: str = ""


class TranscriptReader(Protocol):
    """A module that reads an agent's transcripts."""

    SOURCE: str
    AGENT: str

    def files(self, origin: Path | None) -> list[Path]:
        """Return the transcripts, oldest first: at or below `origin`, or where the agent keeps them."""
        ...

    def entries(self, path: Path) -> Iterator[TranscriptEntry]:
        """Yield the events of one transcript in order. Skips what it cannot read; raises OSError."""
        ...


class StatementReader(Protocol):
    """A module that reads another program's memory."""

    SOURCE: str

    def files(self, origin: Path | None) -> list[Path]:
        """Return the files of the memory: at or below `origin`, or where that program keeps them."""
        ...

    def statements(self, path: Path) -> Iterator[ForeignStatement]:
        """Yield the statements of one file. Skips what it cannot read; raises OSError, ForeignUnreadable."""
        ...
