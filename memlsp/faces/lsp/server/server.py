"""Builds the language server: registers its features with the protocol, each call isolated, and runs it. It stands
beside pyright, gopls and the rest, so it never answers definition, references, rename, completion, formatting or
symbols: a second answer to those changes the other server's behaviour."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from attrs import frozen
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from memlsp.faces.lsp.features.code_actions import ABOUT
from memlsp.faces.lsp.requests.commands import COMMANDS, PREFIX, command_feature
from memlsp.faces.lsp.requests.table import request_feature
from memlsp.faces.lsp.requests.wire import REQUESTS, TERMINAL_COMMAND
from memlsp.faces.lsp.server.documents import file_of
from memlsp.faces.lsp.server.editor_server import MemlspServer
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.model.errors import MemlspError, Refused

_LARGEST_MESSAGE = 1 << 28  # bytes
_LONGEST_LINE = 1 << 16  # bytes of one line of a message's head

log = logging.getLogger(__name__)


def create_server() -> MemlspServer:
    """A server with every feature registered, not yet started."""
    server = MemlspServer()
    _register_life(server)
    _register_documents(server)
    _register_features(server)
    for name in COMMANDS:
        server.command(PREFIX + name)(command_feature(server, server.requests, name))
    for method in REQUESTS:
        server.feature(method)(request_feature(server.requests, method))
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
        server.refresher.stop()
        server.finish()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def settings_changed(params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            server.configure(params.settings)
            server.refresher.now()
        else:
            await server.isolated("settings", server.pull_settings(), None)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(_: types.DidChangeWorkspaceFoldersParams) -> None:
        server.open_folders(server.workspace.folders)


def _register_documents(server: MemlspServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:  # at once: a change may follow in the same breath
        server.documents.opened(params.text_document)
        server.keep(server.statements.ask(params.text_document.uri, saved=False))

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
        await server.isolated("save", _files_changed(server, [uri], record=False), None)
        await server.isolated("save", server.events.saved(uri), None)
        await server.isolated("check", server.statements.ask(uri), None)

    matching = types.FileOperationRegistrationOptions(
        [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
    )

    @server.feature(types.WORKSPACE_DID_RENAME_FILES, matching)
    async def renamed(params: types.RenameFilesParams) -> None:
        uris = [uri for each in params.files for uri in (each.old_uri, each.new_uri)]
        await server.isolated("rename", _files_changed(server, uris, record=True), None)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: types.DidChangeWatchedFilesParams) -> None:
        uris = [each.uri for each in params.changes]
        await server.isolated("watched files", _files_changed(server, uris, record=True), None)

    # with parameters of type `object` pygls would pass the server
    @server.feature(TERMINAL_COMMAND)
    async def terminal_command(params: Mapping[str, object]) -> None:
        await server.isolated("terminal command", server.events.command(params), None)


async def _files_changed(server: MemlspServer, uris: Sequence[str], *, record: bool) -> None:
    """Re-read files that changed on disk; a folder stands for everything in it. `record`: no watcher reports these
    changes, so also record an event."""
    paths: dict[EditorWorkspace, list[str] | None] = {}
    for file in filter(None, map(file_of, uris)):
        workspace = await server.workspaces.workspace_of_file(file)
        if workspace is None:
            continue
        try:
            path = await workspace.run(lambda workspace=workspace, file=file: workspace.relative(file))
        except MemlspError:
            continue
        known = paths.setdefault(workspace, [])
        if file.is_dir():
            paths[workspace] = None
        elif known is not None:
            known.append(path)
    for workspace, changed in paths.items():
        await workspace.run(lambda workspace=workspace, changed=changed: workspace.memory.files_changed(changed))
        if record and server.client.trusted:
            workspace.note(lambda workspace=workspace, changed=changed: workspace.memory.events.files(changed))
    server.histories.forget()
    server.refresher.now()


def _register_features(server: MemlspServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        kind = server.markup()
        return await server.isolated("hover", server.hover.at(params.text_document.uri, params.position, kind), None)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        return await server.isolated("code lens", server.lenses.of(params.text_document.uri), [])

    kinds: list[types.CodeActionKind | str] = [types.CodeActionKind.QuickFix, ABOUT]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=kinds))
    async def code_action(params: types.CodeActionParams) -> list[types.Command | types.CodeAction] | None:
        return await server.isolated("code actions", server.actions.at(params), [])


def _register_pull(server: MemlspServer) -> None:
    # only for clients that pull: registering advertises it, and an editor would show pushed and pulled diagnostics
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier="memlsp")

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pull(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        report = server.diagnostics.report(params.text_document.uri, params.previous_result_id)
        empty = types.RelatedFullDocumentDiagnosticReport(items=[])
        return await server.isolated("diagnostics", report, empty)


def serve(*, log_file: Path | None = None, log_level: str = "warning") -> None:
    """Serve one editor on stdin and stdout until it disconnects. stdout is the wire: anything else in the process that
    prints goes to stderr."""
    _start_log(log_file, log_level)
    wire = _take_stdout()
    server = create_server()
    try:
        server.start_io(cast("BinaryIO", _BoundedInput(sys.stdin.buffer)), wire)
    except (JsonRpcException, OSError):
        log.exception("the connection broke")
    finally:
        server.finish()


@frozen
class _BoundedInput:
    """stdin, which refuses a message or a line of its head that no editor sends, before it is read into memory."""

    stdin: BinaryIO

    def readline(self) -> bytes:
        line = self.stdin.readline(_LONGEST_LINE)
        if len(line) == _LONGEST_LINE:
            raise Refused(
                f"a line of a message's head has more than {_LONGEST_LINE:,} bytes", "is this a client of LSP?"
            )
        return line

    def read(self, size: int) -> bytes:
        if size > _LARGEST_MESSAGE:
            raise Refused(f"a message of {size:,} bytes was announced; {_LARGEST_MESSAGE:,} are the most")
        return self.stdin.read(size)


def _take_stdout() -> BinaryIO:
    sys.stdout.flush()
    wire = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return wire


def _start_log(log_file: Path | None, log_level: str) -> None:
    level = logging.getLevelNamesMapping().get(log_level.upper(), logging.WARNING)
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    problem = ""
    if log_file is not None:
        try:
            handlers.append(logging.FileHandler(log_file, encoding="utf-8", delay=False))
        except OSError as error:
            problem = f"no log file: {error}"
    logging.basicConfig(level=level, handlers=handlers, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # pygls logs every message
    logging.getLogger("pygls").setLevel(logging.DEBUG if level <= logging.DEBUG else max(level, logging.ERROR))
    if problem:
        log.warning("%s", problem)
