"""The floor of MCP: the SDK's server with one tool that answers every call with one word.

Run by the suite `latency` as `python -m benchmarks.speed.empty_mcp_server`, over stdio, in the same run as our own.
"""

from __future__ import annotations

import anyio
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

Context = ServerRequestContext[dict[str, object]]


async def _tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="recall", input_schema={"type": "object"})])


async def _call(_: Context, __: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text="nothing")])


async def serve() -> None:
    """Serve on standard input and output until the input closes."""
    server = Server[dict[str, object]]("empty", version="0", on_list_tools=_tools, on_call_tool=_call)
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(serve)
