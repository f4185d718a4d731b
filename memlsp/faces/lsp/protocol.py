"""What we do otherwise than pygls: UTF-16 for everybody, documents of our own, and an end that is one."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, lsp_method

if TYPE_CHECKING:
    from memlsp.faces.lsp.server import MemlspServer

Steps = Generator[Any, Any, Any]


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
