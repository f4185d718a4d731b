"""Options that several commands take, their types, and a way to hand a command all of its options as one value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from attrs import field, fields, frozen, has

from memlsp.faces.arguments import condition_of, moment_after, moment_before
from memlsp.model.belief import Scope
from memlsp.model.errors import BadValue, UsageError
from memlsp.model.place import Place

Value = TypeVar("Value")
Arguments = TypeVar("Arguments")

_SPAN = re.compile(r"^(\d{1,5})([dwmy]?)$")
_DAYS = {"": 1, "d": 1, "w": 7, "m": 30, "y": 365}


class ParsedType(click.ParamType[Value]):
    """A type of option whose text a function reads; an error of usage that it raises is one of click's too."""

    def __init__(self, name: str, parse: Callable[[str], Value]) -> None:
        self.name = name
        self.parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Value:
        """Read the value, or fail as wrong usage; click hands back a value that was read already."""
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except UsageError as error:
            self.fail(f"{error}; {error.hint}", param, ctx)


def _days(value: str) -> int:
    """A number of days: 90, 90d, 12w, 3m, 1y; 0 or `never` for none."""
    text = value.strip().lower()
    span = _SPAN.match("0" if text == "never" else text)
    if span is None:
        raise BadValue(f"not a number of days: {value!r}", "write 90d, 12w, 3m or 1y")
    return int(span[1]) * _DAYS[span[2]]


PLACE = ParsedType("place", Place.parse)
SCOPE = ParsedType("scope", Scope.parse)
UNTIL = ParsedType("date", lambda text: moment_after(text, datetime.now(UTC)))
PAST = ParsedType("date", lambda text: moment_before(text, datetime.now(UTC)))
"""A date or time that is past, or a span ago: 2026-11-20, 2026-11-20T14:00, 3h, 2d, 4w."""
FILE = click.Path(path_type=Path)

JSON = "memlsp.json"
"""Where click's context keeps whether JSON is wanted."""

_CLICK = "click"  # where a field keeps the decorator that makes a parameter of click of it
_AGENT = partial(
    click.option, "--agent", metavar="NAME", help="Say it as this agent; without it you say it as yourself."
)


def _note_json(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    ctx.meta[JSON] = wanted


as_json = click.option(
    "--json", is_flag=True, expose_value=False, callback=_note_json, help="Print JSON for scripts instead of text."
)
as_agent = _AGENT()


def one_of(values: Iterable[object]) -> click.Choice[str]:
    """A choice between values, by their texts."""
    return click.Choice([str(value) for value in values])


def argument(**settings: Any) -> Any:
    """A field of an arguments class that is an argument of the command."""
    return field(metadata={_CLICK: partial(click.argument, **settings)})


def option(*flags: str, **settings: Any) -> Any:
    """A field of an arguments class that is an option of the command."""
    return field(metadata={_CLICK: partial(click.option, *flags, **settings)})


def when_option() -> Any:
    """The field of --when."""
    return option(
        "--when",
        type=ParsedType("condition", condition_of),
        multiple=True,
        metavar="KEY=VALUE",
        help="Where it applies: env=staging, os=windows, version=2; may be repeated.",
    )


def stale_after_option() -> Any:
    """The field of --stale-after."""
    return option(
        "--stale-after",
        type=ParsedType("days", _days),
        metavar="DAYS",
        help="Expires unless it is confirmed every so often: 90d, 12w, 3m, 1y.",
    )


@frozen(kw_only=True)
class WriteArguments:
    """The option of every command that writes; click lists the options of a subclass before it."""

    agent: str | None = field(metadata={_CLICK: _AGENT})


def as_value(arguments: type[Arguments]) -> Callable[[Callable[[Arguments], None]], Callable[..., None]]:
    """Give a command the arguments and options that an attrs class has as fields, and --json; call it with one
    value."""

    def decorate(command: Callable[[Arguments], None]) -> Callable[..., None]:
        @wraps(command)
        def call(**given: Any) -> None:
            command(arguments(**given))

        call = as_json(call)
        classes = [each for each in arguments.__mro__ if has(each)]
        own = [each for base in classes for each in fields(base) if not each.inherited]
        for each in reversed(own):  # click lists the last decorator first
            call = each.metadata[_CLICK](each.name)(call)
        return call

    return decorate
