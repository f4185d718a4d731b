"""All clients, in the order in which they are shown."""

from __future__ import annotations

from memlsp.faces.setup import claude_code, codex, cursor
from memlsp.faces.setup.client import Client

CLIENTS: tuple[Client, ...] = (claude_code.CLIENT, cursor.CLIENT, codex.CLIENT)
