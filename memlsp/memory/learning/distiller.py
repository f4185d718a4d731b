"""A model that the user names, as the rest of memlsp sees it. A package of its own, `memlsp-model`, asks it.

So memlsp has no code that reaches another machine, and needs no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from memlsp.model.belief import Author
from memlsp.model.errors import Refused

if TYPE_CHECKING:
    from memlsp.memory.context import Context

ENTRY_POINTS = "memlsp.model"
"""The group in which an installed package names its `Distiller`."""


@frozen
class ModelStatus:
    """The model of a workspace, an empty address for none, with its budget and what it was sent today, in tokens."""

    address: str
    model: str
    budget: int
    spent: int


@frozen
class Distilled:
    """What came of one session: the ids of proposals, the statements that were left out with the reason, and the tokens
    that were sent and answered."""

    session: str
    proposals: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    tokens: int


class Distiller(Protocol):
    """The model of one workspace. Nothing is sent before a person turned it on."""

    def on(self, address: str, model: str, *, budget: int, author: Author | None = None) -> None:
        """Use the model at `address` from now on, for at most `budget` tokens a day. Sends nothing. Raises Refused for
        an agent and for an address that is not allowed."""

    def off(self, *, author: Author | None = None) -> bool:
        """Send nothing any more; False when it was off."""
        ...

    def status(self) -> ModelStatus:
        """Which model, and what it was sent today."""
        ...

    def sessions(self, since: datetime) -> Sequence[str]:
        """The sessions with events since then, the latest first."""
        ...

    def prompt(self, session: str) -> str:
        """What would be sent of a session. Raises NotFound for a session that tells nothing."""
        ...

    def distill(self, session: str) -> Distilled:
        """Have the model propose what a session states, each with its source. Raises Refused where the model is off,
        over the budget of the day, or does not answer."""
        ...


def distiller_of(context: Context, memory: Any) -> Distiller:
    """The model of a workspace, by the package that is installed for it. Raises Refused where none is."""
    for each in entry_points(group=ENTRY_POINTS):
        made: Distiller = each.load()(context, memory)
        return made
    raise Refused("asking a model takes a package of its own, which is not installed", "pip install 'memlsp[model]'")
