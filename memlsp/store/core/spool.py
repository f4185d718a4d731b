"""Where observations wait that the store could not take: one small file for each delivery, whole or not there.

A file is written beside its place and renamed, so that a reader never sees half of one, and holds a list of records as
JSON. Any process that opens the store in full drains it, one at a time; the keys of the records see to it that what was
drained and not yet removed is not kept twice. A file that cannot be read is set aside and counted, and goes after two
weeks: what it holds can be of use to nobody but a person who looks for what went wrong.
"""

from __future__ import annotations

import os

from memlsp.store.core.hook_connection import private_folder
from memlsp.store.tables.journal import spelled

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Records = Sequence[dict[str, object]]

FOLDER = "spool"
"""Beside the store's file."""

MOST_FILES = 20_000
LARGEST = 64 << 20
"""Of a spool that nobody drains, files and bytes; what comes then is refused."""

KEPT_DAMAGED = 14
"""Days that a file is kept which cannot be read."""

_WHOLE = ".json"
_DAMAGED = ".unreadable"
_TURN = ".draining"


class SpoolFull(Exception):
    """There is no room for more in a spool that nobody drains."""


class Drained:
    """What one draining came to: records given to the store, files that were set aside, files that wait still."""

    __slots__ = ("aside", "records", "waiting")

    def __init__(self, waiting: int = 0) -> None:
        self.records = 0
        self.aside = 0
        self.waiting = waiting


def folder_of(store: str) -> str:
    """The spool of the store at this path."""
    return os.path.join(os.path.dirname(store), FOLDER)


def spool(store: str, records: Records, at: int) -> str:
    """Leave records for the next writer of `store`. Returns the file's path.

    It is there, whole, when this returns, and survives any death of a process. Raises OSError where it cannot be
    written, SpoolFull where too much waits, TypeError for what is no JSON."""
    folder = folder_of(store)
    private_folder(folder)
    data = spelled(list(records)).encode("utf-8", "replace")
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
    except BaseException:
        _removed(beside)
        raise
    return place


def waiting(store: str) -> int:
    """How many files wait."""
    return len(_files(folder_of(store)))


def damaged(store: str) -> list[str]:
    """The files that could not be read and are kept for now."""
    folder = folder_of(store)
    return [os.path.join(folder, name) for name in _files(folder, _WHOLE + _DAMAGED)]


def drain(store: str, append: Callable[[Records], object], now_ms: int) -> Drained:
    """Give what waits to `append`, oldest file first, and remove each file when its records are durable, which they
    must be when `append` returns.

    Does nothing while another process is at it. Raises what `append` does; what was not drained waits on. A file that
    cannot be read is set aside, and `append` gets a record that counts it."""
    folder = folder_of(store)
    names = _files(folder)
    if not names and not _files(folder, _WHOLE + _DAMAGED):
        return Drained()
    try:
        turn = os.open(os.path.join(folder, _TURN), os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError:
        return Drained(len(names))
    try:
        from memlsp.store.core.file_handles import try_lock  # late: a hook never drains

        if not try_lock(turn):
            return Drained(len(names))
        done = Drained()
        for name in _files(folder):  # again: another process may have drained before we had the turn
            _drain(os.path.join(folder, name), append, done)
        _sweep(folder, now_ms)
        done.waiting = len(_files(folder))
        return done
    finally:
        os.close(turn)


def _drain(path: str, append: Callable[[Records], object], done: Drained) -> None:
    try:
        records = _read(path)
        if records is None:
            os.rename(path, path + _DAMAGED)
            os.utime(path + _DAMAGED)  # its days are counted from now
    except OSError:
        return  # it may be read another time
    if records is None:
        append([{"source": "spool", "dropped": "unreadable"}])
        done.aside += 1
        return
    append(records)
    done.records += len(records)
    _removed(path)


def _read(path: str) -> Records | None:
    """The records of a file; None when it does not hold any. Raises OSError."""
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
    """Remove what writers that died left beside (an hour old, and never acknowledged), and what could not be read and
    was kept long enough."""
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
