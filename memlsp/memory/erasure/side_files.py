"""Files beside the stores in which words of what was forgotten may stand: copies, caches, logs, what was set aside.

Every file of the data folder that has to do with this workspace is searched, whatever its name, so that a kind of file
that nobody thought of is found and said.
"""

from __future__ import annotations

import mmap
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from attrs import frozen

from memlsp.capture.history.parse_cache import ParseCache
from memlsp.memory.context import Context
from memlsp.memory.transfer import copies_in_progress
from memlsp.memory.transfer.backups import PRIVATE
from memlsp.store.core import spool
from memlsp.store.core.foreign_database import remove_leftovers
from memlsp.store.erase.search_patterns import SearchPatterns

_LARGEST_LOG = 4 << 20


@frozen
class Searched:
    """How many files were searched, and those in which something was still found."""

    files: int
    left: tuple[str, ...] = ()


def erase_files(context: Context, sought: Sequence[SearchPatterns], *, afresh: bool = False) -> Counter[str]:
    """Take the words out of everything beside the stores, and say what that came to. What cannot be written stays, and
    `search_files` finds it. With `afresh` caches go whatever they hold."""
    done: Counter[str] = Counter()
    folder = context.store.path.parent
    parses = folder / "parses"
    if afresh or any(_stands_in(path, sought) for path in _files_below(parses)):
        ParseCache(folder).clear()
        done["caches"] += 1
    data = context.data_dir
    remove_leftovers(data)  # of an import that was killed
    for path in _files_below(data / PRIVATE):  # of a restoration or a preview that was
        done["caches"] += _removed(path, sought)
    for log in _logs(context):
        done["log lines"] += _thin(log, sought)
    for path in _files_below(Path(spool.folder_of(str(context.store.path)))):
        done["spool files"] += _removed(path, sought)
    return +done


def search_files(context: Context, sought: Sequence[SearchPatterns]) -> Searched:
    """Search all files for the words, in every encoding that ours may have, and the stores through what they pack."""
    files, left = 0, list[str]()
    for path in dict.fromkeys(_searched(context)):
        files += 1
        if any(each.in_text(path.name) for each in sought) or _stands_in(path, sought):
            left.append(str(path))
    for store in (context.store, context.user):
        if str(store.path) not in left and any(store.forgetting.holding(each) for each in sought):
            left.append(str(store.path))
        # a copy that is being written still is not finished, whatever stands in it yet
        left += [str(part) for part in copies_in_progress.parts(store.path) if str(part) not in left]
    return Searched(files, tuple(left))


def _removed(path: Path, sought: Sequence[SearchPatterns]) -> bool:
    if not _stands_in(path, sought):
        return False
    with suppress(OSError):
        path.unlink()
        return True
    return False


def _searched(context: Context) -> Iterator[Path]:
    data = context.data_dir
    yield from _files_below(context.store.path.parent)
    yield from _files_below(context.user.path.parent)
    if data.is_dir():
        for entry in sorted(data.iterdir()):
            if entry.name not in {"workspaces", "user"}:
                yield from _files_below(entry)
    for store in (context.store, context.user):
        for copy in store.copies.all():
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


def _thin(log: Path, sought: Sequence[SearchPatterns]) -> int:
    """Take lines out of a log, in place: whoever has it open goes on at its end."""
    try:
        with log.open("r+b") as file:
            lines = file.read(_LARGEST_LOG).splitlines(keepends=True)
            kept = [line for line in lines if not any(each.in_bytes(line) for each in sought)]
            if len(kept) == len(lines):
                return 0
            file.seek(0)
            file.write(b"".join(kept))
            file.truncate()
            return len(lines) - len(kept)
    except OSError:
        return 0


def _stands_in(path: Path, sought: Sequence[SearchPatterns]) -> bool:
    """True when a file holds the words; a file that vanishes meanwhile does not."""
    try:
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return False
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                data = view[:]
                return any(each.in_bytes(data) for each in sought)
    except OSError:
        return False
