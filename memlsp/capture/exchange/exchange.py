"""`Exchange`, the protocol of every transport, and the transport that an address asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PureWindowsPath
from typing import Protocol
from urllib.parse import urlsplit

from memlsp.capture.exchange.git_exchange import GitExchange
from memlsp.capture.exchange.lines import Line, Pull
from memlsp.model.errors import Refused
from memlsp.model.one_line import plain

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SCP = re.compile(r"(?:[\w.+-]+@)?(?:\w[\w.-]*|\[[0-9A-Fa-f:.]+\]):(?!:).+", re.ASCII)


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


def open_exchange(address: str, folder: Path, workspace: str = "") -> Exchange:  # noqa: ARG001 - git has none
    """Return the exchange at `address`, one of git (URL, `host:path` or absolute path). Nothing is connected yet.
    `folder` is for what it keeps on this machine; `workspace` names the memory where one place has those of several.
    Raises Refused for an address that is not allowed."""
    return GitExchange(_git_address(address), folder)


def _git_address(address: str) -> str:
    """The address, where git may be given it."""
    fault = ""
    scheme, separator, _ = address.partition("://")
    if address.startswith("-") or not address.isprintable():
        fault = "it is no address"
    elif re.match(r"[\w+.-]*::", address, re.ASCII):
        fault = "it would start a program"
    elif separator and re.fullmatch(r"[\w+.-]+", scheme, re.ASCII):
        fault = _url_fault(address)
    elif not (Path(address).is_absolute() or PureWindowsPath(address).is_absolute() or _SCP.fullmatch(address)):
        fault = "a path must be absolute, for it is used from several folders"
    if fault:
        raise Refused(
            f"not an address for a team: {_shown(address)}: {fault}",
            "use https://..., ssh://..., host:path, file:///... or an absolute path",
        )
    return address


def _url_fault(address: str) -> str:
    try:
        url = urlsplit(address)
        host, scheme, password = url.hostname or "", url.scheme.lower(), url.password
        _ = url.port
    except ValueError:
        return "it is no URL"
    if password is not None:
        return "every process can see a password there; git's credential helpers keep one"
    if host.startswith("-") or (url.username or "").startswith("-"):
        return "it is no address"
    if scheme in {"http", "git"}:  # the sign-in could be read by others, and lines be held back unseen
        return "" if host in _LOOPBACK else f"{scheme} is not encrypted; beyond this machine use https or ssh"
    return "" if scheme in {"https", "ssh", "file"} else f"{scheme} is not a protocol for this"


def _shown(address: str) -> str:
    return plain(re.sub(r"//[^/@]*@", "//...@", address), 120)
