"""`memlsp/review`, `memlsp/reviewItem`, `memlsp/decide`, `memlsp/undo`, and the commands about contradictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.requests.context import RequestContext
from memlsp.faces.lsp.requests.wire_json import belief_wire, change_wire, item_wire
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.faces.render.belief_json import Json, shape_of
from memlsp.faces.render.wording import WORDS, plain
from memlsp.model import review
from memlsp.model.belief import Belief
from memlsp.model.errors import BadValue, NotFound
from memlsp.model.review import ReviewKind, Settlement

if TYPE_CHECKING:
    from memlsp.memory import Memory

MOST = 200
"""Items in an answer to a request without a limit."""

MOST_ASKED = 2_000
"""The highest limit of a request."""

_SAID = WORDS["decided"]
_QUOTE = 80


async def list_review(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/review."""
    workspace = await context.workspace(arguments)
    limit, root = arguments.number("limit", most=MOST_ASKED), context.root_of(workspace)
    return await workspace.answer(lambda: _queue(workspace.memory, MOST if limit is None else limit, root))


async def show_item(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/reviewItem: one item, with the code before and after."""
    workspace, id = await _workspace_of_item(context, arguments)
    root = context.root_of(workspace)

    def answer() -> Json:
        item = workspace.memory.review.item(id)
        shape = item_wire(item, root)
        shape["changes"] = [change_wire(change) for change in workspace.memory.review.changes(item)]
        return shape

    return await workspace.answer(answer)


async def decide(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/decide."""
    id, choice = arguments.text("id"), arguments.text("choice")
    text, note = arguments.optional("text"), arguments.optional("note") or ""
    conditions = arguments.conditions("conditions") or None
    workspace, id = await _workspace_of_item(context, arguments)
    by = await context.decider(
        workspace, lambda memory: (each.belief for each in memory.review.item(id).judgements), note=note
    )

    def settle() -> review.Decision:
        return workspace.memory.review.settle(id, choice, text, conditions=conditions, by=by)

    decision = await workspace.run(settle)
    context.wrote()
    belief = belief_wire(decision.judgement, context.root_of(workspace)) if decision.judgement else None
    return _decided(decision, _SAID.get(decision.choice, plain(decision.choice)), belief)


async def undo(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/undo: take the last decision back; with `item`, only if it was about that item."""
    item = arguments.optional("item")
    workspace = await context.workspace(arguments)
    root = context.root_of(workspace)

    def take_back() -> tuple[review.Decision, Json | None]:
        decision = workspace.memory.review.undo(item, author=context.caller().author, source=context.source())
        return decision, _first_left(workspace.memory, decision, root)

    decision, belief = await workspace.run(take_back)
    context.wrote()
    return _decided(decision, f"Taken back: {_SAID.get(decision.choice, plain(decision.choice)).lower()}", belief)


async def list_conflicts(context: RequestContext, arguments: Arguments) -> Json:
    """Answer the command `conflicts`: the open contradictions of a workspace."""
    workspace = await context.workspace(arguments)
    found = await workspace.run(workspace.memory.conflicts.open)
    return {"conflicts": [shape_of(conflict) for conflict in found]}


async def settle(context: RequestContext, arguments: Arguments) -> Json:
    """Answer the command `settle`: decide about a contradiction by naming the side that stays."""
    id = arguments.text("id", "a conflict's id")
    settlement = arguments.text("settlement", "what is decided")
    keep = arguments.text("keep", "the id of a side") if arguments.has("keep") else None
    conditions: dict[str, list[tuple[str, str]]] = {}
    if settlement == Settlement.SCOPED.value and keep is not None:
        conditions[keep] = arguments.conditions("conditions")
        if not conditions[keep]:
            raise BadValue("which condition does it apply under?", "send KEY=VALUE, such as env=staging")
    workspace = await context.workspace_with(arguments, lambda memory: memory.conflicts.get(id), f"no conflict {id!r}")

    def sides(memory: Memory) -> list[Belief | None]:
        conflict = memory.conflicts.get(id)
        return [memory.conflicts.side(each) for each in (conflict.first, conflict.second)]

    by = await context.decider(workspace, sides)
    settled = await workspace.run(
        lambda: workspace.memory.conflicts.settle(id, settlement, keep=keep, conditions=conditions, by=by)
    )
    context.wrote()
    stays = await workspace.run(lambda: workspace.memory.conflicts.side(keep) if keep else None)
    how = f" where {', '.join(map('='.join, conditions[keep]))}" if keep and conditions else " stays"
    told = {"stays": stays.text, "how": how} if stays else {"how": ": both stay"}
    return {"id": settled.id, "conflict": shape_of(settled), **told}


async def _workspace_of_item(context: RequestContext, arguments: Arguments) -> tuple[EditorWorkspace, str]:
    id = arguments.text("id")
    missing = f"nothing waits under {id!r}"
    return await context.workspace_with(arguments, lambda memory: memory.review.item(id), missing), id


def _queue(memory: Memory, limit: int, root: str) -> Json:
    items = memory.review.queue()
    kinds = [item.kind for item in items]
    return {
        "items": [item_wire(item, root) for item in items[:limit]],
        "conflicts": kinds.count(ReviewKind.CONFLICT),
        "stale": kinds.count(ReviewKind.STALE),
        "proposals": kinds.count(ReviewKind.PROPOSAL),
    }


def _decided(decision: review.Decision, done: str, belief: Json | None) -> Json:
    said = f"{done}: “{plain(belief['text'], _QUOTE)}”" if belief else f"{done}."
    return {"item": decision.item, "choice": decision.choice, "said": said, "belief": belief}


def _first_left(memory: Memory, decision: review.Decision, root: str) -> Json | None:
    """The belief that the decision was about, as it is again; None when it is gone."""
    for known in (decision.item.partition("+")[0], *(id for id, _ in decision.revisions)):
        try:
            return belief_wire(memory.belief(known), root)
        except NotFound:
            continue
    return None
