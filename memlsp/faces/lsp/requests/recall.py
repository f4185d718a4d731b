"""`memlsp/why`, `memlsp/recall`, `memlsp/doctor`, and the command `status`: what the memory knows."""

from __future__ import annotations

from datetime import UTC, datetime

from lsprotocol import types

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.features.hover import find_target
from memlsp.faces.lsp.requests.context import RequestContext, ResolvedPlace, is_folder
from memlsp.faces.lsp.requests.wire_json import belief_wire, conflicts_by_belief, typed
from memlsp.faces.render.belief_json import Json, picked, shape_of
from memlsp.faces.render.surfaces import HoverFacts, hover_text
from memlsp.faces.render.wording import earlier_commits
from memlsp.model.episode import SymbolHistory
from memlsp.model.place import Place
from memlsp.model.recall import RecallOptions
from memlsp.model.standing import Judgement
from memlsp.model.thread import Thread

_MOST_SHOWN = 10
_HISTORY_WAIT = 2.0
"""Seconds that an answer waits for the git history."""
_OLDER_WAIT = 0.7
"""Seconds that it waits for what is older than the latest changes."""


async def explain(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/why: the beliefs, open threads and history of a place, as data and as text."""
    place = await context.place(arguments)
    workspace, root = place.workspace, context.root_of(place.workspace)
    conflicts = await workspace.run(lambda: conflicts_by_belief(workspace.memory))
    beliefs, symbol = await workspace.run(lambda: _beliefs_at(place))
    threads = await workspace.run(lambda: _threads_at(place, symbol))
    waits = {"wait": _HISTORY_WAIT, "older": _OLDER_WAIT}
    found = await context.histories.of(workspace, place.path, symbol, **waits) if symbol else None
    history = found or SymbolHistory()
    facts = HoverFacts(symbol, beliefs, rivals=dict.fromkeys(conflicts, ()), threads=threads, most=_MOST_SHOWN)
    return {
        "place": str(Place(place.path, symbol=symbol) if symbol else place.place),
        "beliefs": [belief_wire(judgement, root, conflicts) for judgement in beliefs],
        "history": [typed("PastChange", shape_of(change)) for change in history.changes],
        "older": earlier_commits(history, len(history.changes)),
        "threads": [typed("Thread", shape_of(thread)) for thread in threads],
        "text": hover_text(facts, history, datetime.now(UTC), markdown=False)
        or f"Nothing is remembered about {place.place}.",
    }


async def recall(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/recall. A folder's uri only names the workspace; while the user types, no receipt is kept."""
    question = arguments.text("query", "a question")
    typing = arguments.flag("typing")
    uri = arguments.optional("uri")
    place = await context.place(arguments) if uri is not None and not is_folder(uri) else None
    workspace = place.workspace if place else await context.workspace(arguments)
    root = context.root_of(workspace)
    # beside the worker: the first question may load a model, and another follows each pause in typing
    options = RecallOptions(at=place.place if place else None, base=workspace.root, receipt=not typing)
    memory, asker = workspace.memory, context.source()
    answer, conflicts = await workspace.answer(
        lambda: (memory.recall(question, options, asker=asker), conflicts_by_belief(memory))
    )
    return {
        "hits": [
            typed("Hit", {**belief_wire(hit.judgement, root, conflicts), "why": list(hit.why)}) for hit in answer.hits
        ]
    }


async def show_team(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/team."""
    workspace, sync = await context.workspace(arguments), arguments.flag("sync")
    team = workspace.memory.team
    if sync:
        await workspace.answer(team.sync)
        context.wrote()
    status = await workspace.answer(team.status)
    waiting = len(status.disputed) + sum(each.waits for each in status.forgotten)
    shape = picked(status, "address synced=synced_at problem")
    return {**shape, "machines": len(status.colleagues), "waiting": waiting}


async def diagnose(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/doctor; a check that passed carries no advice."""
    workspace = await context.workspace(arguments)
    found = await workspace.answer(workspace.memory.doctor)
    shapes = [{**shape_of(check), "advice": "" if check.ok else check.advice} for check in found]
    return {"checks": [typed("Check", shape) for shape in shapes]}


async def count_beliefs(context: RequestContext, arguments: Arguments) -> Json:
    """Answer the command `status`: a workspace's memory in numbers."""
    workspace = await context.workspace(arguments)
    status = await workspace.run(workspace.memory.status)
    return {
        **picked(status, "version"),
        **picked(status.workspace, "workspace=name root"),
        **picked(status, "branch counts{} standings{} notices"),
    }


def _beliefs_at(place: ResolvedPlace) -> tuple[tuple[Judgement, ...], str]:
    """The beliefs at a place and the symbol there. In the worker thread."""
    memory = place.workspace.memory
    if place.symbol is None and place.line is not None:
        if place.document is not None:
            position = types.Position(place.line - 1, 0)
            target = find_target(place.workspace, place.path, place.document.text(), position)
            if target is not None:
                return target.beliefs, target.symbol
        symbol = memory.symbol_at(place.path, place.line)
        return memory.applying(place.path, place.line), symbol.name if symbol else ""
    why = memory.why(place.place, base=place.workspace.root, history_limit=1, history_deadline=0.01)
    return why.beliefs, why.symbol.name if why.symbol else ""


def _threads_at(place: ResolvedPlace, symbol: str) -> list[Thread]:
    """The open threads at a place. In the worker thread."""
    threads = place.workspace.memory.threads.open(place.path)
    if symbol:
        return [each for each in threads if f"{each.symbol}.".startswith(f"{symbol}.")]
    return [each for each in threads if place.line is None or not each.symbol]
