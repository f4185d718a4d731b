"""Telling a client that a resource it subscribed to reads differently now.

Nothing runs while nobody is subscribed. While somebody is, the memory's version is looked at once a second, which costs
a few microseconds; only when it moved are the subscribed pages read again, and a client hears of those that differ. A
page that is costly to read is said to have changed whenever the memory did.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from hashlib import blake2b
from typing import Protocol

import anyio
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated

from memlsp.faces.mcp.resources import STATS, TIMELINE, read
from memlsp.faces.mcp.workspace import Workspaces
from memlsp.model.errors import MemlspError

log = logging.getLogger("memlsp.mcp")

EVERY = 1.0
"""Seconds from one look to the next."""

MOST = 200
"""Resources that one connection may watch."""

_COSTLY = frozenset({TIMELINE, STATS})


class Listener(Protocol):
    """A connection that can be told."""

    async def send_resource_updated(self, uri: str) -> None:
        """Say that a resource should be read again."""
        ...


class Watching:
    """Who watches which resource. It belongs to the event loop; only reading happens in threads.

    Clients of the older protocol subscribe one by one and are told over their connection; those of the newer one open
    a stream, which hears what is published on `bus`.
    """

    def __init__(self, workspaces: Workspaces, every: float = EVERY) -> None:
        self.bus = InMemorySubscriptionBus()
        self._workspaces = workspaces
        self._every = every
        self._listeners: dict[tuple[str, str], Listener] = {}  # by connection and address
        self._streamed: dict[str, int] = {}  # address: streams that asked for it
        self._wanted = anyio.Event()

    def subscribe(self, connection: str, uri: str, listener: Listener) -> bool:
        """Tell a connection from now on; False when it watches too much already."""
        if sum(each == connection for each, _ in self._listeners) >= MOST:
            return False
        self._listeners[connection, uri] = listener
        self._wanted.set()
        return True

    def unsubscribe(self, connection: str, uri: str) -> None:
        """Tell it no more."""
        self._listeners.pop((connection, uri), None)

    def streamed(self, uris: Iterable[str]) -> Callable[[], None]:
        """A stream was opened for these; call what is returned when it ends."""
        asked = list(dict.fromkeys(uris))[:MOST]
        for uri in asked:
            self._streamed[uri] = self._streamed.get(uri, 0) + 1
        self._wanted.set()

        def ended() -> None:
            for uri in asked:
                self._streamed[uri] -= 1
                if not self._streamed[uri]:
                    del self._streamed[uri]

        return ended

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Look after what is subscribed for as long as the server runs."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._look)
            yield
            group.cancel_scope.cancel()

    async def _look(self) -> None:
        version: tuple[int, ...] = ()
        known: dict[str, str] = {}
        while True:
            watched = {uri for _, uri in self._listeners} | set(self._streamed)
            if not watched:
                self._wanted = anyio.Event()
                known.clear()
                await self._wanted.wait()
                continue
            try:
                now = await anyio.to_thread.run_sync(self._version)
                if now != version or not watched <= known.keys():
                    moved = version != now
                    version = now
                    pages = await anyio.to_thread.run_sync(self._pages, watched, str(now))
                    differing = [uri for uri in sorted(pages) if moved and known.get(uri, pages[uri]) != pages[uri]]
                    known = pages
                    for uri in differing:
                        await self._tell(uri)
            except MemlspError as error:  # no project, say: the tools tell it better
                log.debug("subscriptions were not looked at: %s", error)
            except Exception:  # the wire must outlive a fault of this
                log.exception("subscriptions were not looked at")
            await anyio.sleep(self._every)

    async def _tell(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri))
        for (connection, watched), listener in list(self._listeners.items()):
            if watched != uri:
                continue
            try:
                await listener.send_resource_updated(uri)
            except Exception:  # it has gone
                log.debug("%s is gone", connection, exc_info=True)
                self._listeners.pop((connection, watched), None)

    def _version(self) -> tuple[int, ...]:
        return self._workspaces.desk(None).memory.version()

    def _pages(self, uris: Iterable[str], version: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for uri in uris:
            if uri in _COSTLY:
                found[uri] = version
                continue
            try:
                text = read(self._workspaces, uri).text
            except MemlspError as error:
                text = str(error)  # it is not there yet, or not any more
            found[uri] = blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
        return found
