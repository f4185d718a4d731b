"""How much may be asked for at once, and that what nobody waits for any more is not worked out to its end."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from lsp_editor import within
from project import Project

from memlsp import Memory
from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.requests.beliefs import list_beliefs
from memlsp.faces.lsp.requests.review import list_review
from memlsp.faces.lsp.server.editor_server import MemlspServer
from memlsp.faces.lsp.server.server import create_server
from memlsp.faces.lsp.server.settings import ClientOptions
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
    server.client = ClientOptions(trusted=False)  # there is no client that background work could be shown to
    server.workspaces.set_folders({project.root: project.root.as_uri()})
    yield server
    server.workspaces.close()


async def listed(server: MemlspServer, cancelled: threading.Event | None = None, **params: object) -> int:
    """How many beliefs a listing counts."""
    return (await within(list_beliefs(server.requests, Arguments(params, cancelled))))["total"]


async def test_a_listing_that_is_taken_back_judges_no_further(server: MemlspServer) -> None:
    assert await listed(server, scope="workspace") == BELIEFS
    cancelled = TakenBack()
    assert await listed(server, cancelled, scope="workspace") == 0
    assert cancelled.looks == 3


async def test_a_listing_and_a_review_are_of_two_thousand_at_the_most(server: MemlspServer) -> None:
    for limit in (2_001, 10**9, -1):
        for scope in ("workspace", "user", "file"):
            with pytest.raises(BadValue, match="`limit`") as refused:
                await listed(server, scope=scope, uri="file:///x", limit=limit)
            assert "2,000 at the most" in refused.value.hint
        with pytest.raises(BadValue, match="`limit`"):
            await within(list_review(server.requests, Arguments({"limit": limit})))
    assert await listed(server, scope="workspace", limit=2_000) == BELIEFS
    assert (await within(list_review(server.requests, Arguments({"limit": 2_000}))))["items"] == []
