"""`memlsp/remember`, and the places that it offers: `memlsp/place` (a cursor), `memlsp/commit` (changed symbols)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.requests.context import RequestContext, ResolvedPlace, is_folder
from memlsp.faces.lsp.requests.timeline import moment_of
from memlsp.faces.lsp.requests.wire_json import belief_wire
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.faces.render.belief_json import Json
from memlsp.faces.render.wording import plain, reason_line
from memlsp.model.belief import BeliefKind, Limits, Scope, ScopeKind
from memlsp.model.difference import FileFate, FileNature
from memlsp.model.errors import BadValue
from memlsp.model.place import Place
from memlsp.model.review import Conflict
from memlsp.model.standing import Judgement

if TYPE_CHECKING:
    from memlsp.memory import Memory

_MOST_SYMBOLS = 50
_SECRET = "A secret in it was taken out before it was kept."  # noqa: S105 - a sentence about one


async def show_place(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/place."""
    place = await context.place(arguments)
    return await place.workspace.run(lambda: _place(place))


async def show_commit(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/commit."""
    arguments.text("uri")
    commit = arguments.optional("commit") or "HEAD"
    workspace = await context.workspace(arguments)
    return await workspace.answer(lambda: _commit(workspace.memory, commit))


async def remember(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/remember."""
    uri = arguments.text("uri", "the document's uri")
    if not arguments.has("text"):
        hint = 'send it as `text`, or: memlsp remember "..." --at PATH:LINE'
        raise BadValue("remember needs the statement: `text` is missing", hint)
    text = arguments.text("text")
    kind = arguments.one_of("kind", [each.value for each in BeliefKind])
    scope = _scope(arguments)
    until = arguments.optional("until")
    also = [Place.parse(each) for each in arguments.texts("also")]
    expires_at = None if until is None else moment_of("until", until)
    conditions, because_of = arguments.conditions("conditions"), arguments.texts("because_of")
    workspace, places = await _places(context, arguments, uri, scope)

    def write() -> tuple[Judgement, Sequence[Conflict]]:
        judgement = workspace.memory.remember(
            text,
            at=(*places, *also),
            kind=BeliefKind(kind) if kind else None,
            because_of=because_of,
            limits=Limits(scope=scope, expires_at=expires_at, conditions=tuple(conditions)),
            by=context.caller(folder=workspace.root),
        )
        return judgement, workspace.memory.conflicts.of(judgement.belief.id)

    judgement, conflicts = await workspace.run(write)
    context.wrote()
    belief = judgement.belief
    notices: list[str] = []
    if "[redacted:" in belief.text and "[redacted:" not in text:
        notices.append(_SECRET)
    if judgement.has_caveat:
        lead = "Ahead of the code" if judgement.standing.holds else str(judgement.standing).capitalize()
        notices.append(f"{lead}: {plain(reason_line(judgement.reasons))}.")
    if belief.updated_at > belief.created_at:
        notices.append("It was known already, and is confirmed.")
    return {
        "belief": belief_wire(judgement, context.root_of(workspace)),
        "conflicts": [plain(conflict.reason) for conflict in conflicts],
        "notices": notices,
    }


async def _places(
    context: RequestContext, arguments: Arguments, uri: str, scope: Scope | None
) -> tuple[EditorWorkspace, list[Place]]:
    """The workspace, and the place unless the scope is wider than a file."""
    if is_folder(uri) or (scope is not None and scope.kind.is_wide):
        if scope is not None and not scope.kind.is_wide:
            raise BadValue(f"a folder has no {scope.kind}", "send a document's uri, or a wider scope")
        return await context.workspace(arguments), []
    place = await context.place(arguments, whole_file=scope is not None and scope.kind is ScopeKind.FILE)
    return place.workspace, [place.place]


def _scope(arguments: Arguments) -> Scope | None:
    """The wanted scope; None for that of the place."""
    word = arguments.one_of("scope", [each.value for each in ScopeKind])
    glob = arguments.optional("glob")
    if word is None:
        return Scope(ScopeKind.GLOB, glob) if glob else None
    if word == ScopeKind.GLOB:
        return Scope(ScopeKind.GLOB, arguments.text("glob").strip())
    if word == ScopeKind.SYMBOL and arguments.number("line", least=1) is None and not arguments.optional("symbol"):
        raise BadValue("which symbol?", "send its line, or its dotted name as `symbol`")
    return Scope(ScopeKind(word))


def _place(place: ResolvedPlace) -> Json:
    """Describe a place. In the worker thread, after the edits that were sent before."""
    memory, line = place.workspace.memory, place.line or 1
    symbol = memory.symbol_at(place.path, line)
    return {
        "path": place.path,
        "symbol": symbol.name if symbol else "",
        "line": symbol.name_span.start_line + 1 if symbol and symbol.name else line,
        "beliefs": len(memory.applying(place.path, line)),
        "workspace": plain(memory.workspace.name, 60),
    }


def _commit(memory: Memory, commit: str) -> Json:
    done = memory.commit(commit)
    symbols: list[tuple[int, Json]] = []
    for file in done.difference.files:
        if file.fate is FileFate.ADDED and file.nature is FileNature.SOURCE:
            symbols += [(0, _new(memory, file.path, name)) for name in file.names]
        for entry in file.changes:
            ref = entry.change.new
            if ref is None or not ref.name or entry.is_harmless:
                continue  # a removed symbol can carry no belief
            said = plain(entry.sentence)
            shape: Json = {"path": ref.path, "symbol": ref.name, "line": entry.line, "sentence": said}
            symbols.append((-len(entry.clauses), shape))
    symbols.sort(key=lambda each: (each[0], each[1]["path"], each[1]["line"] or 0))
    return {
        "commit": done.commit,
        "subject": plain(done.subject, 200),
        "symbols": [shape for _, shape in symbols[:_MOST_SYMBOLS]],
    }


def _new(memory: Memory, path: str, name: str) -> Json:
    spot = memory.symbol_named(path, name)
    line = spot.line + 1 if spot else None
    return {"path": path, "symbol": name, "line": line, "sentence": f"`{plain(name)}` is new, with its file."}
