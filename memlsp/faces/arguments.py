"""Reads the named values that a client sent with a request, a command, a tool or a prompt. A value that is missing or
has the wrong type is an error that names its parameter. Null counts as absent."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

from memlsp.model.errors import BadValue, UsageError

MOST_TEXT = 100_000
"""Characters of one value. A statement has at most 4,000; this leaves room for code and lists."""

_SPANS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_BACK = {unit: -span for unit, span in _SPANS.items()} | {"m": timedelta(minutes=-1)}
_AHEAD = _SPANS | {"m": timedelta(days=30), "y": timedelta(days=365)}


class Arguments:
    """The values of one call. `cancelled` is set when the client takes the call back."""

    _takes = ""  # the known names, for hints

    def __init__(self, values: object = None, cancelled: threading.Event | None = None) -> None:
        """Take an object or nothing. Raises BadValue for anything else."""
        if values is not None and not isinstance(values, Mapping):
            raise BadValue(f"expected an object, got {_shown(values)}", "send the parameters by their names")
        given = cast("Mapping[str, object]", values or {})
        self.cancelled = cancelled or threading.Event()
        self._values = {name: value for name, value in given.items() if value is not None}

    def has(self, name: str) -> bool:
        """True when a value was sent."""
        return name in self._values

    def text(self, name: str, meaning: str = "") -> str:
        """A required text that is not blank; `meaning` describes it in errors."""
        found = self.optional(name, meaning)
        if found is None or not found.strip():
            said = f"{meaning} is missing" if meaning else f"`{name}` is missing: expected a text"
            raise UsageError(said, self._takes or f"send `{name}`, a text")
        return found

    def optional(self, name: str, meaning: str = "") -> str | None:
        """A text, or None when it is absent."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise BadValue(
                f"`{name}`: expected {meaning or 'a text'}, got {_shown(value)}",
                self._takes or f"send `{name}`, a text",
            )
        if len(value) > MOST_TEXT:
            raise BadValue(f"`{name}` has {len(value):,} characters", f"{MOST_TEXT:,} is the most")
        return value

    def flag(self, name: str) -> bool:
        """True or false; false when absent."""
        value = self._values.get(name, False)
        if not isinstance(value, bool):
            raise BadValue(f"`{name}`: expected true or false, got {_shown(value)}")
        return value

    def number(self, name: str, *, least: int = 0, most: int = 1_000_000_000) -> int | None:
        """A whole number, or None when it is absent. JSON has one kind of number, so 3.0 is 3."""
        value = self._values.get(name)
        if value is None:
            return None
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole or not least <= cast("float", value) <= most:
            said = f"not a {name}: expected a whole number from {least} as `{name}`, got {_shown(value)}"
            raise BadValue(said, f"send `{name}` as a whole number, {most:,} at the most")
        return int(cast("float", value))

    def one_of(self, name: str, words: Collection[str]) -> str | None:
        """One of some words, or None when it is absent."""
        value = self.optional(name)
        if value is not None and value not in words:
            raise BadValue(f"not a {name}: `{name}` is not known: {_shown(value)}", f"one of {', '.join(words)}")
        return value

    def texts(self, name: str, words: Collection[str] | None = None) -> Sequence[str]:
        """A list of texts, each one of `words` where these are given; empty when it is absent."""
        value = self._values.get(name, ())
        if not isinstance(value, list | tuple):
            raise BadValue(f"`{name}`: expected a list, got {_shown(value)}", f"send `{name}` as a list of texts")
        found = cast("Sequence[object]", value)
        for each in found:
            if not isinstance(each, str):
                raise BadValue(f"`{name}`: expected texts, got {_shown(each)}", f"send `{name}` as a list of texts")
            if words is not None and each not in words:
                raise BadValue(f"`{name}`: not known: {_shown(each)}", f"some of {', '.join(words)}")
        return cast("Sequence[str]", found)

    def conditions(self, name: str) -> list[tuple[str, str]]:
        """A list of KEY=VALUE; one text may hold several, separated by commas."""
        return [condition_of(part) for each in self.texts(name) for part in each.split(",")]


def condition_of(text: str) -> tuple[str, str]:
    """One condition, written KEY=VALUE. Raises BadValue."""
    key, _, value = map(str.strip, text.partition("="))
    if not key or not value:
        raise BadValue(f"not a condition: {text.strip()!r:.60}", "write KEY=VALUE, such as env=staging")
    return key, value


def moment_before(text: str, now: datetime) -> datetime:
    """A date (2026-11-20), a date and time, or a span back from now (90m, 3h, 2d, 4w), in UTC. Raises BadValue."""
    return _moment(text.removesuffix(" ago"), now, _BACK, "write 2026-11-20, or 90m, 3h, 2d, 4w for that long ago")


def moment_after(text: str, now: datetime) -> datetime:
    """A date, a date and time, or a span from now (12h, 30d, 6w, 3m, 1y), in UTC. Raises BadValue."""
    return _moment(text, now, _AHEAD, "write 2027-01-31, or 30d, 6w, 3m, 1y from now")


def _moment(text: str, now: datetime, units: Mapping[str, timedelta], hint: str) -> datetime:
    text = text.strip()
    number, unit = text[:-1].strip(), text[-1:].lower()
    try:
        if number.isdecimal() and len(number) <= 5 and unit in units:
            return now + int(number) * units[unit]
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.astimezone()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadValue(f"not a time: {text!r}", hint) from None


def _shown(value: object) -> str:
    return repr(value)[:60]
