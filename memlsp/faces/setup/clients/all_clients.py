"""All agents and editors, in the order in which they are shown."""

from __future__ import annotations

from importlib import import_module

from memlsp.agents import AGENTS
from memlsp.faces.setup.clients import editors
from memlsp.faces.setup.clients.client import SetupClient

CLIENTS: tuple[SetupClient, ...] = (
    *(import_module(f"memlsp.faces.setup.clients.{agent.client}").CLIENT for agent in AGENTS if agent.client),
    editors.NEOVIM,
    editors.SUBLIME,
    editors.ZED,
    editors.HELIX,
    editors.EMACS,
)
