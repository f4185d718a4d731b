"""`memlsp/beliefs`: what is remembered of a file by symbol, of a workspace by path, of the user by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attrs import define, field

from memlsp.faces.lsp.requests.addresses import Addresses
from memlsp.faces.lsp.requests.params import Asked
from memlsp.faces.lsp.requests.wire import Belief, Beliefs, Group
from memlsp.faces.lsp.requests.wire_json import belief_wire
from memlsp.faces.lsp.server.workspaces import Desk
from memlsp.model.belief import BeliefKind, ScopeKind
from memlsp.model.standing import Judgement, Standing

MOST = 500
"""Beliefs in an answer that says nothing of a limit; nobody reads more in a side bar."""

MOST_ASKED = 2_000
"""Beliefs that may be asked for in one answer."""

_PAST = frozenset({Standing.SUPERSEDED, Standing.RETIRED})
_OF_USER = frozenset({ScopeKind.USER})
_OF_WORKSPACE = frozenset(ScopeKind) - _OF_USER
_SCOPES = ("file", "workspace", "user")


@define
class _Group:
    """Beliefs that are shown under one heading."""

    symbol: str
    label: str
    path: str
    line: int | None
    judgements: list[Judgement] = field(factory=list[Judgement])


class Listing:
    """Answers memlsp/beliefs."""

    def __init__(self, addresses: Addresses, root_of: Callable[[Desk], str]) -> None:
        self._addresses = addresses
        self._root_of = root_of

    async def beliefs(self, asked: Asked) -> Beliefs:
        """{scope, uri?, standings?, kinds?, query?, limit?}."""
        scope = asked.one_of("scope", _SCOPES) or asked.text("scope")
        wanted = _Wanted.of(asked)
        said = asked.number("limit", most=MOST_ASKED)
        limit = MOST if said is None else said
        if scope == "file":
            spot = await self._addresses.spot(asked.text("uri"), None)
            root = self._root_of(spot.desk)
            return await spot.desk.run(lambda: _answer(_of_file(spot.desk, spot.path, wanted), root, limit))
        desk = await self._addresses.desk(asked.maybe("uri"))
        root = self._root_of(desk)
        arrange, scopes = (_by_path, _OF_WORKSPACE) if scope == "workspace" else (_by_kind, _OF_USER)
        # made whole there: the loop has other things to do than to make objects of 500 beliefs
        return await desk.answer(lambda: _answer(arrange(_all(desk, wanted, asked, scopes)), root, limit))


@define
class _Wanted:
    """Which beliefs are asked for."""

    standings: frozenset[str] | None
    kinds: frozenset[str] | None
    words: tuple[str, ...]

    @classmethod
    def of(cls, asked: Asked) -> _Wanted:
        standings = asked.texts("standings", [each.value for each in Standing])
        kinds = asked.texts("kinds", [each.value for each in BeliefKind])
        return cls(
            frozenset(standings) if standings else None,
            frozenset(kinds) if kinds else None,
            tuple((asked.maybe("query") or "").casefold().split()),
        )

    @property
    def past(self) -> bool:
        """True when it is asked for what is past."""
        return self.standings is not None and not self.standings.isdisjoint(_PAST)

    def takes(self, judgement: Judgement) -> bool:
        """True for a belief that is asked for. Every word has to be in its statement, its id or its places."""
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


def _of_file(desk: Desk, path: str, wanted: _Wanted) -> list[_Group]:
    """The symbols of a file in its order, after the file itself; then the globs that cover it. In the worker thread."""
    judgements: Sequence[Judgement] = desk.memory.about(path)
    if wanted.past:
        past = desk.memory.beliefs(standings=_PAST, include_past=True, path=path)
        judgements = [*judgements, *past]
    groups: dict[tuple[int, str], _Group] = {}
    for judgement in filter(wanted.takes, judgements):
        here = [tie for tie in judgement.ties if tie.path == path]
        for tie in here or judgement.ties[:1]:
            line = tie.line if tie.symbol else 1
            label = tie.symbol or "this file"
            group = groups.setdefault((1 if tie.symbol else 0, tie.symbol), _Group(tie.symbol, label, path, line))
            if judgement not in group.judgements:
                group.judgements.append(judgement)
        if not judgement.ties:
            pattern = judgement.belief.scope.pattern or "whole workspace"
            groups.setdefault((2, pattern), _Group("", pattern, path, None)).judgements.append(judgement)
    return [groups[key] for key in sorted(groups, key=lambda key: (key[0], groups[key].line or 0, key[1]))]


def _all(desk: Desk, wanted: _Wanted, asked: Asked, scopes: frozenset[ScopeKind]) -> list[Judgement]:
    """Everything that a workspace, or its user, remembers. In a thread beside the worker."""
    found = desk.memory.beliefs(scopes=scopes, include_past=wanted.past, cancelled=asked.cancelled.is_set)
    return [judgement for judgement in found if wanted.takes(judgement)]


def _by_path(judgements: Iterable[Judgement]) -> list[_Group]:
    """What is tied to no file first, then by path, in each by line."""
    groups: dict[tuple[int, str], _Group] = {}
    for judgement in judgements:
        scope = judgement.belief.scope
        if scope.kind is ScopeKind.USER:
            continue
        if judgement.ties:
            for path in dict.fromkeys(tie.path for tie in judgement.ties):
                groups.setdefault((2, path), _Group("", path, path, None)).judgements.append(judgement)
        elif scope.pattern:
            groups.setdefault((1, scope.pattern), _Group("", scope.pattern, "", None)).judgements.append(judgement)
        else:
            groups.setdefault((0, ""), _Group("", "whole workspace", "", None)).judgements.append(judgement)
    for group in groups.values():
        group.judgements.sort(key=lambda judgement: _line_in(judgement, group.path))
    return [groups[key] for key in sorted(groups)]


def _by_kind(judgements: Iterable[Judgement]) -> list[_Group]:
    """The user's own, by kind in the order of the reference."""
    groups: dict[str, _Group] = {}
    for judgement in judgements:
        if judgement.belief.scope.kind is ScopeKind.USER:
            kind = judgement.belief.kind.value
            groups.setdefault(kind, _Group("", kind, "", None)).judgements.append(judgement)
    return [groups[kind] for kind in BeliefKind if kind in groups]


def _line_in(judgement: Judgement, path: str) -> int:
    return min((tie.line for tie in judgement.ties if tie.path == path), default=0)


def _answer(groups: Sequence[_Group], root: str, limit: int) -> Beliefs:
    """The groups up to the limit. A belief that is tied to two symbols is shown at both and counted once."""
    total = len({judgement.belief.id for group in groups for judgement in group.judgements})
    shown: list[Group] = []
    left: set[str] = set()
    for group in groups:
        beliefs: list[Belief] = []
        for judgement in group.judgements:
            if judgement.belief.id in left or len(left) < limit:
                left.add(judgement.belief.id)
                beliefs.append(belief_wire(judgement, root))
        if beliefs:
            shown.append(
                {
                    "symbol": group.symbol,
                    "label": group.label,
                    "path": group.path,
                    "line": group.line,
                    "beliefs": beliefs,
                }
            )
    return {"groups": shown, "total": total}
