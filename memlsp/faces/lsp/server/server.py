"""The language server: features wired to the protocol, each call isolated.

It stands beside pyright, gopls and the rest, so it never answers definition, references, rename, completion, formatting
or symbols: a second answer to those changes the other server's behaviour.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.features.code_actions import ABOUT, Actions
from memlsp.faces.lsp.features.commands import Commands
from memlsp.faces.lsp.features.diagnostics import Diagnostics
from memlsp.faces.lsp.features.document_view import Views
from memlsp.faces.lsp.features.history import Past
from memlsp.faces.lsp.features.hover import Hover
from memlsp.faces.lsp.features.lenses import Lenses
from memlsp.faces.lsp.features.links import without_links
from memlsp.faces.lsp.features.onboarding import Onboarding
from memlsp.faces.lsp.features.save_events import TERMINAL_COMMAND, Capturing
from memlsp.faces.lsp.requests.addresses import Addresses
from memlsp.faces.lsp.requests.change_notice import News
from memlsp.faces.lsp.requests.dispatch import Answers
from memlsp.faces.lsp.server.client_options import Announced
from memlsp.faces.lsp.server.documents import Documents, file_of
from memlsp.faces.lsp.server.parent import watch_parent
from memlsp.faces.lsp.server.progress import with_progress
from memlsp.faces.lsp.server.protocol import MemlspProtocol
from memlsp.faces.lsp.server.refresh import Refreshing
from memlsp.faces.lsp.server.settings import Settings, read_settings
from memlsp.faces.lsp.server.workspaces import Desk, Desks
from memlsp.faces.render import wording
from memlsp.model.errors import MemlspError
from memlsp.version import VERSION

if TYPE_CHECKING:
    from pygls.server import ServerErrors

T = TypeVar("T")

log = logging.getLogger(__name__)


class MemlspServer(LanguageServer):
    """One editor's server: the parts that know the memory, and what the client told of itself."""

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - pygls leaves its arguments untyped
            "memlsp", VERSION, types.TextDocumentSyncKind.Incremental, protocol_cls=MemlspProtocol
        )
        self.settings = Settings()
        self.client_name = ""
        self.announced = Announced()
        self.desks = Desks(tell=self.warn, opened=self._desk_opened)
        self.documents = Documents(self.desks, touched=lambda _: self.refreshing.touched())
        self.addresses = Addresses(self.desks, self.documents)
        self.views = Views(self.documents)
        self.past = Past(self, lambda: self.announced.trusted)
        self.hover = Hover(
            self.documents, self.past, lambda: self.settings, lambda: self.announced.commands, self.desks.root_uri
        )
        self.lenses = Lenses(self.views, lambda: self.settings, lambda: self.announced.commands)
        self.diagnostics = Diagnostics(self.views, lambda: self.settings)
        self.actions = Actions(self.documents, self.views, self._reads_literals, self._root_said)
        self.refreshing = Refreshing(
            self, self.desks, self.documents, self.views, self.diagnostics, self.lenses, lambda: self.settings
        )
        self.news = News(self, self.desks, lambda: self.announced.tell_changes)
        self.refreshing.also(self.news.tell)
        self.commands = Commands(self, self.addresses, self.past, self.refreshing, self._source)
        self.answers = Answers(self.addresses, self.desks.root_uri, self._source, self.refreshing.now)
        self.capturing = Capturing(self.desks, lambda: self.settings, lambda: self.announced.trusted)
        self.onboarding = Onboarding(self, lambda: self.settings)
        self._background: set[asyncio.Future[object]] = set()
        self._parent: threading.Event | None = None
        self._finished = threading.Lock()

    # --- speaking to the user --------------------------------------------------------------------------------------

    def warn(self, sentence: str) -> None:
        """Tell the user something once, in plain words."""
        said = without_links(wording.plain(sentence))
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, said))

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Into the log, never a box: nobody who types can do anything about it."""
        log.error("%s: %s", getattr(source, "__name__", source), error)
        if self.protocol.writer is not None:
            message = wording.plain(f"{type(error).__name__}: {error}", 500)
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    async def isolated(self, name: str, work: Awaitable[T], otherwise: T) -> T:
        """The answer of a feature, or `otherwise` when it failed: no feature takes the server down or shows a box."""
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
        """Do something beside, holding on to it."""
        task = asyncio.ensure_future(self.isolated("background work", work, None))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # --- life ------------------------------------------------------------------------------------------------------

    def learn(self, params: types.InitializeParams) -> None:
        """What the client can and wants. Before the capabilities are computed."""
        self.client_name = wording.plain(params.client_info.name, 30) if params.client_info else ""
        uris = [folder.uri for folder in params.workspace_folders or []]
        self.open_folders(uris or ([params.root_uri] if params.root_uri else []))
        self.diagnostics.learn(params.capabilities)
        self.announced = Announced.of(params.initialization_options)

    def open_folders(self, uris: Iterable[str]) -> None:
        """These are the editor's folders now."""
        folders = {file_of(uri): uri for uri in uris}
        self.desks.set_folders({folder: uri for folder, uri in folders.items() if folder is not None})

    def begin(self, raw_options: object) -> None:
        """The client is ready: settings, polling, and a watch on its process."""
        self.configure(raw_options)
        self.desks.warm()
        self.refreshing.start()
        if self.process_id:
            self._parent = watch_parent(self.process_id, self._orphaned)
        self.keep(self._ask_for_settings())

    def configure(self, raw: object) -> None:
        """Take settings over; each value that is of no use is said once."""
        self.settings, problems = read_settings(raw, self.settings)
        for problem in problems:
            self.warn(problem)

    async def _ask_for_settings(self) -> None:
        workspace = self.client_capabilities.workspace
        if workspace is None:
            return
        change = workspace.did_change_configuration
        if change is not None and change.dynamic_registration:
            registration = types.Registration(
                "memlsp-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": "memlsp"}
            )
            with suppress(JsonRpcException):  # a client that refuses is asked all the same
                await self.client_register_capability_async(types.RegistrationParams([registration]))
        await self.pull_settings()

    async def pull_settings(self) -> None:
        """Ask for the `memlsp` section where the client can be asked."""
        workspace = self.client_capabilities.workspace
        if workspace is None or not workspace.configuration:
            return
        params = types.ConfigurationParams([types.ConfigurationItem(section="memlsp")])
        answer = await self.workspace_configuration_async(params)
        if answer and answer[0]:
            self.configure(answer[0])
            self.refreshing.now()

    def finish(self) -> None:
        """Stop everything and close the stores. Once, from any thread."""
        if not self._finished.acquire(blocking=False):
            return
        if self._parent is not None:
            self._parent.set()
        self.past.close()
        self.onboarding.close()
        self.desks.close()

    def _orphaned(self) -> None:
        log.warning("the editor's process is gone")
        self.finish()
        logging.shutdown()
        os._exit(0)  # the thread that reads stdin cannot be ended otherwise

    def _desk_opened(self, desk: Desk) -> None:
        loop = asyncio.get_running_loop()

        if not self.announced.trusted:
            return  # what lies in the folder is neither followed nor looked through: the open documents speak alone

        def moved(paths: Sequence[str] | None) -> None:
            if not desk.closing.is_set():
                loop.call_soon_threadsafe(self._files_moved)
                if paths is None:  # a commit or a checkout, perhaps
                    loop.call_soon_threadsafe(self.onboarding.look, desk)

        def begin() -> None:
            if self.desks.may_watch(desk):
                desk.start_watching(moved)

        title = f"looking through {wording.plain(desk.memory.workspace.name, 60)}"
        self.keep(with_progress(self, title, desk.read(begin)))
        self.onboarding.look(desk)

    def _files_moved(self) -> None:
        self.past.forget()
        self.refreshing.touched()

    def _reads_literals(self) -> bool:
        document = self.client_capabilities.text_document
        return bool(document and document.code_action and document.code_action.code_action_literal_support)

    def _root_said(self, desk: Desk) -> str | None:
        """The root that actions carry: for an editor with commands of its own, which knows that argument."""
        return self.desks.root_uri(desk) if self.announced.commands else None

    def _source(self) -> str:
        return f"lsp:{self.client_name}" if self.client_name else "lsp"


