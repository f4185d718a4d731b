"""`memlsp lsp`, `memlsp mcp` and `memlsp web`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from memlsp.faces.cli.interruption import ended_at_once
from memlsp.faces.cli.options import FILE

_SWITCH = 0.001
"""Seconds for which a thread that reads code may hold up the loop: Python's own 5 ms add up in a hover."""

_SELDOM = (700, 10, 50)
"""When garbage is collected by itself: among all objects five times as seldom as usual, since that takes longer than an
answer may. The refresher collects it while nobody types."""


@click.command("lsp")
@click.option("--stdio", is_flag=True)
@click.option("--log-file", type=FILE)
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="warning", show_default=True
)
def lsp_command(*, stdio: bool, log_file: Path | None, log_level: str) -> None:  # noqa: ARG001
    """The language server, on standard input and output. Editors start it; it ends when they do."""
    # the protocol's types are some thousand classes made at import and kept for good: looking through them for garbage
    # costs a sixth of the start, and would hold the loop for as long again later
    gc.disable()
    with ended_at_once():
        from memlsp.faces.lsp.server.server import serve  # pygls is the larger part of the start-up time

    gc.freeze()
    gc.set_threshold(*_SELDOM)
    gc.enable()
    sys.setswitchinterval(_SWITCH)
    serve(log_file=log_file, log_level=log_level)


def _listening(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of where a server listens."""
    for flag, name in (("--tls-key", "key"), ("--tls-cert", "certificate"), ("--token-file", "token_file")):
        command = click.option(flag, name, type=FILE)(command)
    command = click.option("--port", type=click.IntRange(0, 65535), default=0)(command)
    return click.option("--host", default="127.0.0.1", show_default=True)(command)


@click.command("mcp")
@click.option("--root", type=FILE)
@click.option("--http", "over_http", is_flag=True)
@_listening
@click.pass_context
def mcp_command(ctx: click.Context, root: Path | None, *, over_http: bool, **where: Any) -> None:
    """The MCP server for agents: recall, why, remember, revise."""
    root = root or ctx.obj
    folder = str(root) if root else None
    if over_http:
        with ended_at_once():
            from memlsp.faces.mcp.http import serve_http  # the mcp package is the larger part of the start-up time
            from memlsp.faces.web_server import Endpoint

        serve_http(folder, Endpoint(**where))
        return
    if where != {"host": "127.0.0.1", "port": 0, "token_file": None, "certificate": None, "key": None}:
        raise click.UsageError("--host, --port, --token-file and the TLS files go with --http")
    with ended_at_once():
        from memlsp.faces.mcp.server import serve_stdio
    serve_stdio(root=folder)


@click.command("web")
@click.option("--open", "opens", is_flag=True)
@_listening
def web_command(*, opens: bool, **where: Any) -> None:
    """A page for your browser, on loopback, for as long as this runs."""
    with ended_at_once():
        from memlsp.faces.web.server import serve_web  # late: a web server, and templates
        from memlsp.faces.web_server import Endpoint

    from memlsp.faces.cli.console import opened  # late: it loads the memory, before which an editor is answered

    with opened() as memory:
        serve_web(memory, Endpoint(**where), opens=opens)


@click.command("hook")
@click.argument("agent")
def hook_command(agent: str) -> None:
    """One event of an agent, as JSON on standard input; the answer, if there is one, in the agent's own dialect."""
    from memlsp.faces.hooks.process import run  # `memlsp hook` alone does not come this way, and is quicker

    run([agent])
