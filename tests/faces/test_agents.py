"""The table of agents names modules that exist, so that an agent is added by one entry and its modules."""

from __future__ import annotations

from importlib import import_module

import pytest

from memlsp.agents import AGENTS, Agent
from memlsp.faces.hooks.dialects import dialect_of
from memlsp.faces.setup.clients.all_clients import CLIENTS
from memlsp.faces.setup.clients.client import ClientKind


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_every_module_of_an_agent_goes_by_its_name(agent: Agent) -> None:
    assert dialect_of(agent.name).source == agent.name
    if agent.client:
        assert import_module(f"memlsp.faces.setup.clients.{agent.client}").CLIENT.name == agent.name
    if agent.transcript:
        reader = import_module(f"memlsp.capture.transcripts.{agent.transcript}")
        assert agent.name == reader.AGENT


def test_setup_offers_the_agents_of_the_table_in_its_order() -> None:
    offered = [client.name for client in CLIENTS if client.kind is ClientKind.AGENT]
    assert offered == [agent.name for agent in AGENTS if agent.client]
