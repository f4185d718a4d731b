"""Code lenses: one line above each symbol with something to say: a belief that does not hold, a conflict, an open
thread; with `lens.holding` the beliefs that hold too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import field, frozen
from lsprotocol import types

from memlsp.faces.lsp.features.document_view import DocumentView, DocumentViews
from memlsp.faces.lsp.features.statements import Statements
from memlsp.faces.lsp.server.settings import PEEK, EditorSettings
from memlsp.faces.render.surfaces import lens_text
from memlsp.model.thread import Thread

SHOW = "memlsp.server.show"

Titles = frozenset[tuple[str, str]]


@frozen
class _LensLine:
    """One lens: the place of the symbol's name (line from 0, columns in bytes) and the title."""

    symbol: str
    line: int
    start: int
    end: int
    title: str


@frozen(eq=False)
class CodeLenses:
    """Answers textDocument/codeLens."""

    _views: DocumentViews
    _settings: Callable[[], EditorSettings]
    _statements: Statements
    _commands: Callable[[], frozenset[str]] = frozenset[str]
    _served: dict[str, Titles] = field(factory=dict[str, Titles], init=False)

    async def of(self, uri: str) -> list[types.CodeLens]:
        """The lenses of a document, with their titles: one that is asked for later could contradict the list."""
        view = await self._views.of(uri)
        if view is None:
            return []
        lines = self._lines(view)
        self._served[uri] = _titles(lines)
        command = PEEK if PEEK in self._commands() else SHOW
        found: list[types.CodeLens] = []
        for line in lines:
            number = min(line.line, len(view.text) - 1)
            start = view.text.column(number, line.start)
            end = max(view.text.column(number, line.end), start)
            place = types.Range(types.Position(number, start), types.Position(number, end))
            told = types.Command(title=line.title, command=command, arguments=[uri, line.symbol or number + 1])
            found.append(types.CodeLens(range=place, command=told))
        return found

    def moved(self, uri: str, view: DocumentView) -> bool:
        """True when the lenses sent last are outdated."""
        served = self._served.get(uri)
        return served is not None and served != _titles(self._lines(view))

    def is_unasked(self, uri: str, view: DocumentView) -> bool:
        """True for an open document with lenses that no client has asked for."""
        return uri not in self._served and bool(self._lines(view))

    def forget(self, uri: str) -> None:
        """Forget a closed document."""
        self._served.pop(uri, None)

    def _lines(self, view: DocumentView) -> list[_LensLine]:
        """A lens for each symbol: its beliefs, then its threads. Without lenses turned on there are none, so that
        turning them on or off is a change like any other."""
        settings = self._settings()
        if not settings.lens_enabled:
            return []
        clashing = {each.here.id for each in view.conflicts}
        lenses = {(each.spot.name, each.spot.line): each for each in view.lenses}
        columns = {key: (lens.spot.start_column, lens.spot.end_column) for key, lens in lenses.items()}
        threads: dict[tuple[str, int], list[Thread]] = {}
        for each in view.threads if settings.lens_threads else ():
            threads.setdefault((each.symbol, each.symbol_line), []).append(each.thread)
            columns.setdefault((each.symbol, each.symbol_line), (each.symbol_start, each.symbol_end))
        lines: list[_LensLine] = []
        for key, place in columns.items():
            beliefs = lenses[key].judgements if key in lenses else ()
            title = lens_text(beliefs, view.findings, clashing, threads.get(key, ()), holding=settings.lens_holding)
            if title:
                lines.append(_LensLine(*key, *place, title))
        lines += (_LensLine("", line, 0, 0, title) for line, title in self._statements.at_code(view))
        return lines


def _titles(lines: Sequence[_LensLine]) -> Titles:
    return frozenset((line.symbol, line.title) for line in lines)
