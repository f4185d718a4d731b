"""What other programs have kept on this machine: transcripts of agents, and the memories of other memory servers.

Read only, each format in one module. A transcript is told as what the agent's hooks would have been given, so that it
is read by the same reader; a memory is told as statements.
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
class Told:
    """One thing that a transcript tells. `payload` is as the agent's hook would have had it; `line` (from 1) is where
    it stands; `folder` where the agent worked then, absolute; `session` the agent's name for its session."""

    line: int
    folder: str
    session: str
    payload: dict[str, Any] = field(factory=_no_payload)


@frozen
class Statement:
    """One thing that another memory holds. `record` says which, so that anybody can look (`observations/17`); `files`
    and `project` are what it is about, as that memory says it."""

    text: str
    record: str
    at: datetime | None = None
    kind: BeliefKind | None = None
    files: tuple[str, ...] = ()
    project: str = ""
    quote: str = ""
    line: int | None = None
    session: str = ""


class Transcripts(Protocol):
    """A module that reads an agent's transcripts."""

    SOURCE: str
    AGENT: str

    def files(self, origin: Path | None) -> list[Path]:
        """The transcripts there are, oldest first: below `origin`, or where the agent keeps them."""
        ...

    def told(self, path: Path) -> Iterator[Told]:
        """What one of them tells, in order. What cannot be read is passed over; raises OSError."""
        ...


class Stores(Protocol):
    """A module that reads another program's memory."""

    SOURCE: str

    def files(self, origin: Path | None) -> list[Path]:
        """The files that hold it: at or below `origin`, or where that program keeps them."""
        ...

    def statements(self, path: Path) -> Iterator[Statement]:
        """What one of them holds. What cannot be read is passed over; raises OSError, ForeignUnreadable."""
        ...
