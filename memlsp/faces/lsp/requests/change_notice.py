"""`memlsp/changed`: tells the clients that want to know that something moved, so that they look again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.server.workspaces import Desk, Desks

CHANGED = "memlsp/changed"

log = logging.getLogger(__name__)


class News:
    """Remembers for each workspace of which state it told last. On the event loop."""

    def __init__(self, server: LanguageServer, desks: Desks, wanted: Callable[[], bool]) -> None:
        self._server = server
        self._wanted = wanted
        self._desks = desks
        self._told: dict[Desk, tuple[int, ...]] = {}

    async def tell(self) -> None:
        """Tell of every workspace that moved since it was told of last."""
        if not self._wanted():
            return
        roots: list[str] = []
        for desk in self._desks.all():
            if desk.closing.is_set():
                continue
            with suppress(RuntimeError, asyncio.CancelledError):  # it is shut down at this moment
                state = await desk.run(desk.memory.version)
                if self._told.get(desk) != state:
                    self._told[desk] = state
                    roots.append(self._desks.root_uri(desk))
        if roots:
            self._server.protocol.notify(CHANGED, {"roots": roots})
