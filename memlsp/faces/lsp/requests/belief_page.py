"""`memlsp/belief`: all that is known of one belief, for a page about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from memlsp.faces.lsp.requests.addresses import Addresses
from memlsp.faces.lsp.requests.params import Asked
from memlsp.faces.lsp.requests.wire import BeliefPage, Link, Node, Revision, Served
from memlsp.faces.lsp.requests.wire_json import belief_wire, change_wire
from memlsp.faces.lsp.server.workspaces import Desk
from memlsp.faces.render.belief_json import moment
from memlsp.faces.render.confidence import confidence_shapes
from memlsp.faces.render.wording import plain
from memlsp.model.belief import BeliefStatus, RevisionAction
from memlsp.model.standing import Judgement

if TYPE_CHECKING:
    from memlsp.memory import Memory

MOST_SERVED = 20
MOST_NODES = 12
STEPS = 2
"""How far the graph goes from the belief that it is about."""

_NODE_TEXT = 120
_ACTIVE = ("confirm", "supersede", "retire", "reanchor", "scope")


class Pages:
    """Answers memlsp/belief."""

    def __init__(self, addresses: Addresses, root_of: Callable[[Desk], str]) -> None:
        self._addresses = addresses
        self._root_of = root_of

    async def belief(self, asked: Asked) -> BeliefPage:
        """{id, uri?}."""
        known = asked.text("id")
        desk = await self._addresses.desk_of_belief(known, asked.maybe("uri"))
        root = self._root_of(desk)
        return await desk.answer(lambda: _page(desk.memory, known, root))


def _page(memory: Memory, known: str, root: str) -> BeliefPage:
    judgement = memory.belief(known)
    id = judgement.belief.id
    steps = memory.confidence(id)
    receipts = memory.served(id, 5_000)
    served: list[Served] = [
        {
            "at": moment(receipt.at),
            "asker": plain(receipt.asker, 80),
            "query": plain(receipt.query, 400),
            "tokens": receipt.tokens,
        }
        for receipt in receipts[:MOST_SERVED]
    ]
    nodes, links = _graph(memory, id)
    return {
        "belief": belief_wire(judgement, root),
        "changes": [change_wire(change) for change in memory.review.contrast(judgement.belief)],
        "revisions": cast("list[Revision]", confidence_shapes(steps)),
        "served": served,
        "served_total": len(receipts),
        "nodes": nodes,
        "links": links,
        "actions": actions_of(judgement, len(steps)),
    }


def actions_of(judgement: Judgement, revisions: int) -> list[str]:
    """What may be done with a belief now, by the names of the commands `memlsp.server.ACTION`; the likeliest first.

    `admit` and `reject` are choices for memlsp/decide."""
    belief = judgement.belief
    back = [RevisionAction.ROLLBACK.value] if revisions > 1 else []
    if belief.status is BeliefStatus.PROPOSED:
        return ["admit", "reject", "forget"]
    if belief.status is not BeliefStatus.ACTIVE:
        return [*back, "forget"]
    return [*_ACTIVE, "unlock" if belief.locked else "lock", "worked", "failed", *back, "forget"]


def _graph(memory: Memory, id: str) -> tuple[list[Node], list[Link]]:
    around = memory.surroundings(id, steps=STEPS, most=MOST_NODES)
    nodes: list[Node] = [
        {
            "id": judgement.belief.id,
            "text": plain(judgement.belief.text, _NODE_TEXT),
            "standing": judgement.standing.value,
            "here": judgement.belief.id == id,
        }
        for judgement in around.judgements
    ]
    links: list[Link] = [{"from_id": bond.one, "to_id": bond.to, "kind": bond.kind.value} for bond in around.bonds]
    return nodes, links
