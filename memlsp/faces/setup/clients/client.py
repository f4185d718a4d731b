"""An agent or editor that memlsp sets up: how to detect it, and which edits its files need."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from attrs import frozen

from memlsp.faces.setup.file_edits import SetupEdit
from memlsp.faces.setup.machine import Extent, UserMachine

EVENTS: Mapping[str, Mapping[str, Mapping[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("events.toml").read_text("utf-8")
)
"""By the agent's name, then by the event's."""


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
    unfit: Callable[[UserMachine], str] = lambda _: ""
    """Why the program on this machine cannot use what is written, "" if it can."""


def place_or_program(
    home: Callable[[UserMachine], Path], *programs: str, shared: str = ""
) -> Callable[[UserMachine, Extent], bool]:
    """How most are found: by the folder of a person's settings, by a program on the PATH, or, where the project's files
    are meant, by the folder `shared` in it."""

    def found(machine: UserMachine, extent: Extent) -> bool:
        in_project = bool(shared) and extent is Extent.PROJECT and (machine.project / shared).is_dir()
        return in_project or home(machine).is_dir() or machine.program(*programs)

    return found
