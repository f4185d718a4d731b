"""`Exchange`, the protocol of every transport, and the transport that an address asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from memlsp_team.exchange.addresses import git_address
from memlsp_team.exchange.git_exchange import GitExchange
from memlsp_team.exchange.lines import Line, Pull
from memlsp_team.exchange.postgres_exchange import PostgresExchange


class Exchange(Protocol):
    """A place that all writers of a team reach. Each writer owns a set of lines there; everybody reads those of all.

    An exchange merges nothing: a transport is a folder for each writer that only that writer replaces. To write one:

    - Call `lines.check_lines` before publishing. What `lines.fault_of` says of a line that was read is a fault of its
      writer. Anybody may have written it: look at sizes before reading, and let a bad writer cost nobody else.
    - Publish in one step that readers see whole or not at all (a rename, a forced ref, a transaction): a process may be
      killed at any point, and publishes the same again. Writers must not wait for each other.
    - A cursor is a text of your own that says which state was read: of each writer the version, or a position below
      which nothing can appear any more. When in doubt return a line again: the caller knows lines by their keys.
    - A line that was taken away is absent from later pulls, and no copy of its text stays in `folder`. That it was
      taken away is not told: the caller publishes a line that says so.
    - Raise ExchangeUnavailable for what may pass (network, sign-in, timeout) with nothing changed here, and Refused for
      what will not. No call may take longer than some minutes, or ask a person.
    - One process at a time uses an object; several processes may use the same `folder`. It is a cache: make it for its
      owner alone, and make it again where it is missing or damaged.
    """

    def publish(self, writer: str, lines: Sequence[Line]) -> None:
        """Make `lines` all that `writer` has there: what is new is added, what is not among them is taken away. Give
        them in the same order each time, new ones last. Raises BadValue for lines that readers would refuse."""
        ...

    def own(self, writer: str) -> frozenset[str] | None:
        """Return the keys of the lines that `writer` has there now; None where there is nothing of this writer."""
        ...

    def pull(self, cursor: str) -> Pull:
        """Read what changed since `cursor`. With "", or a cursor that is damaged or another exchange's, read all."""
        ...

    def check(self) -> str:
        """Return one line for `doctor`: that it can be reached, and the difference of clocks where it can be known."""
        ...

    def close(self) -> None:
        """End connections and processes. The object may be used again."""
        ...


def open_exchange(address: str, folder: Path, workspace: str = "") -> Exchange:
    """Return the exchange at `address`: postgresql://..., or an address of git (URL, `host:path`, absolute path).
    Nothing is connected yet. `folder` is for what is kept on this machine. `workspace` chooses among those of a server;
    a repository has one. Raises Refused for an address that is not allowed."""
    if address.startswith(("postgresql://", "postgres://")):
        return PostgresExchange(address, workspace)
    return GitExchange(git_address(address), folder)
