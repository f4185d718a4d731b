"""The protocol server: what a client asks for goes to the room that answers it, in a thread.

The SDK's `Server` is used rather than its `MCPServer`: it takes the schemas as they are written and lets wrong
arguments be answered in our words. One server object speaks both eras of the protocol, the `initialize` handshake and
the 2026-07-28 envelope with `server/discover`.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
from mcp.server import Server, ServerRequestContext
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)

from memlsp.faces.mcp import prompts, resources
from memlsp.faces.mcp.answers import Answer
from memlsp.faces.mcp.callers import Callers, connection_of
from memlsp.faces.mcp.calls import CALLS, answer
from memlsp.faces.mcp.subscriptions import Watching
from memlsp.faces.mcp.tools import INSTRUCTIONS, TOOLS
from memlsp.faces.mcp.workspace import Workspaces
from memlsp.faces.render.wording import plain
from memlsp.model.errors import MemlspError
from memlsp.version import VERSION

log = logging.getLogger("memlsp.mcp")

CALLS_AT_ONCE = 4
"""Requests that run in threads at the same time; the store has one writer anyway."""

Context = ServerRequestContext[dict[str, object]]
Result = TypeVar("Result")


def build(workspaces: Workspaces, *, watching: Watching | None = None) -> Server[dict[str, object]]:
    """A server over these workspaces; the caller closes them."""
    rooms = _Rooms(workspaces, watching or Watching(workspaces))
    return Server(
        "memlsp",
        version=VERSION,
        title="memlsp",
        description="Remembers why the code is the way it is, and says when that stops being true.",
        instructions=INSTRUCTIONS,
        lifespan=rooms.open,
        on_list_tools=rooms.tools,
        on_call_tool=rooms.call,
        on_list_resources=rooms.resources,
        on_list_resource_templates=rooms.templates,
        on_read_resource=rooms.read,
        on_subscribe_resource=rooms.subscribe,
        on_unsubscribe_resource=rooms.unsubscribe,
        on_subscriptions_listen=rooms.listen,
        on_list_prompts=rooms.prompts,
        on_get_prompt=rooms.prompt,
    )


class _Rooms:
    """The requests, each sent to where it is answered."""

    def __init__(self, workspaces: Workspaces, watching: Watching) -> None:
        self._workspaces = workspaces
        self._watching = watching
        self._stream = ListenHandler(watching.bus, max_subscriptions=64)
        self._callers = Callers()
        self._limiter: anyio.CapacityLimiter | None = None

    @asynccontextmanager
    async def open(self, _: Server[dict[str, object]]) -> AsyncGenerator[dict[str, object]]:
        """The life of the server."""
        async with self._watching.running():
            yield {}

    async def tools(self, _: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=list(TOOLS))

    async def call(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in CALLS:
            raise MCPError(INVALID_PARAMS, f"no tool {plain(params.name, 60)!r}; there are {', '.join(CALLS)}")
        caller = self._callers.of(context)
        return _result(await self._run(partial(answer, self._workspaces, params.name, params.arguments or {}, caller)))

    async def resources(self, _: Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=list(resources.RESOURCES))

    async def templates(self, _: Context, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES))

    async def read(self, _: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        found = await self._told(partial(resources.read, self._workspaces, uri))
        contents = TextResourceContents(uri=found.uri, mime_type=found.mime_type, text=found.text)
        return ReadResourceResult(contents=[contents])

    async def subscribe(self, context: Context, params: SubscribeRequestParams) -> EmptyResult:
        uri = str(params.uri)
        if not resources.is_known(uri):
            raise MCPError(INVALID_PARAMS, f"no such resource: {plain(uri, 120)}")
        if not self._watching.subscribe(connection_of(context), uri, context.session):
            raise MCPError(INVALID_PARAMS, "too many subscriptions; end some of them")
        return EmptyResult()

    async def unsubscribe(self, context: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        self._watching.unsubscribe(connection_of(context), str(params.uri))
        return EmptyResult()

    async def listen(self, context: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        ended = self._watching.streamed(map(str, params.notifications.resource_subscriptions or ()))
        try:
            return await self._stream(context, params)
        finally:
            ended()

    async def prompts(self, _: Context, __: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult(prompts=[kind.prompt for kind in prompts.KINDS.values()])

    async def prompt(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        caller, arguments = self._callers.of(context), dict(params.arguments or {})
        shown, text = await self._told(partial(prompts.message, self._workspaces, params.name, arguments, caller))
        message = PromptMessage(role="user", content=TextContent(type="text", text=text))
        return GetPromptResult(description=shown.description, messages=[message])

    async def _told(self, work: Callable[[], Result]) -> Result:
        """What blocks, with its errors as the protocol has them: a wrong request says what would be right."""
        try:
            return await self._run(work)
        except MemlspError as error:
            words = f"{error} ({error.hint})" if error.hint else str(error)
            raise MCPError(INVALID_PARAMS, plain(words, 400)) from error
        except Exception as error:  # a fault of ours, of which a client learns no details
            log.exception("a request failed")
            raise MCPError(INTERNAL_ERROR, "memlsp could not answer because of a fault of its own") from error

    async def _run(self, work: Callable[[], Result]) -> Result:
        if self._limiter is None:  # a limiter belongs to the event loop that is running
            self._limiter = anyio.CapacityLimiter(CALLS_AT_ONCE)
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)


def _result(made: Answer) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=made.text)], structured_content=made.structured, is_error=made.error
    )
