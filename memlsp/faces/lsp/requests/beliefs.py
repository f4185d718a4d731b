"""`memlsp/beliefs`: the beliefs of a file by symbol, of a workspace by path, of the user by kind; `memlsp/belief`:
everything about one, for its page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import define, field

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.requests.context import RequestContext, ResolvedPlace
from memlsp.faces.lsp.requests.wire_json import belief_wire, change_wire, conflicts_by_belief, typed
from memlsp.faces.render.belief_json import Json, moment, shape_of
from memlsp.faces.render.wording import plain
from memlsp.model.belief import BeliefKind, BeliefStatus, RevisionAction, ScopeKind
from memlsp.model.standing import Judgement, Standing

if TYPE_CHECKING:
    from memlsp.memory import Memory

MOST = 500
"""Beliefs in an answer to a request without a limit; nobody reads more in a side bar."""

MOST_ASKED = 2_000
"""The highest limit of a request."""

MOST_SERVED = 20
MOST_NODES = 12
STEPS = 2
"""Distance from the belief at which the graph ends."""

_NODE_TEXT = 120
_ACTIVE = ("confirm", "supersede", "retire", "reanchor", "scope")
_PAST = frozenset({Standing.SUPERSEDED, Standing.RETIRED})
_OF_USER = frozenset({ScopeKind.USER})
_OF_WORKSPACE = frozenset(ScopeKind) - _OF_USER
_SCOPES = ("file", "workspace", "user")


@define
class _BeliefGroup:
    symbol: str
    label: str
    path: str
    line: int | None
    judgements: list[Judgement] = field(factory=list[Judgement])


async def list_beliefs(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/beliefs."""
    scope = arguments.one_of("scope", _SCOPES) or arguments.text("scope")
    wanted = _BeliefFilter.of(arguments)
    limit = arguments.number("limit", most=MOST_ASKED)
    limit = MOST if limit is None else limit
    if scope == "file":
        place = await context.place(arguments, whole_file=True)
        root = context.root_of(place.workspace)
        memory = place.workspace.memory
        return await place.workspace.run(lambda: _answer(memory, _of_file(place, wanted), root, limit))
    workspace = await context.workspace(arguments)
    root = context.root_of(workspace)
    arrange, scopes = (_by_path, _OF_WORKSPACE) if scope == "workspace" else (_by_kind, _OF_USER)

    def answer() -> Json:
        cancelled = arguments.cancelled.is_set
        found = workspace.memory.beliefs(scopes=scopes, include_past=wanted.past, cancelled=cancelled)
        return _answer(workspace.memory, arrange(filter(wanted.takes, found)), root, limit)

    return await workspace.answer(answer)  # serialised there too: 500 beliefs would hold up the event loop


@define
class _BeliefFilter:
    """The beliefs that a request wants; None stands for all."""

    standings: frozenset[str] | None
    kinds: frozenset[str] | None
    words: tuple[str, ...]

    @classmethod
    def of(cls, arguments: Arguments) -> _BeliefFilter:
        standings = arguments.texts("standings", [each.value for each in Standing])
        kinds = arguments.texts("kinds", [each.value for each in BeliefKind])
        words = (arguments.optional("query") or "").casefold().split()
        return cls(frozenset(standings) or None, frozenset(kinds) or None, tuple(words))

    @property
    def past(self) -> bool:
        """True when superseded or retired beliefs are wanted."""
        return self.standings is not None and not self.standings.isdisjoint(_PAST)

    def takes(self, judgement: Judgement) -> bool:
        """True for a wanted belief. Every word must occur in its statement, its id or its places."""
        belief = judgement.belief
        if self.standings is not None and judgement.standing not in self.standings:
            return False
        if self.kinds is not None and belief.kind not in self.kinds:
            return False
        if not self.words:
            return True
        places = (f"{tie.path}#{tie.symbol}" for tie in judgement.ties)
        said = " ".join((belief.text, belief.id, belief.scope.pattern, *places)).casefold()
        return all(word in said for word in self.words)


def _of_file(place: ResolvedPlace, wanted: _BeliefFilter) -> list[_BeliefGroup]:
    """The file itself, its symbols in order, then the globs that cover it. In the worker thread."""
    memory, path = place.workspace.memory, place.path
    judgements: Sequence[Judgement] = memory.about(path)
    if wanted.past:
        judgements = [*judgements, *memory.beliefs(standings=_PAST, include_past=True, path=path)]
    groups: dict[tuple[int, str], _BeliefGroup] = {}
    for judgement in filter(wanted.takes, judgements):
        here = [tie for tie in judgement.ties if tie.path == path]
        for tie in here or judgement.ties[:1]:
            line = tie.line if tie.symbol else 1
            label = tie.symbol or "this file"
            group = groups.setdefault((1 if tie.symbol else 0, tie.symbol), _BeliefGroup(tie.symbol, label, path, line))
            if judgement not in group.judgements:
                group.judgements.append(judgement)
        if not judgement.ties:
            pattern = judgement.belief.scope.pattern or "whole workspace"
            groups.setdefault((2, pattern), _BeliefGroup("", pattern, path, None)).judgements.append(judgement)
    return [groups[key] for key in sorted(groups, key=lambda key: (key[0], groups[key].line or 0, key[1]))]


