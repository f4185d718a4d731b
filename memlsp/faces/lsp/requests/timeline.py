"""`memlsp/timeline`, `memlsp/episode` and the threads: past work, and open work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.requests.context import RequestContext
from memlsp.faces.lsp.requests.wire_json import entry_wire, typed
from memlsp.faces.render.belief_json import Json, shape_of
from memlsp.faces.render.handoffs import handoff_body, handoff_head
from memlsp.model import episode
from memlsp.model.errors import BadValue

if TYPE_CHECKING:
    from memlsp.memory import Memory

PAGE = 50
"""Entries in an answer to a request without a limit."""

_MOST = 1_000


async def list_timeline(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/timeline."""
    said = arguments.optional("before")
    before = None if said is None else moment_of("before", said)
    limit = arguments.number("limit", least=1, most=_MOST) or PAGE
    workspace = await context.workspace(arguments)
    root = context.root_of(workspace)
    return await workspace.answer(lambda: _page(workspace.memory, before, limit, root))


async def show_episode(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/episode."""
    id = arguments.text("id")
    workspace = await context.workspace_with(arguments, lambda memory: memory.episodes.get(id), f"no episode {id!r}")
    return typed("Episode", shape_of(await workspace.answer(lambda: workspace.memory.episodes.get(id))))


async def list_threads(context: RequestContext, arguments: Arguments) -> Json:
    """Answer the command `threads`: the open threads of a file, or of its workspace; newest first."""
    place = await context.place(arguments, whole_file=True) if arguments.has("uri") else None
    workspace = place.workspace if place else await context.workspace(arguments)
    found = await workspace.run(lambda: workspace.memory.threads.open(place.path if place else None))
    return {"threads": [shape_of(thread) for thread in found]}


async def close_thread(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/closeThread."""
    id = arguments.text("id", "the thread's id")
    note = arguments.text("note") if arguments.has("note") else ""
    workspace = await context.workspace_with(arguments, lambda memory: memory.threads.get(id), f"no thread {id!r}")
    closed = await workspace.run(lambda: workspace.memory.threads.close(id, note))
    context.wrote()
    return {"id": closed.id, "thread": typed("Thread", shape_of(closed))}


async def show_handoff(context: RequestContext, arguments: Arguments) -> Json:
    """Answer memlsp/handoff."""
    id, claim = arguments.text("id", "the handoff's id"), arguments.flag("claim")
    workspace = await context.workspace_with(arguments, lambda memory: memory.handoffs.peek(id), f"no handoff {id!r}")
    memory = workspace.memory
    found = await workspace.run(
        lambda: memory.handoffs.claim(id, memory.person().name) if claim else memory.handoffs.peek(id)
    )
    if claim:
        context.wrote()
    return {"id": found.id, "head": handoff_head(found, datetime.now(UTC)), "lines": handoff_body(found)}


def moment_of(name: str, text: str) -> datetime:
    """Read an ISO 8601 moment; a date means its midnight, and UTC is the default zone. Raises BadValue."""
    try:
        found = datetime.fromisoformat(text.strip())
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadValue(f"`{name}`: not a moment: {text!r:.60}", "ISO 8601, such as 2027-01-31T12:00:00Z") from None


def _page(memory: Memory, before: datetime | None, limit: int, root: str) -> Json:
    until = None if before is None else before - timedelta(microseconds=1)
    found, more = _whole_seconds(lambda most: memory.episodes.timeline(until=until, limit=most), limit)
    threads = memory.threads.open(None) if before is None else ()
    return {
        "entries": [entry_wire(entry) for entry in found],
        "threads": [typed("Thread", shape_of(thread)) for thread in threads],
        "more": more,
        "root": root,
    }


def _whole_seconds(
    read: Callable[[int], Sequence[episode.TimelineEntry]], limit: int
) -> tuple[Sequence[episode.TimelineEntry], bool]:
    """The first `limit` entries and all others in the same second as the last; and whether there are more. Moments on
    the wire have whole seconds, so a page that ended within a second would lose the rest of it."""
    most = limit + 1
    while True:
        found = read(most)
        if len(found) <= limit:
            return found, False
        last = found[limit - 1].at.replace(microsecond=0)
        end = next((n for n in range(limit, len(found)) if found[n].at < last), None)
        if end is not None:
            return found[:end], True
        if len(found) < most:
            return found, False
        most *= 2
