"""The spool: records that could not be written to the store, one small file for each delivery.

A file is a JSON list of records, written under another name and renamed, so that readers see whole files only. A
process that opens the store in full drains the spool, one at a time; the keys of records prevent duplicates. An
unreadable file is set aside and counted, and deleted after two weeks. Where a full disk takes no records, an empty file
tells that they were lost, which a disk mostly still has room for; draining counts it.
"""

from __future__ import annotations

import os

from memlsp.store.core.hook_connection import private_folder
from memlsp.store.tables.journal import json_line

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Records = Sequence[dict[str, object]]

FOLDER = "spool"
"""Beside the store's file."""

MOST_FILES = 20_000
LARGEST = 64 << 20
"""Files and bytes of a spool; more are refused."""

KEPT_DAMAGED = 14
"""Days for which an unreadable file is kept."""

_WHOLE = ".json"
_DAMAGED = ".unreadable"
_LOST = ".lost"
_MOST_LOST = 1000
_TURN = ".draining"


class SpoolFull(Exception):
    """The spool has no room, since nobody drains it."""


def folder_of(store: str) -> str:
    """The spool of the store at this path."""
    return os.path.join(os.path.dirname(store), FOLDER)


def spool(store: str, records: Records, at: int) -> str:
    """Write records for the next writer of `store`; the path of the file, which is whole and durable when this returns.
    Raises OSError when it cannot be written, SpoolFull, and TypeError for values that JSON does not have."""
    folder = folder_of(store)
    private_folder(folder)
    data = json_line(list(records)).encode("utf-8", "replace")
    _look_for_room(folder, len(data))
    name = f"{at:014d}-{os.getpid()}-{os.urandom(4).hex()}"
    beside = os.path.join(folder, f".{name}")
    place = os.path.join(folder, name + _WHOLE)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
        finally:
            os.close(handle)
        os.rename(beside, place)
    except OSError:
        _removed(beside)
        _mark_lost(folder, name)
        raise
    except BaseException:
        _removed(beside)
        raise
    return place


def _mark_lost(folder: str, name: str) -> None:
    try:
        if len(_files(folder, _LOST)) < _MOST_LOST:
            os.close(os.open(os.path.join(folder, name + _LOST), os.O_WRONLY | os.O_CREAT, 0o600))
    except OSError:
        pass  # not even that


def waiting(store: str) -> int:
    """How many files wait, also those that only tell of a loss."""
    return len(_files(folder_of(store))) + len(_files(folder_of(store), _LOST))


def damaged(store: str) -> list[str]:
    """The files that could not be read and are kept for now."""
    folder = folder_of(store)
    return [os.path.join(folder, name) for name in _files(folder, _WHOLE + _DAMAGED)]


def drain(store: str, append: Callable[[Records], object], now_ms: int) -> int:
    """Pass the records of each file to `append`, oldest file first, and delete the file when `append` returns, which
    must make them durable. The number of records.

    Does nothing while another process drains. Raises what `append` does; the other files wait on. An unreadable file is
    set aside, and `append` gets a record that counts it."""
    folder = folder_of(store)
    if not any(_files(folder, ending) for ending in (_WHOLE, _WHOLE + _DAMAGED, _LOST)):
        return 0
    from memlsp.store.core.file_lock import turn  # late: a hook never drains

    with turn(os.path.join(folder, _TURN)) as mine:
        if not mine:
            return 0
        drained = sum(_drain(os.path.join(folder, name), append) for name in _files(folder))
        for name in _files(folder, _LOST):
            append([{"source": "spool", "dropped": "no-room"}])
            _removed(os.path.join(folder, name))
        _sweep(folder, now_ms)
        return drained


def _drain(path: str, append: Callable[[Records], object]) -> int:
    try:
        records = _read(path)
        if records is None:
            os.rename(path, path + _DAMAGED)
            os.utime(path + _DAMAGED)  # its days are counted from now
    except OSError:
        return 0  # it may be read another time
    if records is None:
        append([{"source": "spool", "dropped": "unreadable"}])
        return 0
    append(records)
    _removed(path)
    return len(records)


def _read(path: str) -> Records | None:
    import json  # late: a hook never drains

    try:
        with open(path, "rb") as file:
            found: object = json.loads(file.read(LARGEST))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None  # pyright: ignore[reportUnknownVariableType] - `append` looks


def _files(folder: str, ending: str = _WHOLE) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(ending))
    except OSError:
        return []


def _look_for_room(folder: str, size: int) -> None:
    names = _files(folder)
    if len(names) < 100:
        return
    if len(names) >= MOST_FILES:
        raise SpoolFull(f"{len(names)} files wait")
    if len(names) % 100 == 0 or size > LARGEST // 16:  # to look at each of them takes time
        taken = size
        for name in names:
            try:
                taken += os.stat(os.path.join(folder, name)).st_size
            except OSError:
                continue
        if taken > LARGEST:
            raise SpoolFull(f"{taken >> 20} MB wait")


def _sweep(folder: str, now_ms: int) -> None:
    """Delete the temporary files of dead writers (an hour old, never acknowledged), and old unreadable files."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        is_damaged = name.endswith(_DAMAGED)
        if is_damaged or (name.startswith(".") and name != _TURN):
            try:
                if os.stat(path).st_mtime * 1000 < now_ms - (KEPT_DAMAGED * 24 if is_damaged else 1) * 3_600_000:
                    _removed(path)
            except OSError:
                continue


def _removed(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
