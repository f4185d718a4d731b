"""Code lenses: one line above each symbol that carries memory."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from memlsp.faces import wording
from memlsp.faces.lsp.settings import Settings, object_of
from memlsp.faces.lsp.views import View, Views

SHOW = "memlsp.server.show"

Titles = frozenset[tuple[str, str]]


class Lenses:
    """Answers textDocument/codeLens and codeLens/resolve. A lens carries where it stands and nothing that could age."""

    def __init__(self, views: Views, settings: Callable[[], Settings]) -> None:
        self._views = views
        self._settings = settings
        self._served: dict[str, Titles] = {}

    async def of(self, uri: str) -> list[types.CodeLens]:
        """The lenses of a document, without their titles."""
        view = await self._views.of(uri)
        if view is None or not self._settings().lens_enabled:
            return []
        self._served[uri] = _titles(view)
        found: list[types.CodeLens] = []
        for lens in view.lenses:
            number = min(lens.spot.line, len(view.text) - 1)
            start = view.text.column(number, lens.spot.start_column)
            end = max(view.text.column(number, lens.spot.end_column), start)
            place = types.Range(types.Position(number, start), types.Position(number, end))
            found.append(types.CodeLens(range=place, data={"uri": uri, "symbol": lens.spot.name, "line": number}))
        return found

    async def resolve(self, lens: types.CodeLens) -> types.CodeLens:
        """The lens with its title and command."""
        data = object_of(lens.data)
        uri, symbol, line = str(data.get("uri", "")), str(data.get("symbol", "")), data.get("line")
        view = await self._views.of(uri)
        named = [each for each in view.lenses if each.spot.name == symbol] if view else []
        # overloads share a name; the nearest to where the lens was is it
        named.sort(key=lambda each: abs(each.spot.line - line) if isinstance(line, int) else 0)
        title = wording.lens_title(named[0]) if named else "nothing remembered"
        where = named[0].spot.line + 1 if named else (line + 1 if isinstance(line, int) else 1)
        lens.command = types.Command(title=title, command=SHOW, arguments=[uri, symbol or where])
        return lens

    def moved(self, uri: str, view: View) -> bool:
        """True when an editor that shows the lenses served last shows something that is no longer so."""
        served = self._served.get(uri)
        return served is not None and served != _titles(view)

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._served.pop(uri, None)


def _titles(view: View) -> Titles:
    return frozenset((lens.spot.name, wording.lens_title(lens)) for lens in view.lenses)
