"""The exchange with a team's machines, as the rest of memlsp sees it. A package of its own, `memlsp-team`, does it.

So memlsp has no code that reaches another machine, and another package can take the place of that one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from memlsp.model.belief import Author
from memlsp.model.errors import Refused
from memlsp.store.store import Store

if TYPE_CHECKING:
    from memlsp.memory.context import Context
    from memlsp.memory.curation.conflicts import Conflicts
    from memlsp.memory.erasure.forgetting import Forgetting
    from memlsp.model.view import HealthCheck
    from memlsp.store.tables.team import TeamLine

STATE = "team"
"""The note of a store that says with what it exchanges, and how far."""

EVERY = timedelta(minutes=10)
"""The usual time between two exchanges in the background; a random part keeps machines apart."""

ENTRY_POINTS = "memlsp.team"
"""The group in which an installed package names its `Team`."""


@frozen
class Colleague:
    """A machine that takes part: its writer id, the name of its person, when it last wrote, and its number of lines.
    `trusted`: its locks count here."""

    writer: str
    name: str
    last: datetime
    lines: int
    trusted: bool = False


@frozen
class TeamForgetting:
    """A belief that was forgotten: by whom, when, and on how many of the machines that are known. `waits`: somebody
    here stands behind it, so a person has to forget it here."""

    belief: str
    by: str
    at: datetime
    reached: int
    machines: int
    waits: bool = False


@frozen
class TeamStatus:
    """The exchange of one workspace; an empty address says that it is off. `disputed` are beliefs that two machines
    changed apart, `absent` those whose code is not here, `faults` what could not be read, each with its writer."""

    address: str = ""
    writer: str = ""
    synced_at: datetime | None = None
    problem: str = ""
    colleagues: tuple[Colleague, ...] = ()
    forgotten: tuple[TeamForgetting, ...] = ()
    disputed: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()


@frozen
class TeamSync:
    """What one exchange did: lines written and read, and the ids of beliefs by what became of them."""

    sent: int = 0
    read: int = 0
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    disputed: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()


class Team(Protocol):
    """The exchange of one workspace. Raises Refused for agents, ExchangeUnavailable where it cannot be reached."""

    def on(self, address: str, *, author: Author | None = None) -> TeamSync:
        """Exchange with `address` from now on: a git repository (URL, `host:path` or absolute path), or
        `postgresql://...`. What a person here said goes out at once. Raises Refused for an agent and for an address
        that is not allowed."""
        ...

    def off(self, *, author: Author | None = None) -> bool:
        """Stop exchanging; False when it was off. What came stays, and what was sent stays with the others."""
        ...

    def sync(self, exchange: Any = None) -> TeamSync:
        """Send what was decided here, and take in what others sent, through the exchange that is on, or a storage of
        your own with the methods of `memlsp_team.exchange.exchange.Exchange`. Raises Refused when it is off or runs
        already."""
        ...

    def keep_up(self) -> None:
        """Exchange in the background, if it is due. A fault is kept for `status`."""
        ...

    def status(self) -> TeamStatus:
        """With whom and how far it is exchanged. Reads the store alone."""
        ...

    def log(self, limit: int = 50) -> Sequence[TeamLine]:
        """The latest lines of all machines, the latest first."""
        ...

    def words(self, line: TeamLine) -> str:
        """The statement of a line; "" where it has none, or none any more."""
        ...

    def signer_line(self) -> str:
        """The line of `allowed_signers` by which another machine lets the locks of this one count."""
        ...

    def init_server(self, address: str, *, role: str = "", author: Author | None = None) -> str:
        """Make or update the tables of a PostgreSQL server, and let the members of `role` share this workspace's
        lines; what was done, in a line. Raises Refused for an agent."""
        ...

    def health(self) -> Iterable[HealthCheck]:
        """The checks of `doctor`: reachable, the clock, and what waits for a person."""
        ...


def team_of(context: Context, conflicts: Conflicts, forgetting: Forgetting) -> Team:
    """The exchange of a workspace, by the package that is installed for it. Raises Refused where none is."""
    from importlib.metadata import entry_points  # late: few processes exchange anything

    for each in entry_points(group=ENTRY_POINTS):
        made: Team = each.load()(context, conflicts, forgetting)
        return made
    raise Refused("the exchange is a package of its own, and is not installed", "pip install 'memlsp[team]'")


def address_of(store: Store) -> str:
    """With what a workspace exchanges; "" for nothing."""
    return str(_state(store).get("address", ""))


def is_due(store: Store, now: datetime) -> bool:
    """True where an exchange is set up and installed, and its next time has come, or is further off than it can be."""
    state = _state(store)
    wait = now.isoformat() < str(state.get("next", "")) < (now + 2 * EVERY).isoformat()
    if not state.get("address") or store.read_only or wait:
        return False
    from importlib.metadata import entry_points  # late, as above

    return bool(entry_points(group=ENTRY_POINTS))


def _state(store: Store) -> dict[str, object]:
    with suppress(ValueError):
        state = json.loads(store.workspace_info(STATE) or "{}")
        if isinstance(state, dict):
            return state  # pyright: ignore[reportUnknownVariableType]  JSON
    return {}
