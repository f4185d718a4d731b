"""`memlsp mcp` on stdio: the life of the process."""

from __future__ import annotations

import gc
import importlib
import logging
import sys
import threading
from contextlib import suppress


def serve_stdio(root: str | None = None) -> None:
    """Serve the tools on standard input and output until the input closes.

    `root` is the project's folder; without it the environment, the working directory or each call says which. Nothing
    but JSON-RPC is written to standard output; the log goes to standard error.
    """
    log_to_stderr()
    # the protocol's types are some thousand classes made at import, and looking through them for garbage costs a tenth
    # of the start; what is imported now stays for good
    gc.disable()
    import anyio
    from mcp.server.stdio import stdio_server

    from memlsp.faces.mcp.protocol import build
    from memlsp.faces.mcp.workspace import Workspaces

    gc.freeze()
    gc.enable()
    workspaces = Workspaces(root)
    server = build(workspaces)

    async def serve() -> None:
        async with stdio_server() as (reader, writer):
            # while the client reads the handshake's answer
            threading.Thread(target=warm_up, daemon=True).start()
            await server.run(reader, writer, server.create_initialization_options())

    try:
        with suppress(KeyboardInterrupt):
            anyio.run(serve)
    finally:
        workspaces.close()


def log_to_stderr() -> None:
    """Warnings and worse, one line each, to standard error."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="memlsp: %(levelname)s %(name)s: %(message)s")


def warm_up() -> None:
    """Read what the first call needs: parsers and the store."""
    with suppress(Exception):  # the first call will meet the same and say it
        importlib.import_module("memlsp.memory")
