"""The export file: a heading, one belief a line, one conflict a line, and an end line with the counts, the digest and
this machine's seal.

The file holds neither its time nor the machine, so the same memory always gives the same file.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from memlsp.memory.transfer.belief_jsonl import LONGEST_LINE, belief_record_of, conflict_line, conflict_of, line_of
from memlsp.memory.transfer.copies_in_progress import part_of
from memlsp.model.copy import BeliefRecord, ExportResult
from memlsp.model.errors import BadValue, NoSuchFile, Refused, StoreUnavailable
from memlsp.store.backup.seal import Sealer
from memlsp.store.store import Store
from memlsp.store.tables.conflicts import KeptConflict

HEADING = b'{"memlsp":"export","format":1}\n'
_BEGINNING = b'{"memlsp":"export"'
LARGEST = 8 << 30
"""Bytes of the largest file that is read."""

_IN_MEMORY = 32 << 20
_MOST_LINES = 4_000_000


def write_export(file: IO[bytes], path: Path, store: Store, data: Path) -> ExportResult:
    """Write an export of a store to an open file, that of `path`, sealed with the key in the data folder `data`. Raises
    OSError."""
    sealer = Sealer(data)
    beliefs = revisions = conflict_count = 0

    def put(line: bytes) -> None:
        sealer.update(line)
        file.write(line)

    put(HEADING)
    for record in store.copies.records():
        put(line_of(record).encode("ascii") + b"\n")
        beliefs += 1
        revisions += len(record.history)
    for each in store.conflicts.all():
        if each.conflict.settlement is not None:  # open ones are detected again wherever both beliefs are
            put(json_line({"conflict": conflict_line(each)}))
            conflict_count += 1
    end = {"beliefs": beliefs, "revisions": revisions, "conflicts": conflict_count}
    file.write(json_line({"end": end, "digest": sealer.digest, "seal": sealer.seal}))
    return ExportResult(path, beliefs, revisions, conflict_count)


class ExportFile:
    """An export that was read through once. `sealed`: by this machine, and not changed since; `complete`: with its end
    line."""

    def __init__(self, copy: IO[bytes], lines: int, *, sealed: bool, complete: bool) -> None:
        self._copy = copy
        self._lines = lines
        self.sealed = sealed
        self.complete = complete

    def records(self) -> Iterator[tuple[str, BeliefRecord | BadValue]]:
        """Yield each line's name (`line 7`) with its belief record or the error."""
        for name, value in self._values():
            if isinstance(value, BadValue):
                yield name, value
            elif "conflict" not in value:
                try:
                    yield name, belief_record_of(value)
                except BadValue as error:
                    yield name, error

    def conflicts(self) -> Iterator[KeptConflict]:
        """Yield the conflicts that can be read; their texts are redacted unless this machine sealed the export."""
        for _, value in self._values():
            if not isinstance(value, BadValue) and isinstance(value.get("conflict"), dict):
                with suppress(BadValue):
                    yield conflict_of(value["conflict"], clean=not self.sealed)

    def _values(self) -> Iterator[tuple[str, dict[str, Any] | BadValue]]:
        self._copy.seek(len(HEADING))
        for number in range(2, 2 + self._lines):
            line = self._copy.readline()
            value = parse_line(line)
            yield f"line {number}", BadValue("it is no line of an export") if value is None else value


@contextmanager
def open_export(path: Path, data: Path) -> Generator[ExportFile]:
    """Read an export through and keep a private copy, so that nobody can change it between check and import.

    Raises NoSuchFile, and Refused for another kind of file, one that is too large, or one of a later version.
    """
    with open_regular(path, LARGEST) as file, tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as copy:
        heading = file.readline(256)
        if not heading.startswith(_BEGINNING):
            raise Refused(f"{path} is no export of memlsp", "memlsp export writes one")
        if heading != HEADING:
            raise Refused(f"{path} was written by a later version of memlsp", "update memlsp here")
        sealer = Sealer(data)
        sealer.update(heading)
        copy.write(heading)
        pending = b""
        lines = 0
        while line := file.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE or lines > _MOST_LINES:
                raise Refused(f"{path} has a line, or more of them, than any export has", "it is not taken")
            if pending:
                sealer.update(pending)
                copy.write(pending)
                lines += 1
            pending = line
        end = parse_line(pending) or {}
        complete = "end" in end and pending.endswith(b"\n")
        if pending and not complete:
            copy.write(pending)
            lines += 1
        sealed = complete and sealer.fits(str(end.get("seal", "")))
        yield ExportFile(cast("IO[bytes]", copy), lines, sealed=sealed, complete=complete)


@contextmanager
def open_regular(path: Path, largest: int) -> Generator[IO[bytes]]:
    """Open a regular file for reading. Raises NoSuchFile when it is missing or not readable, and Refused for a folder,
    pipe or device, or more than `largest` bytes."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise NoSuchFile(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise Refused(f"{path} is no regular file", "name a file that memlsp wrote")
        if status.st_size > largest:
            raise Refused(f"{path} has {status.st_size:,} bytes, and {largest:,} are the most", "it is not taken")
        yield file


def is_export(path: Path) -> bool:
    """True for a regular file that begins like an export."""
    try:
        with open_regular(path, LARGEST) as file:
            return file.read(len(_BEGINNING)) == _BEGINNING
    except (NoSuchFile, Refused, OSError):
        return False


@contextmanager
def replacing(path: Path, *, part: Path | None = None) -> Generator[IO[bytes]]:
    """Write a file atomically: yields a new file with mode 0600 that replaces `path` when the block succeeds and is
    deleted when it fails. Replaces a symbolic link instead of following it. `part` is the hidden file that `announce`
    gave. Raises OSError."""
    fresh = part or part_of(path)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


def not_written(path: Path, error: OSError) -> StoreUnavailable:
    """The error for a place where a copy cannot be written."""
    return StoreUnavailable(f"{path} cannot be written: {error.strerror or error}", "name another place")


def json_line(value: object) -> bytes:
    """A value as a line of ASCII JSON."""
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def parse_line(line: bytes) -> dict[str, Any] | None:
    """Parse a line that should hold a JSON object; None when it does not."""
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
