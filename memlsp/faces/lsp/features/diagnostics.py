"""Diagnostics: beliefs that do not hold, conflicts and open threads, at the names that they are about. A contradicted
belief is a Warning, since agents that read an editor's diagnostics see errors and warnings only; we send no Error."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from lsprotocol import types
from pygls import uris

from memlsp.faces.lsp.features.document_view import DocumentView, DocumentViews
from memlsp.faces.lsp.features.statements import PAGE, Statements
from memlsp.faces.lsp.server.settings import EditorSettings
from memlsp.faces.render.surfaces import DIAGNOSTIC_LIMIT, conflict_text, diagnostic_text
from memlsp.faces.render.threads import thread_message
from memlsp.faces.render.wording import cut
from memlsp.model.view import PlacedConflict, PlacedThread, SymbolSpot, UnheldBelief

SOURCE = "memlsp"
DOCS_URL = "https://github.com/memlsp/memlsp/blob/main/docs/reference/standings.md"
THREADS_URL = "https://github.com/memlsp/memlsp/blob/main/docs/explanation/threads.md"
CONFLICTS_URL = "https://github.com/memlsp/memlsp/blob/main/docs/explanation/contradictions.md"
THREAD = "open-thread"
"""The code of an open thread."""
CONFLICT = "conflict"
"""The code of two beliefs that contradict each other."""

_MOST_RELATED = 6
_SEVERITIES = {
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


class Diagnostics:
    """The diagnostics of each open document, either pushed or pulled."""

    def __init__(self, views: DocumentViews, settings: Callable[[], EditorSettings], statements: Statements) -> None:
        self._views = views
        self._statements = statements
        self._settings = settings
        self._sent: dict[str, str] = {}
        self.pull = False
        self.describe = False
        self.relate = False

    def learn(self, capabilities: types.ClientCapabilities) -> None:
        """Choose between push and pull. A client that can pull but takes no refresh request would miss what other
        processes write, so it gets pushes if it takes these."""
        document, workspace = capabilities.text_document, capabilities.workspace
        can_pull = document is not None and document.diagnostic is not None
        push = document.publish_diagnostics if document else None
        refresh = bool(workspace and workspace.diagnostics and workspace.diagnostics.refresh_support)
        self.pull = can_pull and (refresh or push is None)
        self.describe = bool(push and push.code_description_support) or self.pull
        pull_related = bool(document and document.diagnostic and document.diagnostic.related_information)
        self.relate = bool(push and push.related_information) or (self.pull and pull_related)

    def items(self, view: DocumentView) -> list[types.Diagnostic]:
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
            place = place_of(finding.spot, view)
            if severity is not None and place is not None:
                key = (place.start.line, finding.judgement.belief.id)
                items.setdefault(key, self._belief(finding, place, severity))
        found = list(items.values())
        severity = _SEVERITIES.get(settings.diagnostics_conflicts)
        if severity is not None:
            groups: dict[tuple[int, int], dict[str, PlacedConflict]] = {}
            for each in view.conflicts:
                groups.setdefault((each.line, each.start_column), {}).setdefault(each.conflict.id, each)
            found += [self._conflict(list(group.values()), view, severity) for group in groups.values()]
        severity = _SEVERITIES.get(settings.diagnostics_threads)
        if severity is not None:
            found += [self._thread(each, view, severity) for each in view.threads]
        for place, each, severity in self._statements.items(view):
            message, data = cut(each["message"], DIAGNOSTIC_LIMIT), {"replacement": each["replacement"]}
            found.append(self._diagnostic(place, message, severity, (each["rule"], PAGE), data))
        return found

    def _belief(
        self, finding: UnheldBelief, place: types.Range, severity: types.DiagnosticSeverity
    ) -> types.Diagnostic:
        code = finding.standing.value
        data = {"id": finding.judgement.belief.id, "standing": code}
        return self._diagnostic(place, diagnostic_text(finding), severity, (code, f"{DOCS_URL}#{code}"), data)

    def _thread(self, placed: PlacedThread, view: DocumentView, severity: types.DiagnosticSeverity) -> types.Diagnostic:
        data = {"id": placed.thread.id, "thread": placed.thread.kind.value}
        place, message = place_or_line(placed, view), cut(thread_message(placed.thread), DIAGNOSTIC_LIMIT)
        return self._diagnostic(place, message, severity, (THREAD, THREADS_URL), data)

    def _conflict(
        self, clashes: Sequence[PlacedConflict], view: DocumentView, severity: types.DiagnosticSeverity
    ) -> types.Diagnostic:
        """The conflicts of one symbol; the data are those of the first."""
        first = clashes[0]
        place, data = place_or_line(first, view), {"id": first.conflict.id, "conflict": first.here.id}
        item = self._diagnostic(place, conflict_text(clashes), severity, (CONFLICT, CONFLICTS_URL), data)
        if self.relate and view.root is not None:
            others = {each.other.id: each for each in clashes}
            item.related_information = [
                self._related(each, view, place) for each in list(others.values())[:_MOST_RELATED]
            ]
        return item

    @staticmethod
    def _related(clash: PlacedConflict, view: DocumentView, place: types.Range) -> types.DiagnosticRelatedInformation:
        uri, line = view.uri, place.start.line
        if clash.other_path and view.root is not None:
            uri, line = uris.from_fs_path(str(view.root / clash.other_path)) or view.uri, clash.other_line
        there = types.Location(uri, types.Range(types.Position(line, 0), types.Position(line, 0)))
        return types.DiagnosticRelatedInformation(there, cut(clash.other.text, 2 * DIAGNOSTIC_LIMIT))

    def _diagnostic(
        self,
        place: types.Range,
        message: str,
        severity: types.DiagnosticSeverity,
        code: tuple[str, str],
        data: Mapping[str, object],
    ) -> types.Diagnostic:
        """`code` comes with the page that describes it."""
        name, page = code
        return types.Diagnostic(
            range=place,
            message=message,
            severity=severity,
            code=name,
            code_description=types.CodeDescription(page) if self.describe else None,
            source=SOURCE,
            data=data,
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

    def news(self, uri: str, view: DocumentView) -> list[types.Diagnostic] | None:
        """The diagnostics if they differ from those sent last (at first: from none), else None."""
        items = self.items(view)
        mark = _mark(items)
        if self._sent.get(uri, _mark(())) == mark:
            return None
        if not self.pull:
            self._sent[uri] = mark
        return items

    def forget(self, uri: str) -> bool:
        """Forget a closed document; True when the editor still shows our diagnostics for it."""
        return self._sent.pop(uri, _mark(())) != _mark(()) and not self.pull


def place_of(spot: SymbolSpot | PlacedThread | PlacedConflict, view: DocumentView) -> types.Range | None:
    """The range of a name or remark, or of the nearest line with text; None in a blank document."""
    return view.text.span(spot.line, spot.start_column, spot.end_column)


def place_or_line(placed: PlacedThread | PlacedConflict, view: DocumentView) -> types.Range:
    """The range of `place_of`, or the start of the line in a blank document."""
    start = types.Position(placed.line, 0)
    return place_of(placed, view) or types.Range(start, start)


def _mark(items: Iterable[types.Diagnostic]) -> str:
    parts = [f"{item.range}|{item.severity}|{item.code}|{item.message}" for item in items]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()
