"""The symbol changes of an edit, in the form that is stored: sentences without secrets, no file states.

Works like reading a commit (`history.commits`), for two states that need not be in git: describes the definitions that
differ, and leaves out generated files, lock files, layout and comments.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from memlsp.capture.git.repository import is_binary
from memlsp.capture.history.commits import without_secrets, worth_keeping
from memlsp.capture.redaction.redaction import redact
from memlsp.code.diff.change_set import diff
from memlsp.code.diff.trimmed_source import parsed, trimmed
from memlsp.code.languages.detection import is_generated, is_lock, language_of
from memlsp.code.syntax.outline import outline
from memlsp.model.episode import KeptChange

MOST_CHANGES = 100
"""Symbol changes that are stored of one event; those that alter meaning come first."""

LARGEST = 1_000_000
"""Bytes of a file up to which its symbols are compared; nobody edits a larger one by hand."""

_MARK = b"[redacted:"


@frozen
class FileBeforeAfter:
    """The bytes of a file before and after an edit; None where it does not exist."""

    path: str
    before: bytes | None
    after: bytes | None


def has_symbols(path: str) -> bool:
    """Return True for a file whose edits are described by symbols, judging by its name."""
    return language_of(path) is not None and not is_lock(path)


def symbol_changes(files: Sequence[FileBeforeAfter], personal: Sequence[str] = ()) -> tuple[KeptChange, ...]:
    """Compare all files together, so that moves between them are found. Returns changes of meaning first. `personal`
    names the personal data that `redact` removes besides secrets."""
    before: list[tuple[str, bytes]] = []
    after: list[tuple[str, bytes]] = []
    for file in files:
        if not has_symbols(file.path) or any(_is_made(file.path, data) for data in (file.before, file.after)):
            continue
        left, right = _comparable(file.before, file.after, personal)
        if left is not None and right is not None:
            trees = parsed(file.path, left), parsed(file.path, right)
            if trees[0] is not None and trees[1] is not None:
                left, right = trimmed(trees[0], trees[1])
        if left is not None:
            before.append((file.path, left))
        if right is not None:
            after.append((file.path, right))
    changes = diff([outline(*each) for each in before], [outline(*each) for each in after])
    return without_secrets(worth_keeping(changes)[:MOST_CHANGES], personal)


def redacted_bytes(data: bytes, personal: Sequence[str] = ()) -> bytes:
    """Return a text as it may be stored: without secrets and without `personal` data (see `redact`)."""
    return redact(data.decode("utf-8", "surrogateescape"), personal).text.encode("utf-8", "surrogateescape")


def _comparable(
    before: bytes | None, after: bytes | None, personal: Sequence[str]
) -> tuple[bytes | None, bytes | None]:
    """Redact both states if one is redacted, since a mark in place of a secret would look like a change."""
    if before is not None and after is not None and (_MARK in before or _MARK in after):
        return redacted_bytes(before, personal), redacted_bytes(after, personal)
    return before, after


def _is_made(path: str, data: bytes | None) -> bool:
    return data is not None and (len(data) > LARGEST or is_binary(data) or is_generated(path, data))
