"""A caller: on whose behalf a face or a program asks the memory for something."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from memlsp.model.belief import Author

Progress = Callable[[int, int], None]
"""What a caller is told during long work: how much is done, of how much."""

Cancel = Callable[[], bool]
"""What a caller is asked between two steps of long work: True ends it."""


@frozen
class Caller:
    """Who asks, through which face, in which session, from which folder, and the note they leave with a change.

    Without an `author` it is the person at this machine. Paths that people type are relative to `folder` (default: the
    process's working directory).
    """

    author: Author | None = None
    source: str = "python"
    session: str = ""
    folder: Path | None = None
    note: str = ""
