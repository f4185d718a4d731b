"""Make, verify and restore backups of a memory.

Each backup has a note beside it, `NAME.json`, with the backup's counts, its digest and this machine's seal.
"""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from shutil import copyfileobj
from time import time
from typing import Any, cast

from memlsp.memory.context import Context
from memlsp.memory.transfer.belief_jsonl import belief_record_of, line_of
from memlsp.memory.transfer.copies_in_progress import announce, log_copy, register
from memlsp.memory.transfer.export_file import not_written, open_regular, replacing
from memlsp.model.belief import Author, AuthorKind
from memlsp.model.caller import Progress
from memlsp.model.copy import Backup, BeliefRecord, CopyKind, RestoreResult
from memlsp.model.errors import BadValue, MemlspError, NoSuchFile, Refused, StoreUnavailable
from memlsp.store.backup.backup import bring_back, copy_store, examine, remove
from memlsp.store.backup.seal import Sealer, sealed_file
from memlsp.store.core.hook_connection import private_folder
from memlsp.store.core.store_file import APPLICATION_ID
from memlsp.store.store import Store, open_store
from memlsp.version import VERSION

LARGEST = 1 << 40
ASIDE = "aside"
"""The folder beside a store that keeps the former content after a restore."""

PRIVATE = "restoring"
"""The folder in the data folder for temporary private copies of backups and stores."""

_LARGEST_NOTE = 64 * 1024  # bytes
_LONGEST_CHECK = 6 * 3600.0  # seconds after which a private copy counts as left behind
_HEADER = 100
_SQLITE = b"SQLite format 3\0"
_LISTED = ("belief", "revision", "anchor", "event", "episode", "thread", "handoff", "commit_episode", "receipt")


def back_up(
    context: Context, store: Store, path: Path, *, author: Author | None, via: str, progress: Progress | None
) -> Backup:
    """Write the store's present state to `path`, check the copy and seal it. Raises Refused, StoreError."""
    path = path.absolute()
    if _is_memory(path, context.data_dir):  # a store looks like a backup
        raise Refused(f"{path} is where a memory itself is kept", "name a file elsewhere")
    if (path.exists() or path.is_symlink()) and not _is_backup(path):
        raise Refused(f"{path} is there already, and no backup of memlsp", "name another file")
    now = context.clock()
    register(context, store, path, CopyKind.BACKUP)
    try:
        counts, sealer, size = write_backup(store.path, path, context.data_dir, now, progress)
    except OSError as error:
        raise not_written(path, error) from error
    log_copy(context, store, "backup", author, via, f"{counts.get('belief', 0)} beliefs")
    return Backup(path, size, sealer.digest, _listed_counts(counts), now, sealed=bool(sealer.seal))


def write_backup(
    store: Path, path: Path, data: Path, now: datetime, progress: Progress | None = None
) -> tuple[dict[str, int], Sealer, int]:
    """Copy the store's file to `path`, check the copy, and seal it with a note beside it. Returns how many rows each
    table has, the digest with the seal, and the bytes. Raises Refused, StoreError, OSError."""
    with announce(store, path) as fresh:
        counts = copy_store(store, fresh, progress)
        _, found = examine(fresh)
        if found != counts:
            raise StoreUnavailable("the backup does not hold what was there", "try it again")
        sealer = sealed_file(fresh, data)
        size = fresh.stat().st_size
        note_of(path).unlink(missing_ok=True)  # a note must not outlive its file
        fresh.replace(path)
        _write_note(path, store, sealer, counts, now)
    return counts, sealer, size


def verify(path: Path, data: Path) -> Backup:
    """Check a backup: read all of it, compare it with its note, and run the database's integrity check. `problem` names
    the first fault. Raises NoSuchFile."""
    path = path.absolute()
    note = _read_note(path)
    try:
        with private_copy(path, data) as (copy, sealer, size):
            _, counts = examine(copy)
    except Refused as error:
        return Backup(path, _size(path), "", (), _note_time(note), sealed=False, problem=str(error))
    problem = ""
    if not note:
        problem = f"there is no {note_of(path).name} beside it, which says what it should hold"
    elif note.get("digest") != sealer.digest:
        problem = "it is not as it was written"
    elif note.get("counts") != counts:
        problem = "it does not hold what its note says"
    sealed = sealer.fits(str(note.get("seal", "")))
    return Backup(path, size, sealer.digest, _listed_counts(counts), _note_time(note), sealed=sealed, problem=problem)