def _markup(capabilities: types.ClientCapabilities) -> types.MarkupKind:
    hover = capabilities.text_document.hover if capabilities.text_document else None
    formats = hover.content_format if hover else None
    return types.MarkupKind.Markdown if formats and types.MarkupKind.Markdown in formats else types.MarkupKind.PlainText


def create_server() -> MemlspServer:
    """A server with every feature registered, not yet started."""
    server = MemlspServer()
    _register_life(server)
    _register_documents(server)
    _register_features(server)
    _register_commands(server)
    for method, answer in server.answers.table().items():
        server.feature(method)(answer)
    return server


def _register_life(server: MemlspServer) -> None:
    options: list[object] = [None]

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        options[0] = params.initialization_options
        server.learn(params)
        if server.diagnostics.pull:
            _register_pull(server)

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        server.begin(options[0])

    @server.feature(types.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.refreshing.stop()
        server.finish()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def settings_changed(params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            server.configure(params.settings)
            server.refreshing.now()
        else:
            await server.isolated("settings", server.pull_settings(), None)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(_: types.DidChangeWorkspaceFoldersParams) -> None:
        server.open_folders(server.workspace.folders)


def _register_documents(server: MemlspServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.documents.opened(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.documents.changed(params)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.documents.closed(uri)
        server.views.forget(uri)
        server.lenses.forget(uri)
        if server.diagnostics.forget(uri):
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        await server.isolated("save", _files_changed(server, [uri]), None)
        await server.isolated("save", server.capturing.saved(uri), None)

    matching = types.FileOperationRegistrationOptions(
        [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
    )

    @server.feature(types.WORKSPACE_DID_RENAME_FILES, matching)
    async def renamed(params: types.RenameFilesParams) -> None:
        uris = [uri for each in params.files for uri in (each.old_uri, each.new_uri)]
        await server.isolated("rename", _files_changed(server, uris, told=True), None)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: types.DidChangeWatchedFilesParams) -> None:
        uris = [each.uri for each in params.changes]
        await server.isolated("watched files", _files_changed(server, uris, told=True), None)

    @server.feature(TERMINAL_COMMAND)
    async def terminal_command(params: Mapping[str, object]) -> None:  # of `object` pygls would hand over the server
        await server.isolated("terminal command", server.capturing.command(params), None)


async def _files_changed(server: MemlspServer, uris: Sequence[str], *, told: bool = False) -> None:
    """Files moved on disk: what was known of them is read anew. A folder that moved counts as everything in it. With
    `told` nobody else says so, and it is kept that they changed."""
    paths: dict[Desk, list[str] | None] = {}
    for file in filter(None, map(file_of, uris)):
        desk = await server.desks.desk_for(file)
        if desk is None:
            continue
        try:
            path = await desk.run(lambda desk=desk, file=file: desk.relative(file))
        except MemlspError:
            continue
        known = paths.setdefault(desk, [])
        if file.is_dir():
            paths[desk] = None
        elif known is not None:
            known.append(path)
    for desk, changed in paths.items():
        await desk.run(lambda desk=desk, changed=changed: desk.memory.files_changed(changed))
        if told and server.announced.trusted:
            desk.note(lambda desk=desk, changed=changed: desk.memory.events.files(changed))
    server.past.forget()
    server.refreshing.now()


def _register_features(server: MemlspServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        kind = _markup(server.client_capabilities)
        return await server.isolated("hover", server.hover.at(params.text_document.uri, params.position, kind), None)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        return await server.isolated("code lens", server.lenses.of(params.text_document.uri), [])

    @server.feature(types.CODE_LENS_RESOLVE)
    async def resolve_lens(lens: types.CodeLens) -> types.CodeLens:
        return await server.isolated("code lens", server.lenses.resolve(lens), lens)

    kinds: list[types.CodeActionKind | str] = [types.CodeActionKind.QuickFix, ABOUT]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=kinds))
    async def code_action(params: types.CodeActionParams) -> list[types.Command | types.CodeAction] | None:
        return await server.isolated("code actions", server.actions.at(params), [])


def _register_pull(server: MemlspServer) -> None:
    # only for clients that are to pull: what is registered is advertised, and then an editor shows both
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier="memlsp")

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pull(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        report = server.diagnostics.report(params.text_document.uri, params.previous_result_id)
        empty = types.RelatedFullDocumentDiagnosticReport(items=[])
        return await server.isolated("diagnostics", report, empty)


def _register_commands(server: MemlspServer) -> None:
    for name, work in server.commands.table().items():
        server.command(name)(work)


def serve(*, log_file: Path | None = None, log_level: str = "warning") -> None:
    """Serve one editor on stdin and stdout until it leaves.

    stdout is the wire: it is taken away from everything else in the process, so that nothing that prints can break it.
    """
    _start_log(log_file, log_level)
    wire = _take_stdout()
    server = create_server()
    try:
        server.start_io(sys.stdin.buffer, wire)
    except (JsonRpcException, OSError):
        log.exception("the connection broke")
    finally:
        server.finish()


def _take_stdout() -> BinaryIO:
    sys.stdout.flush()
    wire = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return wire


def _start_log(log_file: Path | None, log_level: str) -> None:
    level = logging.getLevelNamesMapping().get(log_level.upper(), logging.WARNING)
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    trouble = ""
    if log_file is not None:
        try:
            handlers.append(logging.FileHandler(log_file, encoding="utf-8", delay=False))
        except OSError as error:
            trouble = f"no log file: {error}"
    logging.basicConfig(level=level, handlers=handlers, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # pygls writes every message to its log, which is of use to those who ask for it and a burden otherwise
    logging.getLogger("pygls").setLevel(logging.DEBUG if level <= logging.DEBUG else max(level, logging.ERROR))
    if trouble:
        log.warning("%s", trouble)
