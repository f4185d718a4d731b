"""Who is at the other end: the agent by the name that it gives itself, and the session in which it speaks.

What a session taught can be taken back as one, so each connection has a name that a person can read and that no other
connection ever has: `claude-code-20261121-3f9a2c`. On stdio a process is a connection. Over HTTP the handshake's
session tells connections apart; the newer protocol has none, and there an agent of one name is one session for as long
as the server runs.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import cast

from attrs import frozen
from mcp.server import ServerRequestContext

from memlsp.faces.render.wording import plain
from memlsp.model.belief import Author, AuthorKind
from memlsp.model.event import source_of

_NAME = 60
_MOST = 1_000
"""Connections that are told apart at once; a server that has seen more begins anew."""


@frozen
class Caller:
    """The agent at the other end. `session` names its connection."""

    name: str
    session: str = ""

    @property
    def author(self) -> Author:
        """Who speaks when it remembers or revises."""
        return Author(self.name, AuthorKind.AGENT)

    @property
    def source(self) -> str:
        """Where it was said."""
        return f"mcp:{self.name}"


class Callers:
    """Knows the agent behind each request. One for each server; safe to use from several threads."""

    def __init__(self) -> None:
        self._sessions: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()

    def of(self, context: ServerRequestContext[dict[str, object]]) -> Caller:
        """Who sent this request."""
        # both eras tell the name: the handshake once, the envelope with each request; neither has to
        params = context.session.client_params
        name = plain(params.client_info.name, _NAME) if params and params.client_info else ""
        name = name or "agent"
        return Caller(name, self._session(name, connection_of(context)))

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
    """What tells connections apart: the session that the handshake over HTTP agreed on, "" on stdio, where there is
    one, and in the newer protocol, which has none."""
    headers = getattr(context.request, "headers", None)
    if headers is None:
        return ""
    return cast("Mapping[str, str]", headers).get("mcp-session-id") or ""
