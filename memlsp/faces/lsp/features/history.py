"""Reads the git history of symbols in the background, so that no hover waits for git."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

from attrs import define, field
from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.server.progress import with_progress
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.model.episode import SymbolHistory
from memlsp.model.errors import MemlspError
from memlsp.model.place import Place

SHOWN = 3
"""Changes that a hover shows at most."""

DEADLINE = 15.0
"""Seconds after which a reading stops with a partial history."""

COUNTED, COUNTING, QUIET = 500, 2.0, 0.5
"""Changes that are read at most to count those that a hover leaves out, the seconds that this may take, and those in
which nobody asks for a history before it begins: hovers come in bursts and share the reader thread with it."""

KEEP_PARTIAL = 60.0
"""Seconds before a partial history is read again."""

MOST_WAITING = 3
"""Readings that may wait; a wandering cursor asks for more than anybody wants to see."""


@define(eq=False)
class _HistoryReading:
    task: asyncio.Task[SymbolHistory]
    cancelled: threading.Event
    ended: float | None = field(default=None)


class SymbolHistories:
    """The histories that this editor asked for; untrusted folders have none."""

    def __init__(self, server: LanguageServer, trusted: Callable[[], bool] = lambda: True) -> None:
        self._server = server
        self._trusted = trusted
        self._readings: dict[tuple[str, str, str], _HistoryReading] = {}
        self._older: dict[tuple[str, str, str], asyncio.Task[SymbolHistory]] = {}
        self._asked = 0

    async def of(
        self, workspace: EditorWorkspace, path: str, symbol: str, *, wait: float, older: float = 0
    ) -> SymbolHistory | None:
        """The history of a symbol, or None when reading takes longer than `wait` seconds; a later call returns it. The
        store keeps complete histories, so asking again is cheap. What is older than SHOWN changes is read afterwards,
        until the next call, and is waited for `older` seconds."""
        if not self._trusted():
            return SymbolHistory()
        key = (str(workspace.root), path, symbol)
        reading = self._readings.get(key)
        if reading is None or (reading.ended is not None and not self._still_good(reading)):
            reading = self._begin(workspace, key)
        self._asked += 1
        asked = self._asked
        await asyncio.wait({reading.task}, timeout=wait)
        if not reading.task.done() or reading.task.cancelled():
            return None
        found = reading.task.result()
        if found.stopped != "limit":
            return found
        rest = self._older.get(key)
        if rest is None or not rest.done() or rest.result().stopped == "cancelled":

            async def read() -> SymbolHistory:
                await asyncio.sleep(0 if older else QUIET)
                stop: Callable[[], bool] = lambda: self._asked != asked or workspace.closing.is_set()  # noqa: E731
                return await workspace.read(lambda: _read(workspace, key, COUNTED, COUNTING, stop))

            rest = self._older[key] = asyncio.ensure_future(read())
        await asyncio.wait({rest}, timeout=older)
        whole = rest.result() if rest.done() else found
        if whole.changes[: len(found.changes)] == found.changes:
            return whole
        self._older.pop(key, None)  # it was cancelled early, or another commit is checked out
        return found

    def forget(self) -> None:
        """Drop finished readings: the branch or files changed, so partial ones are worth another try."""
        self._older.clear()
        for key, reading in list(self._readings.items()):
            if reading.task.done():
                del self._readings[key]

    def close(self) -> None:
        """End all readings."""
        for reading in self._readings.values():
            reading.cancelled.set()

    def _still_good(self, reading: _HistoryReading) -> bool:
        if reading.task.cancelled() or reading.ended is None:
            return False
        history = reading.task.result()
        return history.stopped in {"deadline", "cancelled"} and time.monotonic() - reading.ended < KEEP_PARTIAL

    def _begin(self, workspace: EditorWorkspace, key: tuple[str, str, str]) -> _HistoryReading:
        waiting = [each for each, reading in self._readings.items() if not reading.task.done()]
        for each in waiting[:-MOST_WAITING]:
            self._readings.pop(each).cancelled.set()  # read again when the cursor comes back
        cancelled = threading.Event()

        def stop() -> bool:
            return cancelled.is_set() or workspace.closing.is_set()

        work = workspace.read(lambda: _read(workspace, key, SHOWN, DEADLINE, stop))
        title = f"reading the history of {key[2]}"
        task = asyncio.ensure_future(with_progress(self._server, title, work, cancelled))
        reading = self._readings[key] = _HistoryReading(task, cancelled)
        task.add_done_callback(lambda _: setattr(reading, "ended", time.monotonic()))
        if len(self._readings) > 500:
            self.forget()
        return reading


def _read(
    workspace: EditorWorkspace, key: tuple[str, str, str], limit: int, seconds: float, stop: Callable[[], bool]
) -> SymbolHistory:
    """At most `limit` changes of a symbol; in the reader thread."""
    if stop():
        return SymbolHistory(complete=False, stopped="cancelled")
    place = Place(key[1], symbol=key[2])
    try:
        return workspace.memory.history(place, base=workspace.root, limit=limit, deadline=seconds, cancelled=stop)
    except MemlspError:
        return SymbolHistory()  # the symbol is gone by now
