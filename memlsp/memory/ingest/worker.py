"""The settler: a process that understands what hooks have left, and ends.

`python -m memlsp.memory.ingest.worker ROOT [--data FOLDER] [--grace SECONDS]`. A file lock
allows one for each workspace. It runs at a low priority, waits a few seconds for more events when none are left, and
ends after a minute, or at once when the store vanishes. It logs errors to `settler.log` beside the store; two files of
256 kB are kept.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from time import monotonic, sleep

from memlsp.memory.ingest.start_worker import ALIVE, rested, wake
from memlsp.model.errors import MemlspError
from memlsp.store.core.file_handles import file_identity
from memlsp.store.core.locations import data_folder
from memlsp.store.store import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memlsp.memory.memory import Memory

LONGEST = 60.0
"""Seconds after which the process ends."""

GRACE = 5.0
"""Seconds that it waits for more events: longer than most steps of an agent take."""

_AHEAD = 10.0  # seconds that it judges ahead of questions
_POLL = 0.2
_LOG_BYTES = 256_000
_LOG = logging.getLogger("memlsp.memory.ingest.worker")


def main(arguments: list[str]) -> int:
    """Process the events of one workspace. Exit code 1 when the workspace or its store cannot be used, 2 for bad
    arguments."""
    try:
        root, data, grace = _read(arguments)
    except (ValueError, IndexError):
        return 2
    began = monotonic()
    _be_modest()
    from memlsp.memory.memory import Memory  # late: arguments come first

    store: Path | None = None
    try:
        with Memory.open(root, data_dir=data) as memory:
            store = memory.events.store_path
            _write_log(store.parent)
            left = _settle(memory, store, began, grace)
            memory.leave_notices()
            memory.take_shared()
            if file_identity(store) is not None and memory.is_exchange_due():
                memory.team.keep_up()
            if file_identity(store) is not None:
                memory.judge_ahead(_AHEAD, lambda: file_identity(store) is None)
                memory.vectors.tend(began + LONGEST - monotonic(), stop=lambda: file_identity(store) is None)
    except MemlspError:
        return 0 if store is not None and file_identity(store) is None else 1
    except Exception:
        _LOG.exception("the settler failed")
        raise
    rested(str(store))
    _let_go(store)
    if left(store):  # what came while we went
        wake(str(store), str(root), str(data or data_folder()))
    return 0


def _read(arguments: list[str]) -> tuple[Path, Path | None, float]:
    """The root, the data folder and the grace. Raises ValueError and IndexError."""
    options = {"--data": "", "--grace": str(GRACE)}
    for name, value in zip(arguments[1::2], arguments[2::2], strict=True):
        if name not in options:
            raise ValueError(name)
        options[name] = value
    return Path(arguments[0]), Path(options["--data"]) if options["--data"] else None, float(options["--grace"])


def _settle(memory: Memory, store: Path, began: float, grace: float) -> Callable[[Path], bool]:
    """Process events while there are any. Returns a check for more events, to call once the store is closed."""
    intake = memory.events
    identity = file_identity(store)

    def is_gone() -> bool:
        return file_identity(store) != identity

    def is_more(path: Path) -> bool:
        if is_gone() or monotonic() - began > LONGEST:
            return False
        with open_store(path) as again:
            return again.journal.pending()

    look = True
    last = monotonic()
    with intake.turn() as settle:
        while settle is not None and not is_gone() and (left := began + LONGEST - monotonic()) > 0:
            if look or intake.behind():
                look = False
                if settle(left, is_gone).events:
                    last = monotonic()
            elif monotonic() - last > grace:
                settle(left, is_gone)  # a file that was just written at the first look has rested by now
                break
            sleep(_POLL)
    return is_more


def _let_go(store: Path) -> None:
    """Release the lock that came with the start: a hook may start another settler from now on."""
    lock = file_identity(store.with_name(store.name + ALIVE))
    for handle in (3, 4):
        try:
            found = os.fstat(handle)
            if (found.st_dev, found.st_ino) == lock:
                os.close(handle)
        except OSError:
            continue


def _be_modest() -> None:
    if sys.platform == "win32":
        return  # started with a low priority
    os.umask(0o077)
    os.nice(10)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _write_log(folder: Path) -> None:
    path = folder / "settler.log"
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    root = logging.getLogger("memlsp")
    root.addHandler(handler)
    root.propagate = False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
