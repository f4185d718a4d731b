"""What we do otherwise than pygls: UTF-16 for everybody, documents of our own, and an end that is one."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, cast

import attrs
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, lsp_method

from memlsp.faces.lsp.requests.refusal import Refusal
from memlsp.faces.lsp.requests.wire import REQUESTS

if TYPE_CHECKING:
    from memlsp.faces.lsp.server.server import MemlspServer

Steps = Generator[Any, Any, Any]


@attrs.define
class OurRequest:
    """A request of `wire`, its parameters as JSON has them."""

    id: Any
    method: str
    jsonrpc: str
    params: Any = None


class MemlspProtocol(LanguageServerProtocol):
    """pygls' protocol with the few methods replaced that do not suit a server beside others."""

    _server: MemlspServer  # pyright: ignore[reportIncompatibleVariableOverride] - there is no other

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Steps:
        """Answer UTF-16, which every client speaks: pygls takes the client's first offer, and then editors that run
        several servers on one buffer warn of mixed encodings."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: object) -> Steps:
        """Close the stores and end at once: the thread that reads stdin would wait for one more line."""
        yield from ()
        self._server.finish()
        logging.shutdown()
        os._exit(0 if self._shutdown else 1)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Steps:
        """Give a command its arguments as they came: it reads them itself, and says what is wrong with them."""
        commands = cast("dict[str, object]", self.fm.commands)  # pyright: ignore[reportUnknownMemberType]
        work = commands.get(params.command)
        if work is None:
            raise JsonRpcInvalidParams.of(ValueError(f"no such command: {params.command!r}"))
        return (yield work, (tuple(params.arguments or ()),), None)

    # Requests of our own: pygls makes tuples with names of their parameters, and takes every error for its own failure.

    def get_message_type(self, method: str) -> type[Any] | None:  # pyright: ignore[reportIncompatibleVariableOverride] - it is cached there
        """The shape of a message; of our own requests the parameters stay as they came."""
        return OurRequest if method in REQUESTS else super().get_message_type(method)

    def _send_handler_result(self, future: Future[Any], *, msg_id: str | int) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, Refusal):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=error.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    # Documents: pygls splits lines where `str.splitlines` does, which is not where the protocol does, so it keeps none.

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Steps:
        """Hand over to the documents."""
        yield from self._ours(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Steps:
        """Hand over to the documents."""
        yield from self._ours(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Steps:
        """Hand over to the documents."""
        yield from self._ours(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _ours(self, method: str, params: object) -> Steps:
        features = cast("dict[str, object]", self.fm.features)  # pyright: ignore[reportUnknownMemberType]
        yield features[method], (params,), None
