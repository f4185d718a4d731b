"""Replaces parts of pygls' protocol: UTF-16 positions, requests beyond LSP, own documents, and an immediate exit."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator
from concurrent.futures import Future
from typing import Any, cast

import attrs
from cattrs import transform_error
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method

from memlsp.faces.lsp.requests.wire import REQUESTS, TERMINAL_COMMAND
from memlsp.faces.render.wording import plain
from memlsp.model.errors import MemlspError, NotFound, UsageError

INVALID_PARAMS = -32602
REQUEST_FAILED = -32803
"""LSP's code for a request that is well formed and cannot be served."""

_MOST_MESSAGE = 1_000

Steps = Generator[Any, Any, Any]


class RequestRefused(JsonRpcException):
    """The error answer to a request of `wire`: a sentence for a person, and advice in `data.hint`."""

    def __init__(self, error: MemlspError) -> None:
        code = INVALID_PARAMS if isinstance(error, UsageError) else REQUEST_FAILED
        problem = {"hint": plain(error.hint, _MOST_MESSAGE), "missing": isinstance(error, NotFound)}
        super().__init__(plain(str(error), _MOST_MESSAGE), code, problem)


@attrs.define
class WireMessage:
    """A request or notification of `wire`, with its parameters as JSON."""

    method: str
    jsonrpc: str
    id: Any = None
    params: Any = None


class MemlspProtocol(LanguageServerProtocol):
    """pygls' protocol with a few methods replaced."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Steps:
        """Choose UTF-16, which every client knows. pygls takes the client's first offer, and editors with several
        servers on one buffer warn of mixed encodings."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: object) -> Steps:
        """Close the stores and end at once: the thread that reads stdin would wait for one more line."""
        yield from ()
        cast("Any", self._server).finish()
        logging.shutdown()
        os._exit(0 if self._shutdown else 1)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Steps:
        """Pass a command its raw arguments: it reads them itself and reports errors."""
        commands = cast("dict[str, object]", self.fm.commands)  # pyright: ignore[reportUnknownMemberType]
        work = commands.get(params.command)
        if work is None:
            raise RequestRefused(UsageError(f"no such command: {plain(params.command, 80)!r}"))
        return (yield work, (tuple(params.arguments or ()),), None)

    # Requests of `wire`: pygls would make named tuples of their parameters, and log every error as a failure.

    def get_message_type(self, method: str) -> type[Any] | None:  # pyright: ignore[reportIncompatibleVariableOverride] - it is cached there
        """The type of a message; the parameters of those of `wire` stay plain JSON."""
        return WireMessage if method in {*REQUESTS, TERMINAL_COMMAND} else super().get_message_type(method)

    def structure_message(self, data: dict[str, Any]) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The message; one that cannot be read is refused under its id, for its client waits for an answer."""
        try:
            return super().structure_message(data)  # pyright: ignore[reportUnknownMemberType]
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), str | int):
                hint = "; ".join(transform_error(error.__cause__)) if error.__cause__ is not None else ""
                problem = UsageError(f"the parameters of {data['method']} cannot be read", hint)
                self._send_response(data["id"], error=RequestRefused(problem).to_response_error())
            raise

    def _send_handler_result(self, future: Future[Any], *, msg_id: str | int) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, RequestRefused):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=error.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    # Documents: pygls splits lines as `str.splitlines` does, which differs from LSP, so it keeps none.

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Steps:
        """Call our feature alone."""
        yield from self._feature(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Steps:
        """Call our feature alone."""
        yield from self._feature(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Steps:
        """Call our feature alone."""
        yield from self._feature(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _feature(self, method: str, params: object) -> Steps:
        features = cast("dict[str, object]", self.fm.features)  # pyright: ignore[reportUnknownMemberType]
        yield features[method], (params,), None
