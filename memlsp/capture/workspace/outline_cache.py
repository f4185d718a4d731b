"""Outlines as the worktree keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.capture.workspace.stamp import Stamp

if TYPE_CHECKING:
    from memlsp.code.incremental.edited_file import FileVersion
    from memlsp.code.syntax.outline import Outline

MOST_KEPT = 4 * 1024 * 1024
"""Bytes of source whose outlines are kept; an outline takes about six times that (measured on Flask)."""

LARGE = 200_000
"""Bytes from which a file is outlined in another process: it takes hundreds of milliseconds of pure Python."""

_MANY_LINES = 5_000


def is_large(data: bytes) -> bool:
    """Return True for a text that takes longer to outline than an editor may wait."""
    return len(data) > LARGE or (len(data) > _MANY_LINES and data.count(b"\n") > _MANY_LINES)


@frozen
class CachedOutline:
    """An outline and the state it was made from: `key` is the stamp of a file or the serial of a buffer. `reading` is
    the parse that the next state of an open buffer is derived from."""

    key: Stamp | int
    digest: int
    size: int  # bytes of source
    outline: Outline
    reading: FileVersion | None = None
