"""Computes the findings, lenses, threads and conflicts of an open document, once for each state of it."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from memlsp.faces.lsp.server.documents import DocumentPath, Documents
from memlsp.faces.lsp.server.positions import DocumentText
from memlsp.model.errors import MemlspError
from memlsp.model.view import Lens, PlacedConflict, PlacedThread, UnheldBelief


@frozen
class DocumentView:
    """The memory of a document in one state. Its places refer to `text`; `problem` says why the file cannot be read."""

    text: DocumentText
    findings: tuple[UnheldBelief, ...] = ()
    lenses: tuple[Lens, ...] = ()
    threads: tuple[PlacedThread, ...] = ()
    conflicts: tuple[PlacedConflict, ...] = ()
    problem: str = ""
    uri: str = ""
    root: Path | None = None  # of the workspace
    path: str = ""  # relative to it


class DocumentViews:
    """The latest view of each open document."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._latest: dict[str, tuple[tuple[object, ...], DocumentView]] = {}

    async def of(self, uri: str) -> DocumentView | None:
        """The view of an open document; None for documents outside any workspace."""
        placed = await self._documents.locate(uri)
        if placed is None:
            return None
        document, where = placed
        text, edits = document.text(), document.edits  # the worker got this state before
        return await where.workspace.run(lambda: self._compute(uri, where, text, edits))

    def forget(self, uri: str) -> None:
        """Forget a closed document."""
        self._latest.pop(uri, None)

    def _compute(self, uri: str, where: DocumentPath, text: DocumentText, edits: int) -> DocumentView:
        """In the worker thread, after every change posted before, so the text and the memory agree."""
        memory = where.workspace.memory
        state = (edits, *memory.version())
        kept = self._latest.get(uri)
        if kept is not None and kept[0] == state:
            return kept[1]
        try:
            found, lenses = memory.findings(where.path), memory.lenses(where.path)
            threads = memory.threads.at(where.path)
            conflicts = memory.conflicts.at(where.path) if lenses else ()
            root, problem = where.workspace.root, memory.problem(where.path) or ""
            view = DocumentView(text, found, lenses, threads, conflicts, problem, uri, root, where.path)
        except MemlspError:
            view = DocumentView(text)  # binary, or too large
        self._latest[uri] = (state, view)
        return view
