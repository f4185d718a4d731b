"""Outlines large files in another process, one at a time, while the editor goes on.

The process starts when first needed and ends when idle: it costs memory and half a second. A text for which it takes
too long, or over which it dies, becomes one MODULE symbol made of lines, and its file is not tried again for a while.
"""

from __future__ import annotations

import atexit
import logging
import subprocess
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import BinaryIO, cast

from memlsp.capture.bounded_cache import BoundedCache
from memlsp.capture.child_process import Head, read_frame, start_module, write_frame
from memlsp.capture.history.compact_symbols import unpack_symbols
from memlsp.code.syntax.language import Import
from memlsp.code.syntax.outline import Outline, unread
from memlsp.model.symbol import Symbol

PATIENCE = 20.0
"""Seconds for one text."""

IDLE = 60.0
"""Seconds without a request after which the process ends."""

_BACK_OFF = 60.0  # seconds for which a file is not tried again
_ANSWERS = 8  # kept for the next request

log = logging.getLogger(__name__)


class Outliner:
    """Outlines of large texts, made in another process. `on_ready(path)` is called in a thread of ours for each.
    `command` replaces the program, for tests of programs that fail. Safe to use from any thread."""

    def __init__(
        self,
        on_ready: Callable[[str], None],
        *,
        patience: float = PATIENCE,
        idle: float = IDLE,
        command: tuple[str, ...] | None = None,
    ) -> None:
        self._on_ready = on_ready
        self._patience = patience
        self._idle = idle
        self._command = command
        self._wake = threading.Condition()
        self._requested: OrderedDict[str, bytes] = OrderedDict()
        self._under_way: tuple[str, bytes] | None = None
        self._answers: BoundedCache[str, tuple[bytes, Outline]] = BoundedCache(_ANSWERS)
        self._given_up: dict[str, float] = {}
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def outline(self, path: str, data: bytes) -> Outline | None:
        """Return the outline of a text if it is ready, else None; `on_ready` follows. Of several texts of a file only
        the latest is outlined."""
        with self._wake:
            answer = self._answers.get(path)
            if answer is not None and answer[0] == data:
                return answer[1]
            if monotonic() < self._given_up.get(path, 0.0) or self._closed:
                return unread(path, data)
            if self._under_way is None or self._under_way != (path, data):
                self._requested[path] = data
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="memlsp-outliner", daemon=True)
                self._thread.start()
            self._wake.notify_all()
        return None

    def close(self) -> None:
        """End the process. Later requests are answered by line."""
        with self._wake:
            self._closed = True
            self._requested.clear()
            self._wake.notify_all()
        self._end()

    # -- in the thread --------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while (request := self._next()) is not None:
            path, data = request
            outline = self._ask(path, data)
            with self._wake:
                self._under_way = None
                if self._closed:
                    break
                if outline is None:
                    log.info("%s takes too long to read: it is known by its lines for now", path)
                    self._given_up[path] = monotonic() + _BACK_OFF
                    outline = unread(path, data)
                self._answers.put(path, (data, outline))
            self._on_ready(path)
        self._end()

    def _next(self) -> tuple[str, bytes] | None:
        with self._wake:
            self._wake.wait_for(lambda: self._closed or self._requested, timeout=self._idle)
            if self._closed or not self._requested:
                self._thread = None
                return None
            self._under_way = self._requested.popitem(last=False)
            return self._under_way

    def _ask(self, path: str, data: bytes) -> Outline | None:
        watch: threading.Timer | None = None
        try:
            process = self._running_process()
            watch = threading.Timer(self._patience + 1, process.kill)  # it ends itself, unless it cannot even do that
            watch.daemon = True
            watch.start()
            assert process.stdin is not None
            assert process.stdout is not None
            write_frame(cast("BinaryIO", process.stdin), {"path": path, "patience": self._patience}, data)
            return _received(path, cast("BinaryIO", process.stdout))
        except (OSError, ValueError, KeyError, TypeError):
            self._end()
            return None
        finally:
            if watch is not None:
                watch.cancel()

    def _running_process(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = start_module("memlsp.capture.workspace.outline_worker", self._command or ())
            atexit.register(self._end)
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        atexit.unregister(self._end)
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)


def _received(path: str, stream: BinaryIO) -> Outline:
    head, _ = _frame(stream)
    symbols: list[Symbol] = []
    for _ in range(cast("int", head["batches"])):
        symbols.extend(symbol for symbol, _ in unpack_symbols(_frame(stream)[1]))
    imports = cast("list[tuple[str, str, str | None, int]]", head["imports"])
    return Outline(
        path,
        cast("str | None", head["language"]),
        tuple(symbols),
        tuple(Import(*each) for each in imports),
        bool(head["has_errors"]),
        bool(head["generated"]),
        cast("int", head["lines"]),
    )


def _frame(stream: BinaryIO) -> tuple[Head, bytes]:
    frame = read_frame(stream)
    if frame is None:
        raise OSError("the process that outlines ended")
    return frame
