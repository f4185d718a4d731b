"""Histories of symbols, read beside everything else so that no hover waits for git."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

from attrs import define, field
from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.server.progress import with_progress
from memlsp.faces.lsp.server.workspaces import Desk
from memlsp.model.episode import SymbolHistory
from memlsp.model.errors import MemlspError
from memlsp.model.place import Place

SHOWN = 3
"""Changes that a hover shows at the most."""

DEADLINE = 15.0
"""Seconds after which a background reading gives up with what it has."""

KEEP_PARTIAL = 60.0
"""Seconds for which a reading that was cut short is not begun again."""

MOST_WAITING = 3
"""Readings that may wait for their turn; a cursor that wanders asks for more than anybody wants to see."""


@define(eq=False)
class _Reading:
    task: asyncio.Task[SymbolHistory]
    cancelled: threading.Event
    ended: float | None = field(default=None)


class Past:
    """The histories that were asked for in this editor; none of folders that the user does not trust."""

    def __init__(self, server: LanguageServer, trusted: Callable[[], bool] = lambda: True) -> None:
        self._server = server
        self._trusted = trusted
        self._readings: dict[tuple[str, str, str], _Reading] = {}

    async def of(self, desk: Desk, path: str, symbol: str, *, wait: float) -> SymbolHistory | None:
        """The past of a symbol, or None when it is not read within `wait` seconds: it will be there the next time.

        The store keeps complete histories, so asking again is cheap.
        """
        if not self._trusted():
            return SymbolHistory()
        key = (str(desk.root), path, symbol)
        reading = self._readings.get(key)
        if reading is None or (reading.ended is not None and not self._still_good(reading)):
            reading = self._begin(desk, key)
        await asyncio.wait({reading.task}, timeout=wait)
        return reading.task.result() if reading.task.done() and not reading.task.cancelled() else None

    def forget(self) -> None:
        """The branch moved, or files did: partial readings are worth another try."""
        for key, reading in list(self._readings.items()):
            if reading.task.done():
                del self._readings[key]

    def close(self) -> None:
        """End all readings."""
        for reading in self._readings.values():
            reading.cancelled.set()

    def _still_good(self, reading: _Reading) -> bool:
        if reading.task.cancelled() or reading.ended is None:
            return False
        history = reading.task.result()
        return history.stopped in {"deadline", "cancelled"} and time.monotonic() - reading.ended < KEEP_PARTIAL

    def _begin(self, desk: Desk, key: tuple[str, str, str]) -> _Reading:
        waiting = [each for each, reading in self._readings.items() if not reading.task.done()]
        for each in waiting[:-MOST_WAITING]:
            self._readings.pop(each).cancelled.set()  # begun anew when the cursor comes back
        cancelled = threading.Event()
        _, path, symbol = key

        def stop() -> bool:
            return cancelled.is_set() or desk.closing.is_set()

        def read() -> SymbolHistory:
            if stop():
                return SymbolHistory(complete=False, stopped="cancelled")
            place = Place(path, symbol=symbol)
            try:
                return desk.memory.history(place, base=desk.root, limit=SHOWN, deadline=DEADLINE, cancelled=stop)
            except MemlspError:
                return SymbolHistory()  # a name that was gone before its turn came

        title = f"reading the history of {symbol}"
        task = asyncio.ensure_future(with_progress(self._server, title, desk.read(read), cancelled))
        reading = self._readings[key] = _Reading(task, cancelled)
        task.add_done_callback(lambda _: setattr(reading, "ended", time.monotonic()))
        if len(self._readings) > 500:
            self.forget()
        return reading
