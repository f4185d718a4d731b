"""Large files are outlined in a process of their own, one at a time, while the editor goes on.

The process is started when it is first needed and ended when nothing was asked for a while: it costs some memory and
half a second, which a small machine need not pay for files that nobody opens. A text for which it takes too long, or
over which it dies, is one MODULE symbol made of lines, and its file is not tried again for a while.
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

from memlsp.capture.child_process import started
from memlsp.capture.history.compact_symbols import unpack
from memlsp.capture.workspace.frames import Head, read_frame, write_frame
from memlsp.code.syntax.outline import Outline, unread
from memlsp.code.workspace.imports import Import
from memlsp.model.symbol import Symbol

PATIENCE = 20.0
"""Seconds for one text."""

IDLE = 60.0
"""Seconds without a question after which the process ends."""

_BACK_OFF = 60.0  # seconds for which a file is not tried again
_ANSWERS = 8  # kept until they are asked for

log = logging.getLogger(__name__)


class Outliner:
    """Outlines of large texts, made elsewhere. `told` is called in a thread of ours when an answer is there.

    `command` is the program, for tests of programs that fail. Safe to use from any thread.
    """

    def __init__(
        self,
        told: Callable[[str], None],
        *,
        patience: float = PATIENCE,
        idle: float = IDLE,
        command: tuple[str, ...] | None = None,
    ) -> None:
        self._told = told
        self._patience = patience
        self._idle = idle
        self._command = command
        self._wake = threading.Condition()
        self._asked: OrderedDict[str, bytes] = OrderedDict()
        self._under_way: tuple[str, bytes] | None = None
        self._answers: OrderedDict[str, tuple[bytes, Outline]] = OrderedDict()
        self._given_up: dict[str, float] = {}
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def outline(self, path: str, data: bytes) -> Outline | None:
        """The outline of a text when it is there; else None, and `told` will be called. The latest text of a file
        counts."""
        with self._wake:
            answer = self._answers.get(path)
            if answer is not None and answer[0] == data:
                return answer[1]
            if monotonic() < self._given_up.get(path, 0.0) or self._closed:
                return unread(path, data)
            if self._under_way is None or self._under_way != (path, data):
                self._asked[path] = data
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="memlsp-outliner", daemon=True)
                self._thread.start()
            self._wake.notify_all()
        return None

    def close(self) -> None:
        """End the process. What is asked afterwards is answered by lines."""
        with self._wake:
            self._closed = True
            self._asked.clear()
            self._wake.notify_all()
        self._end()

    # -- in the thread --------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while (asked := self._next()) is not None:
            path, data = asked
            found = self._ask(path, data)
            with self._wake:
                self._under_way = None
                if self._closed:
                    break
                if found is None:
                    log.info("%s takes too long to read: it is known by its lines for now", path)
                    self._given_up[path] = monotonic() + _BACK_OFF
                    found = unread(path, data)
                self._answers[path] = (data, found)
                self._answers.move_to_end(path)
                while len(self._answers) > _ANSWERS:
                    self._answers.popitem(last=False)
            self._told(path)
        self._end()

    def _next(self) -> tuple[str, bytes] | None:
        """What was asked first; None when nothing was for a while, or when this is over."""
        with self._wake:
            self._wake.wait_for(lambda: self._closed or self._asked, timeout=self._idle)
            if self._closed or not self._asked:
                self._thread = None
                return None
            self._under_way = self._asked.popitem(last=False)
            return self._under_way

    def _ask(self, path: str, data: bytes) -> Outline | None:
        """The answer of the process; None when it gave none."""
        watch: threading.Timer | None = None
        try:
            process = self._started()
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

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = started("memlsp.capture.workspace.outline_worker", self._command or ())
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
        symbols.extend(symbol for symbol, _ in unpack(_frame(stream)[1], path))
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
