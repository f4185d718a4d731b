"""What an agent or an editor is to us: how to see that it is there, and what goes into which of its files."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from attrs import frozen

from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import Piece


class Kind(StrEnum):
    """The two sorts, which the command line asks for by different options."""

    AGENT = "agent"
    EDITOR = "editor"


@frozen
class Parts:
    """What one client gets. `notes` are lines for a person: what we cannot write, or what the program will ask."""

    hooks: tuple[Piece, ...] = ()
    servers: tuple[Piece, ...] = ()
    routing: tuple[Piece, ...] = ()
    notes: tuple[str, ...] = ()


@frozen
class Client:
    """`name` is the word on the command line, and for agents also the hook's dialect."""

    name: str
    title: str
    kind: Kind
    found: Callable[[Surroundings, Extent], bool]
    parts: Callable[[Surroundings, Extent], Parts]
