"""Options and types that several commands take, and the way to the memory."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from memlsp.faces.render.belief_json import Json
from memlsp.memory import Memory
from memlsp.model.belief import Author, AuthorKind, Scope
from memlsp.model.errors import NoWorkspace, StoreUnavailable, UsageError
from memlsp.model.place import Place


class PlaceType(click.ParamType[Place]):
    """PATH, PATH:LINE or PATH#Qualified.name."""

    name = "place"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Place:
        """Read a place, or fail as wrong usage."""
        if isinstance(value, Place):
            return value
        try:
            return Place.parse(str(value))
        except UsageError as error:
            self.fail(f"{error}; {error.hint}", param, ctx)


class ScopeType(click.ParamType[Scope]):
    """user, workspace, file, symbol, or a path glob."""

    name = "scope"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Scope:
        """Read a scope, or fail as wrong usage."""
        if isinstance(value, Scope):
            return value
        try:
            return Scope.parse(str(value))
        except UsageError as error:
            self.fail(f"{error}; {error.hint}", param, ctx)


_SPAN = re.compile(r"^(\d{1,5})([hdwmy])$")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


class UntilType(click.ParamType[datetime]):
    """A date (2027-01-31), a date and time, or a span from now (12h, 30d, 6w, 3m, 1y)."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Read a moment in UTC, or fail as wrong usage."""
        if isinstance(value, datetime):
            return value
        text = str(value).strip()
        span = _SPAN.match(text)
        if span:
            count, unit = int(span[1]), span[2]
            return datetime.now(UTC) + (timedelta(hours=count) if unit == "h" else timedelta(days=count * _DAYS[unit]))
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            self.fail(f"not a date: {text!r}; write 2027-01-31, or 30d, 6w, 3m, 1y from now", param, ctx)
        return (moment if moment.tzinfo else moment.astimezone()).astimezone(UTC)


PLACE = PlaceType()
SCOPE = ScopeType()
UNTIL = UntilType()

as_json = click.option("--json", "json_wanted", is_flag=True, help="Print JSON for scripts instead of text.")
as_agent = click.option(
    "--agent", metavar="NAME", default=None, help="Say it as this agent; without it you say it as yourself."
)


def author_of(agent: str | None) -> Author | None:
    """The agent named, or in whose shell this runs; None for the person at this machine."""
    from memlsp.faces.cli.caller import agent_here  # only for what is written

    return Author(agent, AuthorKind.AGENT) if agent else agent_here()


def session_of(author: Author | None) -> str:
    """The name of the session in which this is said, "" for a person who names none."""
    from memlsp.faces.cli.caller import session_here

    return session_here(author)


def here() -> Path:
    """The working directory. Raises NoWorkspace when it was deleted under the process."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise NoWorkspace("the current folder does not exist any more", "cd to a folder that does") from None


@contextmanager
def opened() -> Generator[Memory]:
    """The memory that a command works on: of -C, else of the current folder.

    What a person should be told once (a damaged store set aside) goes to stderr.
    """
    start = base_folder()
    with Memory.open(start) as memory:
        told: set[str] = set()

        def tell() -> None:
            for notice in memory.notices:
                if notice not in told:
                    told.add(notice)
                    click.echo(f"memlsp: {notice}", err=True)

        if not memory.read_only:
            tell()
        try:
            yield memory
        except StoreUnavailable:
            raise  # which says by itself why nothing can be written
        except BaseException:
            tell()
            raise
        tell()


def base_folder() -> Path:
    """What relative paths on the command line are relative to."""
    folder: Path | None = click.get_current_context().obj
    if folder is None:
        return here()
    if not folder.is_absolute():
        folder = here() / folder
    if not os.path.exists(folder):  # noqa: PTH110  for a folder that may not be looked into, too
        raise NoWorkspace(f"no such folder: {folder}", "-C takes a folder of the project")
    return folder


def emit(value: Json | list[Json]) -> None:
    """Print JSON on stdout, one value, readable and in ASCII-safe UTF-8."""
    import json  # not needed by the text output

    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


@contextmanager
def patience(message: str) -> Generator[None]:
    """A spinner on stderr while something may take over a second; nothing when stderr is not a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    from rich.console import Console  # only where there is a terminal to show it

    with Console(stderr=True).status(message):
        yield


_PATIENCE = 5.0  # seconds for what came in and is not understood yet


def up_to_date(memory: Memory) -> None:
    """Understand what came in since, so that the answer is that of now; as far as that goes in a few seconds."""
    if not memory.read_only and memory.intake.behind():
        memory.intake.settle(_PATIENCE)
