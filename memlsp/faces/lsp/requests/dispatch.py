"""The requests `memlsp/...` of `wire`: who answers each, and how one is refused.

What cannot be done is a JSON-RPC error with a sentence and a hint; it is nobody's failure, so nothing of it is logged
as one, and no box is shown.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import cast

from memlsp.faces.lsp.requests.addresses import Addresses
from memlsp.faces.lsp.requests.belief_list import Listing
from memlsp.faces.lsp.requests.belief_page import Pages
from memlsp.faces.lsp.requests.params import Asked
from memlsp.faces.lsp.requests.refusal import Refusal
from memlsp.faces.lsp.requests.remember import Noting
from memlsp.faces.lsp.requests.review import Reviewing
from memlsp.faces.lsp.requests.timeline import Chronology
from memlsp.faces.lsp.requests.wire import Check, Checks
from memlsp.faces.lsp.server.workspaces import Desk
from memlsp.faces.render.belief_json import check_shape
from memlsp.model import view
from memlsp.model.errors import MemlspError

Handler = Callable[[Mapping[str, object]], Awaitable[Mapping[str, object]]]
Work = Callable[[Asked], Awaitable[Mapping[str, object]]]

log = logging.getLogger(__name__)


class Answers:
    """Every request with who answers it."""

    def __init__(
        self,
        addresses: Addresses,
        root_of: Callable[[Desk], str],
        source: Callable[[], str],
        wrote: Callable[[], None],
    ) -> None:
        self._addresses = addresses
        self._listing = Listing(addresses, root_of)
        self._pages = Pages(addresses, root_of)
        self._reviewing = Reviewing(addresses, root_of, source, wrote)
        self._chronology = Chronology(addresses, root_of)
        self._noting = Noting(addresses, root_of, source, wrote)

    def table(self) -> dict[str, Handler]:
        """Every request by its method."""
        table: dict[str, Work] = {
            "memlsp/beliefs": self._listing.beliefs,
            "memlsp/belief": self._pages.belief,
            "memlsp/review": self._reviewing.queue,
            "memlsp/reviewItem": self._reviewing.item,
            "memlsp/decide": self._reviewing.decide,
            "memlsp/undo": self._reviewing.undo,
            "memlsp/timeline": self._chronology.timeline,
            "memlsp/episode": self._chronology.episode,
            "memlsp/place": self._noting.place,
            "memlsp/commit": self._noting.commit,
            "memlsp/remember": self._noting.remember,
            "memlsp/doctor": self._doctor,
        }
        return {method: _answering(method, work) for method, work in table.items()}

    async def _doctor(self, asked: Asked) -> Checks:
        """{uri?}."""
        desk = await self._addresses.desk(asked.maybe("uri"))
        found = await desk.answer(desk.memory.doctor)
        return {"checks": [_check(check) for check in found]}


def _check(check: view.HealthCheck) -> Check:
    """What was looked at; there is no advice about what is well."""
    return cast("Check", {**check_shape(check), "advice": "" if check.ok else check.advice})


def _answering(method: str, work: Work) -> Handler:
    async def answer(
        params: Mapping[str, object],
    ) -> Mapping[str, object]:  # of `object` pygls would hand over the server
        asked: Asked | None = None
        try:
            asked = Asked.of(params)
            return await work(asked)
        except MemlspError as error:
            raise Refusal(error) from None
        except asyncio.CancelledError:
            if asked is not None:
                asked.cancelled.set()
            raise
        except Exception as error:
            log.exception("%s failed", method)
            failed = MemlspError(f"{method} failed: {type(error).__name__}", "the log says more")
            raise Refusal(failed) from None

    return answer
