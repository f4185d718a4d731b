"""Offers code actions: decisions about the beliefs, conflicts and threads at a place. Quick fixes belong to our
diagnostics and come first. Then comes "Remember", and the same for every belief at the symbol, but only when the user
asks, so that no light bulb follows the cursor. Every action is a command. One that lacks a text is offered only to a
client that asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os.path import commonprefix

from attrs import frozen
from lsprotocol import types

from memlsp.faces.lsp.features.diagnostics import CONFLICT, SOURCE, THREAD, place_of, place_or_line
from memlsp.faces.lsp.features.document_view import DocumentView, DocumentViews
from memlsp.faces.lsp.features.hover import find_target
from memlsp.faces.lsp.server.documents import Documents
from memlsp.faces.lsp.server.settings import object_of
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.faces.render import wording
from memlsp.model.belief import ScopeKind
from memlsp.model.standing import Candidate, Judgement, Standing
from memlsp.model.view import PlacedConflict

ABOUT = "refactor.memlsp"
"""The kind of actions at a symbol that has no diagnostic."""

_PREFIX = "memlsp.server."
_TITLE = 66
"""Characters of a title: Neovim puts a number before it and our name behind, on a line of 80."""

_HALF = 23  # of a statement, where a title holds two
_PLACE = 40
_MOST_ABOUT = 3
_ROOT_AT = {"settle": 4}
"""The position of the root among a command's arguments, where it is not the third."""

_ROOTLESS = frozenset({"remember", "closeThread"})
_LACKING = frozenset({"remember", "supersede"})


@frozen
class _Offer:
    title: str
    command: str
    arguments: tuple[object, ...]
    kind: str = types.CodeActionKind.QuickFix.value
    diagnostics: tuple[types.Diagnostic, ...] = ()


@frozen(eq=False)
class CodeActions:
    """Answers textDocument/codeAction. `literals`: the client reads actions, not only commands. `root_of`: the root to
    send, None for none. `asks`: the client asks for a text that a command lacks."""

    _documents: Documents
    _views: DocumentViews
    _literals: Callable[[], bool]
    _root_of: Callable[[EditorWorkspace], str | None]
    _asks: Callable[[], bool]

    async def at(self, params: types.CodeActionParams) -> list[types.Command | types.CodeAction]:
        """The actions for a range, in the form that the client reads."""
        uri, context = params.text_document.uri, params.context
        offers: list[_Offer] = []
        if _wanted(types.CodeActionKind.QuickFix.value, context.only):
            view = await self._views.of(uri)
            offers += _fixes(view, params) if view else []
        if _wanted(ABOUT, context.only) and context.trigger_kind is not types.CodeActionTriggerKind.Automatic:
            offers += await self._about(uri, params.range, offers)
        if not self._asks():
            offers = [each for each in offers if each.command not in _LACKING and "scoped" not in each.arguments]
        located = await self._documents.locate(uri) if offers else None
        root = self._root_of(located[1].workspace) if located else None
        rewritten = (_rewriting(uri, told) for told in context.diagnostics if self._literals())
        return [*filter(None, rewritten), *(self._shaped(offer, root) for offer in offers)]

    async def _about(self, uri: str, range_: types.Range, fixes: Sequence[_Offer]) -> list[_Offer]:
        """Remember, always first, so that a key keeps its meaning; then the beliefs there, those about the whole file
        last. None of them beside a conflict, which has actions enough."""
        located = await self._documents.locate(uri)
        if located is None:
            return []
        document, where = located
        text, memory = document.text(), where.workspace.memory
        lines = range(range_.start.line, min(range_.end.line + 1, len(text)))
        line = next((number for number in lines if text.line(number).strip()), range_.start.line)
        position = range_.start if line == range_.start.line else types.Position(line, 0)

        def look() -> tuple[str, Sequence[Judgement]]:
            here = memory.symbol_at(where.path, line + 1)
            target = find_target(where.workspace, where.path, text, position)
            return here.name if here else "", target.beliefs if target else ()

        symbol, beliefs = await where.workspace.run(look)
        place = wording.plain(symbol or where.path.rpartition("/")[2], _PLACE)
        offers = [_Offer(f"Remember a decision about {place}…", "remember", (uri, line + 1), ABOUT)]
        if any(offer.command == "settle" for offer in fixes):
            return offers
        rest = [each for each in beliefs if all(each.belief.id != offer.arguments[0] for offer in fixes)]
        rest.sort(key=lambda each: each.belief.scope.kind is not ScopeKind.SYMBOL)
        return offers + [offer for each in rest[:_MOST_ABOUT] for offer in _belief_offers(each, ABOUT)]

    def _shaped(self, offer: _Offer, root: str | None) -> types.Command | types.CodeAction:
        arguments = list(offer.arguments)
        if root is not None and offer.command not in _ROOTLESS:
            # the root comes last; null stands for arguments that are left out before it
            arguments += [*[None] * (_ROOT_AT.get(offer.command, 2) - len(arguments)), root]
        command = types.Command(offer.title, _PREFIX + offer.command, arguments=arguments)
        if not self._literals():
            return command
        return types.CodeAction(
            title=offer.title, kind=offer.kind, diagnostics=list(offer.diagnostics) or None, command=command
        )


