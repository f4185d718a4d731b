"""Clients that asked to be told are told: over their connection in the older protocol, on a stream in the newer."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.server import Server
from mcp_types import Implementation, ResourceUpdatedNotification

from memlsp.faces.mcp.protocol import build
from memlsp.faces.mcp.subscriptions import MOST, ResourceSubscriptions
from memlsp.faces.mcp.workspace import Workspaces
from memlsp.memory import Memory
from memlsp.model.belief import RevisionAction
from memlsp.model.place import Place

pytestmark = [
    pytest.mark.asyncio,
    # what the older protocol has is what is tested
    pytest.mark.filterwarnings("ignore:resources/:mcp.shared.exceptions.MCPDeprecationWarning"),
]
PATIENCE = 20


@pytest.fixture
def quick_server(project: Path) -> Generator[Server[dict[str, object]]]:
    """A server that looks more often than it would."""
    workspaces = Workspaces(str(project))
    yield build(workspaces, subscriptions=ResourceSubscriptions(workspaces, every=0.02))
    workspaces.close()


class Heard:
    """What a client was told."""

    def __init__(self) -> None:
        self.uris: list[str] = []
        self.told = anyio.Event()

    async def __call__(self, message: object) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            self.uris.append(str(message.params.uri))
            self.told.set()


async def test_a_subscriber_of_the_older_protocol_hears_of_its_belief_and_of_no_other(
    quick_server: Server[dict[str, object]], memory: Memory
) -> None:
    mine = memory.remember("Totals are gross", at=[Place("billing.py")]).belief.id
    other = memory.remember("Refunds need an order", at=[Place("billing.py")]).belief.id
    heard = Heard()
    info = Implementation(name="Test Agent", version="1")
    with anyio.fail_after(PATIENCE):
        async with Client(quick_server, mode="legacy", client_info=info, message_handler=heard) as client:
            await client.subscribe_resource(f"memory://belief/{mine}")  # pyright: ignore[reportDeprecated]
            while not heard.uris:  # the first look may come after the change, so it is made until it is heard
                memory.revise(other, RevisionAction.CONFIRM)
                memory.revise(mine, RevisionAction.CONFIRM)
                with anyio.move_on_after(0.2):
                    await heard.told.wait()
            await client.unsubscribe_resource(f"memory://belief/{mine}")  # pyright: ignore[reportDeprecated]
    assert set(heard.uris) == {f"memory://belief/{mine}"}


async def test_a_stream_of_the_newer_protocol_hears_of_the_timeline(
    quick_server: Server[dict[str, object]], memory: Memory
) -> None:
    info = Implementation(name="Test Agent", version="1")
    told: list[object] = []
    with anyio.fail_after(PATIENCE):
        async with (
            Client(quick_server, mode="auto", client_info=info) as client,
            client.listen(resource_subscriptions=["memory://timeline"]) as stream,
            anyio.create_task_group() as group,
        ):

            async def write() -> None:
                number = 0
                while not told:
                    await anyio.to_thread.run_sync(memory.remember, f"Statement {number} holds")
                    number += 1
                    await anyio.sleep(0.05)

            group.start_soon(write)
            async for event in stream:
                told.append(event)
                break
    assert "timeline" in str(told[0])


async def test_an_unknown_address_cannot_be_subscribed_to(quick_server: Server[dict[str, object]]) -> None:
    async with Client(quick_server, mode="legacy") as client:
        with pytest.raises(Exception, match="no such resource"):
            await client.subscribe_resource("memory://nothing")  # pyright: ignore[reportDeprecated]


async def test_a_connection_watches_so_many_and_no_more(project: Path) -> None:
    watching = ResourceSubscriptions(Workspaces(str(project)))
    listener = quick = None
    for number in range(MOST):
        assert watching.subscribe("one", f"memory://belief/{number}", listener)  # type: ignore[arg-type]
    assert not watching.subscribe("one", "memory://belief/more", quick)  # type: ignore[arg-type]
    assert watching.subscribe("another", "memory://belief/more", quick)  # type: ignore[arg-type]
    watching.unsubscribe("one", "memory://belief/0")
    assert watching.subscribe("one", "memory://belief/more", quick)  # type: ignore[arg-type]