def _by_path(judgements: Iterable[Judgement]) -> list[_BeliefGroup]:
    """Beliefs without a file first, then by path, within a path by line."""
    groups: dict[tuple[int, str], _BeliefGroup] = {}
    for judgement in judgements:
        scope = judgement.belief.scope
        if scope.kind is ScopeKind.USER:
            continue
        for path in dict.fromkeys(tie.path for tie in judgement.ties) or ("",):
            rank, label = (2, path) if path else (1, scope.pattern) if scope.pattern else (0, "whole workspace")
            groups.setdefault((rank, label), _BeliefGroup("", label, path, None)).judgements.append(judgement)
    for (_, path), group in groups.items():
        group.judgements.sort(key=lambda each: min((tie.line for tie in each.ties if tie.path == path), default=0))
    return [groups[key] for key in sorted(groups)]


def _by_kind(judgements: Iterable[Judgement]) -> list[_BeliefGroup]:
    groups: dict[str, _BeliefGroup] = {}
    for judgement in judgements:
        if judgement.belief.scope.kind is ScopeKind.USER:
            kind = judgement.belief.kind.value
            groups.setdefault(kind, _BeliefGroup("", kind, "", None)).judgements.append(judgement)
    return [groups[kind] for kind in BeliefKind if kind in groups]


def _answer(memory: Memory, groups: Sequence[_BeliefGroup], root: str, limit: int) -> Json:
    """The groups up to the limit. A belief that is tied to two symbols appears at both and counts once."""
    total = len({judgement.belief.id for group in groups for judgement in group.judgements})
    shown: list[Json] = []
    counted: set[str] = set()
    conflicts = conflicts_by_belief(memory) if limit else {}
    for group in groups:
        beliefs: list[Json] = []
        for judgement in group.judgements:
            if judgement.belief.id in counted or len(counted) < limit:
                counted.add(judgement.belief.id)
                beliefs.append(belief_wire(judgement, root, conflicts))
        if beliefs:
            heading = {"symbol": group.symbol, "label": group.label, "path": group.path, "line": group.line}
            shown.append(typed("Group", {**heading, "beliefs": beliefs}))
    return {"groups": shown, "total": total}


async def show_belief(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/belief."""
    workspace, id = await context.workspace_of_belief(arguments)
    root = context.root_of(workspace)
    return await workspace.answer(lambda: _page(workspace.memory, id, root))


def _page(memory: Memory, known: str, root: str) -> Json:
    judgement = memory.belief(known)
    id = judgement.belief.id
    steps = memory.confidence(id)
    receipts = memory.served(id, 5_000)
    around = memory.surroundings(id, steps=STEPS, most=MOST_NODES)
    return {
        "belief": belief_wire(judgement, root, conflicts_by_belief(memory)),
        "changes": [change_wire(change) for change in memory.review.contrast(judgement.belief)],
        "revisions": [typed("Revision", shape_of(step)) for step in steps],
        "served": [
            {
                "at": moment(receipt.at),
                "asker": plain(receipt.asker, 80),
                "query": plain(receipt.query, 400) or receipt.surface,
            }
            for receipt in receipts[:MOST_SERVED]
        ],
        "served_total": len(receipts),
        "nodes": [_node(each, here=each.belief.id == id) for each in around.judgements],
        "links": [{"from_id": bond.one, "to_id": bond.to, "kind": bond.kind.value} for bond in around.bonds],
        "actions": actions_of(judgement, len(steps)),
    }


def actions_of(judgement: Judgement, revisions: int) -> list[str]:
    """The actions that a belief allows now, the likeliest first: for memlsp/revise, except `forget` (memlsp/forget),
    `admit` and `reject` (memlsp/decide)."""
    belief = judgement.belief
    back = [RevisionAction.ROLLBACK.value] if revisions > 1 else []
    if belief.status is BeliefStatus.PROPOSED:
        return ["admit", "reject", "forget"]
    if belief.status is not BeliefStatus.ACTIVE:
        return [*back, "forget"]
    return [*_ACTIVE, "unlock" if belief.locked else "lock", "worked", "failed", *back, "forget"]


def _node(judgement: Judgement, *, here: bool) -> Json:
    text, standing = plain(judgement.belief.text, _NODE_TEXT), judgement.standing.value
    return {"id": judgement.belief.id, "text": text, "standing": standing, "here": here}
