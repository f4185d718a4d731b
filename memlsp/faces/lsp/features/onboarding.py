"""Reads the git history of a project when it is first seen, and what is new of it when a commit or a checkout came; the
first time it looks for proposals afterwards."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable

from attrs import define, field
from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.server.progress import Reports, with_progress
from memlsp.faces.lsp.server.settings import Settings
from memlsp.faces.lsp.server.workspaces import Desk
from memlsp.faces.render.wording import plain
from memlsp.model.episode import OnboardingProgress as State
from memlsp.model.errors import MemlspError

REST = 1.0
"""Seconds before it begins, which belong to the first questions of an editor that just opened the project."""

BUSY_AGAIN = 30.0
"""Seconds after which it is tried again when another process was reading."""

log = logging.getLogger(__name__)


@define(eq=False)
class _Reading:
    cancelled: threading.Event = field(factory=threading.Event)
    task: asyncio.Task[None] | None = None
    again: bool = False
    refused: bool = False  # the user cancelled it: not again in this session


class Onboarding:
    """One reading at a time for each workspace, in a process of its own, with a bar that can be cancelled."""

    def __init__(self, server: LanguageServer, settings: Callable[[], Settings]) -> None:
        self._server = server
        self._settings = settings
        self._readings: dict[Desk, _Reading] = {}
        self._closing = False

    def look(self, desk: Desk) -> None:
        """There may be something to read; a look under way is followed by another."""
        reading = self._readings.setdefault(desk, _Reading())
        if self._closing or reading.refused or not desk.memory.workspace.git:
            return
        if reading.task is not None and not reading.task.done():
            reading.again = True
            return
        reading.task = asyncio.ensure_future(self._run(desk, reading))

    def close(self) -> None:
        """End all; what was read is kept. From any thread."""
        self._closing = True
        for reading in list(self._readings.values()):
            reading.cancelled.set()

    async def _run(self, desk: Desk, reading: _Reading) -> None:
        reading.again = True
        while reading.again and not self._over(desk, reading):
            reading.again = False
            await asyncio.sleep(REST)
            if self._over(desk, reading) or not self._settings().onboarding_enabled:
                return
            try:
                state = await self._read(desk, reading)
                if state.complete:
                    await self._learn(desk, reading)
            except MemlspError as error:
                log.info("onboarding: %s", error)
                return
            except Exception:
                log.exception("onboarding failed")
                return
            if reading.cancelled.is_set():
                reading.refused = True
            elif state.stopped == "busy":
                await asyncio.sleep(BUSY_AGAIN)
                reading.again = True

    async def _read(self, desk: Desk, reading: _Reading) -> State:
        reports = Reports()
        most = self._settings().onboarding_commits

        def stop() -> bool:
            return reading.cancelled.is_set() or desk.closing.is_set()

        def tell(state: State) -> None:
            part = 100 * state.present // state.total if state.total else 0
            reports.say(f"{state.present} of {state.total} commits", part)

        def read() -> State:
            return desk.memory.onboard(most=most, progress=tell, cancelled=stop)

        title = f"reading the history of {plain(desk.memory.workspace.name, 60)}"
        return await with_progress(self._server, title, desk.aside(read), reading.cancelled, reports)

    async def _learn(self, desk: Desk, reading: _Reading) -> None:
        """The first time look for what stands in the workspace already: it waits in the review as proposals."""
        if self._over(desk, reading) or not await desk.read(desk.memory.proposals.is_due):
            return

        def stop() -> bool:
            return reading.cancelled.is_set() or desk.closing.is_set()

        title = f"looking for what is held true in {plain(desk.memory.workspace.name, 60)}"
        work = desk.aside(lambda: desk.memory.proposals.learn_aside(stop))
        await with_progress(self._server, title, work, reading.cancelled)

    def _over(self, desk: Desk, reading: _Reading) -> bool:
        return self._closing or desk.closing.is_set() or reading.cancelled.is_set()
