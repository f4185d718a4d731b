"""The documents that the editor has open; their text goes to the memory of their workspace."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from attrs import define, field, frozen
from lsprotocol import types
from pygls import uris

from memlsp.faces.lsp.server.positions import DocumentText, replace, split_lines, well_formed
from memlsp.faces.lsp.server.workspaces import EditorWorkspace, EditorWorkspaces
from memlsp.model.errors import MemlspError


@frozen
class DocumentPath:
    """A document's workspace, and its path there."""

    workspace: EditorWorkspace
    path: str


@define(eq=False)
class Document:
    """One open document. Lives on the event loop; worker threads get `text()`."""

    uri: str
    file: Path
    version: int | None
    lines: list[str]
    edits: int = 0  # grows with every change; the client's version may be missing or stand still
    where: asyncio.Task[DocumentPath | None] | None = None
    _text: DocumentText | None = field(default=None, init=False)

    def text(self) -> DocumentText:
        """The content now."""
        if self._text is None:
            self._text = DocumentText(self.lines)
        return self._text

    def change(self, changes: list[types.TextDocumentContentChangeEvent], version: int) -> None:
        """Apply the client's changes in their order."""
        for each in changes:
            if isinstance(each, types.TextDocumentContentChangePartial):
                replace(self.lines, each.range, well_formed(each.text))
            else:
                self.lines = split_lines(well_formed(each.text))
        self.version = version
        self.edits += 1
        self._text = None


def file_of(uri: str) -> Path | None:
    """The file of a URI; None for untitled, virtual and remote documents."""
    if not uri.lower().startswith("file:"):
        return None
    name = uris.to_fs_path(uri)
    if name and "\ufffd" in name:  # a file name may hold bytes that are no UTF-8
        name = os.fsdecode(unquote_to_bytes(urlsplit(uri).path))
    if not name or "\0" in name:
        return None
    path = Path(name)
    return path if path.is_absolute() else None


class Documents:
    """All open documents, by URI."""

    def __init__(self, workspaces: EditorWorkspaces, *, touched: Callable[[Document], None]) -> None:
        self.workspaces = workspaces
        self._touched = touched
        self._open: dict[str, Document] = {}
        self._tasks: set[asyncio.Task[object]] = set()
        self._edits = 0

    def get(self, uri: str) -> Document | None:
        """The open document of this URI, if it is a file."""
        return self._open.get(uri)

    def all(self) -> list[Document]:
        """Every open document, the one changed last first."""
        return sorted(self._open.values(), key=lambda document: -document.edits)

    def opened(self, item: types.TextDocumentItem) -> None:
        """The editor opened a document."""
        file = file_of(item.uri)
        if file is None:
            return
        document = Document(item.uri, file, item.version, split_lines(well_formed(item.text)), self._next())
        self._open[item.uri] = document
        document.where = asyncio.ensure_future(self._place(document))
        self._touched(document)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """The editor changed a document."""
        document = self._open.get(params.text_document.uri)
        if document is None:
            return
        document.change(list(params.content_changes), params.text_document.version)
        document.edits = self._next()
        where = document.where.result() if document.where and document.where.done() else None
        if where is not None:
            _hand_over(document, where)
        self._touched(document)

    def closed(self, uri: str) -> None:
        """The editor closed a document; its content is the file on disk again."""
        document = self._open.pop(uri, None)
        if document is None or document.where is None:
            return

        async def drop() -> None:
            where = await document.where if document.where else None
            if where is not None and not self._shown_elsewhere(where):
                where.workspace.post(lambda: where.workspace.drop_buffer(where.path))

        self._keep(asyncio.ensure_future(drop()))

    async def locate(self, uri: str) -> tuple[Document, DocumentPath] | None:
        """The open document and its path in a workspace; None for others."""
        document = self._open.get(uri)
        if document is None or document.where is None:
            return None
        where = await asyncio.shield(document.where)
        return (document, where) if where is not None else None

    async def _place(self, document: Document) -> DocumentPath | None:
        workspace = await self.workspaces.workspace_of_file(document.file)
        if workspace is None:
            return None
        try:
            path = await workspace.run(lambda: workspace.relative(document.file))
        except MemlspError:
            return None  # a link that leads out of the workspace, say
        where = DocumentPath(workspace, path)
        _hand_over(document, where)
        return where

    def _shown_elsewhere(self, where: DocumentPath) -> bool:
        done = [document.where.result() for document in self._open.values() if document.where and document.where.done()]
        return where in done

    def _next(self) -> int:
        self._edits += 1
        return self._edits

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)  # the loop holds tasks weakly
        task.add_done_callback(self._tasks.discard)


def _hand_over(document: Document, where: DocumentPath) -> None:
    text, edits = document.text(), document.edits
    where.workspace.post(lambda: where.workspace.show_buffer(where.path, text.source(), edits))
