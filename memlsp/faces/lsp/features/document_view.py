"""What the memory says of an open document now: findings, lenses and threads, worked out once for every state."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from memlsp.faces.lsp.server.documents import Documents, Where
from memlsp.faces.lsp.server.positions import Text
from memlsp.model.errors import MemlspError
from memlsp.model.view import Lens, PlacedConflict, PlacedThread, UnheldBelief


@frozen
class View:
    """The memory of one document in one state. `text` is the text that the places in it refer to; `problem` says why
    nothing is known of it, once."""

    text: Text
    findings: tuple[UnheldBelief, ...] = ()
    lenses: tuple[Lens, ...] = ()
    threads: tuple[PlacedThread, ...] = ()
    conflicts: tuple[PlacedConflict, ...] = ()
    problem: str = ""
    uri: str = ""
    root: Path | None = None  # of the workspace


class Views:
    """The latest view of each document."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._latest: dict[str, tuple[tuple[object, ...], View]] = {}

    async def of(self, uri: str) -> View | None:
        """The view of an open document, None for documents that we do not follow."""
        placed = await self._documents.where(uri)
        if placed is None:
            return None
        document, where = placed
        text, edits = document.text(), document.edits  # the worker has been handed this very state before
        return await where.desk.run(lambda: self._look(uri, where, text, edits))

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._latest.pop(uri, None)

    def _look(self, uri: str, where: Where, text: Text, edits: int) -> View:
        """In the worker thread, behind every change handed over before, so the text and the memory agree."""
        memory = where.desk.memory
        state = (edits, *memory.version())
        kept = self._latest.get(uri)
        if kept is not None and kept[0] == state:
            return kept[1]
        try:
            found, lenses = memory.findings(where.path), memory.lenses(where.path)
            threads = memory.threads.at(where.path)
            conflicts = memory.conflicts.at(where.path) if lenses else ()
            view = View(text, found, lenses, threads, conflicts, memory.problem(where.path) or "", uri, where.desk.root)
        except MemlspError:
            view = View(text)  # binary, too large: nothing is known of it
        self._latest[uri] = (state, view)
        return view
