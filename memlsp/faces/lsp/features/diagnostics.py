"""Diagnostics: the beliefs that do not hold, on the names that they speak of.

A contradicted belief is a Warning because agents that read an editor's diagnostics see errors and warnings only;
nothing of ours is an Error. The message tells the whole story: related information and data do not reach everybody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

from lsprotocol import types
from pygls import uris

from memlsp.faces.lsp.features.document_view import View, Views
from memlsp.faces.lsp.server.settings import Settings
from memlsp.faces.render import wording
from memlsp.faces.render.conflicts import conflict_message, said_of
from memlsp.faces.render.threads import thread_message
from memlsp.model.view import PlacedConflict, PlacedThread, UnheldBelief

SOURCE = "memlsp"
DOCS_URL = "https://github.com/memlsp/memlsp/blob/main/docs/reference/standings.md"
THREADS_URL = "https://github.com/memlsp/memlsp/blob/main/docs/explanation/threads.md"
CONFLICTS_URL = "https://github.com/memlsp/memlsp/blob/main/docs/explanation/contradictions.md"
THREAD = "open-thread"
"""The code of work left open."""
CONFLICT = "conflict"
"""The code of two beliefs that contradict each other."""

_MOST_MESSAGE = 1500
_SEVERITIES = {
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


class Diagnostics:
    """What is wrong with each open document, pushed or pulled, never both."""

    def __init__(self, views: Views, settings: Callable[[], Settings]) -> None:
        self._views = views
        self._settings = settings
        self._sent: dict[str, str] = {}
        self.pull = False
        self.describe = False
        self.relate = False

    def learn(self, capabilities: types.ClientCapabilities) -> None:
        """Choose between push and pull.

        A client that can pull and cannot be told to pull again would not hear of what other processes remember, so it
        is pushed to, provided that it takes that.
        """
        document, workspace = capabilities.text_document, capabilities.workspace
        can_pull = document is not None and document.diagnostic is not None
        push = document.publish_diagnostics if document else None
        refresh = bool(workspace and workspace.diagnostics and workspace.diagnostics.refresh_support)
        self.pull = can_pull and (refresh or push is None)
        self.describe = bool(push and push.code_description_support) or self.pull
        pull_related = bool(document and document.diagnostic and document.diagnostic.related_information)
        self.relate = bool(push and push.related_information) or (self.pull and pull_related)

    def items(self, view: View) -> list[types.Diagnostic]:
        """The diagnostics of a view, each belief once a line."""
        settings = self._settings()
        if not settings.diagnostics_enabled:
            return []
        items: dict[tuple[int, str], types.Diagnostic] = {}
        for finding in view.findings:
            level = settings.diagnostics_levels.get(finding.standing, "off")
            if level == "information" and finding.tie is not None and finding.tie.likely:
                level = "warning"  # such a change mostly makes such a statement false
            severity = _SEVERITIES.get(level)
            place = place_of(finding, view)
            if severity is None or place is None:
                continue
            key = (place.start.line, finding.judgement.belief.id)
            items.setdefault(key, self._item(finding, place, severity))
        clash = _SEVERITIES.get(settings.diagnostics_conflicts)
        clashes = {(each.conflict.id, each.line): each for each in reversed(view.conflicts)}
        severity = _SEVERITIES.get(settings.diagnostics_threads)
        return [
            *items.values(),
            *(self._conflict(each, view, clash) for each in clashes.values() if clash),
            *(self._open(each, view, severity) for each in view.threads if severity),
        ]

    def _conflict(self, placed: PlacedConflict, view: View, severity: types.DiagnosticSeverity) -> types.Diagnostic:
        place = place_of_conflict(placed, view)
        related = None
        if self.relate and view.root is not None:
            uri, line = view.uri, place.start.line
            if placed.other_path:
                uri, line = uris.from_fs_path(str(view.root / placed.other_path)) or view.uri, placed.other_line
            there = types.Location(uri, types.Range(types.Position(line, 0), types.Position(line, 0)))
            said = wording.plain(f"The other side: {said_of(placed.other)}", _MOST_MESSAGE)
            related = [types.DiagnosticRelatedInformation(there, said)]
        return types.Diagnostic(
            range=place,
            message=wording.plain(conflict_message(placed.conflict, placed.here, placed.other), _MOST_MESSAGE),
            severity=severity,
            code=CONFLICT,
            code_description=types.CodeDescription(CONFLICTS_URL) if self.describe else None,
            source=SOURCE,
            related_information=related,
            data={"id": placed.conflict.id, "conflict": placed.here.id},
        )

    def _open(self, placed: PlacedThread, view: View, severity: types.DiagnosticSeverity) -> types.Diagnostic:
        return types.Diagnostic(
            range=place_of_thread(placed, view),
            message=thread_message(placed.thread),
            severity=severity,
            code=THREAD,
            code_description=types.CodeDescription(THREADS_URL) if self.describe else None,
            source=SOURCE,
            data={"id": placed.thread.id, "thread": placed.thread.kind.value},
        )

    def _item(self, finding: UnheldBelief, place: types.Range, severity: types.DiagnosticSeverity) -> types.Diagnostic:
        code = finding.standing.value
        return types.Diagnostic(
            range=place,
            message=wording.plain(finding.message, _MOST_MESSAGE),
            severity=severity,
            code=code,
            code_description=types.CodeDescription(f"{DOCS_URL}#{code}") if self.describe else None,
            source=SOURCE,
            data={"id": finding.judgement.belief.id, "standing": code},
        )

    async def report(self, uri: str, previous: str | None) -> types.DocumentDiagnosticReport:
        """The answer to a pull."""
        view = await self._views.of(uri)
        items = self.items(view) if view else []
        mark = _mark(items)
        self._sent[uri] = mark
        if mark == previous:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=mark)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=mark)

    def news(self, uri: str, view: View) -> list[types.Diagnostic] | None:
        """The diagnostics when they differ from those sent last, else None. Nothing sent counts as none sent."""
        items = self.items(view)
        mark = _mark(items)
        if self._sent.get(uri, _mark(())) == mark:
            return None
        if not self.pull:
            self._sent[uri] = mark
        return items

    def forget(self, uri: str) -> bool:
        """The document was closed; True when the editor still shows something of ours for it."""
        return self._sent.pop(uri, _mark(())) != _mark(()) and not self.pull


def place_of(finding: UnheldBelief, view: View) -> types.Range | None:
    """Where a finding is shown: the defining name, or the nearest line with text."""
    spot = finding.spot
    return view.text.span(spot.line, spot.start_column, spot.end_column)


def place_of_thread(placed: PlacedThread, view: View) -> types.Range:
    """Where work left open is shown: the remark, or the name of what is a stub or a test."""
    found = view.text.span(placed.line, placed.start_column, placed.end_column)
    return found or types.Range(types.Position(placed.line, 0), types.Position(placed.line, 0))


def place_of_conflict(placed: PlacedConflict, view: View) -> types.Range:
    """Where a conflict is shown: the name of what this side of it is tied to."""
    found = view.text.span(placed.line, placed.start_column, placed.end_column)
    return found or types.Range(types.Position(placed.line, 0), types.Position(placed.line, 0))


def _mark(items: Iterable[types.Diagnostic]) -> str:
    parts = [f"{item.range}|{item.severity}|{item.code}|{item.message}" for item in items]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()
