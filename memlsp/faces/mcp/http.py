"""Runs `memlsp mcp --http`: the same tools as streamable HTTP, behind a bearer token."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memlsp.faces.mcp.server import log_to_stderr
from memlsp.faces.web_server import AccessGuard, Endpoint, bearer_token, run_server

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from memlsp.faces.mcp.workspace import Workspaces

PATH = "/mcp"
TOKEN_FILE = "mcp-token"  # noqa: S105 - the name of the file


def serve_http(root: str | None, endpoint: Endpoint) -> None:
    """Serve the tools on `http://127.0.0.1:PORT/mcp` until interrupted. Prints the address and the token's file to
    standard error, never the token. Raises BadValue when the port is taken, StoreUnavailable when the token cannot be
    written."""
    log_to_stderr()
    from memlsp.faces.mcp.workspace import Workspaces  # late: the protocol takes most of a second
    from memlsp.memory import data_folder

    path = endpoint.token_file or data_folder() / TOKEN_FILE
    token = bearer_token(path)
    workspaces = Workspaces(root)

    def make(port: int, origin: str) -> ASGIApp:
        print(f"memlsp: MCP on {origin}{PATH}", file=sys.stderr)  # noqa: T201 - to be read by people
        print(f"memlsp: bearer token in {path}", file=sys.stderr, flush=True)  # noqa: T201
        return application(workspaces, token, endpoint, port)

    try:
        run_server(endpoint, make)
    finally:
        workspaces.close()


def application(workspaces: Workspaces, token: str, endpoint: Endpoint, port: int) -> ASGIApp:
    """The web application behind its access guard. `port` is the one that clients name in `Host`."""
    from mcp.server.transport_security import TransportSecuritySettings

    from memlsp.faces.mcp.protocol import build

    app = build(workspaces).streamable_http_app(
        streamable_http_path=PATH,
        host=endpoint.host,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[*endpoint.names(port)], allowed_origins=[*endpoint.origins(port)]
        ),
    )
    return AccessGuard(app, token, endpoint, port)
