"""Notifies clients when a resource that they subscribed to has changed. Without subscriptions nothing runs. With some,
the memory's version is polled once a second, which costs a few microseconds; only when it moved are the subscribed
pages read again and compared. A page that is expensive to read counts as changed whenever the memory does."""

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
"""Seconds between two polls."""

MOST = 200
"""Resources that one connection may watch."""

_COSTLY = frozenset({TIMELINE, STATS})


class Listener(Protocol):
    """A connection that takes notifications."""

    async def send_resource_updated(self, uri: str) -> None:
        """Ask the client to read a resource again."""
        ...


class ResourceSubscriptions:
    """The subscriptions of all connections. Lives on the event loop; only reading happens in threads. Clients of the
    older protocol subscribe to single resources and are notified over their connection. Clients of the newer one open a
    stream that receives what is published on `bus`."""

    def __init__(self, workspaces: Workspaces, every: float = EVERY) -> None:
        self.bus = InMemorySubscriptionBus()
        self._workspaces = workspaces
        self._every = every
        self._listeners: dict[tuple[str, str], Listener] = {}  # by connection and address
        self._streamed: dict[str, int] = {}  # address: streams that asked for it
        self._wanted = anyio.Event()

    def subscribe(self, connection: str, uri: str, listener: Listener) -> bool:
        """Notify a connection of changes from now on; False when it has too many subscriptions."""
        if sum(each == connection for each, _ in self._listeners) >= MOST:
            return False
        self._listeners[connection, uri] = listener
        self._wanted.set()
        return True

    def unsubscribe(self, connection: str, uri: str) -> None:
        """Stop notifying a connection."""
        self._listeners.pop((connection, uri), None)

    def streamed(self, uris: Iterable[str]) -> Callable[[], None]:
        """Register a stream for these resources; call the returned function when it ends."""
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
        """Poll for as long as the server runs."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._poll)
            yield
            group.cancel_scope.cancel()

    async def _poll(self) -> None:
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
                        await self._notify(uri)
            except MemlspError as error:  # no project, say: the tools report that better
                log.debug("subscriptions were not polled: %s", error)
            except Exception:  # a fault here must not end the connection
                log.exception("subscriptions were not polled")
            await anyio.sleep(self._every)

    async def _notify(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri))
        for (connection, watched), listener in list(self._listeners.items()):
            if watched != uri:
                continue
            try:
                await listener.send_resource_updated(uri)
            except Exception:  # the connection is closed
                log.debug("%s is gone", connection, exc_info=True)
                self._listeners.pop((connection, watched), None)

    def _version(self) -> tuple[int, ...]:
        return self._workspaces.target(None).memory.version()

    def _pages(self, uris: Iterable[str], version: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for uri in uris:
            if uri in _COSTLY:
                found[uri] = version
                continue
            try:
                text = read(self._workspaces, uri).text
            except MemlspError as error:
                text = str(error)  # not there yet, or not any more
            found[uri] = blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
        return found
