"""Identifies the agent behind each request, and the session it belongs to.

A person can take back everything that one session taught, so each connection gets a unique, readable name:
`claude-code-20261121-3f9a2c`. On stdio the process is the connection. Over HTTP the handshake's session id separates
connections; the newer protocol has none, so there all agents of one name share a session while the server runs.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from attrs import frozen
from mcp.server import ServerRequestContext

from memlsp.faces.render.wording import plain
from memlsp.model.belief import Author, AuthorKind
from memlsp.model.caller import Caller
from memlsp.model.event import source_of

_NAME = 60
_MOST = 1_000
"""Connections that have a session name at once; beyond that all get new ones."""


@frozen
class CallingAgent:
    """The agent that sent a request. `session` names its connection."""

    name: str
    session: str = ""

    @property
    def author(self) -> Author:
        """The agent as an author."""
        return Author(self.name, AuthorKind.AGENT)

    def identify(self, note: str = "", folder: Path | None = None) -> Caller:
        """Who asks, as `Memory` takes it: the author of what the agent remembers or revises."""
        return Caller(self.author, self.source, self.session, folder, note)

    @property
    def session_key(self) -> str:
        """The session as receipts name it: the source that its hooks go by, and the connection."""
        return f"{source_of(self.name)} {self.session}" if self.session else ""

    @property
    def source(self) -> str:
        """The source recorded with its statements."""
        return f"mcp:{self.name}"


class Callers:
    """The agents of one server's requests. Thread-safe."""

    def __init__(self) -> None:
        self._sessions: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()

    def of(self, context: ServerRequestContext[dict[str, object]]) -> CallingAgent:
        """The sender of a request."""
        # the handshake gives the name once, the envelope with each request; both may leave it out
        params = context.session.client_params
        name = plain(params.client_info.name, _NAME) if params and params.client_info else ""
        name = name or "agent"
        return CallingAgent(name, self._session(name, connection_of(context)))

    def _session(self, name: str, connection: str) -> str:
        with self._lock:
            if len(self._sessions) >= _MOST:
                self._sessions.clear()
            known = self._sessions.get((name, connection))
            if known is None:
                slug = "".join(sign if sign.isalnum() else "-" for sign in source_of(name)).strip("-") or "agent"
                known = f"{slug}-{datetime.now(UTC):%Y%m%d}-{secrets.token_hex(3)}"
                self._sessions[name, connection] = known
            return known


def connection_of(context: ServerRequestContext[dict[str, object]]) -> str:
    """The HTTP session id of the handshake; "" on stdio (one connection) and in the newer protocol (no sessions)."""
    headers = getattr(context.request, "headers", None)
    if headers is None:
        return ""
    return cast("Mapping[str, str]", headers).get("mcp-session-id") or ""
