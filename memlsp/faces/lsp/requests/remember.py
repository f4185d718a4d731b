"""`memlsp/place`, `memlsp/commit` and `memlsp/remember`: what a statement would be tied to, and keeping it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memlsp.faces.lsp.requests.addresses import Addresses, Spot, conditions_of
from memlsp.faces.lsp.requests.params import Asked
from memlsp.faces.lsp.requests.timeline import moment_of
from memlsp.faces.lsp.requests.wire import CommitAnswer, CommitSymbol, PlaceAnswer, Remembered
from memlsp.faces.lsp.requests.wire_json import belief_wire
from memlsp.faces.lsp.server.documents import file_of
from memlsp.faces.lsp.server.workspaces import Desk
from memlsp.faces.render.wording import plain
from memlsp.model.belief import BeliefKind, Scope, ScopeKind
from memlsp.model.difference import FileFate, FileNature
from memlsp.model.errors import BadValue
from memlsp.model.place import Place
from memlsp.model.review import Conflict
from memlsp.model.standing import Judgement

if TYPE_CHECKING:
    from memlsp.memory import Memory

_WIDE = frozenset({ScopeKind.USER, ScopeKind.WORKSPACE, ScopeKind.GLOB})
_MOST_SYMBOLS = 50
_SECRET = "A secret in it was taken out before it was kept."  # noqa: S105 - a sentence about one


class Noting:
    """Answers the requests around remembering."""

    def __init__(
        self,
        addresses: Addresses,
        root_of: Callable[[Desk], str],
        source: Callable[[], str],
        wrote: Callable[[], None],
    ) -> None:
        self._addresses = addresses
        self._root_of = root_of
        self._source = source
        self._wrote = wrote

    async def place(self, asked: Asked) -> PlaceAnswer:
        """{uri, line}."""
        spot = await self._addresses.spot(asked.text("uri"), asked.number("line", least=1) or 1)
        return await spot.desk.run(lambda: _place(spot))

    async def commit(self, asked: Asked) -> CommitAnswer:
        """{uri, commit?}."""
        uri, commit = asked.text("uri"), asked.maybe("commit") or "HEAD"
        desk = await self._addresses.desk(uri)
        return await desk.answer(lambda: _commit(desk.memory, commit))

    async def remember(self, asked: Asked) -> Remembered:
        """{text, uri, line? or symbol?, kind?, scope?, glob?, conditions?, because_of?, until?, also?}."""
        text, uri = asked.text("text"), asked.text("uri")
        kind = asked.one_of("kind", [each.value for each in BeliefKind])
        scope = _scope(asked)
        said = asked.maybe("until")
        until = None if said is None else moment_of("until", said)
        conditions = [pair for each in asked.texts("conditions") or () for pair in conditions_of(each)]
        because_of = asked.texts("because_of") or ()
        also = [Place.parse(each) for each in asked.texts("also") or ()]
        desk, places = await self._places(asked, uri, scope)

        def write() -> tuple[Judgement, Sequence[Conflict]]:
            judgement = desk.memory.remember(
                text,
                at=(*places, *also),
                kind=BeliefKind(kind) if kind else None,
                scope=scope,
                source=self._source(),
                expires_at=until,
                conditions=conditions,
                because_of=because_of,
                base=desk.root,
            )
            return judgement, desk.memory.conflicts.of(judgement.belief.id)

        judgement, conflicts = await desk.run(write)
        self._wrote()
        belief = judgement.belief
        notices: list[str] = []
        if "[redacted:" in belief.text and "[redacted:" not in text:
            notices.append(_SECRET)
        if belief.updated_at > belief.created_at:
            notices.append("It was known already, and is confirmed.")
        return {
            "belief": belief_wire(judgement, self._root_of(desk)),
            "conflicts": [plain(conflict.reason) for conflict in conflicts],
            "notices": notices,
        }

    async def _places(self, asked: Asked, uri: str, scope: Scope | None) -> tuple[Desk, list[Place]]:
        """The workspace, and the place where the scope leaves one."""
        line, symbol = asked.number("line", least=1), asked.maybe("symbol") or None
        file = file_of(uri)
        is_folder = file is not None and file.is_dir()
        if is_folder or (scope is not None and scope.kind in _WIDE):
            if scope is not None and scope.kind not in _WIDE:
                raise BadValue(f"a folder has no {scope.kind}", "send a document's uri, or a wider scope")
            return await self._addresses.desk(uri), []
        if scope is not None and scope.kind is ScopeKind.FILE:
            line = symbol = None
        spot = await self._addresses.spot(uri, symbol if symbol is not None else line)
        return spot.desk, [spot.place]


def _scope(asked: Asked) -> Scope | None:
    """The scope that is asked for; None for that of the place."""
    word = asked.one_of("scope", [each.value for each in ScopeKind])
    glob = asked.maybe("glob")
    if word is None:
        return Scope(ScopeKind.GLOB, glob) if glob else None
    if word == ScopeKind.GLOB:
        return Scope(ScopeKind.GLOB, asked.text("glob").strip())
    if word == ScopeKind.SYMBOL and asked.number("line", least=1) is None and not asked.maybe("symbol"):
        raise BadValue("which symbol?", "send its line, or its dotted name as `symbol`")
    return Scope(ScopeKind(word))


def _place(spot: Spot) -> PlaceAnswer:
    """In the worker thread, behind the edits that were sent before."""
    memory, line = spot.desk.memory, spot.line or 1
    symbol = memory.symbol_at(spot.path, line)
    return {
        "path": spot.path,
        "symbol": symbol.name if symbol else "",
        "line": symbol.name_span.start_line + 1 if symbol and symbol.name else line,
        "beliefs": len(memory.applying(spot.path, line)),
        "workspace": plain(memory.workspace.name, 60),
    }


def _commit(memory: Memory, commit: str) -> CommitAnswer:
    """A commit by its symbols, those first that changed most."""
    done = memory.commit(commit)
    symbols: list[tuple[int, CommitSymbol]] = []
    for file in done.difference.files:
        if file.fate is FileFate.ADDED and file.nature is FileNature.SOURCE:
            symbols += [(0, _new(memory, file.path, name)) for name in file.names]
        for entry in file.changes:
            ref = entry.change.new
            if ref is None or not ref.name or entry.is_harmless:
                continue  # what is gone can carry nothing
            shape: CommitSymbol = {
                "path": ref.path,
                "symbol": ref.name,
                "line": entry.line,
                "sentence": plain(entry.sentence),
            }
            symbols.append((-len(entry.clauses), shape))
    symbols.sort(key=lambda each: (each[0], each[1]["path"], each[1]["line"] or 0))
    return {
        "commit": done.commit,
        "subject": plain(done.subject, 200),
        "symbols": [shape for _, shape in symbols[:_MOST_SYMBOLS]],
    }


def _new(memory: Memory, path: str, name: str) -> CommitSymbol:
    """A symbol of a file that came with the commit."""
    spot = memory.symbol_named(path, name)
    line = spot.line + 1 if spot else None
    return {"path": path, "symbol": name, "line": line, "sentence": f"`{plain(name)}` is new, with its file."}
