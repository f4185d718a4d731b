"""An agent or editor that memlsp sets up: how to detect it, and which edits its files need."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from attrs import frozen

from memlsp.faces.setup.file_edits import SetupEdit
from memlsp.faces.setup.machine import Extent, UserMachine


class ClientKind(StrEnum):
    """Agents and editors have an option each on the command line."""

    AGENT = "agent"
    EDITOR = "editor"


@frozen
class ClientEdits:
    """The edits for one client. `notes` are lines for a person: what to do by hand, or what the program will ask."""

    hooks: tuple[SetupEdit, ...] = ()
    servers: tuple[SetupEdit, ...] = ()
    routing: tuple[SetupEdit, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[SetupEdit, ...]:
        """Every edit."""
        return (*self.hooks, *self.servers, *self.routing)


@frozen
class SetupClient:
    """`name` is the word on the command line, and for an agent its name in `memlsp.agents`."""

    name: str
    title: str
    kind: ClientKind
    found: Callable[[UserMachine, Extent], bool]
    edits: Callable[[UserMachine, Extent], ClientEdits]
