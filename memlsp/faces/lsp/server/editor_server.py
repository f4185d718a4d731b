"""The server of one editor: its parts, its settings, and its life from `initialize` to the end."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.features.code_actions import CodeActions
from memlsp.faces.lsp.features.diagnostics import Diagnostics
from memlsp.faces.lsp.features.document_view import DocumentViews
from memlsp.faces.lsp.features.editor_events import EditorEvents
from memlsp.faces.lsp.features.history import SymbolHistories
from memlsp.faces.lsp.features.hover import Hover
from memlsp.faces.lsp.features.lenses import CodeLenses
from memlsp.faces.lsp.features.links import without_links
from memlsp.faces.lsp.features.onboarding import OnboardingRunner
from memlsp.faces.lsp.features.statements import Statements
from memlsp.faces.lsp.requests.context import RequestContext
from memlsp.faces.lsp.server.documents import Documents, file_of
from memlsp.faces.lsp.server.parent import watch_parent
from memlsp.faces.lsp.server.progress import with_progress
from memlsp.faces.lsp.server.protocol import MemlspProtocol
from memlsp.faces.lsp.server.refresh import ChangeNotifier, Refresher
from memlsp.faces.lsp.server.settings import ClientOptions, EditorSettings, read_settings
from memlsp.faces.lsp.server.workspaces import EditorWorkspace, EditorWorkspaces, drop_garbage
from memlsp.faces.render import wording
from memlsp.model.errors import MemlspError
from memlsp.version import VERSION

if TYPE_CHECKING:
    from pygls.server import ServerErrors

T = TypeVar("T")

log = logging.getLogger(__name__)


class MemlspServer(LanguageServer):
    """The parts of one editor's server, and the client's options."""

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - pygls leaves its arguments untyped
            "memlsp", VERSION, types.TextDocumentSyncKind.Incremental, protocol_cls=MemlspProtocol
        )
        self.settings = EditorSettings()
        self.client = ClientOptions()
        self._client_name = ""
        self.workspaces = EditorWorkspaces(warn=self.warn, opened=self._workspace_opened)
        self.documents = Documents(self.workspaces, touched=lambda _: self.refresher.touched())
        self.views = DocumentViews(self.documents)
        self.histories = SymbolHistories(self, lambda: self.client.trusted)
        settings, commands = (lambda: self.settings), (lambda: self.client.commands)
        self.statements = Statements(self.documents, lambda: self.client.trusted, lambda: self.refresher.touched())  # noqa: PLW0108 - it is made below
        self.lenses = CodeLenses(self.views, settings, self.statements, commands)
        self.diagnostics = Diagnostics(self.views, settings, self.statements)
        self.hover = Hover(
            self.documents, self.views, self.diagnostics, self.histories, settings, commands, self.workspaces.root_uri
        )
        self.actions = CodeActions(
            self.documents, self.views, self._reads_literals, self._root_for_actions, lambda: self.client.asks
        )
        notifier = ChangeNotifier(self, self.workspaces, lambda: self.client.tell_changes)
        self.refresher = Refresher(self, self.documents, self.views, self.diagnostics, self.lenses, notifier, settings)
        self.requests = RequestContext(
            self.workspaces, self.documents, self.histories, self._source, self.refresher.now, self.ask
        )
        self.events = EditorEvents(self.workspaces, settings, lambda: self.client.trusted)
        self.onboarding = OnboardingRunner(self, settings)
        self._background: set[asyncio.Future[object]] = set()
        self._parent: threading.Event | None = None
        self._finished = threading.Lock()

    def warn(self, sentence: str) -> None:
        """Show the user a warning."""
        said = without_links(wording.plain(sentence))
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, said))

    async def ask(self, question: str, button: str) -> bool:
        """Have the editor ask its person; whether the button was pressed."""
        said, actions = without_links(wording.plain(question, 300)), [types.MessageActionItem(button)]
        params = types.ShowMessageRequestParams(types.MessageType.Warning, said, actions)
        try:
            answer = await self.window_show_message_request_async(params)
        except JsonRpcException:  # an editor that cannot ask
            return False
        return answer is not None and answer.title == button

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Log an error, without a message box: the user can do nothing about it."""
        log.error("%s: %s", getattr(source, "__name__", source), error)
        if self.protocol.writer is not None:
            message = wording.plain(f"{type(error).__name__}: {error}", 500)
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    async def isolated(self, name: str, work: Awaitable[T], otherwise: T) -> T:
        """The result of a feature, or `otherwise` when it failed: no feature takes the server down or shows a box."""
        try:
            return await work
        except MemlspError as error:
            log.info("%s: %s", name, error)
        except RuntimeError as error:
            # a worker that was shut down refuses new work: the server is about to end
            if "shutdown" not in str(error):
                log.exception("%s failed", name)
        except Exception as error:
            log.exception("%s failed", name)
            self.report_server_error(error, PyglsError)
        return otherwise

    def keep(self, work: Awaitable[object]) -> None:
        """Run something in the background and hold a reference to it."""
        task = asyncio.ensure_future(self.isolated("background work", work, None))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def learn(self, params: types.InitializeParams) -> None:
        """Read the client's capabilities and options. Call before our capabilities are computed."""
        self._client_name = wording.plain(params.client_info.name, 30) if params.client_info else ""
        uris = [folder.uri for folder in params.workspace_folders or []]
        self.open_folders(uris or ([params.root_uri] if params.root_uri else []))
        self.diagnostics.learn(params.capabilities)
        self.client = ClientOptions.of(params.initialization_options)

    def open_folders(self, uris: Iterable[str]) -> None:
        """Set the editor's folders."""
        folders = {file_of(uri): uri for uri in uris}
        self.workspaces.set_folders({folder: uri for folder, uri in folders.items() if folder is not None})

    def begin(self, raw_options: object) -> None:
        """Start polling and watch the editor's process: the client is ready."""
        self.configure(raw_options)
        self.workspaces.warm()
        self.refresher.start()
        if self.process_id:
            self._parent = watch_parent(self.process_id, self._orphaned)
        self.keep(self._ask_for_settings())

    def configure(self, raw: object) -> None:
        """Apply settings; warn once of each value that cannot be used."""
        self.settings, problems = read_settings(raw, self.settings)
        for problem in problems:
            self.warn(problem)

    async def _ask_for_settings(self) -> None:
        workspace = self.client_capabilities.workspace
        change = workspace.did_change_configuration if workspace else None
        if change is not None and change.dynamic_registration:
            registration = types.Registration(
                "memlsp-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": "memlsp"}
            )
            with suppress(JsonRpcException):  # a client that refuses is asked all the same
                await self.client_register_capability_async(types.RegistrationParams([registration]))
        await self.pull_settings()

    async def pull_settings(self) -> None:
        """Ask for the `memlsp` section, if the client answers such requests."""
        workspace = self.client_capabilities.workspace
        if workspace is None or not workspace.configuration:
            return
        params = types.ConfigurationParams([types.ConfigurationItem(section="memlsp")])
        answer = await self.workspace_configuration_async(params)
        if answer and answer[0]:
            self.configure(answer[0])
            self.refresher.now()

    def finish(self) -> None:
        """Stop everything and close the stores. Acts once; call from any thread."""
        if not self._finished.acquire(blocking=False):
            return
        if self._parent is not None:
            self._parent.set()
        self.histories.close()
        self.onboarding.close()
        self.workspaces.close()

    def _orphaned(self) -> None:
        log.warning("the editor's process is gone")
        self.finish()
        logging.shutdown()
        os._exit(0)  # the thread that reads stdin cannot be ended otherwise

    def _workspace_opened(self, workspace: EditorWorkspace) -> None:
        if not self.client.trusted:
            return  # an untrusted folder is neither watched nor read
        loop = asyncio.get_running_loop()

        def changed(paths: Sequence[str] | None) -> None:
            if not workspace.closing.is_set():
                loop.call_soon_threadsafe(self._files_moved)
                if paths is None:  # a commit or a checkout, perhaps
                    loop.call_soon_threadsafe(self.onboarding.look, workspace)

        def watch() -> None:
            drop_garbage()
            if self.workspaces.may_watch(workspace):
                workspace.start_watching(changed)
            workspace.memory.take_shared()
            workspace.memory.documents.at("", "")  # hovers tell of them from here on

        async def settle() -> None:
            await workspace.rested()
            title = f"looking through {wording.plain(workspace.memory.workspace.name, 60)}"
            await with_progress(self, title, workspace.aside(watch))

        self.keep(settle())
        self.onboarding.look(workspace)

    def _files_moved(self) -> None:
        self.histories.forget()
        self.refresher.touched()

    def markup(self) -> types.MarkupKind:
        """The markup that the client's hovers take."""
        document = self.client_capabilities.text_document
        formats = document.hover.content_format if document and document.hover else None
        markdown = types.MarkupKind.Markdown
        return markdown if formats and markdown in formats else types.MarkupKind.PlainText

    def _reads_literals(self) -> bool:
        document = self.client_capabilities.text_document
        return bool(document and document.code_action and document.code_action.code_action_literal_support)

    def _root_for_actions(self, workspace: EditorWorkspace) -> str | None:
        """The root that actions carry, for editors with commands of their own, which know that argument."""
        return self.workspaces.root_uri(workspace) if self.client.commands else None

    def _source(self) -> str:
        return f"lsp:{self._client_name}" if self._client_name else "lsp"
