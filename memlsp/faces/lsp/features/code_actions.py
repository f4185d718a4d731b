"""Code actions: what can be done about a belief, where it is shown.

Fixes are tied to our diagnostics; at a symbol the same is offered for every belief there, but only when the user asks,
so that no light bulb follows the cursor. Each action is complete when it is sent: all of them are commands, nothing in
them is worth a second round trip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import frozen
from lsprotocol import types

from memlsp.faces.lsp.features.diagnostics import CONFLICT, SOURCE, THREAD, place_of, place_of_conflict, place_of_thread
from memlsp.faces.lsp.features.document_view import View, Views
from memlsp.faces.lsp.features.hover import find_target
from memlsp.faces.lsp.server.documents import Documents
from memlsp.faces.lsp.server.settings import object_of
from memlsp.faces.lsp.server.workspaces import Desk
from memlsp.faces.render import wording
from memlsp.model.standing import Candidate, Judgement, Standing

ABOUT = "refactor.memlsp"
"""The kind of what is offered at a symbol without anything being wrong."""

_QUOTE = 60
_MOST_ABOUT = 3
_ROOT_AT = {"memlsp.server.settle": 4}
"""The argument that says which workspace is meant, where it is not the third."""

_ROOTLESS = frozenset({"memlsp.server.remember", "memlsp.server.closeThread"})


@frozen
class _Offer:
    title: str
    command: str
    arguments: tuple[object, ...]
    kind: str
    diagnostics: tuple[types.Diagnostic, ...] = ()


class Actions:
    """Answers textDocument/codeAction."""

    def __init__(
        self,
        documents: Documents,
        views: Views,
        literals: Callable[[], bool],
        root_of: Callable[[Desk], str | None],
    ) -> None:
        """`root_of` gives the uri of a workspace that actions carry; None leaves them as every client takes them."""
        self._documents = documents
        self._root_of = root_of
        self._views = views
        self._literals = literals

    async def at(self, params: types.CodeActionParams) -> list[types.Command | types.CodeAction]:
        """The actions for a range, as the client can read them."""
        uri, context = params.text_document.uri, params.context
        offers: list[_Offer] = []
        if _wanted(types.CodeActionKind.QuickFix.value, context.only):
            view = await self._views.of(uri)
            offers += [*_fixes(view, params), *_settlings(view, params), *_closings(view, params)] if view else []
        if _wanted(ABOUT, context.only) and context.trigger_kind is not types.CodeActionTriggerKind.Automatic:
            offers += await self._about(uri, params.range.start, {str(offer.arguments[0]) for offer in offers})
        placed = await self._documents.where(uri) if offers else None
        root = self._root_of(placed[1].desk) if placed else None
        return [self._shaped(offer, root) for offer in offers]

    async def _about(self, uri: str, position: types.Position, offered: set[str]) -> list[_Offer]:
        placed = await self._documents.where(uri)
        if placed is None:
            return []
        document, where = placed
        text = document.text()
        target = await where.desk.run(lambda: find_target(where.desk, where.path, text, position))
        beliefs = [each for each in target.beliefs if each.belief.id not in offered] if target else []
        offers = [offer for each in beliefs[:_MOST_ABOUT] for offer in _about_belief(each)]
        if text.line(position.line).strip():
            title = (
                f"Remember a decision about {target.symbol}…"
                if target and target.symbol
                else "Remember a decision here…"
            )
            line = position.line + 1
            offers.append(_Offer(title, "memlsp.server.remember", (uri, line), ABOUT))
        return offers

    def _shaped(self, offer: _Offer, root: str | None) -> types.Command | types.CodeAction:
        command = types.Command(offer.title, offer.command, arguments=_arguments(offer, root))
        if not self._literals():
            return command
        return types.CodeAction(
            title=offer.title, kind=offer.kind, diagnostics=list(offer.diagnostics) or None, command=command
        )


def _arguments(offer: _Offer, root: str | None) -> list[object]:
    """The arguments, the workspace's root last where it is to be said; what is left out before it is null."""
    given = list(offer.arguments)
    if root is None or offer.command in _ROOTLESS:
        return given
    return [*given, *[None] * (_ROOT_AT.get(offer.command, 2) - len(given)), root]


