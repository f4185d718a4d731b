"""The types of what commands take, and commands made of functions: a parameter's annotation gives its type and number,
`commands.toml` its flags and help."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import click
from attrs import NOTHING, fields, frozen, has

from memlsp.faces.arguments import condition_of, moment_after, moment_before
from memlsp.model.belief import Scope
from memlsp.model.errors import BadValue, UsageError
from memlsp.model.place import Place

Value = TypeVar("Value")

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


class _Word(click.Choice[str]):
    def __init__(self, words: type[StrEnum]) -> None:
        super().__init__([word.value for word in words])
        self._words = words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> StrEnum:
        return self._words(super().convert(value, param, ctx))


def _days(value: str) -> int:
    """A number of days: 90, 90d, 12w, 3m, 1y; 0 or `never` for none."""
    text = value.strip().lower()
    span = _SPAN.match("0" if text == "never" else text)
    if span is None:
        raise BadValue(f"not a number of days: {value!r}", "write 90d, 12w, 3m or 1y")
    return int(span[1]) * _DAYS[span[2]]


PLACE = ParsedType("place", Place.parse)
FILE = click.Path(path_type=Path)
_TYPES: dict[Any, Any] = {Place: PLACE, Path: FILE, Scope: ParsedType("scope", Scope.parse)}

Until = Annotated[datetime, ParsedType("date", lambda text: moment_after(text, datetime.now(UTC)))]
Earlier = Annotated[datetime, ParsedType("date", lambda text: moment_before(text, datetime.now(UTC)))]
"""A date or time that is past, or a span ago: 2026-11-20, 2026-11-20T14:00, 3h, 2d, 4w."""
Condition = Annotated[tuple[str, str], ParsedType("condition", condition_of)]
Days = Annotated[int, ParsedType("days", _days)]
Count = Annotated[int, click.IntRange(1)]
Page = Annotated[int, click.IntRange(1, 1000)]

JSON = "memlsp.json"
"""Where click's context keeps whether JSON is wanted."""
_SHARED = {
    "agent": "--agent NAME: Say it as this agent; without it you say it as yourself.",
    "conditions": "--when KEY=VALUE: Where it applies: env=staging, os=windows, version=2; may be repeated.",
    "stale_after": "--stale-after DAYS: Expires unless it is confirmed every so often: 90d, 12w, 3m, 1y.",
}


def _note_json(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    ctx.meta[JSON] = wanted


as_json = click.option(
    "--json", is_flag=True, expose_value=False, callback=_note_json, help="Print JSON for scripts instead of text."
)


def one_of(values: Iterable[object]) -> click.Choice[str]:
    """A choice between values, by their texts."""
    return click.Choice([str(value) for value in values])


@frozen(kw_only=True)
class WriteArguments:
    """What every command takes that writes; it comes behind what the command's own class has."""

    agent: str | None = None


def command_of(name: str, function: Callable[..., None], texts: Mapping[str, Any]) -> click.Command:
    """The command that calls a function with what it was given, in one value where its lone parameter is `given`, of a
    class that attrs makes. With `commands` below it in the texts it is a group, which calls the function where it may
    stand `alone`."""
    hints = get_type_hints(function, include_extras=True)
    made_of = hints.get("given")
    found = _fields(made_of) if made_of else _parameters(function, hints)

    def call(**given: Any) -> None:
        if click.get_current_context().invoked_subcommand is None:
            function(made_of(**given)) if made_of else function(**given)

    helps = texts.get("options", {})
    settings: dict[str, Any] = {
        "callback": call,
        "help": inspect.getdoc(function),
        "params": [_parameter(*each, helps.get(each[0], _SHARED.get(each[0], ""))) for each in found],
    }
    if "commands" in texts:
        made = click.Group(name, invoke_without_command=texts.get("alone", False), **settings)
    else:
        made = click.Command(name, **settings)
    return as_json(made) if texts.get("json", True) else made


def _parameters(function: Callable[..., None], hints: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """The name, annotation and default of each parameter; None for no default."""
    for each in inspect.signature(function).parameters.values():
        yield each.name, hints[each.name], None if each.default is each.empty else each.default


def _fields(given: type) -> Iterator[tuple[str, Any, Any]]:
    """The same of the fields of a class, its own before those of its bases."""
    hints = get_type_hints(given, include_extras=True)
    for each in (one for base in given.__mro__ if has(base) for one in fields(base) if not one.inherited):
        yield each.name, hints[each.name], None if each.default is NOTHING else each.default


def _parameter(name: str, hint: Any, default: Any, text: str) -> click.Parameter:
    """An option for a text that begins with its flags: `-y --yes: Do not ask.`, `--at PLACE: ...`; for any other an
    argument, which the text gives another name to show."""
    kinds = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    optional = NoneType in kinds
    many = get_origin(kinds[0]) is tuple
    kind = get_args(kinds[0])[0] if many else kinds[0]
    declared, _, about = text.partition(": ")
    words = declared.split()
    flags = [word for word in words if word.startswith("-")]
    shown = " ".join(word for word in words if word not in flags) or None
    settings: dict[str, Any] = {"type": _type(kind), "metavar": shown}
    if default is not None:
        settings["default"] = default
    if not flags:
        optional = optional or many or default is not None
        return click.Argument([name], required=not optional, nargs=-1 if many else 1, **settings)
    if kind is bool:
        return click.Option([*flags, name], is_flag=True, help=about)
    return click.Option([*flags, name], help=about, multiple=many, show_default=bool(default), **settings)


def _type(kind: Any) -> Any:
    if get_origin(kind) is Annotated:
        return get_args(kind)[1]
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    return _Word(kind) if issubclass(kind, StrEnum) else _TYPES.get(kind, kind)
