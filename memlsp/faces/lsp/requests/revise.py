"""`memlsp/revise` and `memlsp/forget`: change a belief, or erase it."""

from __future__ import annotations

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.requests.context import RequestContext
from memlsp.faces.lsp.requests.wire_json import belief_wire
from memlsp.faces.render.belief_json import Json
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Limits, RevisionAction
from memlsp.model.errors import BadValue
from memlsp.model.place import Place

_OTHERS = frozenset({RevisionAction.REMEMBER, RevisionAction.PROPOSE, RevisionAction.ADMIT})
REVISIONS = tuple(action for action in RevisionAction if action not in _OTHERS)
"""The actions of memlsp/revise."""


async def revise(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/revise."""
    id = arguments.text("id", "the belief's id")
    action = RevisionAction(arguments.one_of("action", REVISIONS) or arguments.text("action"))
    text = place = conditions = None
    if action is RevisionAction.SUPERSEDE:
        if not arguments.has("text"):
            hint = f'send it as `text`, or: memlsp revise {id} supersede --text "..."'
            raise BadValue("supersede needs the statement that replaces the old one", hint)
        text = arguments.text("text")
    elif action is RevisionAction.REANCHOR and arguments.has("place"):
        place = Place.parse(arguments.text("place", "a place"))
    elif action is RevisionAction.SCOPE:
        if not arguments.has("conditions"):
            raise BadValue("a condition such as env=staging is missing", "send `conditions`, empty for everywhere")
        conditions = arguments.conditions("conditions")
    note = arguments.optional("note") or ""
    workspace, id = await context.workspace_of_belief(arguments)
    sides = () if action is RevisionAction.LOCK else (id,)
    by = await context.decider(
        workspace, lambda memory: (memory.belief(each).belief for each in sides), note=note, folder=workspace.root
    )
    judgement = await workspace.run(
        lambda: workspace.memory.revise(
            id,
            action,
            text=text,
            at=place,
            limits=Limits(conditions=None if conditions is None else tuple(conditions)),
            by=by,
        )
    )
    context.wrote()
    return {"id": judgement.belief.id, "belief": belief_wire(judgement, context.root_of(workspace))}


async def forget(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/forget."""
    workspace, id = await context.workspace_of_belief(arguments)
    selector = Selector(SelectorKind.BELIEF, id)
    by = await context.decider(workspace, lambda memory: (memory.belief(id).belief,))
    receipt = await workspace.answer(
        lambda: workspace.memory.forgetting.forget(selector, author=by.author, source=by.source)
    )
    context.wrote()
    return {"id": id, "removed": dict(receipt.removed), "searched": receipt.searched, "left": list(receipt.left)}
