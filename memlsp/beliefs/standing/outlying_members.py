"""Members of a container: which details tell of them, and those that stand outside of it.

Apart from what weighs them, since every judgement of a container looks here and few have anything to weigh.
"""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.beliefs.standing.file_search import stands_apart
from memlsp.code.syntax.outline import Outline
from memlsp.model.belief import Anchor
from memlsp.model.change import Detail, DetailKind
from memlsp.model.symbol import Symbol

_OF_MEMBERS = frozenset(
    {DetailKind.MEMBER_ADDED, DetailKind.MEMBER_CHANGED, DetailKind.MEMBER_REMOVED, DetailKind.MEMBER_RENAMED}
)


def is_of_member(detail: Detail) -> bool:
    """True for details that tell of a member and not of the container's own code."""
    return detail.kind in _OF_MEMBERS


def outer_details(anchor: Anchor, new: Symbol, outline: Outline) -> tuple[Detail, ...]:
    """What changed in members that stand outside of their container: methods of a Go type, functions of a Rust impl.

    The container's own digest does not cover them; the anchor kept theirs among its neighbours.
    """
    if not anchor.symbol or not new.kind.is_container:
        return ()
    start = f"{anchor.symbol}."
    known = [n for n in anchor.neighbours if n.path == anchor.path and n.name.startswith(start)]
    within = {name for name, _ in anchor.verified.facts.members}
    before = {n.name[len(start) :]: n.meaning for n in known if n.name[len(start) :].partition(".")[0] not in within}
    after = {
        name: symbol for name, symbol in members_in(outline.symbols, new.name).items() if stands_apart(symbol, new)
    }
    details: list[Detail] = []
    for name, meaning in before.items():
        if name not in after:
            details.append(Detail(DetailKind.MEMBER_REMOVED, name, name, None))
        elif after[name].fingerprint.meaning != meaning:
            details.append(Detail(DetailKind.MEMBER_CHANGED, name, name, name))
    details += [Detail(DetailKind.MEMBER_ADDED, name, None, name) for name in after if name not in before]
    return tuple(details)


def members_in(symbols: Sequence[Symbol], container: str) -> dict[str, Symbol]:
    """The members by their names relative to the container; of overloads the first."""
    start = f"{container}." if container else ""
    found: dict[str, Symbol] = {}
    for symbol in symbols:
        if symbol.name and symbol.name.startswith(start):
            found.setdefault(symbol.name[len(start) :], symbol)
    return found
