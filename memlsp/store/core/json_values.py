"""Values of the model as JSON values, and back. A general library for this takes as long to load and to prepare itself
as everything else that a command does."""

from __future__ import annotations

import types
from collections.abc import Callable
from datetime import datetime
from enum import Enum
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from attrs import NOTHING, Attribute, fields, frozen, has

T = TypeVar("T")

_Step = Callable[[Any], Any]
_SCALARS = (str, int, float, bool)


@frozen
class _Codec:
    """How a type is read from JSON and written to it; None for a value that stays as it is."""

    read: _Step | None
    write: _Step | None


class JsonValues:
    """Reads and writes attrs classes of scalars, enumerations, times, tuples, sets and each other. Unknown keys are
    ignored and missing ones take their default, so that the values of a neighbouring version can be read. With
    `omit_defaults` what equals its default is not written."""

    def __init__(self, read_time: _Step, write_time: _Step, *, omit_defaults: bool = False) -> None:
        self._codecs: dict[Any, _Codec] = {datetime: _Codec(read_time, write_time), Any: _Codec(None, None)}
        self._omit_defaults = omit_defaults

    def structure(self, value: Any, type_: type[T]) -> T:
        """The value of a type. Raises ValueError, TypeError or KeyError for JSON of another shape."""
        read = self._codec(type_).read
        return cast("T", value if read is None else read(value))

    def unstructure(self, value: Any) -> Any:
        """The JSON value of a value of a class, or of a tuple of such."""
        if isinstance(value, tuple):
            return tuple(self.unstructure(each) for each in cast("tuple[Any, ...]", value))
        write = self._codec(type(value)).write
        return value if write is None else write(value)

    def _codec(self, type_: Any) -> _Codec:
        known = self._codecs.get(type_)
        if known is None:
            known = self._codecs[type_] = self._made(type_)
        return known

    def _made(self, type_: Any) -> _Codec:
        if type_ in _SCALARS:
            return _Codec(type_, None)  # no other kind of value gets in: `str` of a text is that text
        if isinstance(type_, type) and issubclass(type_, Enum):
            return _Codec(type_, lambda value: value.value)
        if isinstance(type_, type) and has(type_):
            return self._of_class(type_)
        origin, inner = get_origin(type_), get_args(type_)
        if origin in {Union, types.UnionType} and len(inner) == 2 and inner[1] is types.NoneType:
            return _optional(self._codec(inner[0]))
        if origin is tuple:
            if len(inner) == 2 and inner[1] is Ellipsis:
                return _sequence(self._codec(inner[0]), plain=inner[0] in {str, int})
            return _row([self._codec(each) for each in inner])
        if origin is frozenset:
            read, write = self._codec(inner[0]).read or str, self._codec(inner[0]).write or str
            return _Codec(lambda value: frozenset(map(read, value)), lambda value: sorted(map(write, value)))
        raise TypeError(f"{type_} has no JSON form here")

    def _of_class(self, type_: type[Any]) -> _Codec:
        attributes = cast("tuple[Attribute[Any], ...]", fields(type_))
        ready: list[tuple[str, _Step | None, _Step | None]] = []
        defaults = {each.name: _default(each) for each in attributes if each.default is not NOTHING}

        def steps() -> list[tuple[str, _Step | None, _Step | None]]:
            """Of the fields, made when they are first needed: a class may hold values of its own."""
            if not ready:
                hints = get_type_hints(type_)
                made = [(each.name, self._codec(hints[each.name])) for each in attributes]
                ready.extend((name, codec.read, codec.write) for name, codec in made)
            return ready

        def read(value: Any) -> Any:
            if not isinstance(value, dict):
                raise TypeError(f"no {type_.__name__}: {type(value).__name__}")
            known = cast("dict[str, Any]", value)
            given = {
                name: known[name] if step is None else step(known[name])
                for name, step, _ in steps()
                if name in known or name not in defaults
            }
            return type_(**given)

        def write(value: Any) -> dict[str, Any]:
            made: dict[str, Any] = {}
            for name, _, step in steps():
                each = getattr(value, name)
                if not self._omit_defaults or name not in defaults or each != defaults[name]:
                    made[name] = each if step is None else step(each)
            return made

        return _Codec(read, write)


def _default(attribute: Attribute[Any]) -> Any:
    factory = getattr(attribute.default, "factory", None)
    return attribute.default if factory is None else factory()


def _optional(inner: _Codec) -> _Codec:
    read, write = inner.read, inner.write
    return _Codec(
        read and (lambda value: None if value is None else read(value)),
        write and (lambda value: None if value is None else write(value)),
    )


def _sequence(inner: _Codec, *, plain: bool) -> _Codec:
    """A tuple of any length. JSON gives the `plain` as they are, and a look at each would be most of the time spent."""
    read, write = inner.read, inner.write
    return _Codec(
        tuple if plain or read is None else (lambda value: tuple(map(read, value))),
        write and (lambda value: tuple(map(write, value))),
    )


def _row(inner: list[_Codec]) -> _Codec:
    """A tuple of so many values, each of its own type."""
    return _Codec(
        lambda row: tuple(c.read(v) if c.read else v for c, v in zip(inner, row, strict=True)),
        (lambda row: tuple(c.write(v) if c.write else v for c, v in zip(inner, row, strict=True)))
        if any(each.write for each in inner)
        else None,
    )
