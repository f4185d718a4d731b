"""The protocol server: what a client asks for goes to the room that answers it, in a thread.

The SDK's `Server` is used rather than its `MCPServer`: it takes the schemas as they are written and lets wrong
arguments be answered in our words. One server object speaks both eras of the protocol, the `initialize` handshake and
the 2026-07-28 envelope with `server/discover`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from memlsp.faces.mcp.answers import Answer
from memlsp.faces.mcp.callers import Callers
from memlsp.faces.mcp.calls import CALLS, answer
from memlsp.faces.mcp.tools import INSTRUCTIONS, TOOLS
from memlsp.faces.mcp.workspace import Workspaces
from memlsp.faces.wording import plain
from memlsp.version import VERSION

CALLS_AT_ONCE = 4
"""Requests that run in threads at the same time; the store has one writer anyway."""

Context = ServerRequestContext[dict[str, object]]
Result = TypeVar("Result")


def build(workspaces: Workspaces) -> Server[dict[str, object]]:
    """A server over these workspaces; the caller closes them."""
    callers, threads = Callers(), _Threads()

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=list(TOOLS))

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in CALLS:
            raise MCPError(INVALID_PARAMS, f"no tool {plain(params.name, 60)!r}; there are {', '.join(CALLS)}")
        arguments, caller = params.arguments or {}, callers.of(context)
        return _result(await threads.run(partial(answer, workspaces, params.name, arguments, caller)))

    return Server(
        "memlsp",
        version=VERSION,
        title="memlsp",
        description="Remembers why the code is the way it is, and says when that stops being true.",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


class _Threads:
    """Runs what blocks, a few at a time."""

    def __init__(self) -> None:
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, work: Callable[[], Result]) -> Result:
        if self._limiter is None:  # a limiter belongs to the event loop that is running
            self._limiter = anyio.CapacityLimiter(CALLS_AT_ONCE)
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)


def _result(made: Answer) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=made.text)], structured_content=made.structured, is_error=made.error
    )
