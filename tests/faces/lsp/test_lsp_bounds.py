"""How much may be asked for at once, and that what nobody waits for any more is not worked out to its end."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from lsp_editor import within
from project import Project

from memlsp import Memory
from memlsp.faces.lsp.requests.belief_list import Listing
from memlsp.faces.lsp.requests.params import Asked
from memlsp.faces.lsp.requests.review import Reviewing
from memlsp.faces.lsp.server.client_options import Announced
from memlsp.faces.lsp.server.server import MemlspServer, create_server
from memlsp.model.errors import BadValue

pytestmark = pytest.mark.asyncio

SAID = [
    "Shops open at dawn",
    "Taxes are rounded",
    "Nobody prints",
    "Names are short",
    "Tests come first",
    "Logs rotate",
]
BELIEFS = len(SAID)


class TakenBack(threading.Event):
    """A request that is taken back while it is answered: from the third look on."""

    looks = 0

    def is_set(self) -> bool:
        """Whether it is taken back."""
        self.looks += 1
        return self.looks > 2


@pytest_asyncio.fixture
async def server(project: Project) -> AsyncIterator[MemlspServer]:
    with Memory.open(project.root) as memory:
        for text in SAID:
            memory.remember(text)
    server = create_server()
    server.announced = Announced(trusted=False)  # there is no client that background work could be shown to
    server.desks.set_folders({project.root: project.root.as_uri()})
    yield server
    server.desks.close()


async def test_a_listing_that_is_taken_back_judges_no_further(server: MemlspServer) -> None:
    listing = Listing(server.addresses, server.desks.root_uri)
    assert (await within(listing.beliefs(Asked({"scope": "workspace"}))))["total"] == BELIEFS
    cancelled = TakenBack()
    assert (await within(listing.beliefs(Asked({"scope": "workspace"}, cancelled))))["total"] == 0
    assert cancelled.looks == 3


async def test_a_listing_and_a_review_are_of_two_thousand_at_the_most(server: MemlspServer) -> None:
    listing = Listing(server.addresses, server.desks.root_uri)
    reviewing = Reviewing(server.addresses, server.desks.root_uri, lambda: "test", lambda: None)
    for limit in (2_001, 10**9, -1):
        for scope in ("workspace", "user", "file"):
            with pytest.raises(BadValue, match="`limit`") as refused:
                await within(listing.beliefs(Asked({"scope": scope, "uri": "file:///x", "limit": limit})))
            assert "2,000 at the most" in refused.value.hint
        with pytest.raises(BadValue, match="`limit`"):
            await within(reviewing.queue(Asked({"limit": limit})))
    assert (await within(listing.beliefs(Asked({"scope": "workspace", "limit": 2_000}))))["total"] == BELIEFS
    assert (await within(reviewing.queue(Asked({"limit": 2_000}))))["items"] == []
