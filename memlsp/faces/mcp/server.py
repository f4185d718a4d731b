"""Runs `memlsp mcp` on stdio."""

from __future__ import annotations

import gc
import importlib
import logging
import sys
import threading
from contextlib import suppress


def serve_stdio(root: str | None = None) -> None:
    """Serve the tools on standard input and output until the input closes. `root` is the project's folder; without it
    `workspace.py` finds one for each call. Standard output carries JSON-RPC only; the log goes to standard error."""
    log_to_stderr()
    # the protocol has some thousand classes, and collecting garbage among them costs a tenth of the start; they stay
    # for good
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
            # beside the handshake
            threading.Thread(target=warm_up, daemon=True).start()
            await server.run(reader, writer, server.create_initialization_options())

    try:
        with suppress(KeyboardInterrupt):
            anyio.run(serve)
    finally:
        workspaces.close()


def log_to_stderr() -> None:
    """Log warnings and worse to standard error, one line each."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="memlsp: %(levelname)s %(name)s: %(message)s")


def warm_up() -> None:
    """Import the modules that the first call needs: parsers and the store."""
    with suppress(Exception):  # the first call meets the same error and reports it
        importlib.import_module("memlsp.memory")