def _wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Kinds are hierarchies: asking for `refactor` asks for `refactor.memlsp` too, and an empty kind for everything."""
    if only is None:
        return True
    names = [each.value if isinstance(each, types.CodeActionKind) else each for each in only]
    return any(not name or kind == name or kind.startswith(f"{name}.") for name in names)


def _fixes(view: View, params: types.CodeActionParams) -> list[_Offer]:
    """What can be done about the findings in the range, or about those whose diagnostics the client sent along."""
    ours = [each for each in params.context.diagnostics if each.source == SOURCE]
    sent = {str(_data(each).get("id")) for each in ours}
    offers: list[_Offer] = []
    seen: set[str] = set()
    for finding in view.findings:
        judgement, place = finding.judgement, place_of(finding, view)
        known = judgement.belief.id
        here = place is not None and _touches(place, params.range)
        if known in seen or place is None or not (here or known in sent):
            continue
        seen.add(known)
        tied = tuple(
            each for each in ours if _data(each).get("id", known) == known and each.code == finding.standing.value
        )
        candidates = finding.tie.candidates if finding.tie else ()
        offers += _fix_belief(judgement, candidates, tied)
    return offers


def _settlings(view: View, params: types.CodeActionParams) -> list[_Offer]:
    """What can be decided about two beliefs in the range that contradict each other."""
    ours = [each for each in params.context.diagnostics if each.source == SOURCE and each.code == CONFLICT]
    offers: list[_Offer] = []
    seen: set[str] = set()
    for placed in view.conflicts:
        known, kind = placed.conflict.id, types.CodeActionKind.QuickFix.value
        tied = tuple(each for each in ours if _data(each).get("id") == known)
        if known in seen or not (tied or _touches(place_of_conflict(placed, view), params.range)):
            continue
        seen.add(known)
        here, other = placed.here, placed.other
        ours_said = f"\u201c{wording.plain(here.text, _QUOTE)}\u201d"
        theirs = f"\u201c{wording.plain(other.text, _QUOTE)}\u201d"
        settle = "memlsp.server.settle"
        offers += [
            _Offer(
                f"Keep {ours_said}, it takes the place of {theirs}", settle, (known, "superseded", here.id), kind, tied
            ),
            _Offer(
                f"Keep {theirs}, it takes the place of {ours_said}", settle, (known, "superseded", other.id), kind, tied
            ),
            _Offer(f"Say under which condition applies…: {ours_said}", settle, (known, "scoped", here.id), kind, tied),
            _Offer(f"Keep both: {ours_said} and {theirs}", settle, (known, "kept"), kind, tied),
        ]
    return offers


def _closings(view: View, params: types.CodeActionParams) -> list[_Offer]:
    """What can be done about work left open in the range."""
    ours = [each for each in params.context.diagnostics if each.source == SOURCE and each.code == THREAD]
    offers: list[_Offer] = []
    for placed in view.threads:
        thread = placed.thread
        tied = tuple(each for each in ours if _data(each).get("id") == thread.id)
        if not (tied or _touches(place_of_thread(placed, view), params.range)):
            continue
        title = f"Close this thread: \u201c{wording.plain(thread.text, _QUOTE)}\u201d"
        kind = types.CodeActionKind.QuickFix.value
        offers.append(_Offer(title, "memlsp.server.closeThread", (thread.id,), kind, tied))
    return offers


def _fix_belief(
    judgement: Judgement, candidates: Iterable[Candidate], tied: tuple[types.Diagnostic, ...]
) -> list[_Offer]:
    belief, kind = judgement.belief, types.CodeActionKind.QuickFix.value
    quote = f"“{wording.plain(belief.text, _QUOTE)}”"
    offers = [
        _Offer(
            f"Tie to {wording.plain(found.symbol or found.path, 60)}: {quote}",
            "memlsp.server.reanchor",
            (belief.id, f"{found.path}#{found.symbol}" if found.symbol else found.path),
            kind,
            tied,
        )
        for found in candidates
    ]
    if judgement.standing is not Standing.ORPHANED:
        offers.append(_Offer(f"Still true: {quote}", "memlsp.server.confirm", (belief.id,), kind, tied))
    offers.append(_Offer(f"No longer true: {quote}", "memlsp.server.retire", (belief.id,), kind, tied))
    offers.append(_Offer(f"Replace by…: {quote}", "memlsp.server.supersede", (belief.id,), kind, tied))
    lock = ("Unlock", "unlock") if belief.locked else ("Lock", "lock")
    offers.append(_Offer(f"{lock[0]}: {quote}", f"memlsp.server.{lock[1]}", (belief.id,), kind, tied))
    return offers


def _about_belief(judgement: Judgement) -> list[_Offer]:
    belief = judgement.belief
    quote = f"“{wording.plain(belief.text, _QUOTE)}”"
    lock = ("Unlock", "unlock") if belief.locked else ("Lock", "lock")
    offers = [
        _Offer(f"No longer true: {quote}", "memlsp.server.retire", (belief.id,), ABOUT),
        _Offer(f"Replace by…: {quote}", "memlsp.server.supersede", (belief.id,), ABOUT),
        _Offer(f"{lock[0]}: {quote}", f"memlsp.server.{lock[1]}", (belief.id,), ABOUT),
    ]
    if not judgement.standing.holds:
        offers.insert(0, _Offer(f"Still true: {quote}", "memlsp.server.confirm", (belief.id,), ABOUT))
    return offers


def _data(diagnostic: types.Diagnostic) -> Mapping[str, object]:
    return object_of(diagnostic.data)


def _touches(place: types.Range, asked: types.Range) -> bool:
    """Fixes are offered on the whole line of the name: nobody aims at four letters."""
    return asked.start.line <= place.end.line and place.start.line <= asked.end.line
