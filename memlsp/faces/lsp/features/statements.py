"""What a document of the repository says that is no longer true, as diagnostics in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import field, frozen
from lsprotocol import types

from memlsp.faces.lsp.features.document_view import DocumentView
from memlsp.faces.lsp.server.documents import Documents
from memlsp.model.check import SHOWN
from memlsp.model.one_line import plain

PAGE = "https://github.com/memlsp/memlsp/blob/main/docs/how-to/keep-agents-md-true.md"
_DOCUMENTS = (".md", ".mdc", ".mdx", ".rst", ".cursorrules", ".windsurfrules", ".clinerules")
_SEVERITIES = {"error": types.DiagnosticSeverity.Warning, "warning": types.DiagnosticSeverity.Information}


@frozen(eq=False)
class Statements:
    """The findings of each open document of trusted folders; `changed` is called when they are others."""

    _documents: Documents
    _trusted: Callable[[], bool]
    _changed: Callable[[], None]
    _asked: set[str] = field(factory=set[str], init=False)
    _found: dict[str, list[dict[str, Any]]] = field(factory=dict[str, list[dict[str, Any]]], init=False)

    async def ask(self, uri: str) -> None:
        """Judge a document as it is on disk."""
        located = await self._documents.locate(uri) if uri.endswith(_DOCUMENTS) and self._trusted() else None
        if located is not None and uri not in self._asked:
            from memlsp.memory.check.check_process import findings_of  # late: an editor is answered before the memory

            self._asked.add(uri)  # a long history is read once at a time
            where = located[1]
            found = await where.workspace.aside(lambda: findings_of(where.workspace.root, where.path))
            self._asked.discard(uri)
            if found != self._found.get(uri, []):
                self._found[uri] = found
                self._changed()

    def items(self, view: DocumentView) -> Iterator[tuple[types.Range, dict[str, Any], types.DiagnosticSeverity]]:
        """Each finding whose line still stands in the document, with its place."""
        known = self._found.get(view.uri, ())
        lines = {plain(view.text.line(number), SHOWN): number for number in range(len(view.text) if known else 0)}
        for each in known:
            number = lines.get(each["statement"])
            if number is not None:
                line = view.text.line(number)
                start, end = (len(line[: each[key] - 1].encode()) for key in ("column", "end_column"))
                place = view.text.span(number, start, end)
                if place is not None:
                    yield place, each, _SEVERITIES[each["level"]]