def _rewriting(uri: str, told: types.Diagnostic) -> types.CodeAction | None:
    """Writes into a document what is so now, where the diagnostic knows it."""
    new = str(object_of(told.data).get("replacement", "")) if told.source == SOURCE else ""
    edit = types.WorkspaceEdit(changes={uri: [types.TextEdit(told.range, new)]})
    return types.CodeAction(f"Write {new}", types.CodeActionKind.QuickFix, [told], edit=edit) if new else None


def _wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Kinds are hierarchies: `refactor` includes `refactor.memlsp`, and the empty kind includes all."""
    if only is None:
        return True
    names = [each.value if isinstance(each, types.CodeActionKind) else each for each in only]
    return any(not name or kind == name or kind.startswith(f"{name}.") for name in names)


def _fixes(view: DocumentView, params: types.CodeActionParams) -> Iterator[_Offer]:
    """The fixes for everything in the range, and for the diagnostics that the client sent along."""
    seen: set[str] = set()
    for finding in view.findings:
        place, id = place_of(finding.spot, view), finding.judgement.belief.id
        tied = _tied(params, id, finding.standing.value, place) if place is not None and id not in seen else None
        if tied is not None:
            seen.add(id)
            yield from _fix_belief(finding.judgement, finding.tie.candidates if finding.tie else (), tied)
    clashes = [(each, _tied(params, each.conflict.id, CONFLICT, place_or_line(each, view))) for each in view.conflicts]
    here = [(clash, tied) for clash, tied in clashes if tied is not None]
    for clash, tied in sorted(here, key=lambda each: not each[1])[:1]:  # one at a time; then the next one is offered
        yield from _settle_conflict(clash, tied)
    for placed in view.threads:
        tied = _tied(params, placed.thread.id, THREAD, place_or_line(placed, view))
        if tied is not None:
            title = _titled("Close this thread", placed.thread.text)
            yield _Offer(title, "closeThread", (placed.thread.id,), diagnostics=tied)


def _tied(
    params: types.CodeActionParams, id: str, code: str, place: types.Range
) -> tuple[types.Diagnostic, ...] | None:
    """The diagnostics that a fix belongs to; None when neither they nor the range are at its place. The whole line of
    the name counts: nobody aims at four letters. Some clients drop a diagnostic's data."""
    ours = [each for each in params.context.diagnostics if each.source == SOURCE]
    touched = params.range.start.line <= place.end.line and place.start.line <= params.range.end.line
    if not touched and all(_data(each).get("id") != id for each in ours):
        return None
    return tuple(each for each in ours if _data(each).get("id", id) == id and each.code == code)


def _settle_conflict(clash: PlacedConflict, tied: tuple[types.Diagnostic, ...]) -> Iterator[_Offer]:
    id, here, other = clash.conflict.id, clash.here, clash.other
    same = len(commonprefix((here.text, other.text)))  # noqa: RUF071 - letters are meant
    skip = here.text.rfind(" ", 0, same - 8) + 1 if same > _HALF - 12 else 0  # what differs has to be seen
    cuts = (f"{'…' if skip else ''}{each.text[skip:]}" for each in (here, other))
    ours, theirs = (f"“{wording.plain(each, _HALF)}”" for each in cuts)
    for title, arguments in (
        (f"Keep {ours}, not {theirs}", (id, "superseded", here.id)),
        (f"Keep {theirs}, not {ours}", (id, "superseded", other.id)),
        (_titled("Say when it applies…", here.text), (id, "scoped", here.id)),
        (f"Keep both: {ours} and {theirs}", (id, "kept")),
    ):
        yield _Offer(title, "settle", arguments, diagnostics=tied)


def _fix_belief(
    judgement: Judgement, candidates: Iterable[Candidate], tied: tuple[types.Diagnostic, ...]
) -> Iterator[_Offer]:
    kind = types.CodeActionKind.QuickFix.value
    for found in candidates:
        place = f"{found.path}#{found.symbol}" if found.symbol else found.path
        title = _titled(f"Tie to {wording.plain(found.symbol or found.path, _PLACE)}", judgement.belief.text)
        yield _Offer(title, "reanchor", (judgement.belief.id, place), kind, tied)
    yield from _belief_offers(judgement, kind, tied)


def _belief_offers(judgement: Judgement, kind: str, tied: tuple[types.Diagnostic, ...] = ()) -> Iterator[_Offer]:
    belief = judgement.belief
    confirmable = not judgement.standing.holds if kind == ABOUT else judgement.standing is not Standing.ORPHANED
    if confirmable:
        yield _Offer(_titled("Still true", belief.text), "confirm", (belief.id,), kind, tied)
    for title, command in (
        ("No longer true", "retire"),
        ("Replace by…", "supersede"),
        ("Unlock", "unlock") if belief.locked else ("Lock", "lock"),
    ):
        yield _Offer(_titled(title, belief.text), command, (belief.id,), kind, tied)


def _titled(act: str, text: str) -> str:
    return f"{act}: “{wording.plain(text, _TITLE - len(act) - 4)}”"


def _data(diagnostic: types.Diagnostic) -> Mapping[str, object]:
    return object_of(diagnostic.data)