def restore(
    context: Context, store: Store, path: Path, *, trusted: bool, anyway: bool, author: Author, via: str
) -> RestoreResult:
    """Replace the store's content by a backup; the former content is set aside first. Raises NoSuchFile, Refused."""
    if author.kind is not AuthorKind.PERSON:
        raise Refused(f"{author.name} is an agent: only a person may restore a backup", "ask a person")
    path = path.absolute()
    note = _read_note(path)
    with private_copy(path, context.data_dir) as (copy, sealer, _):
        examine(copy)
        if not sealer.fits(str(note.get("seal", ""))) and not trusted:
            raise Refused(
                f"{path} was not written by memlsp on this machine, or was changed since",
                "--trust takes it as it is; memlsp import takes its beliefs as proposals",
            )
        origin = str(note.get("workspace", ""))
        if origin and origin != store.path.parent.name and not anyway:
            raise Refused(
                f"{path} is the memory of {origin}, and this is {store.path.parent.name}",
                "--anyway replaces this one by it; memlsp import FILE takes its beliefs",
            )
        is_empty = not store.counts()["beliefs"] and not store.journal.counted()["events"]
        aside = None if is_empty else aside_path(store.path, context.clock())
        if aside is not None:
            register(context, store, aside, CopyKind.BACKUP)

        def before(live: Path) -> None:
            """Back up the live store while it is locked for writing, so the copy holds every acknowledged write."""
            if aside is not None:
                counts = copy_store(live, aside)
                _write_note(aside, live, sealed_file(aside, context.data_dir), counts, context.clock())

        counts, forgotten, with_observations = bring_back(store.path, copy, before=before)
    log_copy(context, store, "restore", author, via, f"{counts.get('belief', 0)} beliefs")
    return RestoreResult(path, _listed_counts(counts), aside, forgotten=forgotten, observations=with_observations)


@contextmanager
def open_beliefs(path: Path, data: Path) -> Generator[tuple[bool, Iterator[tuple[str, BeliefRecord | MemlspError]]]]:
    """Open a backup for import: True when this machine sealed it, and its beliefs with their ids, read lazily. Raises
    NoSuchFile, Refused."""
    note = _read_note(path)
    with private_copy(path, data) as (copy, sealer, _):
        examine(copy)
        with open_store(copy, read_only_ok=False) as store:
            yield sealer.fits(str(note.get("seal", ""))), read_records(store)


def read_records(store: Store) -> Iterator[tuple[str, BeliefRecord | MemlspError]]:
    """Read the beliefs of an untrusted store, each validated like a line of an export."""
    for id in store.copies.ids():
        try:
            record = store.copies.record(id)
            if record is not None:
                yield id, belief_record_of(json.loads(line_of(record)))
        except BadValue as error:
            yield id, error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, zlib.error) as error:
            yield id, BadValue(f"it cannot be read: {str(error)[:200]}")


@contextmanager
def private_copy(path: Path, data: Path) -> Generator[tuple[Path, Sealer, int]]:
    """Copy a backup to a private folder while the block runs, so that no other process can change it between check and
    use. Yields the copy, its digest and seal, and its size in bytes. Raises NoSuchFile, Refused, StoreUnavailable."""
    sealer = Sealer(data)
    size = 0
    with _private_place(path, data) as copy:
        with open_regular(path, LARGEST) as file:
            head = file.read(_HEADER)
            if not head.startswith(_SQLITE):
                raise Refused(f"{path} is no backup of memlsp", "memlsp backup writes one")
            file.seek(0)
            _prepare(copy.parent)
            with replacing(copy) as target:
                while chunk := file.read(1 << 20):
                    size += len(chunk)
                    sealer.update(chunk)
                    target.write(chunk)
        yield copy, sealer, size


