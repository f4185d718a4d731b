"""Reads a project's git history in the background: all of it once, then the news after each commit or checkout. After
the first reading it mines the workspace for proposals."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from functools import partial

from attrs import define, field
from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.server.progress import ProgressReports, with_progress
from memlsp.faces.lsp.server.settings import EditorSettings
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.faces.render.wording import plain
from memlsp.model.episode import OnboardingProgress
from memlsp.model.errors import MemlspError

REST = 1.0
"""Seconds before it begins: the editor's first requests go first."""

BUSY_AGAIN = 30.0
"""Seconds before another try, when another process was reading."""

log = logging.getLogger(__name__)


@define(eq=False)
class _OnboardingRun:
    cancelled: threading.Event = field(factory=threading.Event)
    task: asyncio.Task[None] | None = None
    again: bool = False
    refused: bool = False  # the user cancelled it: not again in this session


class OnboardingRunner:
    """Runs one reading at a time for each workspace, with a progress bar that can be cancelled."""

    def __init__(self, server: LanguageServer, settings: Callable[[], EditorSettings]) -> None:
        self._server = server
        self._settings = settings
        self._runs: dict[EditorWorkspace, _OnboardingRun] = {}
        self._closing = False

    def look(self, workspace: EditorWorkspace) -> None:
        """Read what is new; a run under way is followed by another."""
        run = self._runs.setdefault(workspace, _OnboardingRun())
        if self._closing or run.refused or not workspace.memory.workspace.git:
            return
        if run.task is not None and not run.task.done():
            run.again = True
            return
        run.task = asyncio.ensure_future(self._run(workspace, run))

    def close(self) -> None:
        """End all runs; the store keeps what was read. From any thread."""
        self._closing = True
        for run in list(self._runs.values()):
            run.cancelled.set()

    async def _run(self, workspace: EditorWorkspace, run: _OnboardingRun) -> None:
        run.again = True
        while run.again and not self._over(workspace, run):
            run.again = False
            await asyncio.sleep(REST)
            if self._over(workspace, run) or not self._settings().onboarding_enabled:
                return
            try:
                state = await self._read(workspace, run)
                if state.complete:
                    await self._learn(workspace, run)
            except MemlspError as error:
                log.info("onboarding: %s", error)
                return
            except Exception:
                log.exception("onboarding failed")
                return
            if run.cancelled.is_set():
                run.refused = True
            elif state.stopped == "busy":
                await asyncio.sleep(BUSY_AGAIN)
                run.again = True

    async def _read(self, workspace: EditorWorkspace, run: _OnboardingRun) -> OnboardingProgress:
        reports = ProgressReports()
        most = self._settings().onboarding_commits

        def report(state: OnboardingProgress) -> None:
            part = 100 * state.present // state.total if state.total else 0
            reports.say(f"{state.present} of {state.total} commits", part)

        def read() -> OnboardingProgress:
            stop = partial(self._over, workspace, run)
            return workspace.memory.onboard(most=most, progress=report, cancelled=stop)

        title = f"reading the history of {plain(workspace.memory.workspace.name, 60)}"
        return await with_progress(self._server, title, workspace.aside(read), run.cancelled, reports)

    async def _learn(self, workspace: EditorWorkspace, run: _OnboardingRun) -> None:
        """Mine the workspace once; the findings wait in the review as proposals."""
        if self._over(workspace, run) or not await workspace.read(workspace.memory.proposals.is_due):
            return
        stop = partial(self._over, workspace, run)
        title = f"looking for what is held true in {plain(workspace.memory.workspace.name, 60)}"
        work = workspace.aside(lambda: workspace.memory.proposals.learn_aside(stop))
        await with_progress(self._server, title, work, run.cancelled)

    def _over(self, workspace: EditorWorkspace, run: _OnboardingRun) -> bool:
        return self._closing or workspace.closing.is_set() or run.cancelled.is_set()
