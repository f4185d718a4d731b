"""Reads what an agent sent to a tool or a prompt, with the leniency that models need."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import cast

from memlsp.faces.arguments import Arguments, condition_of, moment_after, moment_before
from memlsp.model.belief import BeliefKind, Scope
from memlsp.model.errors import BadValue, UsageError
from memlsp.model.place import Place

DEFAULT_BUDGET = 1200
"""Tokens that `recall` may spend when the agent does not say."""

LARGEST_BUDGET = 8000

MOST_ITEMS = 50
"""Elements of a list that an agent sends."""


class ToolArguments(Arguments):
    """The arguments of one tool or prompt call; an unknown name is an error that lists the known ones. Models send null
    and blank texts for what they leave out, so both count as absent. A number or a flag may be a text, and a list may
    be one text with a line for each element."""

    def __init__(self, name: str, known: Sequence[str], values: Mapping[str, object]) -> None:
        super().__init__({key: each for key, each in values.items() if not isinstance(each, str) or each.strip()})
        self._takes = f"{name} takes {', '.join(known) or 'no arguments'}"
        for each in self._values:
            if each not in known:
                raise UsageError(f"{name} has no argument {each!r}", self._takes)

    def word(self, name: str) -> str:
        """A required word in lower case."""
        return self.text(name).strip().lower()

    def flag(self, name: str) -> bool:
        """True or false, as JSON or as a word; false when absent."""
        word = str(self._values.get(name, "")).strip().lower()
        return word == "true" if word in {"true", "false"} else super().flag(name)

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

    def texts(self, name: str, words: Collection[str] | None = None) -> Sequence[str]:
        """A list of texts without blank ones; one text with a line for each counts too."""
        value = self._values.get(name)
        if isinstance(value, str):
            return [line for line in value.splitlines() if line.strip()]
        return [each for each in super().texts(name, words) if each.strip()]

    def ids(self, name: str) -> list[str]:
        """Ids: a list, or one text that separates them by commas or spaces."""
        return [id for each in self.texts(name) for id in each.replace(",", " ").split()][:MOST_ITEMS]

    def conditions(self, name: str) -> list[tuple[str, str]]:
        """Conditions as KEY=VALUE: a text that separates them by commas, a list, or an object."""
        value = self._values.get(name)
        if isinstance(value, dict):
            written = [f"{key}={each}" for key, each in cast("dict[object, object]", value).items()]
        else:
            written = [part for each in self.texts(name) for part in each.split(",") if part.strip()]
        return [condition_of(each) for each in written][:MOST_ITEMS]

    def since(self, now: datetime) -> datetime | None:
        """A time before `now`, or None."""
        written = self.optional("since")
        return None if written is None else moment_before(written, now)

    def until(self, now: datetime) -> datetime | None:
        """The time after `now` at which something ends, or None: 2027-01-31, or 30d, 6w, 3m, 1y from now."""
        written = self.optional("until")
        moment = None if written is None else moment_after(written, now)
        if moment is not None and moment <= now:
            raise BadValue(f"{written} is past", "a belief ends in the future")
        return moment

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
        return min(Arguments({"budget": value}).number("budget", least=1, most=sys.maxsize) or 1, LARGEST_BUDGET)