@contextmanager
def store_copy(store: Path, data: Path) -> Generator[Path]:
    """Copy a store to a private folder while the block runs. Other processes can go on writing. Raises
    StoreUnavailable."""
    with _private_place(store, data) as copy:
        _prepare(copy.parent)
        copy_store(store, copy)
        yield copy


@contextmanager
def _private_place(source: Path, data: Path) -> Generator[Path]:
    """A path for a private copy of `source`, which is deleted afterwards. Raises StoreUnavailable for an OSError."""
    copy = data / PRIVATE / f"{secrets.token_hex(8)}.db"
    try:
        yield copy
    except OSError as error:
        raise StoreUnavailable(f"{source} cannot be copied: {error.strerror or error}", "make room") from error
    finally:
        remove(copy)
        with suppress(OSError):
            copy.parent.rmdir()


def _prepare(folder: Path) -> None:
    """Create the private folder, and delete the copies that killed processes left in it."""
    private_folder(str(folder))
    for each in folder.iterdir():
        with suppress(OSError):
            if time() - each.stat().st_mtime > _LONGEST_CHECK:
                each.unlink()


def rewrite_backup(path: Path, store: Path, data: Path, now: datetime, change: Callable[[Path], bool]) -> bool:
    """Apply `change` to a private copy of a backup and replace the backup by it; keep the backup when `change` returns
    False. A backup that this machine sealed is sealed again. Raises NoSuchFile, Refused, StoreError."""
    note = _read_note(path)
    with private_copy(path, data) as (copy, sealer, _):
        sealed = sealer.fits(str(note.get("seal", "")))
        examine(copy)
        if not change(copy):
            return False
        _, counts = examine(copy)
        note_of(path).unlink(missing_ok=True)  # a note must not outlive its file
        with announce(store, path) as part, replacing(path, part=part) as target, copy.open("rb") as source:
            copyfileobj(source, target)
    if sealed:
        _write_note(path, store, sealed_file(path, data), counts, _note_time(note) or now)
    return True


def note_of(path: Path) -> Path:
    """The note beside a backup."""
    return path.with_name(f"{path.name}.json")


def aside_path(store: Path, now: datetime) -> Path:
    """A new name for what the store at `store` held before a change of all of it. Raises StoreUnavailable."""
    folder = store.parent / ASIDE
    try:
        private_folder(str(folder))
    except OSError as error:
        raise StoreUnavailable(f"{folder} cannot be made: {error.strerror or error}") from error
    return folder / f"before-{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}.db"


def _write_note(path: Path, store: Path, sealer: Sealer, counts: dict[str, int], now: datetime) -> None:
    note: dict[str, object] = {"memlsp": "backup", "format": 1, "version": VERSION, "at": now.isoformat()}
    note |= {"workspace": store.parent.name, "bytes": path.stat().st_size, "counts": counts}
    note |= {"digest": sealer.digest, "seal": sealer.seal}
    with replacing(note_of(path)) as file:
        file.write(json.dumps(note, indent=1).encode())


def _is_backup(path: Path) -> bool:
    """True for a regular SQLite file with memlsp's application id."""
    try:
        with open_regular(path, LARGEST) as file:
            head = file.read(_HEADER)
    except MemlspError:
        return False
    return head.startswith(_SQLITE) and int.from_bytes(head[68:72], "big") == APPLICATION_ID


def _is_memory(path: Path, data: Path) -> bool:
    """True for a path in the data folder, and for a database that a process has open."""
    folder = path.parent.resolve()
    return folder.is_relative_to(data.resolve()) or path.with_name(f"{path.name}-wal").exists()


def _read_note(path: Path) -> dict[str, Any]:
    try:
        with open_regular(note_of(path), _LARGEST_NOTE) as file:
            value: object = json.loads(file.read(_LARGEST_NOTE))
    except (NoSuchFile, Refused, OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _note_time(note: dict[str, Any]) -> datetime | None:
    with suppress(ValueError):
        return datetime.fromisoformat(str(note.get("at", "")))
    return None


def _listed_counts(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple((name, counts[name]) for name in _LISTED if name in counts)


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0
