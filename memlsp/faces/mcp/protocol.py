"""Routes each MCP request to the function that answers it, in a thread.

It builds on the SDK's `Server` rather than `MCPServer`: that takes the schemas as they are written and leaves the
answer to wrong arguments to us. One server object speaks both protocol generations: the `initialize` handshake, and
the 2026-07-28 envelope with `server/discover`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from memlsp.faces.mcp import prompts
from memlsp.faces.mcp.callers import Callers
from memlsp.faces.mcp.calls import CALLS, answer
from memlsp.faces.mcp.tools import INSTRUCTIONS, TOOLS
from memlsp.faces.mcp.workspace import Workspaces
from memlsp.faces.render.wording import plain
from memlsp.model.errors import MemlspError
from memlsp.version import VERSION

log = logging.getLogger("memlsp.mcp")

CALLS_AT_ONCE = 4
"""Requests that run in threads at once; the store has a single writer anyway."""

Context = ServerRequestContext[dict[str, object]]
Result = TypeVar("Result")


def build(workspaces: Workspaces) -> Server[dict[str, object]]:
    """A server over these workspaces; the caller closes them."""
    handlers = _RequestHandlers(workspaces)
    return Server(
        "memlsp",
        version=VERSION,
        title="memlsp",
        description="Remembers why the code is the way it is, and says when that stops being true.",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.tools,
        on_call_tool=handlers.call,
        on_list_prompts=handlers.prompts,
        on_get_prompt=handlers.prompt,
    )


class _RequestHandlers:
    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self._callers = Callers()
        self._limiter: anyio.CapacityLimiter | None = None

    async def tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(TOOLS))

    async def call(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in CALLS:
            raise MCPError(types.INVALID_PARAMS, f"no tool {plain(params.name, 60)!r}; there are {', '.join(CALLS)}")
        caller = self._callers.of(context)
        made = await self._run(partial(answer, self._workspaces, params.name, params.arguments or {}, caller))
        content = types.TextContent(type="text", text=made.text)
        return types.CallToolResult(content=[content], structured_content=made.structured, is_error=made.error)

    async def prompts(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[*prompts.PROMPTS.values()])

    async def prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        caller, arguments = self._callers.of(context), dict(params.arguments or {})
        shown, text = await self._run_or_refuse(
            partial(prompts.message, self._workspaces, params.name, arguments, caller)
        )
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=shown.description, messages=[message])

    async def _run_or_refuse(self, work: Callable[[], Result]) -> Result:
        """Run blocking work; turn its errors into protocol errors that say what would be right."""
        try:
            return await self._run(work)
        except MemlspError as error:
            words = f"{error} ({error.hint})" if error.hint else str(error)
            raise MCPError(types.INVALID_PARAMS, plain(words, 400)) from error
        except Exception as error:  # a fault of ours: details go to the log only
            log.exception("a request failed")
            raise MCPError(types.INTERNAL_ERROR, "memlsp could not answer because of a fault of its own") from error

    async def _run(self, work: Callable[[], Result]) -> Result:
        if self._limiter is None:  # a limiter belongs to the running event loop
            self._limiter = anyio.CapacityLimiter(CALLS_AT_ONCE)
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)
