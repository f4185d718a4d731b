"""`memlsp/belief`: everything about one belief, for its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.requests.context import RequestContext
from memlsp.faces.lsp.requests.wire import WireBeliefPage, WireLink, WireNode, WireRevision, WireServed
from memlsp.faces.lsp.requests.wire_json import belief_wire, change_wire, typed
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
"""Distance from the belief at which the graph ends."""

_NODE_TEXT = 120
_ACTIVE = ("confirm", "supersede", "retire", "reanchor", "scope")


async def show_belief(context: RequestContext, arguments: Arguments) -> WireBeliefPage:
    """Answer memlsp/belief."""
    workspace, id = await context.workspace_of_belief(arguments)
    root = context.root_of(workspace)
    return await workspace.answer(lambda: _page(workspace.memory, id, root))


def _page(memory: Memory, known: str, root: str) -> WireBeliefPage:
    judgement = memory.belief(known)
    id = judgement.belief.id
    steps = memory.confidence(id)
    receipts = memory.served(id, 5_000)
    served: list[WireServed] = [
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
        "revisions": [typed(WireRevision, shape) for shape in confidence_shapes(steps)],
        "served": served,
        "served_total": len(receipts),
        "nodes": nodes,
        "links": links,
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


def _graph(memory: Memory, id: str) -> tuple[list[WireNode], list[WireLink]]:
    around = memory.surroundings(id, steps=STEPS, most=MOST_NODES)
    nodes: list[WireNode] = [
        {
            "id": judgement.belief.id,
            "text": plain(judgement.belief.text, _NODE_TEXT),
            "standing": judgement.standing.value,
            "here": judgement.belief.id == id,
        }
        for judgement in around.judgements
    ]
    links: list[WireLink] = [{"from_id": bond.one, "to_id": bond.to, "kind": bond.kind.value} for bond in around.bonds]
    return nodes, links
