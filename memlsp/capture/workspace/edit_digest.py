"""What edits of some files did to their symbols, as it is kept: sentences without secrets, no file states.

As a commit is read (`commits`), between two states that need not be in git: of a file only the definitions that differ
are described, generated files and lock files are not, and what is layout and comments alone is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from memlsp.capture.history.commits import without_secrets
from memlsp.capture.redaction.redaction import redact
from memlsp.code.diff.change_set import diff
from memlsp.code.diff.trimmed_states import parsed, trimmed
from memlsp.code.languages.detection import is_generated, is_lock, language_of
from memlsp.code.syntax.outline import outline
from memlsp.model.change import ChangeKind
from memlsp.model.episode import KeptChange

MOST_CHANGES = 100
"""Symbol changes that are kept of one event; those that alter meaning come first."""

LARGEST = 1_000_000
"""Bytes of a file that is read into symbols; a larger one nobody edits by hand."""

_MARK = b"[redacted:"
_QUIET = frozenset({ChangeKind.COSMETIC})
_PLACED = frozenset({ChangeKind.ADDED, ChangeKind.RENAMED, ChangeKind.MOVED})


@frozen
class Side:
    """A file before and after an edit; None where it was or is not there."""

    path: str
    before: bytes | None
    after: bytes | None


def is_told(path: str) -> bool:
    """True for a file whose edits can be told by symbols, as far as its name says."""
    return language_of(path) is not None and not is_lock(path)


def symbol_changes(sides: Sequence[Side], personal: Sequence[str] = ()) -> tuple[KeptChange, ...]:
    """What happened to the symbols of these files, those first that alter what the code means. Files are taken
    together, so that what moved from one to another is seen. `personal` is what `redact` takes out besides."""
    before: list[tuple[str, bytes]] = []
    after: list[tuple[str, bytes]] = []
    for side in sides:
        if not is_told(side.path) or any(_is_nobodys(side.path, data) for data in (side.before, side.after)):
            continue
        left, right = _alike(side.before, side.after, personal)
        if left is not None and right is not None:
            trees = parsed(side.path, left), parsed(side.path, right)
            if trees[0] is not None and trees[1] is not None:
                left, right = trimmed(trees[0], trees[1])
        if left is not None:
            before.append((side.path, left))
        if right is not None:
            after.append((side.path, right))
    changes = diff([outline(*each) for each in before], [outline(*each) for each in after])
    told = [change for change in changes if not change.kinds <= _QUIET]
    told.sort(key=lambda change: not (change.alters_meaning or change.kinds & _PLACED))
    return without_secrets(told[:MOST_CHANGES], personal)


def kept_text(data: bytes, personal: Sequence[str] = ()) -> bytes:
    """A text as it may be kept: without secrets, and without the `personal` data that `redact` knows."""
    return redact(data.decode("utf-8", "surrogateescape"), personal).text.encode("utf-8", "surrogateescape")


def _alike(before: bytes | None, after: bytes | None, personal: Sequence[str]) -> tuple[bytes | None, bytes | None]:
    """Both redacted where one of them may be, since what stands there for a secret would look like a change."""
    if before is not None and after is not None and (_MARK in before or _MARK in after):
        return kept_text(before, personal), kept_text(after, personal)
    return before, after


def _is_nobodys(path: str, data: bytes | None) -> bool:
    return data is not None and (len(data) > LARGEST or b"\0" in data[:8192] or is_generated(path, data))
