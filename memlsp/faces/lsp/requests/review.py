"""`memlsp/review`, `memlsp/reviewItem`, `memlsp/decide` and `memlsp/undo`: what waits, and what is decided about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memlsp.faces.lsp.requests.addresses import Addresses, conditions_of
from memlsp.faces.lsp.requests.params import Asked
from memlsp.faces.lsp.requests.wire import Belief, Decided, ReviewItem, ReviewQueue
from memlsp.faces.lsp.requests.wire_json import belief_wire, change_wire, item_wire
from memlsp.faces.lsp.server.workspaces import Desk
from memlsp.faces.render.wording import plain
from memlsp.model import review
from memlsp.model.errors import NotFound
from memlsp.model.review import ReviewKind

if TYPE_CHECKING:
    from memlsp.memory import Memory

MOST = 200
"""Items in an answer that says nothing of a limit."""

MOST_ASKED = 2_000
"""Items that may be asked for in one answer."""

_SAID = {
    "admit": "Admitted",
    "reject": "Rejected",
    "confirm": "Confirmed",
    "supersede": "Replaced",
    "retire": "Retired",
    "reanchor": "Tied to another place",
    "scope": "Limited",
    "first": "The first stays and takes the place of the second",
    "second": "The second stays and takes the place of the first",
    "both": "Both stand",
    "apart": "Both stand, under different conditions",
    "propose": "Proposed",
}
_QUOTE = 80


class Reviewing:
    """Answers the requests of the review."""

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

    async def queue(self, asked: Asked) -> ReviewQueue:
        """{uri?, limit?}."""
        desk = await self._addresses.desk(asked.maybe("uri"))
        said = asked.number("limit", most=MOST_ASKED)
        limit, root = MOST if said is None else said, self._root_of(desk)
        return await desk.answer(lambda: _queue(desk.memory, limit, root))

    async def item(self, asked: Asked) -> ReviewItem:
        """{id, uri?}: one item, with the code before and after."""
        known = asked.text("id")
        desk = await self._desk_of(known, asked)
        root = self._root_of(desk)

        def look() -> ReviewItem:
            item = desk.memory.review.item(known)
            shape = item_wire(item, root)
            shape["changes"] = [change_wire(change) for change in desk.memory.review.changes(item)]
            return shape

        return await desk.answer(look)

    async def decide(self, asked: Asked) -> Decided:
        """{id, choice, uri?, text?, note?, conditions?}."""
        known, choice = asked.text("id"), asked.text("choice")
        text, note = asked.maybe("text"), asked.maybe("note") or ""
        said = asked.texts("conditions")
        conditions = [pair for each in said or () for pair in conditions_of(each)]
        desk = await self._desk_of(known, asked)

        def settle() -> review.Decision:
            return desk.memory.review.settle(
                known, choice, text, source=self._source(), note=note, conditions=conditions or None
            )

        decision = await desk.run(settle)
        self._wrote()
        belief = belief_wire(decision.judgement, self._root_of(desk)) if decision.judgement else None
        return {
            "item": decision.item,
            "choice": decision.choice,
            "said": _told(_SAID.get(decision.choice, plain(decision.choice)), belief),
            "belief": belief,
        }

    async def undo(self, asked: Asked) -> Decided:
        """{uri?, item?}: take the last decision back; with an item, only if it was about that."""
        item = asked.maybe("item")
        desk = await self._addresses.desk(asked.maybe("uri"))
        root = self._root_of(desk)

        def undo() -> tuple[review.Decision, Belief | None]:
            decision = desk.memory.review.undo(item, source=self._source())
            return decision, _first_left(desk.memory, decision, root)

        decision, belief = await desk.run(undo)
        self._wrote()
        said = _told(f"Taken back: {_SAID.get(decision.choice, plain(decision.choice)).lower()}", belief)
        return {"item": decision.item, "choice": decision.choice, "said": said, "belief": belief}

    async def _desk_of(self, known: str, asked: Asked) -> Desk:
        uri = asked.maybe("uri")
        if uri is not None:
            return await self._addresses.desk(uri)
        return await self._addresses.desk_where(
            lambda memory: memory.review.item(known), f"nothing waits under {known!r}"
        )


def _queue(memory: Memory, limit: int, root: str) -> ReviewQueue:
    items = memory.review.queue()
    kinds = [item.kind for item in items]
    return {
        "items": [item_wire(item, root) for item in items[:limit]],
        "conflicts": kinds.count(ReviewKind.CONFLICT),
        "stale": kinds.count(ReviewKind.STALE),
        "proposals": kinds.count(ReviewKind.PROPOSAL),
    }


def _told(what: str, belief: Belief | None) -> str:
    return f"{what}: “{plain(belief['text'], _QUOTE)}”" if belief else f"{what}."


def _first_left(memory: Memory, decision: review.Decision, root: str) -> Belief | None:
    """The belief that the decision was about, as it is again."""
    for known in (decision.item.partition("+")[0], *(id for id, _ in decision.revisions)):
        try:
            return belief_wire(memory.belief(known), root)
        except NotFound:
            continue
    return None
