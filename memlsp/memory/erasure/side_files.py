"""Erase forgotten text from the files beside the stores: caches, logs, spool files and temporary copies.

The search reads every file of the data folder that belongs to this workspace, whatever its name, so it also reports
kinds of files that the erasure does not know.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from attrs import frozen

from memlsp.capture.history.parse_cache import ParseCache
from memlsp.memory.context import Context
from memlsp.memory.judging.kept_standings import NAME as STANDINGS
from memlsp.memory.transfer import copies_in_progress
from memlsp.memory.transfer.backups import PRIVATE
from memlsp.model.copy import CopyKind
from memlsp.store.core import spool
from memlsp.store.core.database import bytes_of_database
from memlsp.store.core.derived_rows import DerivedRows
from memlsp.store.core.foreign_database import remove_leftovers
from memlsp.store.core.locations import exchange_folder
from memlsp.store.erase.search_patterns import SearchPatterns

_LARGEST_LOG = 4 << 20


@frozen
class FileSearch:
    """The number of searched files, and the paths that still contain the text, or may."""

    files: int
    left: tuple[str, ...] = ()


def erase_files(context: Context, patterns: Sequence[SearchPatterns], *, clear_caches: bool = False) -> Counter[str]:
    """Erase the text from all files beside the stores and return the counts. `search_files` reports files that cannot
    be written. With `clear_caches`, caches are deleted whatever they contain."""
    done: Counter[str] = Counter()
    folder = context.store.path.parent
    parses = folder / "parses"
    if clear_caches or any(_contains(path, patterns) for path in _files_below(parses)):
        ParseCache(folder).clear()
        done["caches"] += 1
    for name in (STANDINGS, "standings.json"):  # which are soon made again; the second is of an earlier release
        DerivedRows(folder / name, 0).clear()
    shutil.rmtree(exchange_folder(context.store.path), ignore_errors=True)  # made again by the next exchange
    data = context.data_dir
    remove_leftovers(data)  # of killed imports
    for path in _files_below(data / PRIVATE):  # of killed restores and previews
        done["caches"] += _delete_if_found(path, patterns)
    for log in _logs(context):
        done["log lines"] += _remove_lines(log, patterns)
    for path in _files_below(Path(spool.folder_of(str(context.store.path)))):
        done["spool files"] += _delete_if_found(path, patterns)
    return +done


def search_files(context: Context, patterns: Sequence[SearchPatterns]) -> FileSearch:
    """Search all files for the text in every encoding that memlsp writes, and the stores' compressed columns."""
    files, left = 0, list[str]()
    for path in dict.fromkeys(_files_to_search(context)):
        files += 1
        if any(each.in_text(path.name) for each in patterns) or _contains(path, patterns):
            left.append(str(path))
    for store in context.stores:
        if str(store.path) not in left and any(store.forgetting.holding(each) for each in patterns):
            left.append(str(store.path))
        # a copy that is being written may still get the text
        left += [str(part) for part in copies_in_progress.parts(store.path) if str(part) not in left]
        # nothing reads a vault any more: a person has to look there himself
        left += [str(copy.path) for copy in store.copies.all() if copy.kind is CopyKind.VAULT and copy.path.exists()]
    return FileSearch(files, tuple(left))


def _delete_if_found(path: Path, patterns: Sequence[SearchPatterns]) -> bool:
    if not _contains(path, patterns):
        return False
    with suppress(OSError):
        path.unlink()
        return True
    return False


def _files_to_search(context: Context) -> Iterator[Path]:
    data = context.data_dir
    yield from _files_below(context.store.path.parent)
    yield from _files_below(context.user.path.parent)
    if data.is_dir():
        for entry in sorted(data.iterdir()):
            if entry.name not in {"workspaces", "user"}:
                yield from _files_below(entry)
    for store in context.stores:
        for copy in store.copies.all():
            if copy.kind is not CopyKind.VAULT:
                yield from _files_below(copy.path)
        for part in copies_in_progress.parts(store.path):
            yield from _files_below(part)


def _files_below(place: Path) -> Iterator[Path]:
    if place.is_symlink():
        return
    if place.is_file():
        yield place
    elif place.is_dir():
        for folder, _, names in os.walk(place):
            for name in sorted(names):
                path = Path(folder) / name
                if path.is_file() and not path.is_symlink():
                    yield path


def _logs(context: Context) -> Iterator[Path]:
    data = context.data_dir
    for folder, name in ((data, "hook.log"), (context.store.path.parent, "settler.log")):
        yield folder / name
        yield folder / f"{name}.1"


def _remove_lines(log: Path, patterns: Sequence[SearchPatterns]) -> int:
    """Delete lines from a log in place, so that a process that has it open can go on appending."""
    try:
        with log.open("r+b") as file:
            lines = file.read(_LARGEST_LOG).splitlines(keepends=True)
            kept = [line for line in lines if not any(each.in_bytes(line) for each in patterns)]
            if len(kept) == len(lines):
                return 0
            file.seek(0)
            file.write(b"".join(kept))
            file.truncate()
            return len(lines) - len(kept)
    except OSError:
        return 0


def _contains(path: Path, patterns: Sequence[SearchPatterns]) -> bool:
    """True when a file contains the text; False for a file that cannot be read or has vanished."""
    try:
        if path.suffix == ".db-shm":
            return False  # numbers of pages alone, and whoever closes it lets go of the locks on it
        # no mapping: a file that is cut meanwhile would end the process (SIGBUS)
        data = bytes_of_database(path) if path.suffix == ".db" else path.read_bytes()
        return any(each.in_bytes(data) for each in patterns)
    except OSError:
        return False
