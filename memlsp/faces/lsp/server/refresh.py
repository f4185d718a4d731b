"""Refreshes what the editor shows: after typing pauses, after a save, when files change, when another process wrote.
Processes that share a memory share only its store, so its version is polled."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable
from contextlib import suppress

from attrs import define, field
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.features.diagnostics import Diagnostics
from memlsp.faces.lsp.features.document_view import DocumentViews
from memlsp.faces.lsp.features.lenses import CodeLenses
from memlsp.faces.lsp.server.documents import Documents
from memlsp.faces.lsp.server.settings import EditorSettings
from memlsp.faces.lsp.server.workspaces import EditorWorkspace, EditorWorkspaces
from memlsp.faces.render import wording
from memlsp.model.errors import MemlspError

CHANGED = "memlsp/changed"

POLL = 0.25
"""Seconds between two polls of the store's version."""

AGAIN = 1.0
"""Seconds until a client that was told of new lenses and has not asked for them is told again; then twice as long."""

PERSISTENCE = 16.0
"""The longest of these pauses: a document in a hidden tab is not asked about until it is shown."""

IDLE = 1.0
"""Seconds without a change after which garbage is collected."""

_DUE = 10
"""Collections of younger objects after which all are due, as in Python itself."""

log = logging.getLogger(__name__)


class ChangeNotifier:
    """Sends `memlsp/changed` to clients that want it. On the event loop."""

    def __init__(self, server: LanguageServer, workspaces: EditorWorkspaces, wanted: Callable[[], bool]) -> None:
        self._server = server
        self._wanted = wanted
        self._workspaces = workspaces
        self._sent: dict[EditorWorkspace, tuple[int, ...]] = {}

    async def notify(self) -> None:
        """Name every workspace whose version moved since the last notification."""
        if not self._wanted():
            return
        roots: list[str] = []
        for workspace in self._workspaces.all():
            if workspace.closing.is_set():
                continue
            with suppress(RuntimeError, asyncio.CancelledError):  # it is being shut down
                version = await workspace.run(workspace.memory.version)
                if self._sent.get(workspace) != version:
                    self._sent[workspace] = version
                    roots.append(self._workspaces.root_uri(workspace))
        if roots:
            self._server.protocol.notify(CHANGED, {"roots": roots})


@define(eq=False)
class Refresher:
    """Updates diagnostics and lenses of the open documents, then notifies the client."""

    _server: LanguageServer
    _documents: Documents
    _views: DocumentViews
    _diagnostics: Diagnostics
    _lenses: CodeLenses
    _notifier: ChangeNotifier
    _settings: Callable[[], EditorSettings]
    _timer: asyncio.TimerHandle | None = field(default=None, init=False)
    _rest: asyncio.TimerHandle | None = field(default=None, init=False)
    _repeat: asyncio.TimerHandle | None = field(default=None, init=False)
    _pause: float = field(default=AGAIN, init=False)
    _running: asyncio.Task[None] | None = field(default=None, init=False)
    _again: bool = field(default=False, init=False)
    _logged: set[str] = field(factory=set[str], init=False)
    _polling: asyncio.Task[None] | None = field(default=None, init=False)

    def start(self) -> None:
        """Begin to poll."""
        self._polling = asyncio.ensure_future(self._poll())

    def stop(self) -> None:
        """End everything under way."""
        for each in (self._timer, self._rest, self._repeat, self._running, self._polling):
            if each is not None:
                each.cancel()

    def touched(self) -> None:
        """Refresh when typing pauses."""
        for each in (self._timer, self._rest):
            if each is not None:
                each.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._settings().debounce / 1000, self.now)

    def now(self, pause: float = AGAIN) -> None:
        """Refresh now; one under way is followed by another. `pause`: seconds until lenses that nobody asks for are
        announced again."""
        self._pause = pause
        if self._running is not None and not self._running.done():
            self._again = True
            return
        self._running = asyncio.ensure_future(self._refresh())

    async def _refresh(self) -> None:
        self._again = True
        while self._again:
            self._again = False
            try:
                await self._refresh_documents()
                await self._notifier.notify()
            except Exception:
                log.exception("a refresh failed")
        for workspace in self._documents.workspaces.all():
            workspace.answered.set()
        if self._rest is not None:
            self._rest.cancel()
        self._rest = asyncio.get_running_loop().call_later(IDLE, _collect_garbage)

    async def _refresh_documents(self) -> None:
        pull = lens = unasked = False
        for document in self._documents.all():
            version, edits = document.version, document.edits
            view = await self._views.of(document.uri)
            if view is None or document.edits != edits or self._documents.get(document.uri) is not document:
                continue  # superseded: the newer change starts its own refresh
            self._log_problem(view.problem)
            lens = self._lenses.moved(document.uri, view) or lens
            unasked = unasked or self._lenses.is_unasked(document.uri, view)
            items = self._diagnostics.news(document.uri, view)
            if items is None:
                continue
            if self._diagnostics.pull:
                pull = True
            else:
                params = types.PublishDiagnosticsParams(document.uri, items, version)
                self._server.text_document_publish_diagnostics(params)
        client = self._server.client_capabilities.workspace
        if pull and client and client.diagnostics and client.diagnostics.refresh_support:
            self._server.workspace_diagnostic_refresh(None)
        if (lens or unasked) and client and client.code_lens and client.code_lens.refresh_support:
            if lens or self._pause > AGAIN:  # of a document that was just opened it asks by itself, as a rule
                self._server.workspace_code_lens_refresh(None)
            self._announce_again()

    def _announce_again(self) -> None:
        # VS Code waits before it asks, and does not ask when the editor lost the focus meanwhile
        if self._repeat is not None:
            self._repeat.cancel()
        if self._pause <= PERSISTENCE:
            self._repeat = asyncio.get_running_loop().call_later(self._pause, self.now, 2 * self._pause)

    def _log_problem(self, problem: str) -> None:
        """Log a problem once, without a box: the user of a picture file needs none."""
        if problem and problem not in self._logged:
            self._logged.add(problem)
            message = types.LogMessageParams(types.MessageType.Info, wording.plain(problem))
            self._server.window_log_message(message)

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL)
            open_ = [workspace for workspace in self._documents.workspaces.all() if not workspace.closing.is_set()]
            try:
                moved = [await workspace.run(workspace.moved) for workspace in open_]
            except MemlspError as error:
                log.info("%s", error)
                continue
            except Exception:
                if any(workspace.closing.is_set() for workspace in self._documents.workspaces.all()):
                    return  # the workers were shut down: the server ends
                log.exception("polling the store failed")
                continue
            if any(moved):
                self._documents.workspaces.show_notices()
                self.now()


def _collect_garbage() -> None:
    if gc.get_count()[2] >= _DUE:
        gc.collect()
