"""`memlsp/timeline` and `memlsp/episode`: what happened, and what is left open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, cast

from memlsp.faces.lsp.requests.addresses import Addresses
from memlsp.faces.lsp.requests.params import Asked
from memlsp.faces.lsp.requests.wire import Episode, Thread, Timeline
from memlsp.faces.lsp.requests.wire_json import entry_wire
from memlsp.faces.lsp.server.workspaces import Desk
from memlsp.faces.render.episode_json import episode_shape
from memlsp.faces.render.thread_json import thread_shape
from memlsp.model import episode
from memlsp.model.errors import BadValue

if TYPE_CHECKING:
    from memlsp.memory import Memory

PAGE = 50
"""Entries of a page that says nothing of a limit."""

_MOST = 1_000


class Chronology:
    """Answers the requests of the timeline."""

    def __init__(self, addresses: Addresses, root_of: Callable[[Desk], str]) -> None:
        self._addresses = addresses
        self._root_of = root_of

    async def timeline(self, asked: Asked) -> Timeline:
        """{uri?, before?, limit?}."""
        said = asked.maybe("before")
        before = None if said is None else moment_of("before", said)
        limit = asked.number("limit", least=1, most=_MOST) or PAGE
        desk = await self._addresses.desk(asked.maybe("uri"))
        root = self._root_of(desk)
        return await desk.answer(lambda: _page(desk.memory, before, limit, root))

    async def episode(self, asked: Asked) -> Episode:
        """{id, uri?}."""
        known, uri = asked.text("id"), asked.maybe("uri")
        if uri is not None:
            desk = await self._addresses.desk(uri)
        else:
            desk = await self._addresses.desk_where(lambda memory: memory.episodes.get(known), f"no episode {known!r}")
        found = await desk.answer(lambda: desk.memory.episodes.get(known))
        return cast("Episode", episode_shape(found))


def moment_of(name: str, text: str) -> datetime:
    """A moment as ISO 8601 has it, a day counting from its midnight, UTC unless it says otherwise. Raises BadValue."""
    try:
        found = datetime.fromisoformat(text.strip())
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadValue(f"`{name}`: not a moment: {text!r:.60}", "ISO 8601, such as 2027-01-31T12:00:00Z") from None


def _page(memory: Memory, before: datetime | None, limit: int, root: str) -> Timeline:
    until = None if before is None else before - timedelta(microseconds=1)
    found, more = _whole_seconds(lambda most: memory.episodes.timeline(until=until, limit=most), limit)
    threads = memory.threads.open(None) if before is None else ()
    return {
        "entries": [entry_wire(entry) for entry in found],
        "threads": [cast("Thread", thread_shape(thread)) for thread in threads],
        "more": more,
        "root": root,
    }


def _whole_seconds(
    read: Callable[[int], Sequence[episode.TimelineEntry]], limit: int
) -> tuple[Sequence[episode.TimelineEntry], bool]:
    """The first `limit` entries with all that happened in the same second as the last of them, and whether there are
    more: moments are told to the second, so that the next page goes on where this one ends and leaves nothing out."""
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
