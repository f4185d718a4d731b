"""What documents of the repository say that is no longer true: diagnostics in them, and lenses at the code."""

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
_SHOWN = 80  # characters of a statement in a lens
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Warning,
    "warning": types.DiagnosticSeverity.Information,
    "notice": types.DiagnosticSeverity.Hint,
}


@frozen(eq=False)
class Statements:
    """The findings of each open document of trusted folders; `changed` is called when they are others."""

    _documents: Documents
    _trusted: Callable[[], bool]
    _changed: Callable[[], None]
    _asked: set[str] = field(factory=set[str], init=False)
    _again: set[str] = field(factory=set[str], init=False)
    _found: dict[str, list[dict[str, Any]]] = field(factory=dict[str, list[dict[str, Any]]], init=False)

    async def ask(self, uri: str, *, saved: bool = True) -> None:
        """Judge a document as it is on disk; for a file of code that was `saved`, or is the first of its folder, what
        all of them say that was true at HEAD."""
        located = await self._documents.locate(uri) if self._trusted() else None
        if located is None:
            return
        from memlsp.memory.check.check_process import findings_of  # late: an editor is answered before the memory

        where = located[1]
        await where.workspace.rested()
        root = where.workspace.root
        key, question = (uri, ("--", where.path)) if uri.endswith(_DOCUMENTS) else (str(root), ("--changed",))
        if key in self._asked or not (saved or key == uri or key not in self._found):
            if saved:
                self._again.add(key)
            return
        self._asked.add(key)  # a long history is read once at a time
        while True:
            self._again.discard(key)
            found = await where.workspace.aside(lambda: findings_of(root, *question))
            if found != self._found.setdefault(key, []):
                self._found[key] = found
                self._changed()
            if key not in self._again:
                break
        self._asked.discard(key)

    def at_code(self, view: DocumentView) -> list[tuple[int, str]]:
        """The line (from 0) of the file at which code contradicts a document, and what the document says."""
        known = self._found.get(str(view.root), ())
        here = (each for each in known if each["code"] and each["code"]["path"] == view.path and each["code"]["line"])
        return [
            (
                each["code"]["line"] - 1,
                f"\u26a0 {each['path']}:{each['line']} says \u201c{plain(each['statement'], _SHOWN)}\u201d",
            )
            for each in here
        ]

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
