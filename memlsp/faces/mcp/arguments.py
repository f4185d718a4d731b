"""What an agent sent to a tool or a prompt, read field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

from memlsp.faces.render.handoffs import moment_before
from memlsp.model.belief import BeliefKind, Scope
from memlsp.model.errors import BadValue, UsageError
from memlsp.model.place import Place

DEFAULT_BUDGET = 1200
"""Tokens that `recall` may spend when the agent does not say."""

LARGEST_BUDGET = 8000

MOST_ITEMS = 50
"""Elements of a list that an agent sends."""

_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


class Arguments:
    """What was sent, with the names that there are. Every reader raises UsageError with what would be right.

    Null is the same as absent, and so is an empty string where the field is optional: models send both.
    """

    def __init__(self, name: str, known: Sequence[str], values: Mapping[str, object]) -> None:
        self._name = name
        self._known = list(known)
        self._values = {name: value for name, value in values.items() if value is not None}
        for each in self._values:
            if each not in self._known:
                raise UsageError(f"{name} has no argument {each!r}", f"it takes {self._names()}")

    def _names(self) -> str:
        return ", ".join(self._known) or "none"

    def text(self, name: str) -> str:
        """A required text that is not blank."""
        value = self.optional(name)
        if not value:
            raise UsageError(f"{self._name} needs {name!r}", f"it takes {self._names()}")
        return value

    def word(self, name: str) -> str:
        """A required word, without regard to case."""
        return self.text(name).strip().lower()

    def optional(self, name: str) -> str | None:
        """A text, or None when it is absent or blank."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise BadValue(f"{name} is a text, not {type(value).__name__}")
        return value if value.strip() else None

    def flag(self, name: str) -> bool:
        """True or false, as JSON or as a word; false when absent."""
        value = self._values.get(name, False)
        if isinstance(value, str) and value.strip().lower() in {"true", "false", ""}:
            value = value.strip().lower() == "true"
        if not isinstance(value, bool):
            raise BadValue(f"{name} is true or false, not {value!r}")
        return value

    def place(self) -> Place | None:
        """The place, or None."""
        written = self.optional("place")
        return Place.parse(written) if written else None

    def kind(self) -> BeliefKind | None:
        """The kind of belief, or None."""
        written = self.optional("kind")
        if written is None:
            return None
        try:
            return BeliefKind(written.strip().lower())
        except ValueError:
            raise BadValue(f"not a kind: {written!r}", f"one of {', '.join(BeliefKind)}") from None

    def scope(self) -> Scope | None:
        """The scope, or None."""
        written = self.optional("scope")
        return Scope.parse(written) if written else None

    def texts(self, name: str) -> list[str]:
        """A list of texts; one text with a line for each counts too."""
        value = self._values.get(name)
        if isinstance(value, str):
            value = value.splitlines()
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):  # pyright: ignore[reportUnknownVariableType] - JSON
            raise BadValue(f"{name} is a list of texts")
        return [each for each in cast("list[str]", value) if each.strip()]

    def ids(self, name: str) -> list[str]:
        """Ids: a list, or one text that parts them by commas or spaces."""
        return [id for each in self.texts(name) for id in each.replace(",", " ").split()][:MOST_ITEMS]

    def conditions(self, name: str) -> list[tuple[str, str]]:
        """Conditions as KEY=VALUE: a text that parts them by commas, a list, or an object."""
        value = self._values.get(name)
        pairs: list[tuple[str, str]]
        if isinstance(value, dict):
            pairs = [(str(key), str(each)) for key, each in cast("dict[object, object]", value).items()]
        else:
            written = [part for each in self.texts(name) for part in each.split(",") if part.strip()]
            pairs = []
            for each in written:
                key, sign, meant = each.partition("=")
                if not sign:
                    raise BadValue(f"not a condition: {each.strip()!r}", "KEY=VALUE, such as env=staging")
                pairs.append((key, meant))
        found = [(key.strip(), meant.strip()) for key, meant in pairs]
        if any(not key or not meant for key, meant in found):
            raise BadValue("a condition has a key and a value", "KEY=VALUE, such as env=staging")
        return found[:MOST_ITEMS]

    def since(self, now: datetime) -> datetime | None:
        """A time before `now`, or None."""
        written = self.optional("since")
        return None if written is None else moment_before(written, now)

    def until(self, now: datetime) -> datetime | None:
        """A time after `now` at which something ends, or None: 2027-01-31, or 30d, 6w, 3m, 1y from now."""
        written = self.optional("until")
        return None if written is None else moment_after(written, now)

    def as_of(self, now: datetime) -> str | datetime | None:
        """A commit as it was written, or a time before `now`; None when absent."""
        written = self.optional("as_of")
        if written is None:
            return None
        try:
            return moment_before(written, now)
        except BadValue:
            return written.strip()

    def budget(self) -> int:
        """The token budget within its bounds; a number written as text counts."""
        value = self._values.get("budget", DEFAULT_BUDGET)
        if isinstance(value, str) and value.strip().isdecimal():
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise BadValue(f"not a budget: {value!r}", "a number of tokens, 1 or more")
        return min(value, LARGEST_BUDGET)


def moment_after(text: str, now: datetime) -> datetime:
    """A time in the future: a date or a date and time, or a span from now (30d, 6w, 3m, 1y). Raises BadValue."""
    written = text.strip().lower()
    number, unit = written[:-1].strip(), written[-1:]
    if number.isdecimal() and len(number) <= 4 and unit in _DAYS:
        return now + timedelta(days=int(number) * _DAYS[unit])
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadValue(f"not a time: {text!r}", "write 2027-01-31, or 30d, 6w, 3m, 1y from now") from None
    moment = (moment if moment.tzinfo else moment.astimezone()).astimezone(UTC)
    if moment <= now:
        raise BadValue(f"{text.strip()} is past", "a belief ends in the future")
    return moment
