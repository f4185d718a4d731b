"""When to look again: after typing has paused, after a save, when files move, and when another process wrote.

Processes that share a memory meet in its store and nowhere else, so its version is polled.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.features.diagnostics import Diagnostics
from memlsp.faces.lsp.features.document_view import Views
from memlsp.faces.lsp.features.lenses import Lenses
from memlsp.faces.lsp.server.documents import Documents
from memlsp.faces.lsp.server.settings import Settings
from memlsp.faces.lsp.server.workspaces import Desks
from memlsp.faces.render import wording
from memlsp.model.errors import MemlspError

POLL = 0.25
"""Seconds between two looks at whether another process wrote."""

log = logging.getLogger(__name__)


class Refreshing:
    """Keeps what the editor shows true."""

    def __init__(
        self,
        server: LanguageServer,
        desks: Desks,
        documents: Documents,
        views: Views,
        diagnostics: Diagnostics,
        lenses: Lenses,
        settings: Callable[[], Settings],
    ) -> None:
        self._server = server
        self._desks = desks
        self._documents = documents
        self._views = views
        self._diagnostics = diagnostics
        self._lenses = lenses
        self._settings = settings
        self._timer: asyncio.TimerHandle | None = None
        self._running: asyncio.Task[None] | None = None
        self._again = False
        self._told: set[str] = set()
        self._polling: asyncio.Task[None] | None = None
        self._also: list[Callable[[], Awaitable[None]]] = []

    def also(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do this at the end of every look."""
        self._also.append(work)

    def start(self) -> None:
        """Begin to poll."""
        self._polling = asyncio.ensure_future(self._poll())

    def stop(self) -> None:
        """End everything under way."""
        for each in (self._timer, self._running, self._polling):
            if each is not None:
                each.cancel()

    def touched(self) -> None:
        """Somebody types: look again when it pauses."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._settings().debounce / 1000, self.now)

    def now(self) -> None:
        """Look again now; a look under way is followed by another."""
        if self._running is not None and not self._running.done():
            self._again = True
            return
        self._running = asyncio.ensure_future(self._look())

    async def _look(self) -> None:
        self._again = True
        while self._again:
            self._again = False
            try:
                await self._look_once()
                for work in self._also:
                    await work()
            except Exception:
                log.exception("a refresh failed")

    async def _look_once(self) -> None:
        pull = lens = False
        for document in self._documents.all():
            version, edits = document.version, document.edits
            view = await self._views.of(document.uri)
            if view is None or document.edits != edits or self._documents.get(document.uri) is not document:
                continue  # superseded: the change that did it has its own look coming
            self._tell_problem(view.problem)
            lens = self._lenses.moved(document.uri, view) or lens
            items = self._diagnostics.news(document.uri, view)
            if items is None:
                continue
            if self._diagnostics.pull:
                pull = True
            else:
                params = types.PublishDiagnosticsParams(document.uri, items, version)
                self._server.text_document_publish_diagnostics(params)
        workspace = self._server.client_capabilities.workspace
        if pull and workspace and workspace.diagnostics and workspace.diagnostics.refresh_support:
            self._server.workspace_diagnostic_refresh(None)
        if lens and workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self._server.workspace_code_lens_refresh(None)

    def _tell_problem(self, problem: str) -> None:
        """Once, and in the log: an editor that shows a picture needs no box that says so."""
        if problem and problem not in self._told:
            self._told.add(problem)
            message = types.LogMessageParams(types.MessageType.Info, wording.plain(problem))
            self._server.window_log_message(message)

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL)
            try:
                moved = [await desk.run(desk.moved) for desk in self._desks.all() if not desk.closing.is_set()]
            except MemlspError as error:
                log.info("%s", error)
                continue
            except Exception:
                if any(desk.closing.is_set() for desk in self._desks.all()):
                    return  # the workers were shut down: the server ends
                log.exception("a look at the memory failed")
                continue
            if any(moved):
                self._desks.tell_news()
                self.now()
